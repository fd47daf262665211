#include "generated/bounds_check.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>

namespace gemel {

BoundsCheck::BoundsCheck(const BoundCall& call, const KernelCache& cache) : call_(call) {
    if (!cache.checks_bounds()) return;
    const auto& uses = call.declared().uses;
    if (std::none_of(uses.begin(), uses.end(), [](const codegen::ArrayUse& use) { return use.elsewhere; })) return;
    if (is_recording(call.context()))
        throw Error(text(call.declared().kind, " '", call.declared().name,
                         "': cannot be recorded while GEMEL_CHECK is on, because its checks wait for each launch; "
                         "unset it"));
    std::size_t largest = 0;
    for (const BoundCall::Array& a : call.arrays())
        if (a.array) largest = std::max<std::size_t>(largest, a.array->dtype().size_bytes());
    report_ = call.context().allocate(codegen::bounds_report_bytes + largest);
    report_->fill(std::uint8_t{0});
    call.context().synchronize();
}

void BoundsCheck::add_to(ArgumentList& list) {
    if (!report_) return;
    for (std::size_t i = 0; i < call_.declared().uses.size(); ++i)
        if (call_.declared().uses[i].elsewhere)
            list.add(as_argument(static_cast<std::int64_t>(call_.arrays()[i].array->size())));
    list.add(as_argument(*report_));
}

void BoundsCheck::finish() {
    if (!report_) return;
    call_.context().synchronize();
    std::array<std::int64_t, 3> report{};
    report_->download(report);
    if (report[0] == 0) return;
    const DeclaredArguments& declared = call_.declared();
    const auto argument = static_cast<std::size_t>(report[0] - 1);
    const std::string& name = declared.parameters[argument].name;
    throw Error(text(declared.kind, " '", declared.name, "': ", name, "[", report[1], "] is out of bounds ",
                     report[2] < 0 ? "in loop_prep or after_loop" : text("at i = ", report[2]), ": ", name, " has ",
                     counted(call_.arrays()[argument].array->size(), "element"),
                     ". Nothing outside the arrays was touched, because GEMEL_CHECK is on."));
}

}  // namespace gemel
