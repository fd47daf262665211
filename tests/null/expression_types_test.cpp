/// Promotion of element types against tables that NumPy 2.4 printed.
#include <gemel/arrays/expression_types.hpp>
#include <gemel/arrays/gpu_array.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace gemel;

namespace {

template <class T>
using Array = GPUArray<T>;

// Of two arrays.
static_assert(std::is_same_v<Promote<std::int32_t, float>, double>);
static_assert(std::is_same_v<Promote<std::int16_t, float>, float>);
static_assert(std::is_same_v<Promote<std::int8_t, half>, half>);
static_assert(std::is_same_v<Promote<std::uint64_t, std::int64_t>, double>);
static_assert(std::is_same_v<Promote<std::int64_t, cfloat>, cdouble>);
static_assert(std::is_same_v<Promote<half, bfloat16>, float>);
static_assert(std::is_same_v<Promote<bfloat16, std::uint8_t>, bfloat16>);
static_assert(std::is_same_v<Promote<bfloat16, std::uint16_t>, float>);
static_assert(std::is_same_v<Promote<bool, bool, std::int8_t>, std::int8_t>);
static_assert(std::is_same_v<Promote<long long, long>, std::int64_t>);

// A number of the host does not widen an array.
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, double, Array<float>>, float>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<half>, double>, half>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<bfloat16>, long>, bfloat16>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<std::int8_t>, long long>, std::int8_t>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<std::int8_t>, float>, double>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<float>, cdouble>, cfloat>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<bool>, bool>, bool>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, Array<bool>, int>, std::int64_t>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::common, const Array<std::int32_t>&, half>, double>);
// where(condition, 6.0f, x), and numbers alone.
static_assert(std::is_same_v<CommonElement<float, Array<float>>, float>);
// Numbers alone are what they are in C++; whole ones are int64, and beside others their kind alone counts.
static_assert(std::is_same_v<CommonElement<float, int>, float>);
static_assert(std::is_same_v<CommonElement<int, float>, float>);
static_assert(std::is_same_v<CommonElement<float, double>, double>);
static_assert(std::is_same_v<CommonElement<std::uint8_t, bool>, std::int64_t>);
static_assert(std::is_same_v<CommonElement<bool, bool>, bool>);
static_assert(std::is_same_v<CommonElement<std::int64_t, half>, half>);
static_assert(std::is_same_v<CommonElement<half, bfloat16>, float>);
static_assert(std::is_same_v<CommonElement<cfloat, float>, cfloat>);
static_assert(std::is_same_v<CommonElement<double, cfloat>, cdouble>);
static_assert(std::is_same_v<CommonElement<int, bool>, std::int64_t>);

static_assert(
    std::is_same_v<ResultElement<codegen::TypeRule::real_elementary, Array<std::int8_t>, Array<std::uint8_t>>, half>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::quotient, Array<std::int8_t>, Array<half>>, half>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::real_elementary, Array<std::int8_t>, int>, half>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::real_elementary, Array<std::int8_t>, float>, double>);
static_assert(codegen::result_type(codegen::TypeRule::real_elementary, dtype_of<std::int8_t>(),
                                   codegen::ScalarKind::floating) == dtype_of<double>());

static_assert(std::is_same_v<ResultElement<codegen::TypeRule::exponent, Array<half>>, std::int32_t>);
static_assert(std::is_same_v<ResultElement<codegen::TypeRule::exponent, Array<std::uint64_t>>, std::int32_t>);
static_assert(detail::common_dtype<codegen::TypeRule::exponent, Array<std::int16_t>>() ==
              dtype_of<float>());  // what it is computed in

// Operations that do not exist.
static_assert(Combinable<codegen::TypeRule::common, Array<bool>, Array<bool>>);
static_assert(!Combinable<codegen::TypeRule::difference, Array<bool>, Array<bool>>);
static_assert(Combinable<codegen::TypeRule::difference, Array<bool>, int>);
static_assert(!Combinable<codegen::TypeRule::bitwise, Array<float>, int>);
static_assert(!Combinable<codegen::TypeRule::bitwise, Array<int>, float>);
static_assert(!Combinable<codegen::TypeRule::remainder, Array<cfloat>, Array<float>>);
static_assert(!Combinable<codegen::TypeRule::real_elementary, Array<cfloat>, Array<float>>);
static_assert(!Combinable<codegen::TypeRule::exponent, Array<cfloat>>);
static_assert(ExponentOperand<Array<std::int64_t>> && ExponentOperand<const Array<bool>&> && ExponentOperand<int>);
static_assert(!ExponentOperand<Array<std::uint64_t>> && !ExponentOperand<Array<float>> && !ExponentOperand<double>);
static_assert(Combinable<codegen::TypeRule::truth, Array<cfloat>, Array<float>>);
static_assert(!Combinable<codegen::TypeRule::common, float, int>, "the language's own");
static_assert(!Combinable<codegen::TypeRule::common, Array<float>, const char*>);
static_assert(!Combinable<codegen::TypeRule::common, Array<float>, std::vector<float>>);
static_assert(!Combinable<codegen::TypeRule::common, Array<float>, long double>);

const std::vector<std::pair<std::string, DType>> types{
    {"b", dtype_of<bool>()},           {"i1", dtype_of<std::int8_t>()},   {"u1", dtype_of<std::uint8_t>()},
    {"i2", dtype_of<std::int16_t>()},  {"u2", dtype_of<std::uint16_t>()}, {"i4", dtype_of<std::int32_t>()},
    {"u4", dtype_of<std::uint32_t>()}, {"i8", dtype_of<std::int64_t>()},  {"u8", dtype_of<std::uint64_t>()},
    {"f2", dtype_of<half>()},          {"f4", dtype_of<float>()},         {"f8", dtype_of<double>()},
    {"c8", dtype_of<cfloat>()},        {"c16", dtype_of<cdouble>()},
};

std::string code_of(DType dtype) {
    for (const auto& [code, known] : types)
        if (known == dtype) return code;
    return dtype.empty() ? "-" : dtype.name();
}

/// One row for each type, what `column` gives for it with each of `count` columns.
template <class Column>
void check_table(const std::vector<std::string_view>& rows, std::size_t count, const Column& column) {
    REQUIRE(rows.size() == types.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::string line;
        for (std::size_t k = 0; k < count; ++k) line += (k ? " " : "") + code_of(column(types[row].second, k));
        CAPTURE(types[row].first);
        CHECK(line == rows[row]);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("two arrays have the type that numpy.result_type gives") {
    check_table(
        {
            "b i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16",
            "i1 i1 i2 i2 i4 i4 i8 i8 f8 f2 f4 f8 c8 c16",
            "u1 i2 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16",
            "i2 i2 i2 i2 i4 i4 i8 i8 f8 f4 f4 f8 c8 c16",
            "u2 i4 u2 i4 u2 i4 u4 i8 u8 f4 f4 f8 c8 c16",
            "i4 i4 i4 i4 i4 i4 i8 i8 f8 f8 f8 f8 c16 c16",
            "u4 i8 u4 i8 u4 i8 u4 i8 u8 f8 f8 f8 c16 c16",
            "i8 i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8 c16 c16",
            "u8 f8 u8 f8 u8 f8 u8 f8 u8 f8 f8 f8 c16 c16",
            "f2 f2 f2 f4 f4 f8 f8 f8 f8 f2 f4 f8 c8 c16",
            "f4 f4 f4 f4 f4 f8 f8 f8 f8 f4 f4 f8 c8 c16",
            "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c16 c16",
            "c8 c8 c8 c8 c8 c16 c16 c16 c16 c8 c8 c16 c8 c16",
            "c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16",
        },
        types.size(), [](DType a, std::size_t k) { return codegen::promote(a, types[k].second); });
    for (const auto& [code, a] : types)
        for (const auto& [other, b] : types) CHECK(codegen::promote(a, b) == codegen::promote(b, a));
    CHECK(codegen::promote(DType(DType::Kind::floating, 16, 4), dtype_of<float>()).empty());
}

TEST_CASE("an array beside a number of the host has the type that NumPy gives") {
    // True, 1, 1.0, 1j
    check_table(
        {
            "b i8 f8 c16",
            "i1 i1 f8 c16",
            "u1 u1 f8 c16",
            "i2 i2 f8 c16",
            "u2 u2 f8 c16",
            "i4 i4 f8 c16",
            "u4 u4 f8 c16",
            "i8 i8 f8 c16",
            "u8 u8 f8 c16",
            "f2 f2 f2 c8",
            "f4 f4 f4 c8",
            "f8 f8 f8 c16",
            "c8 c8 c8 c8",
            "c16 c16 c16 c16",
        },
        4, [](DType a, std::size_t k) {
            constexpr codegen::ScalarKind numbers[] = {codegen::ScalarKind::boolean, codegen::ScalarKind::integer,
                                                       codegen::ScalarKind::floating, codegen::ScalarKind::complex};
            return codegen::promote(a, numbers[k]);
        });
}

TEST_CASE("functions of one array have the type that NumPy gives") {
    // sin, negative, abs, sum, mean, invert, floor, isnan
    constexpr codegen::TypeRule rules[] = {codegen::TypeRule::elementary, codegen::TypeRule::difference,
                                           codegen::TypeRule::magnitude,  codegen::TypeRule::sum,
                                           codegen::TypeRule::mean,       codegen::TypeRule::bitwise,
                                           codegen::TypeRule::rounding,   codegen::TypeRule::truth};
    check_table(
        {
            "f2 - b i8 f8 b b b",
            "f2 i1 i1 i8 f8 i1 i1 b",
            "f2 u1 u1 u8 f8 u1 u1 b",
            "f4 i2 i2 i8 f8 i2 i2 b",
            "f4 u2 u2 u8 f8 u2 u2 b",
            "f8 i4 i4 i8 f8 i4 i4 b",
            "f8 u4 u4 u8 f8 u4 u4 b",
            "f8 i8 i8 i8 f8 i8 i8 b",
            "f8 u8 u8 u8 f8 u8 u8 b",
            "f2 f2 f2 f2 f2 - f2 b",
            "f4 f4 f4 f4 f4 - f4 b",
            "f8 f8 f8 f8 f8 - f8 b",
            "c8 c8 f4 c8 c8 - - b",
            "c16 c16 f8 c16 c16 - - b",
        },
        std::size(rules), [&](DType a, std::size_t k) { return codegen::result_type(rules[k], a); });
}

TEST_CASE("operators of two arrays have the type that NumPy gives") {
    // true_divide, subtract, multiply, floor_divide, power, arctan2, bitwise_and, left_shift, equal
    constexpr codegen::TypeRule rules[] = {
        codegen::TypeRule::quotient,  codegen::TypeRule::difference, codegen::TypeRule::common,
        codegen::TypeRule::remainder, codegen::TypeRule::power,      codegen::TypeRule::real_elementary,
        codegen::TypeRule::bitwise,   codegen::TypeRule::shift,      codegen::TypeRule::truth};
    check_table(
        {
            "f8 - b i1 i1 f2 b i1 b",
            "f8 i1 i1 i1 i1 f2 i1 i1 b",
            "f8 u1 u1 u1 u1 f2 u1 u1 b",
            "f8 i2 i2 i2 i2 f4 i2 i2 b",
            "f8 u2 u2 u2 u2 f4 u2 u2 b",
            "f8 i4 i4 i4 i4 f8 i4 i4 b",
            "f8 u4 u4 u4 u4 f8 u4 u4 b",
            "f8 i8 i8 i8 i8 f8 i8 i8 b",
            "f8 u8 u8 u8 u8 f8 u8 u8 b",
            "f2 f2 f2 f2 f2 f2 - - b",
            "f4 f4 f4 f4 f4 f4 - - b",
            "f8 f8 f8 f8 f8 f8 - - b",
            "c8 c8 c8 - c8 - - - b",
            "c16 c16 c16 - c16 - - - b",
        },
        std::size(rules), [&](DType a, std::size_t k) { return codegen::result_type(rules[k], a); });
    // The same with uint16 on the other side.
    check_table(
        {
            "f8 u2 u2 u2 u2 f4 u2 u2 b",
            "f8 i4 i4 i4 i4 f4 i4 i4 b",
            "f8 u2 u2 u2 u2 f4 u2 u2 b",
            "f8 i4 i4 i4 i4 f4 i4 i4 b",
            "f8 u2 u2 u2 u2 f4 u2 u2 b",
            "f8 i4 i4 i4 i4 f8 i4 i4 b",
            "f8 u4 u4 u4 u4 f8 u4 u4 b",
            "f8 i8 i8 i8 i8 f8 i8 i8 b",
            "f8 u8 u8 u8 u8 f8 u8 u8 b",
            "f4 f4 f4 f4 f4 f4 - - b",
            "f4 f4 f4 f4 f4 f4 - - b",
            "f8 f8 f8 f8 f8 f8 - - b",
            "c8 c8 c8 - c8 - - - b",
            "c16 c16 c16 - c16 - - - b",
        },
        std::size(rules),
        [&](DType a, std::size_t k) { return codegen::result_type(rules[k], a, dtype_of<std::uint16_t>()); });
}
