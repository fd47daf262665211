#include <gemel/arrays/print.hpp>

#include "elements/copy_elements.hpp"
#include "exchange/format.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

namespace gemel {
namespace {

constexpr std::int64_t edge = 3;                ///< elements printed at either end of a long axis
constexpr std::size_t summarised_above = 1000;  ///< elements
constexpr std::size_t line_width = 75;

/// The elements that a summary prints: the ends of every axis.
AnyArray ends_of(const AnyArray& array) {
    Shape shape = array.shape();
    for (auto& extent : shape) extent = std::min(extent, 2 * edge);
    const AnyArray result(array.context(), array.dtype(), shape);
    // Copies each corner separately: per axis the first and the last elements, or all.
    const auto copy_corner = [&](const auto& self, std::vector<Index>& to, std::vector<Index>& from) -> void {
        const std::size_t axis = to.size();
        if (axis == array.rank()) return copy_elements(result.view(to), array.view(from));
        const bool is_cut = array.shape()[axis] > 2 * edge;
        for (int side = 0; side < (is_cut ? 2 : 1); ++side) {
            const Slice part = !is_cut ? slice() : side == 0 ? slice(edge) : slice(-edge, {});
            to.push_back(part);
            from.push_back(part);
            self(self, to, from);
            to.pop_back();
            from.pop_back();
        }
    };
    std::vector<Index> to, from;
    copy_corner(copy_corner, to, from);
    return result;
}

class Printer {
   public:
    Printer(const AnyArray& array, bool is_summary) : shape_(array.shape()), is_summary_(is_summary) {
        const AnyArray shown = is_summary ? ends_of(array) : array;
        bytes_ = shown.dtype().size_bytes();
        values_.resize(shown.size_bytes());
        shown.get_bytes(values_.data());
        shown_ = shown.shape();
        format_ = formatter_for(array.dtype(), values_.data(), shown.size(), bytes_);
    }

    /// Prints an axis and all later ones. @param at  the first printed element
    std::string print(std::size_t axis, std::size_t at, const std::string& indent, std::size_t width) const {
        const auto extent = static_cast<std::size_t>(shown_[axis]);
        std::size_t step = 1;
        for (std::size_t k = axis + 1; k < shape_.rank(); ++k) step *= static_cast<std::size_t>(shown_[k]);
        const bool has_gap = is_summary_ && shape_[axis] > 2 * edge;
        const bool is_last = axis + 1 == shape_.rank();
        const std::size_t element_width = width - 1;  // room for the closing bracket

        std::string result, line = indent;
        const auto add_word = [&](const std::string& word) {
            if (line.size() + word.size() > element_width && line.size() > indent.size()) {
                while (!line.empty() && line.back() == ' ') line.pop_back();
                result += line + "\n";
                line = indent;
            }
            line += word;
        };
        for (std::size_t i = 0; i < extent; ++i) {
            const bool is_after_gap = has_gap && i == edge;
            if (is_last) {
                if (i > 0) line += " ";
                if (is_after_gap) {
                    add_word("...");
                    line += " ";
                }
                add_word(format_(values_.data() + (at + i) * bytes_));
            } else {
                const std::string lines(shape_.rank() - axis - 1, '\n');
                if (i > 0) result += lines;
                if (is_after_gap) result += indent + "..." + lines;
                result += indent + print(axis + 1, at + i * step, indent + " ", width - 1);
            }
        }
        if (is_last) result += line;
        result.replace(0, indent.size(), 1, '[');
        return result += ']';
    }

   private:
    Shape shape_, shown_;
    bool is_summary_;
    std::size_t bytes_ = 0;
    std::vector<std::byte> values_;
    Formatter format_;
};

}  // namespace

std::string to_string(const AnyArray& array) {
    if (array.empty()) return "(an empty array handle)";
    if (array.size() == 0) return "[]";
    if (array.rank() == 0) {
        std::vector<std::byte> value(array.size_bytes());
        array.get_bytes(value.data());
        return scalar_text(array.dtype(), value.data());
    }
    return Printer(array, array.size() > summarised_above).print(0, 0, " ", line_width);
}

std::ostream& operator<<(std::ostream& out, const AnyArray& array) { return out << to_string(array); }

}  // namespace gemel
