#include "generated/bounds_check.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>

namespace gemel {

BoundsCheck::BoundsCheck(Call& call, const PlanCache& cache) : call_(call) {
    if (!cache.checks_bounds()) return;
    const auto& uses = call.declared().uses;
    if (std::none_of(uses.begin(), uses.end(), [](const codegen::ArrayUse& use) { return use.elsewhere; })) return;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (const AnyArray* array = call.array(i))
            largest = std::max<std::size_t>(largest, array->dtype().size_bytes());
    call.make_checked();
    report_ = call.context().allocate(codegen::bounds_report_bytes + largest);
    report_->fill(std::uint8_t{0});
    call.context().synchronize();
}

void BoundsCheck::add_to(ArgumentList& list) {
    if (!report_) return;
    for (std::size_t i = 0; i < call_.declared().uses.size(); ++i)
        if (call_.declared().uses[i].elsewhere)
            list.add(as_argument(static_cast<std::int64_t>(call_.array(i)->size())));
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
                     counted(call_.array(argument)->size(), "element"),
                     ". Nothing outside the arrays was touched, because GEMEL_CHECK is on."));
}

}  // namespace gemel
