#include "tune/saved_memory.hpp"

#include "array/byte_bounds.hpp"
#include "tune_kernels.hpp"

#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace gemel::tune {
namespace {

/// How the elements of a type are compared.
struct Comparison {
    std::string_view type = "uint8_t", number = "", load = "", tolerance = "";
    std::string_view share = "";  ///< the tolerance, relative to the largest element
    std::size_t bytes = 1;
};

Comparison comparison_of(const DType& dtype, std::size_t bytes) {
    const std::string name = dtype.empty() ? std::string() : dtype.name();
    if (name == "float" || name == "cfloat") return {"float", "float", "", "1e-3f", "1e-5f", 4};
    if (name == "double" || name == "cdouble") return {"double", "double", "", "1e-9", "1e-12", 8};
    if (name == "float16_t") return {"float16_t", "float", "load_float16", "2e-2f", "4e-3f", 2};
    if (name == "bfloat16_t") return {"bfloat16_t", "float", "load_bfloat16", "5e-2f", "3e-2f", 2};
    if (bytes % 4 == 0) return {"uint32_t", "", "", "", "", 4};
    return {};
}

}  // namespace

codegen::Rendered comparison_text(const DType& dtype, std::size_t bytes) {
    const Comparison by = comparison_of(dtype, bytes);
    return tune_kernels::compare().render_with_lines({{"type", by.type},
                                                      {"number", by.number},
                                                      {"load", by.load},
                                                      {"tolerance", by.tolerance},
                                                      {"share", by.share}});
}

namespace {

bool are_same(const Stream& stream, const Buffer& a, const Buffer& b, const DType& dtype) {
    const Context context = a.context();
    const Comparison by = comparison_of(dtype, a.size_bytes());
    const Module module = context.compile(comparison_text(dtype, a.size_bytes()));
    const Kernel kernel = module.kernel("compare");
    const Buffer differ = context.allocate(sizeof(std::int32_t));
    stream.fill(differ, std::int32_t{0});
    const auto n = static_cast<std::int64_t>(a.size_bytes() / by.bytes);
    const Device device = context.device();
    const std::uint32_t block = std::min(128u, device.info().max_threads_per_block);
    const LaunchConfig config{
        .grid = {std::clamp<std::int64_t>(n / block, 1, 1024)}, .block = {block}, .stream = stream};
    if (by.number.empty()) {
        kernel(config, a, b, n, differ);
    } else {
        const Buffer bits = context.allocate(sizeof(std::uint32_t));
        stream.fill(bits, std::uint32_t{0});
        module.kernel("largest")(config, b, n, bits);
        kernel(config, a, b, n, differ, bits);
    }
    stream.synchronize();
    std::array<std::int32_t, 1> result{};
    differ.download(result);
    return result[0] == 0;
}

Buffer copied(const Stream& stream, const Buffer& from) {
    Buffer to = from.context().allocate(from.size_bytes());
    stream.copy(to, from);
    return to;
}

}  // namespace

void SavedMemory::add(const AnyArray& array) {
    if (array.empty() || array.size() == 0) return;
    const ByteBounds bounds = byte_bounds(array, array.offset_bytes());
    const auto begin = static_cast<std::size_t>(bounds.begin), end = static_cast<std::size_t>(bounds.end);
    const Buffer memory = array.buffer().view(begin, end - begin);
    ranges_.push_back({memory, copied(stream_, memory), {}, array.dtype()});
}

void SavedMemory::add(const Buffer& buffer) {
    if (!buffer.empty() && buffer.size_bytes() > 0) ranges_.push_back({buffer, copied(stream_, buffer), {}, {}});
}

void SavedMemory::put_back() const {
    for (const Range& range : ranges_) stream_.copy(range.memory, range.before);
}

void SavedMemory::expect() {
    for (Range& range : ranges_) {
        Buffer now = copied(stream_, range.memory);
        range.expected = are_same(stream_, now, range.before, {}) ? Buffer() : std::move(now);
    }
}

std::string SavedMemory::difference() const {
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
        const Range& range = ranges_[k];
        const Buffer& expected = range.expected.empty() ? range.before : range.expected;
        if (!are_same(stream_, copied(stream_, range.memory), expected, range.dtype))
            return text("array ", k, " of the call differs from what it held before tuning");
    }
    return {};
}

bool hold_the_same(const AnyArray& a, const AnyArray& b) {
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
    if (a.size() == 0) return true;
    const AnyArray left = a.copy(Order::C), right = b.copy(Order::C);
    const auto bytes = left.size_bytes();
    return are_same(a.context().default_stream(), left.buffer().view(left.offset_bytes(), bytes),
                    right.buffer().view(right.offset_bytes(), bytes), a.dtype());
}

}  // namespace gemel::tune
