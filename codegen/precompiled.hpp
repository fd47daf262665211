/// The headers that most sources of codegen include, for GEMEL_PRECOMPILED. Sources name what they need all the same: other builds have no
/// precompiled headers.
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
