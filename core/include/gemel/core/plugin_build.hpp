/// The build of a plug-in, which must be that of libgemel.so: a part of plugin.hpp.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/version.hpp>

namespace gemel::plugin {

/// The tag of this build of libgemel.so.
GEMEL_API const char* library_build_tag();

}  // namespace gemel::plugin

/// The tag under which this header is being compiled; a plug-in puts it into its PluginEntry.
#define GEMEL_TEXT_OF_(x) #x
#define GEMEL_TEXT_OF(x) GEMEL_TEXT_OF_(x)
#if defined(__clang__)
#define GEMEL_COMPILER_FAMILY "clang"
#else
#define GEMEL_COMPILER_FAMILY "gcc"
#endif
#if defined(__SANITIZE_ADDRESS__)
#define GEMEL_SANITIZER_TAG "address"
#elif defined(__SANITIZE_THREAD__)
#define GEMEL_SANITIZER_TAG "thread"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GEMEL_SANITIZER_TAG "address"
#elif __has_feature(thread_sanitizer)
#define GEMEL_SANITIZER_TAG "thread"
#endif
#endif
#ifndef GEMEL_SANITIZER_TAG
#define GEMEL_SANITIZER_TAG "none"
#endif

#define GEMEL_BUILD_TAG \
    "gemel " GEMEL_VERSION ", " GEMEL_COMPILER_FAMILY \
    ", cxx11 strings " GEMEL_TEXT_OF(_GLIBCXX_USE_CXX11_ABI) ", sanitizer " GEMEL_SANITIZER_TAG
