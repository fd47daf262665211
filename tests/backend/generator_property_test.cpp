/// Random element-wise kernels, reductions and scans on random layouts against the same expression tree evaluated on
/// the host. A failing case is printed as a test to be pasted. GEMEL_PROPERTY_SEED sets the seed,
/// GEMEL_PROPERTY_KERNELS the number of kernels.
#include "generator_support.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// An expression of x, y, a and i over T, with only operations that IEEE defines to the last bit, or that integers wrap
/// in.
template <class T>
struct Node {
    std::string text;
    std::function<T(T x, T y, T a, std::int64_t i)> value;
};

class Random {
   public:
    explicit Random(unsigned seed) : random_(seed) {}
    int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

   private:
    std::mt19937 random_;
};

template <class T>
Node<T> expression(Random& random, int depth, const std::string& type) {
    using N = Node<T>;
    if (depth == 0) switch (random.pick(0, 4)) {
            case 0: return {"x[i]", [](T x, T, T, std::int64_t) { return x; }};
            case 1: return {"y[i]", [](T, T y, T, std::int64_t) { return y; }};
            case 2: return {"a", [](T, T, T a, std::int64_t) { return a; }};
            case 3: {
                const int k = random.pick(0, 9);
                return {text("(", type, ")", k), [k](T, T, T, std::int64_t) { return static_cast<T>(k); }};
            }
            default: return {"(" + type + ")(i % 16)", [](T, T, T, std::int64_t i) { return static_cast<T>(i % 16); }};
        }
    const N l = expression<T>(random, depth - 1, type), r = expression<T>(random, random.pick(0, depth - 1), type);
    const auto join = [&](const char* op, auto f) {
        return N{"((" + type + ")(" + l.text + " " + op + " " + r.text + "))",
                 [l, r, f](T x, T y, T a, std::int64_t i) { return f(l.value(x, y, a, i), r.value(x, y, a, i)); }};
    };
    // Unsigned arithmetic on the host, which wraps as the devices do.
    const auto wrapped = [](auto f) {
        return [f](T a, T b) {
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
            else
                return static_cast<T>(f(a, b));
        };
    };
    switch (random.pick(0, std::is_integral_v<T> ? 6 : 8)) {
        case 0: return join("+", wrapped([](auto a, auto b) { return a + b; }));
        case 1: return join("-", wrapped([](auto a, auto b) { return a - b; }));
        case 2: return join("*", wrapped([](auto a, auto b) { return a * b; }));
        case 3: return join("<", [](T a, T b) { return static_cast<T>(a < b); });
        case 4: return join("==", [](T a, T b) { return static_cast<T>(a == b); });
        case 5: {
            const N c = expression<T>(random, 0, type);
            return {"(" + c.text + " > (" + type + ")3 ? " + l.text + " : " + r.text + ")",
                    [c, l, r](T x, T y, T a, std::int64_t i) {
                        return c.value(x, y, a, i) > T(3) ? l.value(x, y, a, i) : r.value(x, y, a, i);
                    }};
        }
        case 6: return join(">=", [](T a, T b) { return static_cast<T>(a >= b); });
        case 7:
            if constexpr (std::is_floating_point_v<T>)
                return {"sqrt(fabs(" + l.text + "))",
                        [l](T x, T y, T a, std::int64_t i) { return std::sqrt(std::fabs(l.value(x, y, a, i))); }};
            [[fallthrough]];
        default:
            // By what is never zero: |r| + 1.
            if constexpr (std::is_floating_point_v<T>)
                return {"(" + l.text + " / (fabs(" + r.text + ") + (" + type + ")1))",
                        [l, r](T x, T y, T a, std::int64_t i) {
                            return l.value(x, y, a, i) / (std::fabs(r.value(x, y, a, i)) + T(1));
                        }};
            return l;
    }
}

struct Case {
    Shape shape;
    Form x, y, z;
    std::size_t offset;
    int tuning;
};

template <class T>
int check_expression(unsigned seed, const char* type) {
    Random random(seed);
    const Node<T> tree = expression<T>(random, random.pick(1, 4), type);
    const std::string declarations = text("const ", type, " *x, const ", type, " *y, ", type, " a, ", type, " *z");
    // Both arrays are named, whether or not the tree has them.
    const ElementwiseKernel kernel(declarations, "(void)x[i]; (void)y[i]; z[i] = " + tree.text, "property",
                                   {.compile = {.fp_contract = false}});
    const std::array<codegen::Tuning, 2> tunings{codegen::Tuning{}, gpu_shaped};
    int cases = 0;
    for (int k = 0; k < 36; ++k) {
        Case c{.shape = {},
               .x = forms[static_cast<std::size_t>(random.pick(0, 5))],
               .y = forms[static_cast<std::size_t>(random.pick(0, 5))],
               .z = forms[static_cast<std::size_t>(random.pick(0, 4))],
               .offset = static_cast<std::size_t>(random.pick(0, 3)),
               .tuning = 0};
        const bool flat = k % 2 == 0;  // contiguous, at an offset: wide accesses where the tuning asks for them
        if (flat) c.tuning = k / 2 % 2;
        const int rank = flat ? 1 : random.pick(1, 3);
        for (int axis = 0; axis < rank; ++axis)
            c.shape.push_back(random.pick(0, 15) == 0 ? 0 : random.pick(1, flat ? 700 : 9));
        const std::size_t n = c.shape.count();
        std::vector<T> xs(n), ys(n);
        for (T& v : xs)
            v = static_cast<T>(static_cast<T>(random.pick(-50, 50)) / static_cast<T>(std::is_integral_v<T> ? 1 : 8));
        for (T& v : ys) v = static_cast<T>(random.pick(0, 9));
        GPUArray<T> x, y, z;
        if (flat) {
            x = placed<T>(xs, c.offset), y = placed<T>(ys, (c.offset + static_cast<std::size_t>(k / 4)) % 4),
            z = placed<T>(xs, 3 - c.offset);
        } else {
            xs = fill_in(c.x, c.shape, x, xs), ys = fill_in(c.y, c.shape, y, ys);
            fill_in(c.z, c.shape, z, xs);
        }
        const T a = static_cast<T>(random.pick(0, 5));
        kernel({.tuning = tunings[static_cast<std::size_t>(c.tuning)]}, x, y, a, z);
        std::vector<T> expected(n);
        for (std::size_t i = 0; i < n; ++i) expected[i] = tree.value(xs[i], ys[i], a, static_cast<std::int64_t>(i));
        const std::string wrong = difference(expected, z.get());
        ++cases;
        if (wrong.empty()) continue;
        FAIL_CHECK(
            wrong, "\n\nGEMEL_PROPERTY_SEED=", seed, "\nTEST_CASE(\"found by chance\") {\n    // x, y and z are ",
            flat ? text("contiguous, x and y ", c.offset, " and ", (c.offset + static_cast<std::size_t>(k / 4)) % 4,
                        " elements into their buffers, z ", 3 - c.offset)
                 : text(name_of(c.x), ", ", name_of(c.y), " and ", name_of(c.z)),
            ", of shape ", to_string(c.shape), ", a = ", +a, "\n    const ElementwiseKernel kernel(\"", declarations,
            "\", \"(void)x[i]; (void)y[i]; z[i] = ", tree.text,
            "\", \"property\",\n        {.compile = {.fp_contract = false}});\n    kernel({.tuning = "
            "codegen::parse_tuning(\"",
            codegen::to_string(tunings[static_cast<std::size_t>(c.tuning)]), "\")}, x, y, ", +a, ", z);\n}");
        return cases;
    }
    return cases;
}

/// What a failing reduction or scan is called: enough to write it down again.
std::string named_case(unsigned seed, const std::string& what, const Case& c) {
    return text("GEMEL_PROPERTY_SEED=", seed, ": ", what, ", x is ", name_of(c.x), ", y is ", name_of(c.y),
                ", of shape ", to_string(c.shape));
}

/// Sums, extremes and prefix sums of a random map expression over T, in 64 bits; over some axes, from any layout.
template <class T>
int check_collected(unsigned seed, const char* type) {
    Random random(seed);
    const Node<T> tree = expression<T>(random, random.pick(1, 3), type);
    const std::string both = text("const ", type, " *x, const ", type, " *y, ", type, " a"),
                      map = "(int64_t)" + tree.text + " + 0 * (x[i] + y[i])";
    const int op = random.pick(0, 2);
    const std::array reduce{"a + b", "a < b ? a : b", "a > b ? a : b"};
    const std::array neutral{"0", "INT64_C(1) << 62", "-(INT64_C(1) << 62)"};
    const auto at = static_cast<std::size_t>(op);
    const auto combine = [&](std::int64_t p, std::int64_t q) {
        return op == 0 ? p + q : op == 1 ? std::min(p, q) : std::max(p, q);
    };
    const std::string preamble = "#define INT64_C(x) ((int64_t)(x))\n";
    const ReductionKernel<std::int64_t> reduction(
        {.arguments = both, .neutral = neutral[at], .map_expr = map, .reduce_expr = reduce[at], .preamble = preamble});
    const GenericScanKernel<std::int64_t> scan({.arguments = both + ", int64_t *z",
                                                .input_expr = map,
                                                .scan_expr = reduce[at],
                                                .neutral = neutral[at],
                                                .output_statement = "z[i] = item",
                                                .preamble = preamble});
    const std::array<codegen::Tuning, 3> tunings{
        codegen::Tuning{}, gpu_shaped,
        codegen::Tuning{.block = 64, .access_bytes = 8, .unroll = 3, .items_per_thread = 5}};
    int cases = 0;
    for (int k = 0; k < 18; ++k, ++cases) {
        Case c{.shape = {},
               .x = forms[static_cast<std::size_t>(random.pick(0, 5))],
               .y = forms[static_cast<std::size_t>(random.pick(0, 5))],
               .z = Form::C,
               .offset = 0,
               .tuning = random.pick(0, 2)};
        const int rank = random.pick(1, 3);
        for (int axis = 0; axis < rank; ++axis)
            c.shape.push_back(random.pick(0, 15) == 0 ? 0 : random.pick(1, rank == 1 ? 3000 : 40));
        const std::size_t n = c.shape.count();
        std::vector<T> xs(n), ys(n);
        for (T& v : xs) v = static_cast<T>(random.pick(-50, 50));
        for (T& v : ys) v = static_cast<T>(random.pick(0, 9));
        GPUArray<T> x, y;
        xs = fill_in(c.x, c.shape, x, xs), ys = fill_in(c.y, c.shape, y, ys);
        const T a = static_cast<T>(random.pick(0, 5));
        const auto value = [&](std::size_t i) {
            return static_cast<std::int64_t>(tree.value(xs[i], ys[i], a, static_cast<std::int64_t>(i)));
        };
        const codegen::Tuning& tuning = tunings[static_cast<std::size_t>(c.tuning)];

        std::vector<int> axes;
        for (int axis = 0; axis < rank; ++axis)
            if (random.pick(0, 1)) axes.push_back(axis);
        Shape kept;
        for (int axis = 0; axis < rank; ++axis)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                kept.push_back(c.shape[static_cast<std::size_t>(axis)]);
        const std::int64_t nothing = op == 0 ? 0 : (op == 1 ? 1 : -1) * (std::int64_t{1} << 62);
        std::vector<std::int64_t> totals(kept.count(), nothing), running(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t rest = i, place = 0, step = 1;
            for (int axis = rank - 1; axis >= 0; --axis) {
                const auto extent = static_cast<std::size_t>(c.shape[static_cast<std::size_t>(axis)]);
                if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                    place += rest % extent * step, step *= extent;
                rest /= extent;
            }
            totals[place] = combine(totals[place], value(i));
            running[i] = i == 0 ? value(i) : combine(running[i - 1], value(i));
        }
        const std::string what =
            text("\"", reduce[at], "\" of ", map, ", a = ", +a, ", tuning ", codegen::to_string(tuning));
        // `i` counts the elements of the whole array, as it does in the tree.
        CHECK_SAME(totals, reduction({.axes = axes, .tuning = tuning}, x, y, a).get(), named_case(seed, what, c));
        const GPUArray<std::int64_t> z(current_context(), c.shape);
        codegen::Tuning scanned = tuning;
        if (scanned.items_per_thread == 5) scanned.scan = codegen::Tuning::Scan::three_passes;
        scan({.tuning = scanned}, x, y, a, z);
        CHECK_SAME(running, z.get(), "scan, ", named_case(seed, what, c));
    }
    return cases;
}

unsigned number_in(const char* variable, unsigned otherwise) {
    const char* text = std::getenv(variable);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("random expressions over random layouts give what the host gives") {
    // Bits agree: integers wrap, and without contraction each operation used here is correctly rounded.
    const unsigned seed = number_in("GEMEL_PROPERTY_SEED", 20261121), kernels = number_in("GEMEL_PROPERTY_KERNELS", 9);
    MESSAGE("GEMEL_PROPERTY_SEED=", seed);
    int cases = 0;
    for (unsigned k = 0; k < kernels; ++k) {
        const unsigned own = seed + k;
        switch (own % 9) {
            case 0: cases += check_expression<float>(own, "float"); break;
            case 1: cases += check_expression<std::int32_t>(own, "int32_t"); break;
            case 2: cases += check_expression<std::uint16_t>(own, "uint16_t"); break;
            case 3: cases += check_expression<std::int64_t>(own, "int64_t"); break;
            case 4: cases += check_expression<std::int8_t>(own, "int8_t"); break;
            case 5: cases += check_expression<std::uint8_t>(own, "uint8_t"); break;
            case 6: cases += check_expression<std::uint32_t>(own, "uint32_t"); break;
            case 7: cases += check_expression<std::uint64_t>(own, "uint64_t"); break;
            default:
                if (current_context().device().info().has_double) cases += check_expression<double>(own, "double");
        }
    }
    CHECK(cases >= static_cast<int>(kernels) * 28);
}

TEST_CASE("random map expressions are reduced over random axes and scanned from random layouts") {
    const unsigned seed = number_in("GEMEL_PROPERTY_SEED", 20261122), kernels = number_in("GEMEL_PROPERTY_KERNELS", 6);
    MESSAGE("GEMEL_PROPERTY_SEED=", seed);
    int cases = 0;
    for (unsigned k = 0; k < kernels; ++k) {
        const unsigned own = seed + k;
        switch (own % 5) {
            case 0: cases += check_collected<std::int8_t>(own, "int8_t"); break;
            case 1: cases += check_collected<std::uint16_t>(own, "uint16_t"); break;
            case 2: cases += check_collected<std::int32_t>(own, "int32_t"); break;
            case 3: cases += check_collected<std::uint8_t>(own, "uint8_t"); break;
            default: cases += check_collected<std::uint32_t>(own, "uint32_t");
        }
    }
    CHECK(cases == static_cast<int>(kernels) * 18);
}

TEST_SUITE_END();
