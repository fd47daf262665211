/// Programs of several units.
#include <gemel/core/link.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "device/state.hpp"

#include <utility>

namespace gemel {

LinkUnit::LinkUnit(const char* source, std::string shown) : LinkUnit(std::string(source), std::move(shown)) {}
LinkUnit::LinkUnit(std::string source, std::string shown) : text(std::move(source)), name(std::move(shown)) {}
LinkUnit::LinkUnit(NativeSource source, std::string shown)
    : native(std::move(source)), is_portable(false), name(std::move(shown)) {}

Module link(const Context& context, const std::vector<LinkUnit>& units, const CompileOptions& options) {
    if (units.empty()) throw ArgumentError("link: expected at least one unit, got none; give the texts in braces");
    std::vector<UnitText> texts;
    for (const LinkUnit& unit : units)
        texts.push_back({unit.is_portable ? unit.text : unit.native.text(context.dialect()),
                         unit.name.empty() ? text("unit ", texts.size() + 1) : unit.name, unit.is_portable});
    return Module(context, link_program(context.state(), texts, options));
}

}  // namespace gemel
