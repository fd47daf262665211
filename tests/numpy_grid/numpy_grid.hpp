/// The operator grid: what its translation units, one per type of the left operand, share.
#pragma once

#include <gemel/gemel.hpp>

#include <filesystem>
#include <string>

namespace gemel::grid {

/// Counts, and prints the first difference of each case.
struct Report {
    std::size_t cases = 0, differences = 0, refused = 0;
    std::size_t turns = 0;    ///< of layouts
    std::size_t numbers = 0;  ///< beside which the operators were called
    /// Compares dtype, shape, and values: integers and bools exactly, floating ones to `ulps` of the result's type.
    void compare(const std::string& name, const AnyArray& found, const AnyArray& expected, double ulps);
    /// gemel has no such operation: right if NumPy refuses too.
    void missing(const std::string& name, bool numpy_has_it, bool is_stated);
};

using Function = void (*)(const std::filesystem::path& folder, Report& report);
/// Of the translation units; each adds itself under NumPy's name of its type. @returns always 0
int add_left_type(const std::string& name, Function function);

}  // namespace gemel::grid
