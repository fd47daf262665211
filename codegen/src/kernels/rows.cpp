#include <gemel/codegen/rows.hpp>

#include "kernels/rows_text.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

std::vector<ArrayUse> array_uses(const RowRequest& request) {
    std::vector<ArrayUse> all;
    for (const Parameter& p : request.arguments) {
        ArrayUse use = request.body.use_of(p.name);
        for (const RowLoop& loop : request.loops) {
            use = use | loop.statements.use_of(p.name);
            for (const RowComputed& kept : loop.kept) use = use | kept.value.use_of(p.name);
            for (const RowComputed& fixed : loop.fixed) use = use | fixed.value.use_of(p.name);
            for (const ReducedValue& value : loop.values) use = use | value.map_expr.use_of(p.name);
        }
        for (const RowResult& result : request.results) use = use | result.value.use_of(p.name);
        all.push_back(use);
    }
    return all;
}

std::size_t running_bytes(const RowRequest& request) {
    std::size_t bytes = 0;
    for (const RowLoop& loop : request.loops)
        for (const ReducedValue& value : loop.values) {
            const DType running = value.accumulator.empty() ? value.dtype : value.accumulator;
            bytes += std::max<std::size_t>(running.size_bytes(), 4);
        }
    return bytes;
}

std::size_t state_words(const RowRequest& request) {
    std::size_t words = 0;
    for (const RowLoop& loop : request.loops)
        for (const ReducedValue& value : loop.values)
            words +=
                (std::max<std::size_t>((value.accumulator.empty() ? value.dtype : value.accumulator).size_bytes(), 4) +
                 3) /
                4;
    return words;
}

std::string row_source(const RowRequest& request, const RowLayout& layout, const Dialect& dialect) {
    if (layout.result_offsets.size() != request.results.size())
        throw ArgumentError(text("row_source: '", request.name, "': expected ", request.results.size(),
                                 " result_offsets in the layout, got ", layout.result_offsets.size()));
    return RowText(request, layout, dialect).text();
}

}  // namespace gemel::codegen
