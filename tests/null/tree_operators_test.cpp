/// Syntax trees: which operators the types have.
#include "../codegen_programs.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace gemel;
namespace cg = gemel::codegen;
using cg::Expression;

namespace {

using codegen_programs::science::Spin;

/// One variable of each sort, in the order of the tables below.
const std::vector<Expression>& operands() {
    static const std::vector<Expression> all{cg::var("b", dtype_of<bool>()),
                                             cg::var("i", dtype_of<std::int16_t>()),
                                             cg::var("f", dtype_of<float>()),
                                             cg::var("h", dtype_of<half>()),
                                             cg::var("c", dtype_of<cfloat>()),
                                             cg::var("p", cg::pointer(dtype_of<double>(), cg::Space::global)),
                                             cg::var("s", dtype_of<Spin>()),
                                             cg::var("v", DType(DType::Kind::floating, 16, 4)),
                                             cg::var("u")};
    return all;
}

std::string refusal(const std::function<void()>& build) {
    try {
        build();
        return {};
    } catch (const ArgumentError& error) {
        return error.what();
    }
}

using Binary = std::function<void(const Expression&, const Expression&)>;
using Table = std::vector<std::string>;

/// Rows are left operands, columns right ones: b i f h c p s v u. 'y' where the operator is one.
void check_table(const std::string& op, const Binary& build, const Table& table) {
    const char* const names[] = {"bool",     "int16_t", "float",  "float16_t",      "cfloat",
                                 "double *", "Spin",    "float4", "an unknown type"};
    for (std::size_t a = 0; a < operands().size(); ++a)
        for (std::size_t b = 0; b < operands().size(); ++b) {
            const std::string why = refusal([&] { build(operands()[a], operands()[b]); });
            const std::string head = text("operator ", op, " of ", names[a], " and ", names[b], ": ");
            CHECK_MESSAGE(why.empty() == (table[a][b] == 'y'), head, why);
            if (!why.empty()) CHECK_MESSAGE(why.starts_with(head), why);
        }
}

const std::string none = ".........", numbers = "yyy.....y", integers = "yy......y", scalars = "yyy..y..y";

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("binary operators are refused for types that have none such") {
    const Table sums{scalars, scalars, numbers, none, none, integers, none, none, scalars};
    const Table differences{numbers, numbers, numbers, none, none, "yy...y..y", none, none, scalars};
    const Table products{numbers, numbers, numbers, none, none, none, none, none, numbers};
    const Table bits{integers, integers, none, none, none, none, none, none, integers};
    const Table comparisons{numbers, numbers, numbers, none, none, ".....y..y", none, none, scalars};
    const Table truths{scalars, scalars, scalars, none, none, scalars, none, none, scalars};
    check_table("+", [](auto& a, auto& b) { return a + b; }, sums);
    check_table("-", [](auto& a, auto& b) { return a - b; }, differences);
    check_table("*", [](auto& a, auto& b) { return a * b; }, products);
    check_table("/", [](auto& a, auto& b) { return a / b; }, products);
    check_table("%", [](auto& a, auto& b) { return a % b; }, bits);
    check_table("<<", [](auto& a, auto& b) { return a << b; }, bits);
    check_table(">>", [](auto& a, auto& b) { return a >> b; }, bits);
    check_table("&", [](auto& a, auto& b) { return a & b; }, bits);
    check_table("|", [](auto& a, auto& b) { return a | b; }, bits);
    check_table("^", [](auto& a, auto& b) { return a ^ b; }, bits);
    check_table("==", [](auto& a, auto& b) { return a == b; }, comparisons);
    check_table("!=", [](auto& a, auto& b) { return a != b; }, comparisons);
    check_table("<", [](auto& a, auto& b) { return a < b; }, comparisons);
    check_table("<=", [](auto& a, auto& b) { return a <= b; }, comparisons);
    check_table(">", [](auto& a, auto& b) { return a > b; }, comparisons);
    check_table(">=", [](auto& a, auto& b) { return a >= b; }, comparisons);
    check_table("&&", [](auto& a, auto& b) { return a && b; }, truths);
    check_table("||", [](auto& a, auto& b) { return a || b; }, truths);
}

TEST_CASE("unary operators are refused for types that have none such") {
    using Unary = std::function<void(const Expression&)>;
    const std::map<std::string, std::pair<Unary, std::string>> table{
        {"-", {[](auto& a) { return -a; }, "yyy.....y"}},
        {"+", {[](auto& a) { return +a; }, "yyy.....y"}},
        {"~", {[](auto& a) { return ~a; }, "yy......y"}},
        {"!", {[](auto& a) { return !a; }, "yyy..y..y"}},
        {"*", {[](auto& a) { return *a; }, ".....y..y"}},
        {"[]", {[](auto& a) { return a[1]; }, ".....y..y"}},
        {"++", {[](auto& a) { return cg::increment(a); }, ".yy..y..y"}},
        {"--", {[](auto& a) { return cg::decrement(a); }, ".yy..y..y"}},
        {"member", {[](auto& a) { return a.member("angle"); }, "......y.y"}},
        {"arrow", {[](auto& a) { return a.arrow("bits"); }, "........y"}},
        {"if", {[](auto& a) { return cg::if_then(a, {}); }, "yyy..y..y"}},
        {"while", {[](auto& a) { return cg::while_loop(a, {}); }, "yyy..y..y"}},
        {"select", {[](auto& a) { return cg::select(a, 1, 2); }, "yyy..y..y"}},
        {"index", {[](auto& a) { return operands()[5][a]; }, "yy......y"}},
        {"cast<float>", {[](auto& a) { return cg::cast<float>(a); }, "yyy.....y"}},
        {"cast<int>", {[](auto& a) { return cg::cast<std::int64_t>(a); }, "yyy..y..y"}},
        {"cast<half>", {[](auto& a) { return cg::cast<half>(a); }, "...y....y"}},
        {"atomic_add", {[](auto& a) { return cg::atomic_add(operands()[5], a); }, "yyy.....y"}},
    };
    for (const auto& entry : table)
        for (std::size_t a = 0; a < operands().size(); ++a) {
            const std::string why = refusal([&] { entry.second.first(operands()[a]); });
            const std::string what =
                text(entry.first, " of ", cg::to_source(operands()[a], Dialect::cuda()), ": ", why);
            CHECK_MESSAGE(why.empty() == (entry.second.second[a] == 'y'), what);
        }
}

TEST_CASE("assignments of types that do not fit are refused") {
    const Table table{"yyy..p..y", numbers,     numbers,     "...h....y", "....c...y",
                      ".....p..y", "......s.y", ".......vy", "yyyhcpsvy"};
    for (std::size_t a = 0; a < operands().size(); ++a)
        for (std::size_t b = 0; b < operands().size(); ++b) {
            const std::string why = refusal([&] { return cg::assign(operands()[a], operands()[b]); });
            CHECK_MESSAGE(why.empty() == (table[a][b] != '.'), table[a], " ", b, ": ", why);
            if (operands()[a].type().empty()) continue;
            CHECK((refusal([&] { return cg::declare(operands()[a].type(), "x", operands()[b]); }).empty() ==
                   why.empty()));
            CHECK((refusal([&] {
                       return cg::declare_array(operands()[a].type(), "x", {1}, {operands()[b]});
                   }).empty() == why.empty()));
        }
    CHECK_NOTHROW(cg::assign(operands()[5], 0));  // null
}

TEST_CASE("refused operators say what to write instead") {
    const Expression i = operands()[1], f = operands()[2], h = operands()[3], c = operands()[4], p = operands()[5];
    const Expression q = cg::var("q", cg::pointer(dtype_of<float>(), cg::Space::global));
    CHECK(refusal([&] { return p + p; }) == "operator + of double * and double *: a pointer takes an integer");
    CHECK(refusal([&] { return p - q; }) ==
          "operator - of double * and float *: a pointer takes an integer, or another pointer to the same type");
    CHECK(refusal([&] { return p < 1; }) ==
          "operator < of double * and int32_t: a pointer is compared with another to the same type, or is == 0");
    CHECK(cg::to_source(p == 0, Dialect::cuda()) == "p == 0");
    CHECK(cg::to_source(0 != p, Dialect::cuda()) == "0 != p");
    CHECK(refusal([&] { return f % i; }) ==
          "operator % of float and int16_t: only integers have a remainder; call(\"fmod\", a, b)");
    CHECK(refusal([&] { return f << 1; }) == "operator << of float and int32_t: only integers have bits; cast one");
    CHECK(refusal([&] { return c * c; }) ==
          "operator * of cfloat and cfloat: complex numbers have functions: call(\"c_add\", a, b), c_mul, c_neg ...");
    CHECK(refusal([&] { return h + 1.0f; }) ==
          "operator + of float16_t and float: 16-bit floats only hold values: load() converts to float, store() back");
    CHECK(refusal([&] { return cg::assign(h, f); }) ==
          "operator =: float cannot become float16_t; 16-bit floats only hold values: load() converts "
          "to float, store() back");
    CHECK(refusal([&] { return p -= p; }) == "operator -= of double * and double *: the result is int64_t");
    CHECK(refusal([&] { return cg::cast<std::int32_t>(p); }) ==
          "cast of double * to int32_t: a pointer fits only into an integer of 64 bits");
    CHECK(refusal([&] { return p.member("x"); }) == "member: a pointer has no member 'x'; use arrow(\"x\")");
    CHECK(refusal([&] { return cg::if_then(c, {}); }) ==
          "if: the condition is cfloat; complex numbers have functions: call(\"c_add\", a, b), c_mul, c_neg ...");
}

TEST_CASE("operators on arrays of several extents and unknown types stay possible") {
    const Expression tile = cg::var("tile", cg::pointer(dtype_of<float>(), cg::Space::shared));
    CHECK(cg::to_source(tile[1][2] * 2.0f, Dialect::cuda()) == "tile[1][2] * 2.0f");
    // What its type does not tell: an element of it may be a row, which is a pointer where one is wanted.
    const Expression counts = cg::var("counts", cg::pointer(dtype_of<std::int32_t>(), cg::Space::shared));
    const auto shown = [](const Expression& e) { return cg::to_source(e, Dialect::cuda()); };
    CHECK(shown(*tile[1] + *(tile[1] + 2)) == "*tile[1] + *(tile[1] + 2)");
    CHECK(shown((counts[1] + 3)[2]) == "(counts[1] + 3)[2]");
    CHECK(shown(cg::atomic_add(counts[1] + 3, 1)) == "atomic_add(counts[1] + 3, 1)");
    CHECK(refusal([&] { cg::declare(cg::pointer(dtype_of<float>(), cg::Space::shared), "row", tile[1]); }).empty());
    const Expression x = cg::var("x", cg::pointer(dtype_of<float>(), cg::Space::global));  // has no rows
    CHECK_FALSE(refusal([&] { *x[1]; }).empty());
    CHECK_FALSE(refusal([&] { cg::declare(cg::pointer(dtype_of<float>(), cg::Space::global), "row", x[1]); }).empty());
    CHECK(refusal([&] { cg::declare(dtype_of<bool>(), "is_there", x); }).empty());
    CHECK_NOTHROW(cg::var("x") % cg::call("f", 1.0f));
    CHECK_NOTHROW(cg::var("x", cg::named_type("Mine")) + cg::var("y", cg::named_type("Mine")));
}

TEST_CASE("what is no place in memory is not assigned to") {
    const Expression i = operands()[1], f = operands()[2], u = operands()[8];
    const std::vector<Expression> values{3,
                                         i + f,
                                         -f,
                                         cg::select(i, f, f),
                                         cg::cast<float>(i),
                                         cg::thread_id(0),
                                         cg::vector(DType(DType::Kind::floating, 8, 2), {f, f}),
                                         (i + u).member("x")};
    for (const Expression& value : values) {
        CHECK(refusal([&] { cg::assign(value, 1); }).starts_with("operator =: "));
        CHECK(refusal([&] { value += 1; }).starts_with("operator +=: "));
        CHECK(refusal([&] { cg::increment(value); }).starts_with("operator ++: "));
        CHECK(refusal([&] { cg::decrement(value); }).starts_with("operator --: "));
        CHECK(refusal([&] { cg::address(value); }).starts_with("address: "));
    }
    CHECK(refusal([&] { cg::assign(3, 1.f); }) == "operator =: a literal cannot be assigned to and has no address");
    CHECK_NOTHROW(cg::assign(*(operands()[5] + 1), 1.0));
    CHECK_NOTHROW(cg::assign(cg::call("CELL", i), f));  // a macro may be one
    CHECK_NOTHROW(cg::assign(cg::raw_expression("x[0]"), f));
    CHECK_NOTHROW(cg::address(u[i].member("x")));
}

TEST_CASE("constants are not assigned to") {
    const cg::Type constant = cg::constant(dtype_of<float>());
    const Expression p = cg::var("p", cg::pointer(constant, cg::Space::global));
    const Expression t = cg::var("t", cg::pointer(dtype_of<float>(), cg::Space::constant));
    const Expression tile = cg::var("tile", cg::pointer(constant, cg::Space::shared));
    const Expression s = cg::var("s", cg::constant(dtype_of<Spin>()));
    const Expression q = cg::var("q", cg::pointer(cg::constant(dtype_of<Spin>()), cg::Space::global));
    const std::string field = dtype_of<Spin>().layout()->fields[0].name;
    for (const Expression& place : {cg::var("c", constant), p[0], *p, *(p + 1), t[0], tile[1][2], s.member(field),
                                    q.arrow(field), q[1].member(field)}) {
        const std::string shown = cg::to_source(place, Dialect::cuda());
        CHECK_MESSAGE(!refusal([&] { cg::assign(place, place); }).empty(), shown);
        CHECK_MESSAGE(!refusal([&] { cg::increment(place); }).empty(), shown);
        CHECK_NOTHROW(cg::address(place));
    }
    CHECK(refusal([&] { cg::assign(p[0], 1.0f); }) == "operator =: cannot write through a pointer to const float");
    CHECK_NOTHROW(cg::assign(p, p + 1));  // the pointer itself is none
    CHECK_NOTHROW(cg::assign(cg::var("x", cg::constant(cg::named_type("Mine"))).member("pointer")[0], 1));
    using codegen_programs::science::Particle;
    const Expression mine = cg::var("mine", dtype_of<Particle>());
    CHECK(refusal([&] { cg::assign(mine.member("matrix"), 0); }) ==
          "operator =: the member 'matrix' is an array; assign to its elements");
    CHECK_NOTHROW(cg::increment(mine.member("matrix")[0]));
    const Expression fixed = cg::var("fixed", cg::constant(dtype_of<Particle>()));
    CHECK(refusal([&] { cg::increment(fixed.member("matrix")[0]); }) == "operator ++: 'fixed' is constant");
}

TEST_CASE("long chains are built and printed and freed and deep trees are refused") {
    Expression chain = cg::var("x");
    for (int i = 0; i < 200000; ++i) chain = chain + cg::var("y");
    CHECK(cg::to_source(chain, Dialect::cuda()).size() == 1 + 200000 * 4);
    CHECK_NOTHROW(*(chain + 1));
    chain = 0;
    const auto nested = [](const std::function<Expression(const Expression&)>& grow) {
        return refusal([&] {
            Expression e = cg::var("x");
            for (int i = 0; i < 200000; ++i) e = grow(e);
        });
    };
    CHECK(nested([](const Expression& e) { return -e; }) ==
          "Expression: nested deeper than 1000 levels; declare() a variable for a part of it");
    CHECK(!nested([](const Expression& e) { return cg::var("x") + e; }).empty());
    CHECK(!nested([](const Expression& e) { return cg::call("f", e); }).empty());
    CHECK(refusal([&] {
              cg::Statement inner = cg::barrier();
              for (int i = 0; i < 200000; ++i) inner = cg::block({inner});
          }) == "Statement: nested deeper than 1000 levels; move a part to a device_function()");
    Expression deep = cg::var("x");
    for (int i = 0; i < 999; ++i) deep = cg::call("f", deep);
    CHECK(cg::to_source(deep, Dialect::cuda()).size() == 1 + 999 * 3);
}

TEST_SUITE_END();
