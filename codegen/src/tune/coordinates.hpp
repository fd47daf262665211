/// The coordinates of points for the model of a search: the parameters, and the quantities that constraints limit.
#pragma once

#include <gemel/codegen/template.hpp>
#include <gemel/codegen/tuning_space.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gemel::tune {

/// By dimension; those of numbers are spread over 0 to 255, those of words differ or not.
using Coordinates = std::vector<std::uint8_t>;

/// What a kernel's constraints compare, such as threads per block or bytes of shared memory, also decides about its
/// time. So the ratio of both sides of each comparison is a dimension, by its logarithm. Both sides are evaluated as
/// templates; what is not a positive number everywhere, or equals another dimension, is left out.
class CoordinateSystem {
   public:
    explicit CoordinateSystem(const Space& space);
    /// Valid until the next call.
    const Coordinates& at(std::size_t point) const;
    const std::vector<bool>& is_word() const { return is_word_; }

   private:
    struct Quantity {
        codegen::Template text;
        double lowest, highest;
    };
    Coordinates of_parameters(const std::vector<std::uint32_t>& choices) const;
    void add_quantity(const codegen::Template& text, const std::vector<std::size_t>& examples);
    void set_values(const std::vector<std::uint32_t>& choices) const;

    const Space& space_;
    std::vector<bool> is_word_;
    std::vector<Quantity> quantities_;
    std::vector<Coordinates> dimensions_;  ///< of the quantities, at the examples
    mutable codegen::Values values_;       ///< the facts, and the parameters of the latest point
    mutable std::unordered_map<std::size_t, Coordinates> known_;
};

}  // namespace gemel::tune
