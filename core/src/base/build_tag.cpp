/// The build of libgemel.so, which a plug-in must share.
#include <gemel/core/plugin.hpp>

namespace gemel::plugin {

const char* library_build_tag() { return GEMEL_BUILD_TAG; }

}  // namespace gemel::plugin
