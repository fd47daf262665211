#include "elements/copy_elements.hpp"

#include "array/layout.hpp"
#include "elements/array_kernels.hpp"

#include <cstring>

namespace gemel {
namespace {

using Kind = DType::Kind;

/// The elements as unsigned integers as wide as their alignment allows, with an axis more if it takes several. Bits are
/// copied then, not values: NaNs keep theirs, and structs need no declaration.
AnyArray as_words(const AnyArray& array, const Shape& shape, const Strides& strides, std::int64_t offset) {
    const DType dtype = array.dtype();
    const std::size_t first =
        array.offset_bytes() + static_cast<std::size_t>(offset * std::int64_t{dtype.size_bytes()});
    if (dtype.kind() == Kind::complex) return AnyArray(array.buffer(), dtype, shape, strides, first);
    const std::size_t alignment = dtype.layout() ? dtype.layout()->alignment_bytes : dtype.size_bytes();
    const auto word = static_cast<std::uint32_t>(alignment < 8 ? alignment : 8);
    const std::int64_t words = dtype.size_bytes() / word;
    Shape all = shape;
    Strides steps = strides;
    if (words > 1) {
        for (auto& step : steps) step *= words;
        all.push_back(words);
        steps.push_back(1);
    }
    return AnyArray(array.buffer(), DType(Kind::unsigned_integer, word), all, steps, first);
}

Buffer run_of(const AnyArray& array, std::int64_t offset) {
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes());
    return array.buffer().view(array.offset_bytes() + static_cast<std::size_t>(offset * item), array.size_bytes());
}

}  // namespace

void copy_elements(const AnyArray& to, const AnyArray& from) {
    if (to.size() == 0) return;
    const Pair pair = joined({to.shape(), to.strides(), 0}, {from.shape(), from.strides(), 0});
    const bool is_one_run = pair.shape.empty() || (pair.shape.rank() == 1 && pair.to[0] == 1 && pair.from[0] == 1);
    if (!(to.dtype() == from.dtype())) {
        const auto flat = [&](const AnyArray& array, const Strides& strides, std::int64_t offset) {
            const std::int64_t bytes = offset * std::int64_t{array.dtype().size_bytes()};
            return AnyArray(array.buffer(), array.dtype(), pair.shape, strides,
                            array.offset_bytes() + static_cast<std::size_t>(bytes));
        };
        conversion_kernel(from.dtype(), to.dtype())(flat(from, pair.from, pair.from_offset),
                                                    flat(to, pair.to, pair.to_offset));
    } else if (is_one_run) {
        run_of(to, pair.to_offset).copy_from(run_of(from, pair.from_offset));
    } else {
        copy_kernel()(as_words(from, pair.shape, pair.from, pair.from_offset),
                      as_words(to, pair.shape, pair.to, pair.to_offset));
    }
}

bool fill_elements(const AnyArray& to, const void* element) {
    const DType dtype = to.dtype();
    if (dtype.layout() || dtype.kind() == Kind::complex || dtype.size_bytes() > 8) return false;
    const Layout layout{to.shape(), to.strides(), 0};
    const Pair pair = joined(layout, layout);
    const std::size_t first =
        to.offset_bytes() + static_cast<std::size_t>(pair.to_offset * std::int64_t{dtype.size_bytes()});
    const AnyArray words(to.buffer(), DType(Kind::unsigned_integer, dtype.size_bytes()), pair.shape, pair.to, first);
    const auto run = [&]<class Word>(Word value) {
        std::memcpy(&value, element, sizeof value);
        fill_kernel()(value, words);
        return true;
    };
    switch (dtype.size_bytes()) {
        case 1: return run(std::uint8_t{});
        case 2: return run(std::uint16_t{});
        case 4: return run(std::uint32_t{});
        case 8: return run(std::uint64_t{});
        default: return false;
    }
}

}  // namespace gemel
