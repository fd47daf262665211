#include "elements/copy_elements.hpp"

#include "array/layout.hpp"
#include "elements/array_kernels.hpp"
#include "generated/kernel_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gemel {
namespace {

using Kind = DType::Kind;

/// The largest power of 2, at most 16, that divides the size and the position of all elements of both arrays.
std::size_t common_word(const AnyArray& to, std::size_t first_to, const AnyArray& from, std::size_t first_from) {
    const bool linear = KernelCache::of(to).addresses_are_linear();
    const std::uint64_t base = linear ? to.buffer().native_handle() | from.buffer().native_handle() : 0;
    const std::uint64_t buffers = to.buffer().offset_bytes() | from.buffer().offset_bytes();
    const std::uint64_t offsets = base | buffers | first_to | first_from | to.dtype().size_bytes();
    return std::size_t{1} << std::min(std::countr_zero(offsets), 4);
}

/// The elements as unsigned integers of `word` bytes, or as complex numbers of 16 bytes, with another axis if an
/// element has several words. Copies bits, not values: NaNs keep theirs, and structs need no declaration.
AnyArray as_words(const AnyArray& array, std::size_t word, const Shape& shape, const Strides& strides,
                  std::size_t first) {
    const std::int64_t words = static_cast<std::int64_t>(array.dtype().size_bytes() / word);
    Shape all = shape;
    Strides steps = strides;
    if (words > 1) {
        for (auto& step : steps) step *= words;
        all.push_back(words);
        steps.push_back(1);
    }
    const DType carrier =
        word == 16 ? dtype_of<cdouble>() : DType(Kind::unsigned_integer, static_cast<std::uint32_t>(word));
    return AnyArray(array.buffer(), carrier, all, steps, first);
}

void copy_words(const AnyArray& to, const AnyArray& from, const MergedLayouts& pair) {
    const std::int64_t item = to.dtype().size_bytes();
    const std::size_t first_to = to.offset_bytes() + static_cast<std::size_t>(pair.to_offset * item);
    const std::size_t first_from = from.offset_bytes() + static_cast<std::size_t>(pair.from_offset * item);
    if (to.dtype().kind() == Kind::complex) {
        copy_kernel()(AnyArray(from.buffer(), from.dtype(), pair.shape, pair.from, first_from),
                      AnyArray(to.buffer(), to.dtype(), pair.shape, pair.to, first_to));
        return;
    }
    std::size_t word = common_word(to, first_to, from, first_from);
    if (word == 16 && !KernelCache::of(to).info().has_double) word = 8;
    copy_kernel()(as_words(from, word, pair.shape, pair.from, first_from),
                  as_words(to, word, pair.shape, pair.to, first_to));
}

Buffer run_of(const AnyArray& array, std::int64_t offset) {
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes());
    return array.buffer().view(array.offset_bytes() + static_cast<std::size_t>(offset * item), array.size_bytes());
}

}  // namespace

void copy_elements(const AnyArray& to, const AnyArray& from) {
    if (to.size() == 0) return;
    const MergedLayouts pair = merge_axes({to.shape(), to.strides(), 0}, {from.shape(), from.strides(), 0});
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
        copy_words(to, from, pair);
    }
}

bool fill_elements(const AnyArray& to, const void* element) {
    const DType dtype = to.dtype();
    if (dtype.layout() || dtype.kind() == Kind::complex || dtype.size_bytes() > 8) return false;
    const Layout layout{to.shape(), to.strides(), 0};
    const MergedLayouts pair = merge_axes(layout, layout);
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
