/// Reductions within expressions at their edges: expressions too large for one kernel, integers, 16-bit floats, ties.
#include "generator_support.hpp"

#include <gemel/arrays/stored_tuning.hpp>

#include <cmath>
#include <functional>
#include <regex>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("lazy");

TEST_CASE("a reduction beside an axis of extent 1 is found") {
    const GPUArray<float> x = arange<float>(12).reshape({1, 12});
    const GPUArray<float> y = x - lazy::mean(x, 0) - lazy::mean(x, 1);
    CHECK(y.get() == std::vector<float>(12, -5.5f));
}

TEST_CASE("reductions in expressions too large for one kernel") {
    AnyExpr sum = AnyExpr(ones<float>({4, 6}));
    for (int k = 1; k < 33; ++k) sum = sum + AnyExpr(full<float>({4, 6}, static_cast<float>(k)));
    const GPUArray<float> x = arange<float>(24).reshape({4, 6});
    const AnyArray wide = AnyExpr(sum + lazy::max(x, 1)).eval();
    for (int row = 0; row < 4; ++row) CHECK(wide(row, 0).item<float>() == 529.0f + static_cast<float>(6 * row + 5));
    AnyExpr deep = AnyExpr(x);
    for (int k = 0; k < 60; ++k) deep = deep + AnyExpr(x);
    const AnyArray share = AnyExpr(deep / lazy::sum(x, 1)).eval();
    CHECK(share(1, 0).item<float>() == doctest::Approx(61 * 6.0 / 51));
    CHECK(AnyArray(gemel::max(deep - 60 * lazy::max(x, 1))).item<float>() == doctest::Approx(23));
}

TEST_CASE("the maximum of no elements is refused, unless nothing depends on it") {
    const GPUArray<float> x = zeros<float>({0, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, AnyExpr(1 + lazy::max(x, 0)).eval(), "maximum", "(0, 3)");
    CHECK(GPUArray<float>(x - lazy::max(x, 0)).shape() == Shape{0, 3});
    CHECK(GPUArray<float>(x - lazy::max(x, 1)).shape() == Shape{0, 3});
}

TEST_CASE("many argument reductions of short columns fit shared memory") {
    const GPUArray<double> x = arange<double>(7 * 300).reshape({7, 300});
    const auto at = [&](double factor) { return lazy::argmax(x * factor - 3.0, 0); };
    const auto found =
        evaluate(at(-1), at(2), at(-3), at(4), at(-5), at(6), at(-7), at(8), at(-9), at(10), at(-11), at(12), at(-13));
    CHECK(std::get<0>(found).get() == std::vector<std::int64_t>(300, 0));
    CHECK(std::get<11>(found).get() == std::vector<std::int64_t>(300, 6));
    // The stand-in's compiler accepts any amount.
    const std::string page = explain_with_text(at(-1), at(2), at(-3), at(4), at(-5), at(6), at(-7), at(8), at(-9),
                                               at(10), at(-11), at(12), at(-13));
    const std::regex array("shared_[0-9]+\\[([0-9]+)\\];");
    std::size_t places = 0;
    for (std::sregex_iterator one(page.begin(), page.end(), array), end; one != end; ++one)
        places += std::stoul((*one)[1].str());
    constexpr std::size_t place_bytes = 16;  // a value and its index
    CHECK(places * place_bytes <= default_device().info().shared_memory_per_block_bytes);
    if (default_device().info().type == DeviceInfo::Type::gpu) CHECK(places > 0);
}

TEST_CASE("the largest operand decides whether a reduction goes along rows or down columns") {
    const GPUArray<float> x = to_gpu(std::vector<float>(4 * 30 * 50, 2.0f)).reshape({4, 30, 50});
    const GPUArray<float> factor = arange<float>(30).reshape({1, 30, 1}), row = arange<float>(50);
    const auto down = lazy::sum(x * factor, 1);
    const auto along = lazy::sum(x * row + factor, 2);
    CHECK_MESSAGE(explain(down).find("column") != std::string::npos, explain(down));
    CHECK_MESSAGE(explain(along).find("column") == std::string::npos, explain(along));
    CHECK(gemel::max(GPUArray<float>(down)).item() == 2 * 435);
    CHECK(gemel::min(GPUArray<float>(down)).item() == 2 * 435);
    CHECK(gemel::max(GPUArray<float>(along)).item() == 2 * 1225 + 50 * 29);
}

TEST_CASE("explain counts the launches that statistics count") {
    const GPUArray<float> x = ones<float>({1 << 20}), y = ones<float>({64, 700});
    const auto check = [](const auto& expression) {
        GPUArray<float> z = expression;
        const auto before = default_context().statistics().launches;
        z = expression;
        const std::string counted = std::to_string(default_context().statistics().launches - before);
        CHECK_MESSAGE(explain(expression).find(" in " + counted + " launch") != std::string::npos,
                      explain(expression) << "launches: " << counted);
    };
    check(x / lazy::sum(x));
    check(x - lazy::mean(x * x));
    check(y - lazy::mean(y, 0));
    check(y / lazy::norm(y));
    check(softmax(y, 1));
}

TEST_CASE("of equal elements the first counts in every loop over a row") {
    const GPUArray<float> x = zeros<float>({6, 1003});
    const codegen::Workload work{.count = 1003, .outputs = 6};
    store_tuning(default_context(), work,
                 codegen::RowTuning{.block = 64, .access_bytes = 16, .along = 64, .slots = 1, .unroll = 2});
    const GPUArray<std::int64_t> first = lazy::argmax(x - lazy::mean(x, 1), 1);
    const GPUArray<std::int64_t> smallest = lazy::argmin(x - lazy::mean(x, 1), 1);
    store_tuning(default_context(), work, codegen::RowTuning{});
    CHECK(first.get() == std::vector<std::int64_t>(6, 0));
    CHECK(smallest.get() == std::vector<std::int64_t>(6, 0));
}

TEST_CASE("softmax and its kin compute integers in double") {
    if (lacks_double()) return;
    const double small = 1 / (1 + std::exp(2.0));
    const auto bytes = softmax(to_gpu(std::vector<std::uint8_t>{3, 5})).eval().get();
    CHECK(bytes[0] == doctest::Approx(small));
    CHECK(bytes[1] == doctest::Approx(1 - small));
    CHECK(softmax(to_gpu(std::vector<std::int8_t>{-128, 127})).eval().get()[1] == 1);
    CHECK(log_softmax(to_gpu(std::vector<std::uint64_t>{3, 5})).eval().get()[0] == doctest::Approx(std::log(small)));
    CHECK(logsumexp(to_gpu(std::vector<std::uint8_t>{3, 5})).item() == doctest::Approx(5 + std::log1p(std::exp(-2.0))));
    CHECK(rms_norm(to_gpu(std::vector<std::int8_t>{100, 100}), 1.0, -1, 0).eval().get()[0] == doctest::Approx(1));
    const AnyArray untyped = to_gpu(std::vector<std::uint8_t>{3, 5});
    CHECK(AnyExpr(softmax(untyped)).eval()(0).item<double>() == doctest::Approx(small));
    CHECK(softmax(to_gpu(std::vector<float>{3, 5})).eval().get()[0] == doctest::Approx(small));
}

TEST_CASE("sums of 16-bit floats within what a reduction reads are floats") {
    const GPUArray<half> x = full<half>({2, 4096}, 100);
    CHECK(static_cast<float>(max(x - lazy::mean(x, 1)).item()) == 0);
    const GPUArray<float> sums = astype<float>(sum(softmax(zeros<half>({1, 70000}), 1), 1));
    CHECK(sums.item() == doctest::Approx(1).epsilon(0.02));
    const GPUArray<bfloat16> y = ones<bfloat16>({2, 3001});
    CHECK(static_cast<float>(max(abs(y - lazy::mean(y, 1))).item()) == 0);
}

namespace {

/// Elements divided by the greatest of their row, beside the host's quotients of the same numbers.
template <class T>
void check_quotients(const std::vector<float>& divisors, float step) {
    const float shares[] = {1, 0.75f, 0.5f, 0.001f, 0, -0.25f, -1};
    std::vector<T> numbers;
    for (const float divisor : divisors)
        for (const float share : shares) numbers.push_back(T(divisor * share));
    const auto rows = static_cast<std::int64_t>(divisors.size());
    const GPUArray<T> x = to_gpu(numbers).reshape({rows, 7});
    const GPUArray<T> whole = x / lazy::max(x, 1), part = exp(x * 0) * x / (lazy::max(x, 1) * T(2));
    const std::vector<T> found = whole.get(), halves = part.get();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const float divisor = divisors[k / 7], one = static_cast<float>(numbers[k]);
        CAPTURE(divisor);
        CAPTURE(one);
        const float greatest = static_cast<float>(numbers[k / 7 * 7]);
        // NaN and infinity in a row: the greatest is the first.
        const float expected = one / greatest;
        const auto near = [&](float value, float wanted) {
            if (std::isnan(wanted)) return std::isnan(value);
            return value == wanted || std::abs(value - wanted) <= step * std::abs(wanted);
        };
        CHECK(near(static_cast<float>(found[k]), expected));
        if (std::isfinite(one) && std::isfinite(2 * greatest)) CHECK(near(static_cast<float>(halves[k]), expected / 2));
    }
}

}  // namespace

TEST_CASE("16-bit floats are divided by results of rows of any magnitude") {
    check_quotients<bfloat16>({1e-39f, 1.17549435e-38f, 1e-37f, 1e-30f, 5e-20f, 6e-20f, 1e-10f, 1, 3, 1e10f, 1.7e19f,
                               2e19f, 1e30f, 1e37f, 1.6e38f, 3.3e38f},
                              0.004f);
    check_quotients<half>({6e-8f, 1e-6f, 6.2e-5f, 0.1f, 1, 7, 1000, 65504}, 0.0005f);
    const float infinity = INFINITY, nan = NAN;
    const GPUArray<bfloat16> x = to_gpu(std::vector<bfloat16>{bfloat16(infinity), bfloat16(1), bfloat16(0), bfloat16(0),
                                                              bfloat16(nan), bfloat16(1), bfloat16(-1), bfloat16(0)})
                                     .reshape({4, 2});
    const std::vector<bfloat16> found = GPUArray<bfloat16>(x / lazy::max(x, 1)).get();
    const std::vector<float> expected{nan, 0, nan, nan, nan, nan, -infinity, nan};
    for (std::size_t k = 0; k < found.size(); ++k) {
        CAPTURE(k);
        const float value = static_cast<float>(found[k]);
        CHECK((std::isnan(expected[k]) ? std::isnan(value) : value == expected[k]));
    }
}

TEST_CASE("powers of e of 16-bit floats keep subnormal results and overflow where they should") {
    std::vector<bfloat16> exponents;
    for (float e = -104; e < 89; e += 0.25f) exponents.push_back(bfloat16(e));
    const std::vector<bfloat16> found = GPUArray<bfloat16>(exp(to_gpu(exponents))).get();
    for (std::size_t k = 0; k < found.size(); ++k) {
        const double exponent = static_cast<float>(exponents[k]), expected = std::exp(exponent);
        CAPTURE(exponent);
        const float value = static_cast<float>(found[k]);
        if (expected > 3.395e38) {
            CHECK(value == INFINITY);
        } else {
            CHECK(std::abs(value - expected) <= std::max(0.004 * expected, 0x1p-134));
        }
    }
}

TEST_CASE("variances of too few elements are those of NumPy") {
    const GPUArray<float> x = to_gpu(std::vector<float>{1, 2});
    CHECK(lazy::var(x, 0, 3).eval().item() == INFINITY);
    CHECK(std::isnan(lazy::var(to_gpu(std::vector<float>{1}), 0, 2).eval().item()));
}

TEST_CASE("rows that blocks share are right on several streams at once") {
    // Each kernel's blocks wait for each other, and more of them are launched than a GPU has room for.
    const Context context = default_context();
    const std::int64_t extent = context.device().info().type == DeviceInfo::Type::gpu ? 1 << 20 : 1 << 13;
    const auto x = GPUArray<float>(sin(arange<float>(8 * extent)) + 2.0f).reshape({8, extent});
    const std::vector<std::function<GPUArray<float>()>> of_rows{
        [&] { return GPUArray<float>(x - lazy::max(x, 1)); },  [&] { return GPUArray<float>(x - lazy::min(x, 1)); },
        [&] { return GPUArray<float>(x / lazy::sum(x, 1)); },  [&] { return GPUArray<float>(x - lazy::mean(x, 1)); },
        [&] { return GPUArray<float>(x / lazy::norm(x, 1)); }, [&] { return GPUArray<float>(softmax(x, 1)); }};
    std::vector<GPUArray<float>> expected;
    for (const auto& compute : of_rows) expected.push_back(compute());
    std::vector<Stream> streams;
    for (std::size_t k = 0; k < of_rows.size(); ++k) streams.push_back(context.create_stream());
    context.synchronize();
    std::vector<GPUArray<float>> found;
    for (int round = 0; round < 4; ++round)
        for (std::size_t k = 0; k < of_rows.size(); ++k) {
            const StreamScope scope(streams[k]);
            found.push_back(of_rows[k]());
        }
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(all(found[k] == expected[k % expected.size()]).get()[0] != 0);
}

TEST_SUITE_END();
