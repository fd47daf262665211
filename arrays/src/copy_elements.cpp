#include "copy_elements.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "layout.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace gemel {
namespace {

using Kind = DType::Kind;

/// `x[i]` in another type. 16-bit floats are floats in a snippet.
std::string converted(const DType& from, const DType& to) {
    const bool is_complex = from.kind() == Kind::complex;
    if (to.kind() == Kind::complex) {
        const std::string part = to.size_bytes() == 8 ? "(float)" : "(double)";
        return is_complex ? text(to.name(), "_new(", part, "x[i].re, ", part, "x[i].im)")
                          : text(to.name(), "_new(", part, "x[i], 0)");
    }
    if (to.kind() == Kind::boolean) return is_complex ? "x[i].re != 0 || x[i].im != 0" : "x[i] != 0";
    if (is_complex) throw ArgumentError("copy_elements: complex to real");
    const bool is_narrow = to.kind() == Kind::bfloat || (to.kind() == Kind::floating && to.size_bytes() == 2);
    return text("(", is_narrow ? "float" : to.name(), ")x[i]");
}

/// One kernel per pair of scalar types, made when it is first needed and never destroyed.
const ElementwiseKernel& converter(const DType& from, const DType& to) {
    static std::mutex mutex;
    static auto& kernels = *new std::map<std::string, ElementwiseKernel>;
    const std::string name = text("convert_", from.name(), "_to_", to.name());
    const std::lock_guard lock(mutex);
    auto found = kernels.find(name);
    if (found == kernels.end())
        found = kernels.emplace(name, ElementwiseKernel({VectorArg(from, "x", true), VectorArg(to, "y")},
                                                        text("y[i] = ", converted(from, to)), name)).first;
    return found->second;
}

/// The elements as unsigned integers as wide as their alignment allows, with an axis more if it takes several. Bits are copied then,
/// not values: NaNs keep theirs, and structs need no declaration.
AnyArray as_words(const AnyArray& array, const Shape& shape, const Strides& strides, std::int64_t offset) {
    const DType dtype = array.dtype();
    const std::size_t first = array.offset_bytes() + static_cast<std::size_t>(offset * std::int64_t{dtype.size_bytes()});
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
    const bool is_one_run =
        pair.shape.empty() || (pair.shape.rank() == 1 && pair.to[0] == 1 && pair.from[0] == 1);
    if (!(to.dtype() == from.dtype())) {
        const auto flat = [&](const AnyArray& array, const Strides& strides, std::int64_t offset) {
            const std::int64_t bytes = offset * std::int64_t{array.dtype().size_bytes()};
            return AnyArray(array.buffer(), array.dtype(), pair.shape, strides,
                            array.offset_bytes() + static_cast<std::size_t>(bytes));
        };
        converter(from.dtype(), to.dtype())(flat(from, pair.from, pair.from_offset), flat(to, pair.to, pair.to_offset));
    } else if (is_one_run) {
        run_of(to, pair.to_offset).copy_from(run_of(from, pair.from_offset));
    } else {
        static const auto& copy = *new ElementwiseKernel("const T *x, T *y", "y[i] = x[i]", "copy_elements");
        copy(as_words(from, pair.shape, pair.from, pair.from_offset), as_words(to, pair.shape, pair.to, pair.to_offset));
    }
}

bool fill_elements(const AnyArray& to, const void* element) {
    static const auto& fill = *new ElementwiseKernel("T value, T *y", "y[i] = value", "fill_elements");
    const DType dtype = to.dtype();
    if (dtype.layout() || dtype.kind() == Kind::complex) return false;
    const AnyArray words = to.view_as(DType(Kind::unsigned_integer, dtype.size_bytes()));
    const auto run = [&]<class Word>(Word value) {
        std::memcpy(&value, element, sizeof value);
        fill(value, words);
        return true;
    };
    switch (dtype.size_bytes()) {
        case 1:
            return run(std::uint8_t{});
        case 2:
            return run(std::uint16_t{});
        case 4:
            return run(std::uint32_t{});
        case 8:
            return run(std::uint64_t{});
        default:
            return false;
    }
}

}  // namespace gemel
