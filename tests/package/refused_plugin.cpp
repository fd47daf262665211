/// A plug-in that libgemel.so must refuse: of another build (REFUSED_TAG) or of another interface (REFUSED_ABI).
#include <gemel/core/plugin.hpp>

#include <cstdlib>

#ifndef REFUSED_TAG
#define REFUSED_TAG GEMEL_BUILD_TAG
#endif
#ifndef REFUSED_ABI
#define REFUSED_ABI gemel::plugin::abi_version
#endif

namespace {

// Calling it would be the defect.
gemel::plugin::Plugin* create() { std::abort(); }

constexpr gemel::plugin::PluginEntry entry{REFUSED_ABI, REFUSED_TAG, create};

}  // namespace

extern "C" GEMEL_API const gemel::plugin::PluginEntry* gemel_plugin_entry() { return &entry; }
