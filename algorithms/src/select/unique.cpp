/// Sets: a sort, then a scan of the positions where values change, or binary searches.
#include <gemel/algorithms/unique.hpp>

#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/join.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/core/text.hpp>

namespace gemel {
namespace {

using namespace selecting;

void require_set(const char* who, const AnyArray& x) {
    require_array(who, "the array", x);
    if (!codegen::is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(),
                                 " have no order; make numbers of them, or use SortKernel with a key, then "
                                 "unique_consecutive() with .equal_expr"));
}

std::pair<AnyArray, AnyArray> in_one_type(const char* who, const AnyArray& a, const AnyArray& b) {
    require_set(who, a);
    require_set(who, b);
    require_context(who, "the second array", b, a);
    const DType common = promote(a.dtype(), b.dtype());
    const auto converted = [&](const AnyArray& x) { return x.dtype() == common ? flat(x) : flat(x.astype(common)); };
    return {converted(a), converted(b)};
}

}  // namespace

/// Writes the requested results of a sorted array.
Scan selecting::unique_scan(bool wide, const std::string& equal, const UniqueOptions& options) {
    std::string arguments = "const T *x, T *values, int64_t *count";
    if (options.index || options.inverse) arguments += ", const int64_t *order";
    if (options.index) arguments += ", int64_t *first_indices";
    if (options.inverse) arguments += ", int64_t *inverse";
    if (options.counts) arguments += ", int64_t *starts";
    return Scan(parse_declarations(arguments), number_type(wide),
                {.input_expr = "i == 0 || !same_key(x[i - 1], x[i])",
                 .scan_expr = "a + b",
                 .neutral = "0",
                 .output_statement = select_kernels::unique().render(
                     {{"index", options.index}, {"inverse", options.inverse}, {"counts", options.counts}}),
                 .name = "unique",
                 .preamble = equal});
}

namespace {

void run_unique(const AnyArray& x, const UniqueOptions& options, std::span<const CallArgument> arguments) {
    static auto& kernels = *new KernelsByText<Scan>;
    const std::string equal = equality_with_nan(x.dtype());
    kernels
        .find(text(is_long(x), options.index, options.inverse, options.counts, equal),
              [&] { return unique_scan(is_long(x), equal, options); })
        ->run({}, arguments);
}

}  // namespace

AnyUnique detail::unique(const AnyArray& given, const UniqueOptions& options) {
    require_set("unique", given);
    const OnStream scope(options.stream);
    AnyArray x = flat(given), order;
    const Context context = x.context();
    const std::size_t n = x.size();
    if (options.index || options.inverse) {
        const std::array<AnyArray, 1> indices{arange<std::int64_t>(context, static_cast<std::int64_t>(n))};
        std::vector<AnyArray> sorted = gemel::sort_by_key(x, std::span<const AnyArray>(indices));
        x = sorted[0], order = sorted[1];
    } else {
        x = gemel::sort(x);
    }
    const AnyArray values = room_for(x);
    const GPUArray<std::int64_t> count = new_count(x, {});
    const auto numbers = [&](bool asked, std::size_t size) {
        return asked ? GPUArray<std::int64_t>(room_for(x, dtype_of<std::int64_t>(), size)) : GPUArray<std::int64_t>();
    };
    const GPUArray<std::int64_t> first = numbers(options.index, n), inverse = numbers(options.inverse, n),
                                 starts = numbers(options.counts, n + 1);
    std::vector<CallArgument> arguments{CallArgument(x), CallArgument(values), CallArgument(count)};
    if (!order.empty()) arguments.emplace_back(order);
    for (const auto* more : {&first, &inverse, &starts})
        if (!more->empty()) arguments.emplace_back(*more);
    run_unique(x, options, arguments);
    const std::int64_t found = count.item();
    AnyUnique result{.values = first_of(values, found), .index = {}, .inverse = {}, .counts = {}};
    if (options.index) result.index = GPUArray<std::int64_t>(first_of(first, found));
    if (options.inverse) result.inverse = inverse.reshape(given.shape());
    if (options.counts) result.counts = starts(slice(1, found + 1)) - starts(slice(0, found));
    return result;
}

AnySelection detail::unique_values(const char* who, const AnyArray& given, const Stream& stream) {
    require_set(who, given);
    const OnStream scope(stream);
    const AnyArray x = gemel::sort(flat(given)), values = room_for(x);
    const GPUArray<std::int64_t> count = new_count(x, {});
    run_unique(x, {}, std::array{CallArgument(x), CallArgument(values), CallArgument(count)});
    return {values, count};
}

GPUArray<bool> detail::isin(const AnyArray& given, const AnyArray& given_among, bool invert) {
    auto [x, among] = in_one_type("isin", given, given_among);
    // uint64 and signed integers have no common type of integers. Their bits as int64 agree for numbers from 0 on; a
    // negative int64 is in one of them alone.
    const bool is_whole = given.dtype().is_integer() && given_among.dtype().is_integer() && !x.dtype().is_integer();
    if (is_whole) {
        x = flat(given.astype(dtype_of<std::int64_t>()));
        among = flat(given_among.astype(dtype_of<std::int64_t>()));
    }
    const GPUArray<bool> found(x.context(), given.shape());
    if (x.size() == 0) return found;
    if (among.size() == 0) {
        found.fill(invert);
        return found;
    }
    const bool is_complex = x.dtype().kind() == DType::Kind::complex;
    const std::string equal = is_complex ? "sorted[low].re == value.re && sorted[low].im == value.im"
                              : is_whole ? "value >= 0 && sorted[low] == value"
                                         : "sorted[low] == value";
    run_search({.dtype = x.dtype(),
                .arguments = "bool *found",
                .found = text("found[i] = ", invert ? "!" : "", "(low < count && ", equal, ")")},
               gemel::sort(among), x, {}, std::array{CallArgument(found.ravel())});
    return found;
}

AnySelection detail::union1d(const AnyArray& a, const AnyArray& b) {
    const auto [x, y] = in_one_type("union1d", a, b);
    const std::array<AnyArray, 2> both{x, y};
    return unique_values("union1d", gemel::concatenate(both), {});
}

AnySelection detail::common_or_not(const char* who, const AnyArray& given_a, const AnyArray& given_b, bool is_common) {
    // What both have is of their common type, what is left of one array of its own.
    const AnyArray a = is_common ? in_one_type(who, given_a, given_b).first : given_a;
    require_set(who, given_b);
    require_context(who, "the second array", given_b, given_a);
    const AnySelection values = unique_values(who, a, {});
    const GPUArray<bool> found = isin(values.values, given_b, !is_common);
    return select(true, values.values, Predicate("i < count[0] && found[i]", "const int64_t *count, const bool *found"),
                  std::array{CallArgument(values.count), CallArgument(found)}, {});
}

}  // namespace gemel
