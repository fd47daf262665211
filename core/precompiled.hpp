/// The headers that most sources of core include, for GEMEL_PRECOMPILED. Sources name what they need all the same: other builds have no
/// precompiled headers.
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>
