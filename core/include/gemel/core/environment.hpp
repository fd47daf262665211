/// The environment variables that gemel reads. One table defines the behaviour, the documentation and `gemel info`.
#pragma once

#include <gemel/core/export.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// One variable of the table.
struct EnvironmentVariable {
    std::string name;                    ///< "GEMEL_BACKEND"
    std::string values;                  ///< accepted values, e.g. "cuda | opencl"
    std::string meaning;                 ///< one sentence
    std::optional<std::string> current;  ///< the value in force, if set
};

/// All variables that gemel reads, in the order of the documentation, with their current values.
GEMEL_API std::vector<EnvironmentVariable> environment();

namespace env {

/// The value of a variable of the table; nullopt if unset or empty. Each call reads the environment.
GEMEL_API std::optional<std::string> get(const char* name);
/// True for 1, on, true, yes; false for 0, off, false, no. @throws ArgumentError for anything else
/// @param unset  the result where the variable is unset or empty
GEMEL_API bool flag(const char* name, bool unset = false);
/// Checks the values of all variables that take certain words or a number of bytes.
/// @throws ArgumentError with the variable and its value
GEMEL_API void check_values();
/// A number of bytes: "1048576", "512K", "2G", or "80%" of `total_bytes`.
/// @throws ArgumentError with the variable and the value if it cannot be read
GEMEL_API std::optional<std::size_t> bytes(const char* name, std::size_t total_bytes);

}  // namespace env
}  // namespace gemel
