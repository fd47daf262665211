/// Calls that used to mean something else than they said: they do not compile, or are refused.
#include <gemel/arrays/random_host.hpp>
#include <gemel/gemel.hpp>

#include "support.hpp"

using namespace gemel;

namespace {

// Each asks whether a call compiles.
#define ASKS(Name, call) \
    template <class X, class V> \
    concept Name = requires(const X& x, const V& v) { call; }
ASKS(MinOver, min(x, v));
ASKS(MaxOver, max(x, v));
ASKS(SumOver, sum(x, v));
ASKS(SumAsOver, sum<double>(x, v));
ASKS(ProdOver, prod(x, v));
ASKS(AnyOver, any(x, v));
ASKS(AllOver, all(x, v));
ASKS(ArgminOver, argmin(x, v));
ASKS(ArgmaxOver, argmax(x, v));
ASKS(MeanOver, mean(x, v));
ASKS(VarOver, var(x, v));
ASKS(StddevOver, stddev(x, v));
ASKS(NormOver, norm(x, v));
ASKS(CountOver, count_nonzero(x, v));
ASKS(CumsumOver, cumsum(x, v));
ASKS(CumprodOver, cumprod(x, v));
ASKS(FlipOver, flip(x, v));
ASKS(RollBy, roll(x, v));
ASKS(RepeatBy, repeat(x, v));
ASKS(ConcatenateOver, concatenate({x, x}, v));
ASKS(StackOver, stack({x, x}, v));
ASKS(DiagonalBy, x.diagonal(v));
ASKS(PadBy, pad(x, v));
ASKS(PermuteBy, x.permute(v));

template <class X, class V>
constexpr bool along = MinOver<X, V> && MaxOver<X, V> && SumOver<X, V> && ProdOver<X, V> && AnyOver<X, V> &&
                       AllOver<X, V> && ArgminOver<X, V> && ArgmaxOver<X, V> && MeanOver<X, V> && VarOver<X, V> &&
                       StddevOver<X, V> && NormOver<X, V> && CountOver<X, V> && CumsumOver<X, V> && CumprodOver<X, V> &&
                       FlipOver<X, V> && RollBy<X, V> && RepeatBy<X, V> && PadBy<GPUArray<float>, V>;
template <class X, class V>
constexpr bool along_any =
    MinOver<X, V> || MaxOver<X, V> || SumOver<X, V> || ProdOver<X, V> || AnyOver<X, V> || AllOver<X, V> ||
    ArgminOver<X, V> || ArgmaxOver<X, V> || MeanOver<X, V> || VarOver<X, V> || StddevOver<X, V> || NormOver<X, V> ||
    CountOver<X, V> || CumsumOver<X, V> || CumprodOver<X, V> || FlipOver<X, V> || RollBy<X, V> || RepeatBy<X, V> ||
    PadBy<GPUArray<float>, V>;
template <class X>
constexpr bool axes_are_integers = along<X, int> && along<X, std::int64_t> && along<X, std::size_t> &&
                                   !along_any<X, float> && !along_any<X, double> && !along_any<X, bool>;
using Lazy = decltype(std::declval<const GPUArray<float>&>() + 1);
static_assert(axes_are_integers<GPUArray<float>>);
static_assert(axes_are_integers<GPUArray<std::int32_t>>);
static_assert(axes_are_integers<AnyArray>);
static_assert(axes_are_integers<Lazy>);
static_assert(SumAsOver<GPUArray<float>, int> && !SumAsOver<GPUArray<float>, double>);
static_assert(ConcatenateOver<GPUArray<float>, int> && !ConcatenateOver<GPUArray<float>, double>);
static_assert(StackOver<AnyArray, int> && !StackOver<AnyArray, double> && !StackOver<AnyArray, bool>);
static_assert(DiagonalBy<AnyArray, int> && !DiagonalBy<AnyArray, float> && !DiagonalBy<GPUArray<float>, bool>);
static_assert(PermuteBy<AnyArray, int> && !PermuteBy<AnyArray, float> && !PermuteBy<AnyArray, bool>);
static_assert(!std::is_constructible_v<Shape, bool> && !std::is_constructible_v<Axes, int, double>);

ASKS(TakeBy, take(x, v));
ASKS(TakeAlong, take(x, v, 0));
ASKS(TakeWrapped, take(x, v, OutOfBounds::wrap));
ASKS(PutOne, put(x, v, 3));
ASKS(PutAll, put(x, v, x));
ASKS(PutWrapped, put(x, v, x, OutOfBounds::wrap));
ASKS(CompressBy, compress(x, v));
ASKS(CompressAlong, compress(x, v, 0));
ASKS(PutMaskOne, put_mask(x, v, 3));
ASKS(PutMaskAll, put_mask(x, v, x));
ASKS(PlaceOne, place(x, v, 3));
ASKS(PlaceAll, place(x, v, x));
ASKS(MultiTake, multi_take({x, x}, v));
ASKS(MultiPut, multi_put({x, x}, v, {x, x}));
ASKS(IndexBy, x(v));

template <class X, class I>
constexpr bool indexed = TakeBy<X, I> && TakeAlong<X, I> && TakeWrapped<X, I>;
template <class X, class I>
constexpr bool indexed_somehow = TakeBy<X, I> || TakeAlong<X, I> || TakeWrapped<X, I> || RepeatBy<X, I>;
template <class X, class I>
constexpr bool written = PutOne<X, I> && PutAll<X, I> && PutWrapped<X, I> && MultiPut<X, I>;
template <class X, class I>
constexpr bool written_somehow = PutOne<X, I> || PutAll<X, I> || PutWrapped<X, I> || MultiTake<X, I> || MultiPut<X, I>;
template <class X, class M>
constexpr bool masked = CompressBy<X, M> && CompressAlong<X, M>;
template <class X, class M>
constexpr bool masked_somehow = CompressBy<X, M> || CompressAlong<X, M>;
template <class X, class M>
constexpr bool mask_written = PutMaskOne<X, M> && PutMaskAll<X, M> && PlaceOne<X, M> && PlaceAll<X, M>;
template <class X, class M>
constexpr bool mask_written_somehow = PutMaskOne<X, M> || PutMaskAll<X, M> || PlaceOne<X, M> || PlaceAll<X, M>;

using Truths = GPUArray<bool>;
using Floats = GPUArray<float>;
using Ints = GPUArray<std::int32_t>;
using Comparison = decltype(std::declval<const Floats&>() > 1);
using Sum = decltype(std::declval<const Ints&>() + 1);
static_assert(indexed<Floats, Ints> && indexed<Floats, Sum> && indexed<Lazy, Ints> && written<Floats, Ints>);
static_assert(!indexed_somehow<Floats, Truths> && !indexed_somehow<Floats, Floats> && !written_somehow<Floats, Truths>);
static_assert(!indexed_somehow<Floats, Comparison> && !indexed_somehow<Lazy, Lazy> && !written_somehow<Floats, Lazy>);
static_assert(!indexed_somehow<AnyArray, Truths> && !indexed_somehow<AnyArray, Lazy> && !PutOne<AnyArray, Truths>);
static_assert(TakeBy<AnyArray, Ints> && TakeAlong<AnyArray, Ints> && PutOne<AnyArray, Ints>);
static_assert(TakeBy<AnyArray, AnyArray> && PutOne<Floats, AnyArray>);  // told at run time
static_assert(masked<Floats, Truths> && masked<Floats, Comparison> && masked<Lazy, Comparison>);
static_assert(!masked_somehow<Floats, Ints> && !masked_somehow<Floats, Sum> && !masked_somehow<AnyArray, Floats>);
static_assert(mask_written<Floats, Truths> && mask_written<Floats, Comparison>);
static_assert(!mask_written_somehow<Floats, Ints> && !mask_written_somehow<Floats, Lazy>);
static_assert(!mask_written_somehow<AnyArray, Ints>);
static_assert(!IndexBy<Floats, Truths> && !IndexBy<Floats, float> && IndexBy<Floats, int>);

// Random numbers: the shape first, in braces where parameters follow.
#define ASKS_RANDOM(Name, ...) \
    template <class G> \
    concept Name = requires(const G& rng, Shape shape) { __VA_ARGS__; }
ASKS_RANDOM(UniformSwapped, rng.template uniform<float>(0, 1, 100));
ASKS_RANDOM(NormalSwapped, rng.template normal<float>(0, 1, 100));
ASKS_RANDOM(NormalSwappedReals, rng.template normal<float>(0.0, 1.0, 100));
ASKS_RANDOM(LogNormalSwapped, rng.template log_normal<float>(0, 1, 100));
ASKS_RANDOM(ExponentialSwapped, rng.template exponential<float>(2, 100));
ASKS_RANDOM(IntegersSwapped, rng.template integers<int>(0, 10, 100));
ASKS_RANDOM(BernoulliSwapped, rng.bernoulli(1, 100));
ASKS_RANDOM(PoissonSwapped, rng.poisson(3, 100));
ASKS_RANDOM(PoissonAsSwapped, rng.template poisson<float>(3.5, 100));
ASKS_RANDOM(InOrder, rng.template uniform<float>({100}, 0, 1), rng.template normal<float>(shape, 0, 1),
            rng.template log_normal<float>({2, 3}, 0, 1), rng.template exponential<float>({100}, 2),
            rng.template integers<int>({100}, 0, 10), rng.bernoulli({100}, 0.5), rng.template poisson<float>({9}, 3),
            rng.template uniform<float>(100), rng.template integers<int>(100), rng.bernoulli(100));
using random::HostPhilox;
using random::Philox;
static_assert(InOrder<Philox>);
static_assert(!UniformSwapped<Philox> && !NormalSwapped<Philox> && !NormalSwappedReals<Philox>);
static_assert(!LogNormalSwapped<Philox> && !ExponentialSwapped<Philox> && !IntegersSwapped<Philox>);
static_assert(!BernoulliSwapped<Philox> && !PoissonSwapped<Philox> && !PoissonAsSwapped<Philox>);
static_assert(!std::is_constructible_v<Philox, double> && !std::is_constructible_v<HostPhilox, double>);
static_assert(!std::is_constructible_v<random::Sobol, double> && std::is_constructible_v<random::Sobol, int>);
#undef ASKS_RANDOM

// What C++ makes easy to get wrong.
ASKS(AssignToView, x(slice(0, 4)) = v);
ASKS(AssignToReshaped, x.reshape({1}) = v);
ASKS(AssignToSum, (x + v) = (x + v));
ASKS(AsCondition, x ? 1 : 0);
ASKS(EqualAsCondition, (x == v) ? 1 : 0);
ASKS(Launched, v(LaunchConfig{}, x));
template <class X, class V>
concept Sets = requires(const X& x, const V& v) { x.set(v); };
template <class X, class V>
concept Gets = requires(const X& x, V& v) { x.get(v); };
static_assert(!AssignToView<Floats, Floats> && !AssignToView<Floats, Lazy> && !AssignToView<AnyArray, AnyArray>);
static_assert(!AssignToReshaped<Floats, Floats> && std::is_assignable_v<Floats&, Floats>);
static_assert(!std::is_assignable_v<Floats, Floats> && !std::is_assignable_v<AnyArray, AnyArray>);
static_assert(!AssignToSum<Floats, Floats> && !AssignToSum<AnyArray, AnyArray>);
static_assert(std::is_assignable_v<Lazy&, Lazy> && std::is_assignable_v<AnyExpr&, AnyExpr>);
static_assert(!AsCondition<Floats, int> && !AsCondition<AnyArray, int> && !AsCondition<Lazy, int>);
static_assert(!EqualAsCondition<Floats, Floats> && !EqualAsCondition<AnyArray, AnyArray>);
static_assert(!std::is_constructible_v<bool, Floats> && !std::is_constructible_v<bool, AnyExpr>);
static_assert(!std::is_default_constructible_v<Context>);
using LazyDouble = decltype(std::declval<const GPUArray<double>&>() + 1);
static_assert(std::is_convertible_v<Lazy, Floats> && !std::is_constructible_v<Floats, LazyDouble>);
static_assert(!std::is_assignable_v<Floats&, LazyDouble> && !std::is_constructible_v<Floats, GPUArray<double>>);
static_assert(std::is_constructible_v<Floats, AnyArray> && !std::is_convertible_v<AnyArray, Floats>);
static_assert(std::is_constructible_v<Floats, AnyExpr> && !std::is_convertible_v<AnyExpr, Floats>);
static_assert(Launched<Floats, Kernel> && Launched<Buffer, Kernel> && !Launched<Lazy, Kernel>);
static_assert(!Launched<AnyExpr, Kernel> && !Launched<const char*, Kernel> && !Launched<float*, Kernel>);
static_assert(Sets<Floats, std::vector<float>> && !Sets<Floats, std::vector<double>>);
static_assert(!Sets<GPUArray<half>, std::vector<std::uint16_t>> && Sets<Truths, std::vector<std::uint8_t>>);
static_assert(Gets<Floats, std::vector<float>> && !Gets<Floats, std::vector<double>>);
static_assert(!Gets<Floats, const std::vector<float>> && Sets<Floats, HostView<float>>);
static_assert(std::is_same_v<decltype(std::declval<const Truths&>().get()), std::vector<std::uint8_t>>);
static_assert(std::is_constructible_v<Dim3, std::size_t> && !std::is_constructible_v<Dim3, double>);
#undef ASKS

// Which of two functions is meant is no matter of what an array cannot be made of.
int which(const GPUArray<float>&) { return 4; }
int which(const GPUArray<double>&) { return 8; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("indices and masks of a type known at run time are refused with the next step") {
    const AnyArray x = arange<float>(0, 6), reals = arange<float>(0, 2), truths = AnyArray(x > 2);
    const AnyArray whole = arange<std::int32_t>(0, 6);
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, truths), "take", "bool", "compress()");
    CHECK_THROWS_MENTIONING(ArgumentError, take(x, reals), "take", "float", "astype()");
    CHECK_THROWS_MENTIONING(ArgumentError, put(x, truths, 1), "put", "bool", "put_mask()");
    CHECK_THROWS_MENTIONING(ArgumentError, compress(x, whole), "compress", "int32_t", "mask != 0");
    CHECK_THROWS_MENTIONING(ArgumentError, put_mask(x, whole, 1), "put_mask", "int32_t", "mask != 0");
    CHECK_THROWS_MENTIONING(ArgumentError, place(x, whole, 1), "place", "int32_t", "mask != 0");
    CHECK(AnyArray(x).get<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("axes of any integer type are taken and those that are too large refused") {
    const GPUArray<float> x = arange<float>(0, 6).reshape({2, 3});
    const std::int64_t last = -1;
    const std::size_t first = 0;
    CHECK(sum(x, last).get() == std::vector<float>{3, 12});
    CHECK(sum(x, first).get() == std::vector<float>{3, 5, 7});
    CHECK(cumsum(x, last).get() == std::vector<float>{0, 1, 3, 3, 7, 12});
    for (const std::int64_t axis : {INT64_MAX, INT64_MIN, std::int64_t{1} << 32, std::int64_t{2}}) {
        CHECK_THROWS_AS(sum(x, axis), ArgumentError);
        CHECK_THROWS_AS(cumsum(x, axis), ArgumentError);
        CHECK_THROWS_AS(flip(x, axis), ArgumentError);
    }
    CHECK_THROWS_MENTIONING(ArgumentError, cumsum(x, UINT64_MAX), "18446744073709551615");
}

TEST_CASE("the divisor of a variance is reduced by any number as in NumPy") {
    const GPUArray<double> x = arange<double>(0, 5);
    CHECK(var(x, {}, false, 1).item() == 2.5);
    CHECK(var(x, {}, false, -1).item() == doctest::Approx(10.0 / 6).epsilon(1e-15));
    CHECK(var(x, {}, false, 1.5).item() == doctest::Approx(10.0 / 3.5).epsilon(1e-15));
    CHECK(var(AnyArray(x), {}, false, 1.5).item<double>() == doctest::Approx(10.0 / 3.5).epsilon(1e-15));
    CHECK(std::isinf(var(x, {}, false, 6).item()));
}

TEST_CASE("a list in braces is an array of what stands in it") {
    const auto whole = to_gpu({0, 1, 1});
    static_assert(std::is_same_v<decltype(whole), const GPUArray<std::int32_t>>);
    CHECK(whole.get() == std::vector<std::int32_t>{0, 1, 1});
    const auto reals = to_gpu({1.5f, 2.0f});
    static_assert(std::is_same_v<decltype(reals), const GPUArray<float>>);
    CHECK(reals.get() == std::vector<float>{1.5f, 2});
    static_assert(std::is_same_v<decltype(to_gpu({1.0})), GPUArray<double>>);
    static_assert(std::is_same_v<decltype(to_gpu({true, false})), GPUArray<bool>>);
    CHECK(to_gpu({true, false}).get() == std::vector<std::uint8_t>{1, 0});
    const auto table = to_gpu({1, 2, 3, 4, 5, 6}, {2, 3});
    CHECK(table.shape() == Shape{2, 3});
    CHECK(table(1, 0).item() == 4);
    CHECK(to_gpu({1, 2, 3, 4}, {2, 2}, Order::F)(1, 0).item() == 2);
    CHECK(to_gpu(default_context(), {7, 8}).get() == std::vector<std::int32_t>{7, 8});
    CHECK(to_gpu(default_context(), {7, 8}, {2, 1}).shape() == Shape{2, 1});
    CHECK_THROWS_MENTIONING(ArgumentError, to_gpu({1, 2, 3}, {2, 2}), "3", "4");
    const std::vector<bool> bits{true, false, true};
    CHECK(to_gpu(bits).get() == std::vector<std::uint8_t>{1, 0, 1});
    CHECK(to_gpu(default_context(), bits).get() == std::vector<std::uint8_t>{1, 0, 1});
    CHECK(to_gpu(bits, {3, 1}).shape() == Shape{3, 1});
}

TEST_CASE("an expression chooses the overload for its own type") {
    const GPUArray<float> x = arange<float>(0, 3);
    CHECK(which(x + 1) == 4);
    CHECK(which(astype<double>(x)) == 8);
    const AnyExpr untyped = AnyExpr(x) + 1;
    CHECK(GPUArray<float>(untyped).get() == std::vector<float>{1, 2, 3});
    CHECK_THROWS_AS((GPUArray<double>{untyped}.size()), ArgumentError);
}

TEST_CASE("arguments of hand-written kernels of another type are refused with the next step") {
    const Kernel kernel = default_context()
                              .compile("KERNEL void f(GLOBAL_MEM float16_t *h, float v) { h[0] = store_float16(v); }")
                              .kernel("f");
    const std::vector<std::uint16_t> bits(4);
    const GPUArray<half> halves = zeros<half>({4});
    const LaunchConfig one{.grid = {1}, .block = {1}};
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, In(bits), 1.0f), "float16_t", "a host range of uint16_t",
                            "convert the elements to gemel::half", "uint16_t *");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, arange<double>(4), 1.0f), "an array of double",
                            "astype<gemel::half>()");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, halves, halves), "'float v'", "an array of float16_t",
                            "pass a number");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, halves, 1.0), "float v", "double", "convert it first");
}

TEST_SUITE_END();
