/// Helpers of the library are not among the names of a program that says `using namespace gemel`.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <tuple>

namespace mine {

// If gemel had one of these names, it would be ambiguous below, and this file would not compile.
struct text {};
struct join {};
struct counted {};
struct readable_bytes {};
struct digest {};
struct Add {};
struct Sin {};
struct Where {};
struct Folding {};
struct Operation {};
struct OperationType {};
struct Compute {};
struct TypeRule {};
struct CommonType {};
struct find_operation {};
struct row_of {};
struct fold {};
struct is_number {};
struct kind_rank {};
struct widest {};
struct element_of {};
struct element_bytes {};
struct refuse_value {};
struct checked_bound {};
struct put_bytes {};
struct lanes_of {};
struct einsum_of {};
struct convolve_of {};
struct with_operand {};
struct common_dtype {};
struct collect_call {};
struct host_argument {};
struct bytes_of_elements {};
struct ExpressionNode {};
struct ExpressionOperands {};
struct ExpressionText {};
struct ExpressionView {};

}  // namespace mine

using namespace gemel;
using namespace mine;

namespace {

using Own = std::tuple<text, join, counted, readable_bytes, digest, Add, Sin, Where, Folding, Operation, OperationType,
                       Compute, TypeRule, CommonType, find_operation, row_of, fold, is_number, kind_rank, widest,
                       element_of, element_bytes, refuse_value, checked_bound, put_bytes, lanes_of, einsum_of,
                       convolve_of, with_operand, common_dtype, collect_call, host_argument, bytes_of_elements,
                       ExpressionNode, ExpressionOperands, ExpressionText, ExpressionView>;

}  // namespace

TEST_CASE("a program's own names are not those of the library's helpers") { CHECK(std::tuple_size_v<Own> == 37); }
