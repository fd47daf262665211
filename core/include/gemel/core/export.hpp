/// The exported symbols of libgemel.so. Everything is built with hidden visibility; only names marked GEMEL_API are
/// exported.
#pragma once

#define GEMEL_API __attribute__((visibility("default")))
