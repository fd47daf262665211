#include <gemel/arrays/function.hpp>

#include "expression/function_definition.hpp"

#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace gemel {
namespace {

bool is_library_function(std::string_view name) {
    for (const char* const own :
         {"clip", "arg", "if_positive", "frexp", "modf", "hankel_01", "fmin", "fmax", "fabs", "min", "max"})
        if (name == own) return true;
    for (const codegen::Operation& known : codegen::all_operations())
        if (name == known.name) return true;
    return false;
}

std::vector<std::string> split_names(std::string_view list) {
    std::vector<std::string> names;
    while (true) {
        const std::size_t comma = list.find(',');
        const std::string_view part = list.substr(0, comma);
        const std::size_t begin = part.find_first_not_of(" \t\n"), end = part.find_last_not_of(" \t\n");
        names.emplace_back(begin == std::string_view::npos ? "" : part.substr(begin, end - begin + 1));
        if (comma == std::string_view::npos) return names;
        list.remove_prefix(comma + 1);
    }
}

const FunctionDefinition& interned(FunctionDefinition definition) {
    static auto& mutex = *new std::mutex;
    static auto& known = *new std::map<std::string, std::unique_ptr<const FunctionDefinition>>;
    const std::string text = definition.text(definition.name);
    std::string key = gemel::text(definition.preamble.size(), ",", definition.result.name(), "(");
    for (const DType type : definition.types)
        key += type.name() + ',';  // the name distinguishes 16-bit floats, which are float in the text
    key += definition.preamble + text;
    const std::lock_guard lock(mutex);
    auto& found = known[key];
    if (!found) found = std::make_unique<const FunctionDefinition>(std::move(definition));
    return *found;
}

FunctionDefinition checked(const std::string& name, std::string_view parameters, const std::string& body, DType result,
                           std::span<const DType> types, const std::string& preamble) {
    const std::string who = text("function '", name, "': ");
    if (const std::string why = codegen::why_no_name(name); !why.empty())
        throw ArgumentError(text(who, "the name ", why, "; choose another"));
    if (is_library_function(name))
        throw ArgumentError(text(who, "the name is that of a built-in function of expressions; choose another"));
    FunctionDefinition made{
        .name = name, .body = body, .preamble = preamble, .result = result, .types = {}, .parameters = {}};
    made.types.assign(types.begin(), types.end());
    made.parameters = split_names(parameters);
    if (made.parameters.size() != types.size())
        throw ArgumentError(text(who, "\"", parameters, "\" names ", made.parameters.size(),
                                 " parameters, the signature has ", types.size(),
                                 "; name each once, with commas between"));
    for (std::size_t k = 0; k < made.parameters.size(); ++k) {
        const std::string& own = made.parameters[k];
        if (const std::string why = codegen::why_no_name(own); !why.empty())
            throw ArgumentError(text(who, "parameter ", k + 1, " is named \"", own, "\", which ", why, "; rename it"));
        if (std::find(made.parameters.begin(), made.parameters.begin() + static_cast<std::ptrdiff_t>(k), own) !=
            made.parameters.begin() + static_cast<std::ptrdiff_t>(k))
            throw ArgumentError(text(who, "two parameters are named \"", own, "\"; rename one"));
    }
    made.types.push_back(result);
    for (const DType type : made.types) {
        if (!codegen::is_number(type))
            throw ArgumentError(
                text(who, type.name(), " is not a number type; expected numbers for parameters and result"));
        made.has_double |= type == dtype_of<double>() || type == dtype_of<cdouble>();
    }
    made.types.pop_back();
    if (body.find("return") == std::string::npos)
        throw ArgumentError(text(who, "the body returns nothing: \"", body, "\"; write return and a value"));
    if (!made.preamble.empty() && made.preamble.back() != '\n') made.preamble += '\n';
    return made;
}

}  // namespace

std::string FunctionDefinition::text(const std::string& as) const {
    std::vector<std::string> declared;
    for (std::size_t k = 0; k < types.size(); ++k)
        declared.push_back(gemel::text(codegen::value_type(types[k]), " ", parameters[k]));
    return gemel::text("WITHIN_KERNEL ", codegen::value_type(result), " ", as, "(", join(declared), ")\n{\n    ", body,
                       "\n}\n");
}

AnyFunction::AnyFunction(const std::string& name, std::string_view parameters, const std::string& body, DType result,
                         std::span<const DType> types, const std::string& preamble)
    : definition_(&interned(checked(name, parameters, body, result, types, preamble))) {}

const std::string& AnyFunction::name() const { return definition_->name; }

}  // namespace gemel
