/// The table of operations: one row each, which C++'s overloads agree with.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>
#include <utility>

using namespace gemel;

namespace {

std::optional<AnyNumber> folded(const char* name, AnyNumber a) {
    return codegen::fold(*codegen::find_operation(name, 1), std::array{a});
}
std::optional<AnyNumber> folded(const char* name, AnyNumber a, AnyNumber b) {
    return codegen::fold(*codegen::find_operation(name, 2), std::array{a, b});
}
AnyNumber whole(std::int64_t value) { return value; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("each operation has one row and each row a text for every number that it takes") {
    std::set<std::pair<std::string, int>> seen;
    for (const codegen::Operation& row : codegen::all_operations()) {
        INFO(row.name, " of ", int{row.operands});
        CHECK(seen.emplace(row.name, row.operands).second);
        CHECK(codegen::find_operation(row.name, row.operands) == &row);
        CHECK(&row_of(row) == &row);
        CHECK((row.text[0] || row.rule == codegen::TypeRule::complex_alone));
        CHECK((row.complex_text[0] != 0) == (row.numbers == codegen::Numbers::complex));
        const std::string texts = std::string(row.text) + row.complex_text;
        const bool calls_helper = texts.find("_$(") != std::string::npos;
        CHECK((!calls_helper || row.helper[0]));
    }
    CHECK(seen.size() > 90);
    CHECK(codegen::find_operation("sin", 2) == nullptr);
    CHECK(codegen::find_operation("sine", 1) == nullptr);
}

TEST_CASE("an overload that disagrees with its row is refused") {
    CHECK(std::string(codegen::row_of(operations::Sin::operation).text) == "sin(#1)");
    codegen::OperationType wrong = operations::Sin::operation;
    wrong.rule = codegen::TypeRule::common;
    CHECK_THROWS_AS(codegen::row_of(wrong), ArgumentError);
    wrong = operations::Sin::operation;
    wrong.numbers = codegen::Numbers::real;
    CHECK_THROWS_AS(codegen::row_of(wrong), ArgumentError);
    wrong = operations::Sin::operation;
    wrong.operands = 2;
    CHECK_THROWS_AS(codegen::row_of(wrong), ArgumentError);
}

TEST_CASE("numbers of the host are folded as Python does") {
    CHECK(folded("pow", whole(2), whole(10)) == whole(1024));
    CHECK(folded("pow", whole(2), whole(-1)) == AnyNumber(0.5));
    CHECK(folded("floor_divide", whole(-7), whole(2)) == whole(-4));
    CHECK(folded("operator%", whole(-7), whole(2)) == whole(1));
    CHECK(folded("remainder", -7.5, 2.0) == AnyNumber(0.5));
    CHECK(folded("operator/", whole(1), whole(2)) == AnyNumber(0.5));
    CHECK(folded("operator<<", whole(3), whole(4)) == whole(48));
    CHECK(folded("operator~", whole(5)) == whole(-6));
    CHECK(folded("operator-", whole(5)) == whole(-5));
    CHECK(folded("operator-", whole(5), whole(7)) == whole(-2));
    CHECK(folded("operator*", whole(INT64_MAX), whole(2)) == AnyNumber(std::uint64_t{INT64_MAX} * 2));
    CHECK(folded("minimum", whole(3), 2.5) == AnyNumber(2.5));
    CHECK(folded("logical_xor", whole(3), 0.0) == AnyNumber(true));
    CHECK(folded("operator==", cdouble(1, 1), cdouble(1, 1)) == AnyNumber(true));
    CHECK(folded("abs", cdouble(3, 4)) == AnyNumber(5.0));
    CHECK(folded("imag", whole(3)) == AnyNumber(0.0));
    CHECK(folded("floor", whole(3)) == whole(3));
    CHECK(folded("rint", 2.5) == AnyNumber(2.0));
    CHECK(folded("atan2", 0.0, -1.0).has_value());
    CHECK(!folded("operator<", cdouble(1, 1), whole(2)));
    CHECK(!folded("tgamma", 3.0));
    CHECK(!folded("astype", whole(3)));
    CHECK_THROWS_AS(folded("operator*", whole(INT64_MAX), whole(INT64_MAX)), ArgumentError);
    CHECK_THROWS_AS(folded("operator%", whole(1), whole(0)), ArgumentError);
    CHECK_THROWS_AS(folded("operator>>", whole(1), whole(-1)), ArgumentError);
}

TEST_SUITE_END();
