/// Reductions within expressions against the same computed step by step: shapes, axes, layouts, types, all ways of
/// cutting rows; launches and bytes as explain() says.
#include "generator_support.hpp"

#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/codegen/rows.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace gemel;
using namespace gemel::testing;

namespace {

struct Random {
    std::mt19937 engine;
    int operator()(int below) { return static_cast<int>(engine() % static_cast<unsigned>(below)); }
};

/// Small integers, of which some are alike: sums of them are exact.
template <class T>
GPUArray<T> numbers(Random& random, const Shape& shape) {
    std::vector<T> values(shape.count());
    for (T& value : values) value = static_cast<T>(static_cast<float>(random(13) - 6));
    return to_gpu(values).reshape(shape);
}

/// The same values with gaps between rows, transposed in memory, or neither.
AnyArray laid_out(Random& random, const AnyArray& x) {
    switch (random(4)) {
        case 0: return x.transpose().copy().transpose();
        case 1: {
            Shape wide = x.shape();
            if (wide.rank() == 0) return x;
            wide[wide.rank() - 1] += 3;
            const AnyArray room(x.context(), x.dtype(), wide);
            std::vector<Index> indices(wide.rank() - 1, Index(slice()));
            indices.push_back(Index(slice(1, 1 + x.shape()[x.rank() - 1])));
            const AnyArray view = room.view(indices);
            view.assign(x);
            return view;
        }
        default: return x;
    }
}

double greatest_difference(const AnyArray& a, const AnyArray& b) {
    REQUIRE(a.shape() == b.shape());
    REQUIRE(a.dtype() == b.dtype());
    if (a.size() == 0) return 0;
    const AnyExpr left = astype(AnyExpr(a), dtype_of<double>()), right = astype(AnyExpr(b), dtype_of<double>());
    const AnyExpr distance = abs(left - right) / (1 + abs(right));
    const AnyExpr counted = where(logical_or(left == right, logical_and(isnan(left), isnan(right))), 0.0,
                                  where(isnan(distance), 1e9, distance));
    return GPUArray<double>(max(counted)).item();
}

/// One value twice: to be evaluated at once, and evaluated already.
struct Both {
    AnyExpr lazily;
    AnyArray done;
};

template <class F>
Both map(const F& f, const Both& a) {
    return {f(a.lazily), AnyExpr(f(AnyExpr(a.done))).eval()};
}
template <class F>
Both map(const F& f, const Both& a, const Both& b) {
    return {f(a.lazily, b.lazily), AnyExpr(f(AnyExpr(a.done), AnyExpr(b.done))).eval()};
}

ReductionAxes some_axes(Random& random, std::size_t rank) {
    std::vector<int> axes;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (random(2)) axes.push_back(static_cast<int>(axis) - (random(2) ? static_cast<int>(rank) : 0));
    if (axes.empty() || random(6) == 0) return {};
    return axes;
}

Both reduced(Random& random, const Both& x) {
    const ReductionAxes axes = some_axes(random, x.done.rank());
    switch (random(9)) {
        case 0: return {lazy::sum(x.lazily, axes), sum(x.done, axes, true)};
        case 1: return {lazy::max(x.lazily, axes), max(x.done, axes, true)};
        case 2: return {lazy::min(x.lazily, axes), min(x.done, axes, true)};
        case 3: return {lazy::mean(x.lazily, axes), mean(x.done, axes, true)};
        case 4: return {lazy::var(x.lazily, axes), var(x.done, axes, true)};
        case 5: return {lazy::norm(x.lazily, axes), norm(x.done, axes, true)};
        case 6: return {lazy::any(x.lazily, axes), any(x.done, axes, true)};
        case 7: return {lazy::all(x.lazily, axes), all(x.done, axes, true)};
        default: return {lazy::count_nonzero(x.lazily, axes), count_nonzero(x.done, axes, true)};
    }
}

/// A tree of so many operations over some leaves. Values stay small.
Both tree(Random& random, const std::vector<Both>& leaves, int operations) {
    if (operations <= 0) return leaves[static_cast<std::size_t>(random(static_cast<int>(leaves.size())))];
    const auto part = [&](int n) { return tree(random, leaves, n); };
    const auto number = [](const auto& x) { return astype(x, dtype_of<double>()); };
    switch (random(7)) {
        case 0:
            return map([](const auto& a, const auto& b) { return a + b; }, part(operations / 2),
                       part(operations - 1 - operations / 2));
        case 1:
            return map([&](const auto& a, const auto& b) { return number(a) * number(b); }, part(operations / 2),
                       part(operations - 1 - operations / 2));
        case 2:
            return map([&](const auto& a, const auto& b) { return number(a) - number(b); }, part(operations / 2),
                       part(operations - 1 - operations / 2));
        case 3: return map([&](const auto& a) { return exp(-abs(number(a))); }, part(operations - 1));
        case 4: return map([&](const auto& a) { return number(a) / (1 + square(number(a))); }, part(operations - 1));
        default: return reduced(random, part(operations - 1));
    }
}

/// Cuts rows of such numbers in a certain way until the end of its life.
class Cut {
   public:
    Cut(const codegen::RowTuning& tuning, std::size_t count, std::size_t outputs)
        : work_{.count = count, .outputs = outputs} {
        store_tuning(default_context(), work_, tuning);
    }
    ~Cut() { store_tuning(default_context(), work_, codegen::RowTuning{}); }

   private:
    codegen::Workload work_;
};

std::int64_t launches_of(const std::function<void()>& work) {
    const Context context = default_context();
    const auto before = context.statistics().launches;
    work();
    return static_cast<std::int64_t>(context.statistics().launches - before);
}

/// Another number for each call.
std::size_t next_turn() {
    static std::size_t turn = 0;
    return turn++;
}

/// Softmax and standardize over an axis, their parts too, beside the same step by step.
template <class T>
void check_rows(const GPUArray<T>& x, int axis) {
    const GPUArray<double> wide = astype<double>(x);
    const GPUArray<double> e = exp(wide - max(wide, axis, true)), softened = e / sum(e, axis, true);
    if (!is_left_out(3, next_turn())) {
        CHECK(greatest_difference(softmax(wide, axis).eval(), softened) < 1e-12);
        const GPUArray<double> centred = wide - mean(wide, axis, true);
        const GPUArray<double> standard = centred / sqrt(mean(square(centred), axis, true) + 0.25);
        CHECK(greatest_difference(standardize(wide, axis, 0.25).eval(), standard) < 1e-12);
    }
    const double precision = sizeof(T) == 2 ? 1e-2 : 1e-5;
    CHECK(greatest_difference(astype<double>(softmax(x, axis)).eval(), softened) < precision);
    CHECK(greatest_difference(lazy::argmax(x, axis).eval(), argmax(x, axis, true)) == 0);
    const auto [all, largest, total, place] =
        evaluate(x + x, lazy::max(x, axis), lazy::sum(x), lazy::argmin(x + 1, axis));
    CHECK(greatest_difference(all, GPUArray<T>(x + x)) == 0);
    CHECK(greatest_difference(largest, max(x, axis, true)) == 0);
    CHECK(greatest_difference(total.reshape({}), sum(x)) < precision);
    CHECK(greatest_difference(place, argmin(x, axis, true)) == 0);
}

}  // namespace

TEST_SUITE_BEGIN("lazy");

TEST_CASE("random trees of expressions with reductions in them are what their steps are") {
    const int usual = testing::is_check() ? 8 : 40;
    const int count = std::getenv("GEMEL_LAZY_TREES") ? std::atoi(std::getenv("GEMEL_LAZY_TREES")) : usual;
    Random random{std::mt19937(17)};
    for (int k = 0; k < count; ++k) {
        CAPTURE(k);
        const Shape shape = random(3) == 0 ? Shape{1 + random(5), 1 + random(9), 1 + random(70)}
                                           : Shape{1 + random(70), 1 + random(300)};
        Shape last{shape[shape.rank() - 1]}, first = shape;
        first[shape.rank() - 1] = 1;
        std::vector<Both> leaves;
        const auto add = [&](const AnyArray& x) {
            const AnyArray leaf = laid_out(random, x);
            leaves.push_back({AnyExpr(leaf), leaf});
        };
        add(numbers<double>(random, shape));
        const bool has_float = random(2);
        if (has_float) add(numbers<float>(random, shape));
        if (random(2)) add(numbers<std::int32_t>(random, last));
        if (random(2)) add(numbers<double>(random, first));
        std::vector<AnyExpr> roots;
        std::vector<AnyArray> expected;
        for (int root = random(3); root >= 0; --root) {
            const Both value = tree(random, leaves, 2 + random(7));
            roots.push_back(value.lazily);
            expected.push_back(value.done);
        }
        const std::vector<const AnyArray*> none(roots.size(), nullptr);
        std::vector<gemel::detail::ExpressionView> views;
        for (const AnyExpr& root : roots) views.push_back(root.view());
        const std::vector<AnyArray> found = gemel::detail::evaluate_all(views, none);
        for (std::size_t r = 0; r < roots.size(); ++r) {
            CAPTURE(r);
            CHECK(greatest_difference(found[r], expected[r]) < (has_float ? 1e-4 : 1e-9));
        }
    }
}

TEST_CASE("rows and columns in all ways of cutting them") {
    Random random{std::mt19937(5)};
    const codegen::RowTuning cuts[] = {{.block = 64, .access_bytes = 16, .along = 16},
                                       {.block = 64, .access_bytes = 16, .along = 64, .slots = 1, .unroll = 2},
                                       {.block = 128, .access_bytes = 16, .along = 128, .slots = 64},
                                       {.block = 32, .access_bytes = 1, .along = 1, .slots = 1},
                                       {.block = 1, .access_bytes = 1},
                                       {.block = 64, .access_bytes = 16, .along = 16, .slots = 1, .shared_slots = 4}};
    std::size_t n = 0;
    for (const codegen::RowTuning& cut : cuts) {
        CAPTURE(codegen::to_string(cut));
        for (const Shape& shape : {Shape{37, 128}, Shape{6, 1003}, Shape{300, 40}}) {
            CAPTURE(to_string(shape));
            for (const int axis : {0, 1}) {
                CAPTURE(axis);
                const std::size_t choice = n / 6 + n;
                ++n;
                if (is_left_out(5, choice)) continue;
                const auto length = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
                const Cut cutting(cut, length, shape.count() / length);
                check_rows(numbers<float>(random, shape), axis);
            }
        }
    }
    {
        // A row of 128 in 2 accesses of 16 threads, a column of 40 in 3: one in registers, the others in shared memory.
        const Cut rows(cuts[5], 128, 37), columns(cuts[5], 40, 128);
        const GPUArray<float> x = numbers<float>(random, {37, 128}), y = numbers<float>(random, {40, 128});
        check_rows(x, 1);
        check_rows(y, 0);
        CHECK(explain(softmax(x, 1)).find("in registers and shared memory (2 accesses") != std::string::npos);
        CHECK(explain(softmax(y, 0)).find("in registers and shared memory (3 accesses") != std::string::npos);
    }
    const Cut cutting(cuts[2], 1024, 16);
    check_rows(numbers<half>(random, {16, 1024}), 1);
    check_rows(numbers<bfloat16>(random, {16, 1024}), 1);
}

TEST_CASE("rows and columns that several blocks share, where blocks see each other's values") {
    Random random{std::mt19937(6)};
    // 8 blocks of 64 threads keep 1024 floats in registers or 4 in both kinds of memory; lengths leave some empty.
    for (const Shape& shape : {Shape{5, 1024}, Shape{3, 1003}, Shape{4, 1023}, Shape{3, 1780}}) {
        if (testing::is_check() && shape[1] < 1024) continue;
        CAPTURE(to_string(shape));
        const auto length = static_cast<std::size_t>(shape[1]);
        const std::uint32_t shared_slots = shape[1] == 1023 ? 1 : shape[1] == 1780 ? 3 : 0;
        const Cut cutting({.block = 64, .access_bytes = 16, .slots = 1, .shared_slots = shared_slots, .parts = 8},
                          length, shape.count() / length);
        const GPUArray<float> x = numbers<float>(random, shape);
        check_rows(x, 1);
        const Device device = x.context().device();
        CHECK((explain(softmax(x, 1)).find("blocks share a row") != std::string::npos) ==
              device.info().has_cross_block_visibility);
        if (shape[1] == 1024 || shared_slots == 3) check_rows(numbers<half>(random, shape), 1);
    }
    // Columns, of which the last blocks have some that are not there.
    for (const Shape& shape : {Shape{300, 64}, Shape{301, 40}, Shape{333, 36}}) {
        if (testing::is_check() && shape[0] == 301) continue;
        CAPTURE(to_string(shape));
        const auto length = static_cast<std::size_t>(shape[0]);
        const std::uint32_t shared_slots = shape[0] == 300 ? 0 : 3;
        const Cut cutting(
            {.block = 64, .access_bytes = 16, .slots = 8 - shared_slots, .shared_slots = shared_slots, .parts = 16},
            length, shape.count() / length);
        const GPUArray<float> x = numbers<float>(random, shape);
        check_rows(x, 0);
        const Device device = x.context().device();
        CHECK((explain(softmax(x, 0)).find("blocks share a column") != std::string::npos) ==
              device.info().has_cross_block_visibility);
        if (shape[0] == 300 && !testing::is_check()) check_rows(numbers<half>(random, shape), 0);
    }
    // Rows of 16-bit floats that one block keeps in shared memory, where a multiprocessor has much of it.
    const GPUArray<bfloat16> narrow = numbers<bfloat16>(random, {3, 5003});
    check_rows(narrow, 1);
    if (!testing::is_check()) check_rows(numbers<half>(random, {9, 1000}), 1);
    // As many blocks per row as there may be.
    if (!testing::is_check()) check_rows(numbers<float>(random, {2, 1 << 20}), 1);
    if (narrow.context().device().info().architecture == "sm_90")
        CHECK(explain(softmax(narrow, 1)).find("in registers and shared memory (") != std::string::npos);
    // As they are cut without being told; the second call finds the states of the first.
    const GPUArray<float> x = numbers<float>(random, {2, 70001});
    for (int k = 0; k < (testing::is_check() ? 1 : 2); ++k) check_rows(x, 1);
    const GPUArray<float> y = softmax(x, 1), again = softmax(x, 1);
    CHECK(y.get() == again.get());
    // Where rows are not shared, few long ones are reduced step by step.
    const Device device = x.context().device();
    const bool may_share = device.info().has_cross_block_visibility;
    CHECK(launches_of([&] { GPUArray<float> z = softmax(x, 1); }) <= (may_share ? 3 : 5));
}

TEST_CASE("one reading, one launch") {
    Random random{std::mt19937(3)};
    const GPUArray<float> x = numbers<float>(random, {64, 500});
    const auto softened = softmax(x, 1);
    GPUArray<float> y = softened;
    CHECK(launches_of([&] { y = softened; }) == 1);
    CHECK(explain(softened).starts_with("1 kernel in 1 launch, reads 125.0 KiB"));
    CHECK(launches_of([&] { evaluate(2 * x, lazy::max(x, 1), lazy::mean(x, 1), x - lazy::min(x, 1)); }) == 1);
    // The sum of everything is that of the rows' sums: a second launch, which reads 64 numbers.
    CHECK(launches_of([&] { evaluate(2 * x, lazy::max(x, 1), lazy::sum(x)); }) == 2);
    CHECK(explain(x, lazy::max(x, 1), lazy::sum(x)).starts_with("2 kernels in 2 launches"));
    // Along both axes one after the other.
    CHECK(launches_of([&] { y = x - lazy::mean(x, 0) - lazy::mean(x, 1); }) == 2);
    CHECK(explain_with_text(softened).find("fused_rows") != std::string::npos);
}

TEST_CASE("assigned, in place, into views, and reduced") {
    Random random{std::mt19937(4)};
    const GPUArray<float> x = numbers<float>(random, {40, 33});
    const GPUArray<float> expected = x - max(x, 1, true);
    const GPUArray<float> y = x.copy();
    y -= lazy::max(y, 1);
    CHECK(greatest_difference(y, expected) == 0);
    const GPUArray<float> room = zeros<float>({33, 80});
    GPUArray<float> view = room(slice(), slice(0, 80, 2)).transpose();
    view = x - lazy::max(x, 1);
    CHECK(greatest_difference(view, expected) == 0);
    // What is written overlaps what others read.
    const GPUArray<float> a = x.copy(), b = zeros<float>({40, 1});
    evaluate_into(a, a + 1, b, lazy::sum(a, 1));
    CHECK(greatest_difference(a, GPUArray<float>(x + 1)) == 0);
    CHECK(greatest_difference(b, sum(x, 1, true)) == 0);
    CHECK(greatest_difference(sum(x - lazy::max(x, 1), 0), sum(expected, 0)) == 0);
    const GPUArray<double> wide = zeros<double>({2, 40, 1});
    wide.assign(lazy::sum(x, 1));
    CHECK(greatest_difference(wide(1), astype<double>(sum(x, 1, true)).eval()) == 0);
}

TEST_CASE("results of the last columns end with these") {
    Random random{std::mt19937(9)};
    for (const std::int64_t columns : {40, 67, 130}) {
        const GPUArray<float> x = numbers<float>(random, {9, columns}), y = empty_like(x);
        const GPUArray<float> room = full<float>({columns + 200}, -77.0f);
        const GPUArray<float> largest = room(slice(0, columns)).reshape({1, columns});
        evaluate_into(y, x - lazy::max(x, 0), largest, lazy::max(x, 0));
        CHECK(greatest_difference(largest, max(x, 0, true)) == 0);
        CHECK(all(room(slice(columns, {})) == -77.0f).item());
    }
}

TEST_CASE("extents 0 and 1, single values, NaN and infinities") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const GPUArray<float> x =
        to_gpu(std::vector<float>{1, -inf, nan, -inf, 2, -inf}).reshape({2, 3}).transpose().copy();
    const std::vector<float> soft = softmax(x, 1).get();  // rows (1, -inf), (-inf, 2), (nan, -inf)
    CHECK(soft[0] == 1);
    CHECK(soft[1] == 0);
    CHECK(soft[3] == 1);
    CHECK(std::isnan(soft[4]));
    const GPUArray<float> low = full<float>({3, 4}, -inf);
    CHECK(std::isnan(softmax(low).get()[0]));
    CHECK(logsumexp(low, 1).get()[2] == -inf);
    CHECK(logsumexp(full<float>({2, 2}, 1000.0f)).item() == doctest::Approx(1000 + std::log(4.0)));
    const GPUArray<float> none = zeros<float>({0, 4}), one = full<float>({1, 1}, 3.0f);
    CHECK(softmax(none, 0).eval().shape() == Shape{0, 4});
    CHECK(lazy::sum(none, 0).eval().get() == std::vector<float>{0, 0, 0, 0});
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::max(none, 0).eval(), "no elements");
    CHECK((one - lazy::mean(one)).item() == 0);
    CHECK(lazy::argmax(one, 1).item() == 0);
    const GPUArray<float> point = full<float>({}, 2.0f);
    CHECK((point / lazy::sum(point)).item() == 1);
}

TEST_CASE("what has no meaning is refused by name") {
    const GPUArray<float> x = zeros<float>({3, 4});
    const AnyArray z = zeros<cfloat>({3});
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::sum(x, 2), "lazy::sum", "axis 2", "2 axes");
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::max(AnyExpr(x), {0, 0}), "lazy::max", "twice");
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::max(z), "lazy::max", "complex");
    CHECK_THROWS_MENTIONING(ArgumentError, evaluate(x + 1, zeros<float>({3}) + x), "shapes");
    CHECK_THROWS_MENTIONING(ArgumentError, evaluate_into(zeros<int>({3, 4}), x + 0.5f), "evaluate_into", "astype");
    CHECK(sum(x).item() == 0);
}

TEST_CASE("reductions in texts, and counts that 16 bits do not hold") {
    Random random{std::mt19937(8)};
    const GPUArray<float> x = numbers<float>(random, {12, 77});
    const AnyExpr soft = expression("exp(x - max(x, 1)) / sum(exp(x - max(x, 1)), 1)", {{"x", x}});
    CHECK(greatest_difference(soft.eval(), softmax(x, 1).eval()) < 1e-7);  // softmax() multiplies by the inverse
    CHECK(launches_of([&] { soft.eval(); }) == 1);
    CHECK(greatest_difference(expression("x - mean(x, 0, 1) + argmax(x)", {{"x", x}}).eval(),
                              (AnyExpr(x) - lazy::mean(x) + lazy::argmax(x)).eval()) == 0);
    // 3001 rounds to 3008 as a bfloat16.
    const GPUArray<bfloat16> ones = full<bfloat16>({2, 3001}, 1.0f);
    CHECK(greatest_difference(standardize(ones, 1, 1.0).eval(), zeros<bfloat16>({2, 3001})) == 0);
    CHECK(greatest_difference((AnyExpr(AnyArray(ones)) - lazy::mean(AnyArray(ones), 1)).eval(),
                              zeros<bfloat16>({2, 3001})) == 0);
}

TEST_CASE("too large for one kernel: reductions run first") {
    Random random{std::mt19937(6)};
    std::vector<GPUArray<float>> arrays;
    AnyExpr total = AnyExpr(numbers<float>(random, {5, 60}));
    AnyArray expected = total.eval();
    for (int k = 0; k < 45; ++k) {
        arrays.push_back(numbers<float>(random, {5, 60}));
        total = total + arrays.back() * lazy::max(arrays.back(), 1);
        expected = AnyExpr(expected + arrays.back() * max(arrays.back(), 1, true)).eval();
    }
    CHECK(greatest_difference(total.eval(), expected) == 0);
}

TEST_SUITE_END();
