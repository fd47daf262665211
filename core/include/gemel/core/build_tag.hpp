/// GEMEL_BUILD_TAG: the build properties in which libgemel.so and a plug-in must agree; a part of plugin.hpp.
#pragma once

#include <gemel/core/version.hpp>

/// The tag of the current compilation; a plug-in stores it in its PluginEntry.
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
