/// What most tests include, for GEMEL_PRECOMPILED. Tests name what they need all the same: other builds have no
/// precompiled headers.
#include <doctest/doctest.h>
#include <gemel/gemel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>
