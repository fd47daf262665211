/// Views of host memory as std::mdspan has them: with the standard's own type where the compiler has it, and with one
/// that has its interface.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <array>
#include <vector>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

using namespace gemel;
using gemel::testing::counted;

namespace {

using Ints = std::vector<std::int32_t>;

/// The members of std::mdspan that are asked for.
template <class T>
class TwoAxes {
   public:
    using element_type = T;
    TwoAxes(T* data, std::array<std::size_t, 2> extents, std::array<std::size_t, 2> strides)
        : data_(data), extents_(extents), strides_(strides) {}
    static constexpr std::size_t rank() { return 2; }
    static constexpr bool is_always_strided() { return true; }
    std::size_t extent(std::size_t axis) const { return extents_[axis]; }
    std::size_t stride(std::size_t axis) const { return strides_[axis]; }
    T* data_handle() const { return data_; }

   private:
    T* data_;
    std::array<std::size_t, 2> extents_, strides_;
};

template <class T>
struct NotStrided : TwoAxes<T> {
    static constexpr bool is_always_strided() { return false; }
};

static_assert(StridedSpan<TwoAxes<float>>);
static_assert(!StridedSpan<NotStrided<float>>);
static_assert(!StridedSpan<std::vector<float>>);
static_assert(std::is_convertible_v<TwoAxes<float>, HostView<const float>>);
static_assert(!std::is_convertible_v<TwoAxes<const float>, HostView<float>>);
static_assert(!std::is_convertible_v<TwoAxes<float>, HostView<double>>);

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arrays are made of spans of every layout") {
    Ints memory(24);
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<std::int32_t>(k);
    const auto rows = to_gpu(TwoAxes<const std::int32_t>(memory.data(), {2, 3}, {3, 1}));
    CHECK(rows.shape() == Shape{2, 3});
    CHECK(rows.get() == Ints{0, 1, 2, 3, 4, 5});
    const auto columns = to_gpu(TwoAxes<std::int32_t>(memory.data(), {2, 3}, {1, 2}));
    CHECK(columns.is_contiguous(Order::F));
    CHECK(columns.get() == Ints{0, 2, 4, 1, 3, 5});
    const auto gaps = to_gpu(current_context(), TwoAxes<std::int32_t>(memory.data() + 1, {2, 3}, {12, 4}));
    CHECK(gaps.get() == Ints{1, 5, 9, 13, 17, 21});
    CHECK(to_gpu(TwoAxes<std::int32_t>(memory.data(), {0, 3}, {3, 1})).shape() == Shape{0, 3});
}

TEST_CASE("arrays are read into spans and set from them") {
    const auto x = counted({2, 3});
    Ints memory(12, -1);
    x.get(TwoAxes<std::int32_t>(memory.data(), {2, 3}, {1, 4}));
    CHECK(memory == Ints{0, 3, -1, -1, 1, 4, -1, -1, 2, 5, -1, -1});
    x.set(TwoAxes<const std::int32_t>(memory.data() + 2, {2, 3}, {0, 1}));
    CHECK(x.get() == Ints{-1, -1, 1, -1, -1, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, x.get(TwoAxes<std::int32_t>(memory.data(), {3, 2}, {2, 1})), "(3, 2)",
                            "(2, 3)");
}

TEST_CASE("spans of bools are such spans") {
    bool memory[] = {true, false, true, true, false, false};
    const auto rows = to_gpu(TwoAxes<const bool>(memory, {2, 3}, {3, 1}));
    CHECK(rows.get() == std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0});
    const auto gaps = to_gpu(TwoAxes<bool>(memory, {2, 2}, {3, 2}));
    CHECK(gaps.get() == std::vector<std::uint8_t>{1, 1, 1, 0});
    bool back[4] = {};
    gaps.get(TwoAxes<bool>(back, {2, 2}, {1, 2}));
    CHECK((back[0] && back[1] && back[2] && !back[3]));
    std::vector<std::uint8_t> bytes(4);
    gaps.get(TwoAxes<std::uint8_t>(bytes.data(), {2, 2}, {2, 1}));
    CHECK(bytes == gaps.get());
    gaps.set(TwoAxes<bool>(memory + 2, {2, 2}, {0, 3}));
    CHECK(gaps.get() == std::vector<std::uint8_t>{1, 0, 1, 0});
    gaps.set(TwoAxes<const std::uint8_t>(bytes.data(), {2, 2}, {2, 1}));
    CHECK(gaps.get() == bytes);
}

#ifdef __cpp_lib_mdspan
TEST_CASE("the standard's spans are such spans") {
    Ints memory(6);
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<std::int32_t>(k);
    const auto x = to_gpu(std::mdspan(memory.data(), 2, 3));
    CHECK(x.get() == memory);
    Ints back(6);
    const std::mdspan<std::int32_t, std::dextents<int, 2>, std::layout_left> columns(back.data(), 2, 3);
    x.get(columns);
    CHECK(back == Ints{0, 3, 1, 4, 2, 5});
    x.set(columns);
    CHECK(x.get() == memory);
}
#endif

TEST_SUITE_END();
