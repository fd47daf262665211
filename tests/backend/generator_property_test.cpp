/// Random element-wise kernels, reductions and scans on random layouts against the same expression tree evaluated on
/// the host. A failing case is printed as a test that can be pasted into any file that includes generator_support.hpp.
/// GEMEL_PROPERTY_SEED sets the seed, GEMEL_PROPERTY_KERNELS the number of kernels.
#include "random_trees.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iomanip>
#include <optional>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// C++'s name of an element type.
template <class T>
std::string host_name() {
    if (std::is_same_v<T, half>) return "half";
    if (std::is_same_v<T, bfloat16>) return "bfloat16";
    const std::string name = DType(dtype_of<T>()).name();
    if (name == "cfloat") return "std::complex<float>";
    if (name == "cdouble") return "std::complex<double>";
    return name.ends_with("_t") ? "std::" + name : name;
}

std::string digits(auto value) {
    if (std::isnan(static_cast<double>(value))) return "NAN";
    if (std::isinf(static_cast<double>(value))) return value > 0 ? "INFINITY" : "-INFINITY";
    return text(std::setprecision(std::numeric_limits<decltype(value)>::digits10 + 3), +value,
                std::is_same_v<decltype(value), std::uint64_t> ? "u" : "");
}

/// A number as a test has it: "half(1.5)".
template <class T>
std::string written(const HostElement<T>& value) {
    if constexpr (is_complex<T>)
        return text(host_name<T>(), "(", digits(value.real()), ", ", digits(value.imag()), ")");
    else if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else
        return text(host_name<T>(), "(", digits(held<T>(value)), ")");
}

std::string written(const Shape& shape) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : shape) extents.push_back(std::to_string(extent));
    return "Shape{" + join(extents) + "}";
}

template <class T>
bool agree(const T& expected, const T& found) {
    return expected == found || (expected != expected && found != found);
}
template <class R>
bool agree(const Bounded& expected, const std::complex<R>& found) {
    return std::abs(std::complex<long double>(found) - expected.value) <= expected.error;
}

/// Where the device differs from the host first, if anywhere.
template <class E, class T>
std::optional<std::size_t> first_wrong(const std::vector<E>& expected, const std::vector<T>& found) {
    REQUIRE(expected.size() == found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!agree(expected[i], found[i])) return i;
    return {};
}

/// An array of a case with what it holds, and the line that makes it.
template <class T>
struct Operand {
    GPUArray<T> array;
    std::vector<HostElement<T>> values;
    std::string line;
};

/// In this form, or contiguous from this element of its buffer on.
template <class T>
Operand<T> operand(const char* name, const Shape& shape, std::optional<Form> form, std::size_t offset, unsigned seed,
                   int low, int high, int parts = 1) {
    Operand<T> made{.array = {}, .values = drawn<T>(shape.count(), seed, low, high, parts), .line = {}};
    const std::string type = host_name<T>(), values = text("drawn<", type, ">(", shape.count(), ", ", seed, ", ", low,
                                                           ", ", high, ", ", parts, ")");
    if (form) {
        made.values = fill_in(*form, shape, made.array, made.values);
        made.line = text("    GPUArray<", type, "> ", name, ";\n    fill_in(Form::", name_of(*form), ", ",
                         written(shape), ", ", name, ", ", values, ");\n");
    } else {
        made.array = placed<T>(made.values, offset);
        made.line = text("    const auto ", name, " = placed<", type, ">(", values, ", ", offset, ");\n");
    }
    return made;
}

/// The second number of a case that is passed by value.
template <class T>
T value_of(Random& random, bool whole = false) {
    const int k = random.pick(0, whole && is_complex<T> ? 2 : 5);
    if constexpr (is_complex<T>)
        return T(static_cast<typename T::value_type>(k), 1);
    else if constexpr (SixteenBitFloat<T>)
        return T(static_cast<float>(k));
    else
        return static_cast<T>(k);
}

/// Random extents, about one in sixteen of them zero.
Shape random_shape(Random& random, int rank, int most) {
    Shape shape;
    for (int axis = 0; axis < rank; ++axis) shape.push_back(random.pick(0, 15) == 0 ? 0 : random.pick(1, most));
    return shape;
}

Form random_form(Random& random, int last) { return forms[static_cast<std::size_t>(random.pick(0, last))]; }

template <class T>
std::string inputs() {
    const std::string type = DType(dtype_of<T>()).name();
    return text("const ", type, " *x, const ", type, " *y, ", held_name<T>(), " a");
}

/// Twenty calls of one kernel; those after a failure are left out.
template <class T>
int check_expression(unsigned seed) {
    constexpr int calls = 20;
    Random random(seed);
    const Node<T> tree = random_tree<T>(random, random.pick(2, is_complex<T> ? 3 : 4));
    const std::string declarations = inputs<T>() + ", " + DType(dtype_of<T>()).name() + " *z",
                      // Both arrays are named, whether or not the tree has them.
        snippet = "(void)x[i]; (void)y[i]; z[i] = " + tree.text;
    const ElementwiseKernel kernel(declarations, snippet, "property", {.compile = {.fp_contract = false}});
    const std::array<AnyTuning, 2> tunings{AnyTuning{}, gpu_shaped};
    for (int k = 0; k < calls; ++k) {
        const bool flat = k % 2 == 0;  // contiguous, at an offset: wide accesses where the tuning asks for them
        const Shape shape = random_shape(random, flat ? 1 : random.pick(1, 3), flat ? 700 : 9);
        const AnyTuning& tuning = tunings[flat ? static_cast<std::size_t>(k / 2 % 2) : 0];
        const auto offset = static_cast<std::size_t>(random.pick(0, 3));
        const auto number = static_cast<unsigned>(random.pick(0, 9999));
        const auto form = [&](int last) { return flat ? std::optional<Form>() : random_form(random, last); };
        const auto x = operand<T>("x", shape, form(5), offset, number, -50, 50, 8);
        const auto y =
            operand<T>("y", shape, form(5), (offset + static_cast<std::size_t>(k / 4)) % 4, number + 1, 0, 9);
        const auto z = operand<T>("z", shape, form(4), 3 - offset, number + 2, 0, 9);
        const auto a = value_of<T>(random);
        kernel({.tuning = tuning}, x.array, y.array, a, z.array);
        std::vector<std::conditional_t<is_complex<T>, Bounded, HostElement<T>>> expected;
        for (std::size_t i = 0; i < x.values.size(); ++i) {
            const Held<T> value =
                tree.value(held<T>(x.values[i]), held<T>(y.values[i]), held<T>(a), static_cast<std::int64_t>(i));
            if constexpr (is_complex<T>)
                expected.push_back(value);
            else
                expected.push_back(static_cast<HostElement<T>>(value));
        }
        const auto found = z.array.get();
        const auto wrong = first_wrong(expected, found);
        if (!wrong) continue;
        std::string check;
        if constexpr (is_complex<T>) {
            const auto& [value, error] = expected[*wrong];
            const std::string wide = "std::complex<double>(";
            check =
                text("std::abs(", wide, "z.get()[", *wrong, "]) - ", wide, digits(static_cast<double>(value.real())),
                     ", ", digits(static_cast<double>(value.imag())), ")) <= ", static_cast<double>(error));
        } else {
            check = text("z.get()[", *wrong, "] == ", written<T>(expected[*wrong]));
        }
        FAIL_CHECK("GEMEL_PROPERTY_SEED=", seed, ", element ", *wrong, " is ", written<T>(found[*wrong]),
                   "\n\nTEST_CASE(\"found by chance\") {\n", x.line, y.line, z.line,
                   "    const ElementwiseKernel kernel(\"", declarations, "\",\n        \"", snippet,
                   "\",\n        \"property\", {.compile = {.fp_contract = false}});\n    kernel({.tuning = ",
                   gemel::testing::written(codegen::ElementwiseTuning(tuning)), "}, x, y, ",
                   written<T>(static_cast<HostElement<T>>(a)), ", z);\n    CHECK(", check, ");\n}");
        return calls;
    }
    return calls;
}

/// What is collected of elements of T, and what the host collects it in: numbers so small that no sum is ever rounded.
template <class T>
using Collected = std::conditional_t<is_complex<T> || SixteenBitFloat<T> || std::is_same_v<T, bool>, T, std::int64_t>;
template <class T>
using Total = std::conditional_t<is_complex<T>, std::complex<double>, std::int64_t>;

template <class T>
HostElement<Collected<T>> collected(const Total<T>& total) {
    if constexpr (SixteenBitFloat<T>)
        return T(static_cast<float>(total));
    else
        return static_cast<HostElement<Collected<T>>>(total);
}

/// How results are combined: the text, and the same on the host.
template <class T>
struct Combination {
    std::string text, neutral;
    Total<T> nothing;
    std::function<Total<T>(Total<T>, Total<T>)> combine;
};

/// A sum or an extreme; of flags whether an odd number is set, or an extreme.
template <class T>
Combination<T> random_combination(Random& random) {
    if constexpr (is_complex<T>) {
        return {"c_add(a, b)", DType(dtype_of<Collected<T>>()).name() + "_new(0, 0)", 0, std::plus<>()};
    } else {
        constexpr bool flags = std::is_same_v<T, bool>;
        const std::int64_t far = flags ? 1 : std::int64_t{1} << 62, near = flags ? 0 : -far;
        const std::string cast = SixteenBitFloat<T> ? "(float)" : "",
                          large = cast + (flags ? "1" : "((int64_t)1 << 62)");
        switch (random.pick(0, 2)) {
            case 0:
                if (flags) return {"a != b", "0", 0, std::not_equal_to<>()};
                return {"a + b", "0", 0, std::plus<>()};
            case 1: return {"a < b ? a : b", large, far, [](auto p, auto q) { return std::min(p, q); }};
            default:
                return {"a > b ? a : b", flags ? "0" : "-" + large, near,
                        [](auto p, auto q) { return std::max(p, q); }};
        }
    }
}

/// The operands of one call.
template <class T>
struct CollectedInputs {
    Shape shape;
    Operand<T> x, y;
    T a;
    std::vector<int> axes;
};

template <class T>
CollectedInputs<T> random_inputs(Random& random, const Shape& shape) {
    const auto number = static_cast<unsigned>(random.pick(0, 9999));
    const auto x =
        operand<T>("x", shape, random_form(random, 5), 0, number, is_complex<T> ? -2 : -50, is_complex<T> ? 2 : 50);
    const auto y = operand<T>("y", shape, random_form(random, 5), 0, number + 1, 0, is_complex<T> ? 2 : 9);
    CollectedInputs<T> made{.shape = shape, .x = x, .y = y, .a = value_of<T>(random, true), .axes = {}};
    for (int axis = 0; axis < static_cast<int>(shape.rank()); ++axis)
        if (random.pick(0, 1)) made.axes.push_back(axis);
    return made;
}

/// The map expression. Fractions are cut off, and what is summed up in a float is kept small.
template <class T>
std::string mapped_text(const Node<T>& tree) {
    constexpr bool flags = std::is_same_v<T, bool>;
    return "((void)x[i], (void)y[i], " +
           (is_complex<T> || flags            ? tree.text
            : std::is_same_v<Collected<T>, T> ? "(float)((int64_t)" + tree.text + " % 16)"
                                              : "(int64_t)" + tree.text) +
           ")";
}

/// What mapped_text() is for element `i`.
template <class T>
Total<T> mapped(const Node<T>& tree, const CollectedInputs<T>& in, std::size_t i) {
    const Held<T> found =
        tree.value(held<T>(in.x.values[i]), held<T>(in.y.values[i]), held<T>(in.a), static_cast<std::int64_t>(i));
    if constexpr (is_complex<T>) {
        return Total<T>(found.value);
    } else {
        return SixteenBitFloat<T> ? static_cast<std::int64_t>(found) % 16 : static_cast<std::int64_t>(found);
    }
}

/// Which result element `i` of an array belongs to when it is reduced along these axes.
std::size_t result_index(std::size_t i, const Shape& shape, const std::vector<int>& axes) {
    std::size_t index = 0, stride = 1;
    for (int axis = static_cast<int>(shape.rank()) - 1; axis >= 0; --axis) {
        const auto extent = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) index += i % extent * stride, stride *= extent;
        i /= extent;
    }
    return index;
}

/// What the host collects, along the axes and up to each element.
template <class T>
struct HostResults {
    std::vector<HostElement<Collected<T>>> reduced, running;
};

template <class T>
HostResults<T> host_results(const Node<T>& tree, const Combination<T>& op, const CollectedInputs<T>& in) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < in.shape.rank(); ++axis)
        if (std::find(in.axes.begin(), in.axes.end(), static_cast<int>(axis)) == in.axes.end())
            count *= static_cast<std::size_t>(in.shape[axis]);
    std::vector<Total<T>> totals(count, op.nothing);
    HostResults<T> results;
    Total<T> so_far = op.nothing;
    for (std::size_t i = 0; i < in.shape.count(); ++i) {
        const Total<T> value = mapped(tree, in, i);
        Total<T>& total = totals[result_index(i, in.shape, in.axes)];
        total = op.combine(total, value);
        results.running.push_back(collected<T>(so_far = op.combine(so_far, value)));
    }
    for (const Total<T>& total : totals) results.reduced.push_back(collected<T>(total));
    return results;
}

/// A reduction and a scan of one map expression, and the lines that make them.
template <class T>
class Collectors {
   public:
    using R = Collected<T>;

    Collectors(const std::string& map, const Combination<T>& op)
        : reduction({.arguments = inputs<T>(),
                     .neutral = op.neutral,
                     .map_expr = map,
                     .reduce_expr = op.text,
                     .compile = {.fp_contract = false}}),
          scan({.arguments = scan_arguments(),
                .input_expr = map,
                .scan_expr = op.text,
                .neutral = op.neutral,
                .output_statement = "z[i] = item",
                .compile = {.fp_contract = false}}),
          reduction_line(text("    const ReductionKernel<", host_name<R>(), "> reduction({.arguments = \"", inputs<T>(),
                              "\",\n        .neutral = \"", op.neutral, "\",\n        .map_expr = \"", map,
                              "\",\n        .reduce_expr = \"", op.text, "\", .compile = {.fp_contract = false}});\n")),
          scan_line(text("    const GenericScanKernel<", host_name<R>(), "> scan({.arguments = \"", scan_arguments(),
                         "\",\n        .input_expr = \"", map, "\",\n        .scan_expr = \"", op.text,
                         "\", .neutral = \"", op.neutral,
                         "\", .output_statement = \"z[i] = item\",\n        .compile = {.fp_contract = false}});\n")) {}

    ReductionKernel<R> reduction;
    GenericScanKernel<R> scan;
    std::string reduction_line, scan_line;

   private:
    static std::string scan_arguments() { return inputs<T>() + ", " + DType(dtype_of<R>()).name() + " *z"; }
};

/// Where the device's elements are not those of the host, the program of this call to be pasted.
/// @param lines  what makes the kernel and, of a scan, calls it
/// @param array  the text of the result
template <class T>
void check_same(unsigned seed, const std::vector<HostElement<Collected<T>>>& expected,
                const std::vector<HostElement<Collected<T>>>& found, const CollectedInputs<T>& in,
                const std::string& lines, const std::string& array) {
    const auto wrong = first_wrong(expected, found);
    if (!wrong) return;
    FAIL_CHECK("GEMEL_PROPERTY_SEED=", seed, ", element ", *wrong, " is ", written<Collected<T>>(found[*wrong]),
               "\n\nTEST_CASE(\"found by chance\") {\n", in.x.line, in.y.line, lines, "    CHECK(", array, ".get()[",
               *wrong, "] == ", written<Collected<T>>(expected[*wrong]), ");\n}");
}

/// Sums, extremes and prefix sums of a random map expression over T; over some axes, from any layout.
template <class T>
int check_collected(unsigned seed) {
    using R = Collected<T>;
    Random random(seed);
    const Node<T> tree = random_tree<T>(random, random.pick(1, is_complex<T> ? 2 : 3), true);
    const Combination<T> combination = random_combination<T>(random);
    const Collectors<T> collectors(mapped_text(tree), combination);
    const std::array<AnyTuning, 3> tunings{
        AnyTuning{}, gpu_shaped, AnyTuning{.block = 64, .access_bytes = 8, .unroll = 3, .items_per_thread = 5}};
    int cases = 0;
    for (; cases < 8; ++cases) {
        const int rank = random.pick(1, 3);
        const Shape shape = random_shape(random, rank, rank == 1 ? 3000 : 40);
        AnyTuning tuning = tunings[static_cast<std::size_t>(random.pick(0, 2))];
        const CollectedInputs<T> in = random_inputs<T>(random, shape);
        const HostResults<T> host = host_results(tree, combination, in);

        const std::string numbers = "x, y, " + written<T>(static_cast<HostElement<T>>(in.a));
        // `i` counts the elements of the whole array, as it does in the tree.
        std::vector<std::string> numerals;
        for (const int axis : in.axes) numerals.push_back(std::to_string(axis));
        check_same(seed, host.reduced,
                   collectors.reduction({.axes = in.axes, .tuning = tuning}, in.x.array, in.y.array, in.a).get(), in,
                   collectors.reduction_line,
                   text("reduction({.axes = std::vector<int>{", join(numerals), "}, .tuning = ",
                        gemel::testing::written(codegen::ReductionTuning(tuning)), "}, ", numbers, ")"));
        const GPUArray<R> z(current_context(), shape);
        if (tuning.items_per_thread == 5) tuning.strategy = codegen::ScanStrategy::three_passes;
        collectors.scan({.tuning = tuning}, in.x.array, in.y.array, in.a, z);
        check_same(seed, host.running, z.get(), in,
                   text(collectors.scan_line, "    const GPUArray<", host_name<R>(), "> z(current_context(), ",
                        written(shape), ");\n    scan({.tuning = ",
                        gemel::testing::written(codegen::ScanTuning(tuning)), "}, ", numbers, ", z);\n"),
                   "z");
    }
    return cases;
}

unsigned number_in(const char* variable, unsigned otherwise) {
    const char* text = std::getenv(variable);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Kernels of one type after another, the first one by the seed. @returns  how many cases there were
template <class... T>
int with_types(unsigned seed, unsigned kernels, auto check) {
    const std::array checks{std::function<int(unsigned)>([&](unsigned own) {
        if (dtype_of<T>().name().ends_with("double") && !current_context().device().info().has_double) return 0;
        return check.template operator()<T>(own);
    })...};
    int cases = 0;
    for (unsigned own = seed; own < seed + kernels; ++own) cases += checks[own % sizeof...(T)](own);
    return cases;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("random expressions over random layouts give what the host gives") {
    // Bits agree: integers wrap, and without contraction each operation used here is correctly rounded. Complex numbers
    // may be as far off as their operations may.
    const unsigned seed = number_in("GEMEL_PROPERTY_SEED", 20261121), kernels = number_in("GEMEL_PROPERTY_KERNELS", 14);
    MESSAGE("GEMEL_PROPERTY_SEED=", seed);
    const int cases =
        with_types<float, std::int32_t, std::uint16_t, std::int64_t, std::int8_t, std::uint8_t, std::uint32_t,
                   std::uint64_t, double, half, bool, bfloat16, std::complex<float>, std::complex<double>>(
            seed, kernels, []<class T>(unsigned own) { return check_expression<T>(own); });
    CHECK(cases >= static_cast<int>(kernels) * 17);
}

TEST_CASE("random map expressions are reduced over random axes and scanned from random layouts") {
    const unsigned seed = number_in("GEMEL_PROPERTY_SEED", 20261122), kernels = number_in("GEMEL_PROPERTY_KERNELS", 11);
    MESSAGE("GEMEL_PROPERTY_SEED=", seed);
    const int cases = with_types<std::int8_t, std::uint16_t, std::int32_t, std::uint8_t, std::uint32_t, float, half,
                                 bool, bfloat16, std::complex<float>, std::complex<double>>(
        seed, kernels, []<class T>(unsigned own) { return check_collected<T>(own); });
    CHECK(cases >= static_cast<int>(kernels) * 7);
}

TEST_SUITE_END();
