/// Syntax trees: their text in each dialect.
#include "../codegen_programs.hpp"
#include "../golden.hpp"
#include "../pidgin.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/text.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace gemel;
using namespace codegen_programs;

namespace {

using cg::Expression;
using cg::to_source;

const Expression a = cg::var("a", dtype_of<std::int32_t>()), b = cg::var("b", dtype_of<std::int32_t>()),
                 c = cg::var("c");

std::string cl(const Expression& expression) { return to_source(expression, Dialect::opencl()); }
std::string cu(const Expression& expression) { return to_source(expression, Dialect::cuda()); }

/// Evaluates a printed text in 16 bits: one function for all levels of C's grammar.
struct Reader {
    const std::string& s;
    std::size_t at = 0;
    void blank() {
        while (at < s.size() && s[at] == ' ') ++at;
    }
    bool take(const std::string& op) {
        blank();
        if (s.compare(at, op.size(), op) != 0) return false;
        // "<" is not the beginning of "<<", "&" not of "&&".
        const std::string longer[] = {"<<", ">>", "<=", ">=", "&&", "||", "==", "!="};
        for (const std::string& l : longer)
            if (l.size() > op.size() && l.compare(0, op.size(), op) == 0 && s.compare(at, l.size(), l) == 0)
                return false;
        at += op.size();
        return true;
    }
    long level(int n) {
        static const std::vector<std::vector<std::string>> ops{
            {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*"}};
        if (n == static_cast<int>(ops.size())) return prefix();
        long left = level(n + 1);
        while (true) {
            bool found = false;
            for (const std::string& op : ops[static_cast<std::size_t>(n)]) {
                if (!take(op)) continue;
                left = apply(op, left, level(n + 1));
                found = true;
                break;
            }
            if (!found) return left;
        }
    }
    static long apply(const std::string& op, long x, long y) {
        const auto wrapped = [](long v) { return static_cast<long>(static_cast<std::int16_t>(v)); };
        if (op == "||") return x || y;
        if (op == "&&") return x && y;
        if (op == "|") return x | y;
        if (op == "^") return x ^ y;
        if (op == "&") return x & y;
        if (op == "==") return x == y;
        if (op == "!=") return x != y;
        if (op == "<") return x < y;
        if (op == ">") return x > y;
        if (op == "<=") return x <= y;
        if (op == ">=") return x >= y;
        if (op == "<<") return wrapped(x * (1 << (y & 3)));
        if (op == ">>") return x >> (y & 3);
        if (op == "+") return wrapped(x + y);
        if (op == "-") return wrapped(x - y);
        return wrapped(x * y);
    }
    long prefix() {
        if (take("-")) return static_cast<std::int16_t>(-prefix());
        if (take("~")) return ~prefix();
        if (take("!")) return !prefix();
        if (take("(")) {
            const long value = level(0);
            REQUIRE(take(")"));
            return value;
        }
        blank();
        long value = 0;
        REQUIRE(at < s.size());
        REQUIRE((s[at] >= '0' && s[at] <= '9'));
        while (at < s.size() && s[at] >= '0' && s[at] <= '9') value = value * 10 + (s[at++] - '0');
        return value;
    }
};

struct Made {
    Expression expression;
    long value;
};

Made random_expression(std::mt19937& random, int depth) {
    const auto pick = random() % 20;
    if (depth == 0 || pick < 2) {
        const int value = static_cast<int>(random() % 41) - 20;
        return {Expression(value), value};
    }
    const Made x = random_expression(random, depth - 1);
    if (pick == 2) return {-x.expression, static_cast<std::int16_t>(-x.value)};
    if (pick == 3) return {~x.expression, ~x.value};
    if (pick == 4) return {!x.expression, !x.value};
    const Made y = random_expression(random, depth - 1);
    const auto made = [&](const char* op, const Expression& e) { return Made{e, Reader::apply(op, x.value, y.value)}; };
    switch (pick) {
        case 5: return made("||", x.expression || y.expression);
        case 6: return made("&&", x.expression && y.expression);
        case 7: return made("|", x.expression | y.expression);
        case 8: return made("^", x.expression ^ y.expression);
        case 9: return made("&", x.expression & y.expression);
        case 10: return made("==", x.expression == y.expression);
        case 11: return made("!=", x.expression != y.expression);
        case 12: return made("<", x.expression < y.expression);
        case 13: return made(">=", x.expression >= y.expression);
        case 14: return made("<<", x.expression << y.expression);
        case 15: return made(">>", x.expression >> y.expression);
        case 16: return made("+", x.expression + y.expression);
        case 17: return made("-", x.expression - y.expression);
        case 18: return made("<=", x.expression <= y.expression);
        default: return made("*", x.expression * y.expression);
    }
}

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("programs have golden texts in both dialects") {
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()})
        for (const auto& [name, text] : codegen_programs::all(*dialect))
            golden::check(name + dialect->file_extension, text);
}

TEST_CASE("a third dialect is one more table") {
    golden::check("block_sum.pidgin", block_sum().source(pidgin()));
    golden::check("turn.pidgin", turn_vectors().source(pidgin()));
    CHECK(to_source(Expression(std::numeric_limits<std::int64_t>::min()), pidgin()) == "-9223372036854775807W - 1");
}

TEST_CASE("parentheses stand where the tree needs them") {
    CHECK(cl((a + b) * c) == "(a + b) * c");
    CHECK(cl(a + b * c) == "a + b * c");
    CHECK(cl(a - (b - c)) == "a - (b - c)");
    CHECK(cl(a - b - c) == "a - b - c");
    CHECK(cl(a / (b * c)) == "a / (b * c)");
    CHECK(cl(-(a + b)) == "-(a + b)");
    CHECK(cl(-a * b) == "-a * b");
    CHECK(cl(-(-a)) == "-(-a)");
    CHECK(cl(a - -b) == "a - -b");
    CHECK(cl(a - Expression(-1)) == "a - -1");
    CHECK(cl(-Expression(-1)) == "-(-1)");
    CHECK(cl(!(a < b)) == "!(a < b)");
    CHECK(cl(~a & b) == "~a & b");
    CHECK(cl((a + c)[b]) == "(a + c)[b]");
    CHECK(cl(*(a + c)) == "*(a + c)");
    CHECK(cl((*c).member("x")) == "(*c).x");
    CHECK(cl(c.arrow("x")[a]) == "c->x[a]");
    CHECK(cl(cg::address(c[a])) == "&c[a]");
    CHECK(cl(cg::cast<float>(a + b) / c) == "(float)(a + b) / c");
    CHECK(cl(cg::cast(cg::named_type("Pair"), a).member("x")) == "((Pair)a).x");
    CHECK(cl(cg::select(a < b, a, cg::select(b < c, b, c))) == "a < b ? a : b < c ? b : c");
    CHECK(cl(cg::select(cg::select(a, b, c), a, b) + 1) == "((a ? b : c) ? a : b) + 1");
    CHECK(cl(cg::call("f", a + b, cg::select(a, b, c))) == "f(a + b, a ? b : c)");
    CHECK(cl(cg::raw_expression("x + y") * 2) == "(x + y) * 2");
    CHECK(cl(Expression(std::numeric_limits<std::int32_t>::min()) * 2) == "(-2147483647 - 1) * 2");
    CHECK(cu(cg::vector(DType(DType::Kind::floating, 8, 2), {1.0f, 2.0f}).member("x")) == "make_float2(1.0f, 2.0f).x");
    CHECK(cl(cg::vector(DType(DType::Kind::floating, 8, 2), {1.0f, 2.0f}).member("x")) == "((float2)(1.0f, 2.0f)).x");
}

TEST_CASE("parentheses stand where compilers warn without them") {
    CHECK(cl((a && b) || c) == "(a && b) || c");
    CHECK(cl(a && (b || c)) == "a && (b || c)");
    CHECK(cl(a << (b + c)) == "a << (b + c)");
    CHECK(cl((a & b) == c) == "(a & b) == c");
    CHECK(cl((a & b) | c) == "(a & b) | c");
    CHECK(cl((a & b) & c) == "a & b & c");
    CHECK(cl(a & (b == c)) == "a & (b == c)");
    CHECK(cl((a < b) == (b < c)) == "(a < b) == (b < c)");
    CHECK(cl(a < b && b < c) == "a < b && b < c");
}

TEST_CASE("random integer expressions keep their value when they are printed") {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        const Made made = random_expression(random, 5);
        const std::string text = cl(made.expression);
        Reader reader{text};
        const long value = reader.level(0);
        CHECK_MESSAGE((value == made.value && reader.at == text.size()), text);
    }
}

TEST_CASE("literals are of their type and exact") {
    CHECK(cl(1) == "1");
    CHECK(cl(1u) == "1u");
    CHECK(cu(std::int64_t{1}) == "1LL");
    CHECK(cl(std::int64_t{1}) == "1L");
    CHECK(cu(std::size_t{1}) == "1ULL");
    CHECK(cl(std::int8_t{-3}) == "(signed char)-3");
    CHECK(cl(true) == "true");
    CHECK(cl(0.1f) == "0.1f");
    CHECK(cl(0.1) == "0.1");
    CHECK(cl(-0.0) == "-0.0");
    CHECK(cl(1e30f) == "1e+30f");
    CHECK(cl(half(0.5f)) == "store_float16(0.5f)");
    CHECK(cl(std::complex<double>(1, -2)) == "cdouble_new(1.0, -2.0)");
    CHECK(cl(HUGE_VALF) == "INFINITY");
    CHECK(cl(-HUGE_VAL) == "-(double)INFINITY");
    CHECK(cl(std::nanf("")) == "NAN");
    for (const float x : extreme_reals<float>())
        if (std::isfinite(x)) CHECK(std::stof(cl(x)) == x);
    for (const double x : extreme_reals<double>())
        if (std::isfinite(x)) CHECK(std::stod(cl(x)) == x);
}

TEST_CASE("literals of a type known at run time are checked") {
    CHECK(cl(cg::literal(dtype_of<float>(), 3)) == "3.0f");
    CHECK(cl(cg::literal(dtype_of<std::uint8_t>(), 255)) == "(unsigned char)255");
    CHECK(cl(cg::literal(dtype_of<std::int64_t>(), -2.0)) == "-2L");
    CHECK(cu(cg::literal(dtype_of<std::int64_t>(), std::numeric_limits<std::int64_t>::min())) ==
          "-9223372036854775807LL - 1");
    CHECK_THROWS_AS(cg::literal(dtype_of<std::uint8_t>(), 256), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<std::uint8_t>(), -1), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<std::int8_t>(), -129), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<std::int32_t>(), 0.5), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<science::Spin>(), 1), ArgumentError);
    CHECK_THROWS_WITH_AS(cg::literal(dtype_of<float>(), 16777217),
                         "literal: float cannot hold 16777217 exactly; the nearest is 16777216", ArgumentError);
    CHECK(cl(cg::literal(dtype_of<float>(), 16777216)) == "16777216.0f");
    CHECK_THROWS_AS(cg::literal(dtype_of<double>(), (std::int64_t{1} << 53) + 1), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<double>(), std::numeric_limits<std::uint64_t>::max()), ArgumentError);
    CHECK_NOTHROW(cg::literal(dtype_of<double>(), std::numeric_limits<std::int64_t>::min()));
    CHECK_THROWS_AS(cg::literal(dtype_of<half>(), 2049), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<half>(), 1e6), ArgumentError);
    CHECK_THROWS_AS(cg::literal(dtype_of<bfloat16>(), -257), ArgumentError);
    CHECK_NOTHROW(cg::literal(dtype_of<half>(), 0.1));  // fractions are rounded
}

TEST_CASE("types follow C's rules") {
    const Expression f = cg::var("f", dtype_of<float>()), d = cg::var("d", dtype_of<double>());
    const Expression s = cg::var("s", dtype_of<std::int16_t>()), u = cg::var("u", dtype_of<std::uint32_t>());
    const Expression p = cg::var("p", cg::pointer(cg::constant(dtype_of<double>()), cg::Space::global));
    CHECK((a + f).type().dtype == dtype_of<float>());
    CHECK((f * d).type().dtype == dtype_of<double>());
    CHECK((s + s).type().dtype == dtype_of<std::int32_t>());
    CHECK((a + u).type().dtype == dtype_of<std::uint32_t>());
    CHECK((f < d).type().dtype == dtype_of<std::int32_t>());
    CHECK((s << u).type().dtype == dtype_of<std::int32_t>());
    CHECK(p[a].type() == cg::Type(dtype_of<double>()));
    CHECK((p + a).type() == p.type());
    CHECK((p - p).type().dtype == dtype_of<std::int64_t>());
    CHECK((a + c).type().empty());
    CHECK(cg::declaration((p + 1).type(), "q", Dialect::opencl()) == "__global const double *q");
    CHECK_THROWS_AS(cg::declare("x", c), ArgumentError);
    CHECK_THROWS_AS(cg::var("v", DType(DType::Kind::floating, 8, 2)).member("z"), ArgumentError);
    CHECK_THROWS_AS(cg::var("s", dtype_of<science::Spin>()).member("mass"), ArgumentError);
}

TEST_CASE("mistakes are refused when the tree is built") {
    CHECK_THROWS_AS(cg::var("a.b"), ArgumentError);
    CHECK_THROWS_AS(cg::var(""), ArgumentError);
    CHECK_THROWS_AS(cg::call("f g"), ArgumentError);
    CHECK_THROWS_AS(cg::thread_id(3), ArgumentError);
    CHECK_THROWS_AS(cg::declare(cg::Type(), "x"), ArgumentError);
    CHECK_THROWS_AS(cg::declare_shared(dtype_of<float>(), "x", {}), ArgumentError);
    CHECK_THROWS_AS(cg::declare_array(dtype_of<float>(), "x", {2, 0}), ArgumentError);
    CHECK_THROWS_AS(cg::for_loop(cg::barrier(), a, cg::increment(a), {}), ArgumentError);
    CHECK_THROWS_AS(cg::kernel("k", {cg::value<float>("x"), cg::value<int>("x")}, {}), ArgumentError);
    CHECK_THROWS_AS(cg::pointer(cg::pointer(dtype_of<float>(), cg::Space::global), cg::Space::thread), ArgumentError);
    CHECK_THROWS_AS(cg::vector(DType(DType::Kind::floating, 16, 4), {a, b}), ArgumentError);
}

TEST_CASE("functions that some device refuses are refused") {
    const cg::Type f = dtype_of<float>();
    const cg::Statement shared = cg::declare_shared(f, "tile", {4});
    const auto body = [](std::vector<cg::Statement> all) { return [=] { cg::kernel("k", {}, all); }; };
    CHECK_THROWS_AS(cg::declare(cg::void_type(), "x"), ArgumentError);
    CHECK_THROWS_AS(cg::declare_array(cg::void_type(), "x", {2}), ArgumentError);
    CHECK_THROWS_AS(cg::declare_shared(cg::Type(), "x", {2}), ArgumentError);
    CHECK_THROWS_WITH_AS(cg::declare_array(f, "x", {2}, {1, 2, 3}), "declare_array: 'x' has 2 elements, got 3 values",
                         ArgumentError);
    CHECK_NOTHROW(cg::declare_array(f, "x", {2, 3}, {1, 2, 3, 4, 5, 6}));
    CHECK_NOTHROW(cg::declare_array(f, "x", {std::size_t(-1), std::size_t(-1)}, {1, 2, 3}));
    CHECK_THROWS_AS(cg::declare_array(f, "x", {2, 3}, {1, 2, 3, 4, 5, 6, 7}), ArgumentError);
    CHECK_THROWS_WITH_AS(cg::kernel("k", {cg::thread_pointer(f, "p")}, {}),
                         doctest::Contains("k: the parameter 'p' points to private memory"), ArgumentError);
    CHECK_THROWS_AS(cg::kernel("k", {cg::value(cg::void_type(), "p")}, {}), ArgumentError);
    CHECK_THROWS_WITH_AS(cg::kernel("k", {}, {}, {{0, 1, 1}}), doctest::Contains("the required block of 0 x 1 x 1"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(body({cg::if_then(a, {cg::return_value(1)})})(), doctest::Contains("a kernel returns nothing"),
                         ArgumentError);
    CHECK_NOTHROW(body({shared, cg::if_then(a, {cg::return_nothing()})})());
    CHECK_THROWS_AS(body({cg::block({shared})})(), ArgumentError);
    CHECK_THROWS_AS(body({cg::if_then(a, {}, {shared})})(), ArgumentError);
    CHECK_THROWS_AS(body({cg::for_range("i", 0, 4, 1, {shared})})(), ArgumentError);
    CHECK_THROWS_AS(cg::device_function(f, "g", {}, {shared}), ArgumentError);
    CHECK_THROWS_AS(cg::device_function(f, "g", {}, {cg::return_nothing()}), ArgumentError);
    CHECK_THROWS_AS(cg::device_function(cg::void_type(), "g", {}, {cg::return_value(1)}), ArgumentError);
    CHECK_NOTHROW(cg::device_function(f, "g", {cg::thread_pointer(f, "p")}, {cg::return_value(1)}));
    CHECK_THROWS_AS(cg::Program().add_table(cg::void_type(), "t", {a}), ArgumentError);
}

TEST_CASE("tables hold literals as parts that every compiler knows as constants") {
    const cg::Program program = codegen_programs::special_tables();
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const std::string text = program.source(*dialect);
        CHECK_MESSAGE(text.find("float16_t halves[4] = {{15872}, {49152}, {64512}, {") != std::string::npos, text);
        CHECK_MESSAGE(text.find("bfloat16_t bfloats[2] = {{16320}, {65408}}") != std::string::npos, text);
        CHECK_MESSAGE(text.find("numbers[3] = {{1.5f, -2.0f}, {") != std::string::npos, text);
    }
}

TEST_CASE("statements print on lines of their own") {
    const auto text = [](const cg::Statement& statement) { return to_source(statement, Dialect::opencl()); };
    CHECK(text(cg::declare_array(dtype_of<float>(), "m", {2, 3})) == "float m[2][3];\n");
    CHECK(text(cg::declare_array(dtype_of<std::int32_t>(), "m", {2}, {1, 2})) == "int m[2] = {1, 2};\n");
    CHECK(text(cg::declare_shared(dtype_of<float>(), "t", {16, 17})) == "__local float t[16][17];\n");
    CHECK(text(cg::declare(cg::pointer(dtype_of<float>(), cg::Space::global), "p", c + 1)) ==
          "__global float *p = c + 1;\n");
    CHECK(text(cg::comment("one\ntwo \\")) == "// one\n// two \\ .\n");
    CHECK(text(cg::block({cg::raw("x;\n  y;")})) == "{\n    x;\n      y;\n}\n");
    CHECK(text(cg::global_barrier()) == "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
    CHECK(text(cg::return_nothing()) == "return;\n");
    CHECK(text(cg::if_then(a, {cg::break_loop()}, {cg::if_then(b, {cg::continue_loop()}, {cg::return_nothing()})})) ==
          "if (a) {\n    break;\n} else if (b) {\n    continue;\n} else {\n    return;\n}\n");
    CHECK(text(cg::for_range("k", 0, a, 2, {c += cg::var("k")})) ==
          "for (int k = 0; k < a; k += 2) {\n    c += k;\n}\n");
    CHECK(text(cg::for_range("j", 10, 0, -1, {})) == "for (int j = 10; j > 0; j += -1) {\n}\n");
    CHECK(text(cg::for_range("j", 10, 0, -Expression(2), {})).starts_with("for (int j = 10; j > 0; j += -2)"));
    CHECK_THROWS_WITH_AS(cg::for_range("j", 0, 10, 0, {}), "for_range: expected a step of 'j' other than 0",
                         ArgumentError);
}

TEST_CASE("structs may be declared by hand") {
    cg::Program program;
    program.add_struct(
        "Pair", {{dtype_of<float>(), "value"}, {dtype_of<std::int64_t>(), "index"}, {dtype_of<bool>(), "flags", 8}});
    program.add_text("#define TWICE(x) ((x) + (x))");
    CHECK(program.source(Dialect::cuda()) ==
          "typedef struct {\n    float value;\n    long long index;\n    unsigned char flags[8];\n} Pair;\n\n"
          "#define TWICE(x) ((x) + (x))\n");
    const Expression pair = cg::var("pair", cg::named_type("Pair"));
    CHECK(to_source(cg::declare(pair.type(), "best", pair), Dialect::cuda()) == "Pair best = pair;\n");
}

TEST_CASE("kernels have the signature that the launch checks read") {
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const std::vector<KernelSignature> found = parse_kernels(block_sum().source(*dialect));
        REQUIRE(found.size() == 1);
        CHECK(found[0].text().starts_with("block_sum(float *out, int *counts, const float *in, "));
        CHECK(found[0].parameters[3].dtype == dtype_of<std::int64_t>());
        if (dialect == &Dialect::opencl()) CHECK(found[0].required_block == std::array<std::uint32_t, 3>{64, 1, 1});
    }
    static_assert(SourceProvider<cg::Function> && SourceProvider<cg::Program>);
}

TEST_CASE("parts that stand in a tree again and again are printed once") {
    Expression e = a + b, f = cg::var("x", dtype_of<float>()) * 0.5f;
    for (int k = 0; k < 60; ++k) e = e + e, f = f * f + cg::cast(dtype_of<float>(), e & 1);
    for (const Dialect* dialect : {&Dialect::opencl(), &Dialect::cuda()}) {
        const std::string assigned = to_source(cg::assign(cg::var("y", dtype_of<float>()), f), *dialect);
        CHECK(assigned.size() < 20000);
        CHECK(assigned.find("gemel_part_0 = ") != std::string::npos);
        CHECK(to_source(cg::declare(dtype_of<std::int32_t>(), "n", e), *dialect).size() < 5000);
        CHECK(to_source(cg::return_value(e), *dialect).size() < 5000);
        CHECK(to_source(cg::if_then(e > 0, {cg::comment("yes")}), *dialect).size() < 5000);
    }
    // Where no variable can stand before it, and where a part may not be evaluated at all, the length is the limit.
    CHECK_THROWS_WITH_AS(cl(e), doctest::Contains("at most 16777216"), ArgumentError);
    CHECK_THROWS_WITH_AS(to_source(cg::while_loop(e > 0, {cg::comment("on")}), Dialect::cuda()),
                         doctest::Contains("characters"), ArgumentError);
    CHECK_THROWS_WITH_AS(to_source(cg::return_value(cg::select(a > 0, e, b)), Dialect::cuda()),
                         doctest::Contains("characters"), ArgumentError);
    // What is short is printed as it was written.
    const Expression twice = (a + b) * 2;
    CHECK(cl(twice - twice) == "(a + b) * 2 - (a + b) * 2");
    CHECK(to_source(cg::return_value(twice - twice), Dialect::opencl()) == "return (a + b) * 2 - (a + b) * 2;\n");
}

TEST_CASE("names that are keywords somewhere are refused") {
    CHECK_THROWS_WITH_AS(cg::var("int"), "'int' cannot be the name of a variable: it is a keyword of C", ArgumentError);
    CHECK_THROWS_WITH_AS(cg::var("__global"),
                         "'__global' cannot be the name of a variable: it is a keyword of OpenCL C", ArgumentError);
    CHECK_THROWS_WITH_AS(cg::kernel("for", {}, {}), "'for' cannot be the name of a function: it is a keyword of C",
                         ArgumentError);
    CHECK_THROWS_WITH_AS(cg::declare<float>("template"),
                         "'template' cannot be the name of a variable: it is a keyword of CUDA C++", ArgumentError);
    CHECK_NOTHROW(cg::call_with("sizeof", {a}));
}

TEST_SUITE_END();
