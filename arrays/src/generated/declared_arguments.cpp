#include "generated/declared_arguments.hpp"

#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

void DeclaredArguments::refuse(const std::string& what) const {
    throw ArgumentError(gemel::text(kind, " '", name, "': ", what));
}

void DeclaredArguments::refuse(std::size_t argument, const std::string& what) const {
    refuse(gemel::text("argument ", argument + 1, " (", parameters[argument].name, ") ", what));
}

std::string DeclaredArguments::text() const {
    std::vector<std::string> parts;
    for (const Parameter& p : parameters) parts.push_back(p.text());
    return name + "(" + join(parts) + ")";
}

bool is_open_type(const Parameter& p) {
    if (!p.dtype.empty() || p.type.empty() || p.type[0] < 'A' || p.type[0] > 'Z') return false;
    return p.type.size() == 1 || (p.type[0] == 'T' && std::all_of(p.type.begin() + 1, p.type.end(),
                                                                  [](char c) { return c >= '0' && c <= '9'; }));
}

namespace {

/// The type that was probably meant: two letters swapped ("flaot"), or NumPy's name ("int32").
std::string meant_type(std::string name) {
    const bool ends_in_digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
    if (const std::string with_t = name + "_t"; ends_in_digit && !parse_type(with_t).empty()) return with_t;
    if (name == "float32" || name == "float64") return name == "float32" ? "float" : "double";
    for (std::size_t i = 1; i < name.size() && name.size() > 4; ++i) {
        std::swap(name[i - 1], name[i]);
        if (!parse_type(name).empty()) return name;
        std::swap(name[i - 1], name[i]);
    }
    return {};
}

/// Why an unknown type cannot be that of any array or value; empty if it can: a struct that a call supplies.
std::string why_no_type(const Parameter& p) {
    if (p.type.find('*') != std::string::npos) return "is a pointer to a pointer, which no device takes; pass an index";
    if (p.type == "void") return "is a pointer to void; name the type of its elements, or leave it open (T)";
    if (const std::string meant = meant_type(p.type); !meant.empty())
        return text("is of the type '", p.type, "', which is none; ", meant, " is one");
    if (codegen::keyword_language(p.type) || !codegen::is_identifier(p.type))
        return text("is of the type '", p.type,
                    "', which no element has; a struct is named alone, as in \"Particle *p\"");
    return {};
}

}  // namespace

DeclaredArguments declare_arguments(std::string kind, std::string name, std::vector<Parameter> parameters,
                                    const std::vector<const codegen::Snippet*>& snippets, const std::string& preamble) {
    DeclaredArguments declared{
        .kind = std::move(kind), .name = std::move(name), .parameters = std::move(parameters), .uses = {}};
    if (const std::string why = codegen::why_no_name(declared.name); !why.empty())
        declared.refuse(text("the kernel's name ", why, "; choose another"));
    if (declared.parameters.size() > max_call_arguments)
        declared.refuse(text("expected at most ", max_call_arguments, " arguments, got ", declared.parameters.size(),
                             "; put values into a struct"));
    for (const codegen::Snippet* snippet : snippets)
        if (snippet->declares("i"))
            declared.refuse("the snippet declares a variable 'i', which is the element's index; rename it");
    const codegen::Snippet head(preamble);
    std::vector<std::string> arrays;
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        Parameter& p = declared.parameters[i];
        if (p.name == "i") declared.refuse("an argument is named 'i', which is the element's index; rename it");
        if (const std::string why = codegen::why_no_name(p.name); !why.empty())
            declared.refuse(i, text("has a name that ", why, "; rename it"));
        for (const Parameter& other : declared.parameters)
            if (p.name == other.type) declared.refuse(i, "has the name of an argument's type; rename it");
        if (p.is_pointer) {
            if (p.space == Parameter::Space::shared || p.space == Parameter::Space::constant)
                declared.refuse(i,
                                "is not a pointer to device memory; declare it as a pointer without an address space");
            p.space = Parameter::Space::global;
            arrays.push_back(p.name);
        }
        if (is_sampled(p)) p.dtype = dtype_of<float>();  // a placeholder, so that no call binds it
        declared.has_open_types |= p.dtype.empty();
        if (p.dtype.empty())
            if (const std::string why = why_no_type(p); !why.empty()) declared.refuse(i, why);
        codegen::ArrayUse use;
        if (p.is_pointer) {
            for (const codegen::Snippet* snippet : snippets) use = use | snippet->use_of(p.name);
            // The accesses of macros in a preamble are unknown.
            if (!use.element && !use.elsewhere && !use.bare) use.bare = true;
            if (const std::string macro = codegen::macro_with(p.name, head, snippets);
                !macro.empty() && (use.element || use.elsewhere))
                declared.refuse(
                    i, text("is used by the macro ", macro, ", whose accesses cannot be analysed; write ", p.name,
                            "[...] in the snippet, or pass it to the macro: ", macro, "(", p.name, "[i])"));
            if (p.is_const && (use.element_written || use.elsewhere_written))
                declared.refuse(i, "is declared const, but the snippet writes to it");
            if (const std::string why = codegen::refused_use(p, use); !why.empty()) declared.refuse(i, why);
        }
        declared.uses.push_back(use);
    }
    if (arrays.empty())
        declared.refuse("expected an array among the arguments, got none; declare one as in \"float *x\"");
    declared.order_free = preamble.find('#') == std::string::npos;  // macros of the preamble might use i
    for (const codegen::Snippet* snippet : snippets) declared.order_free &= !snippet->uses_index(arrays);
    for (const codegen::ArrayUse& use : declared.uses) declared.order_free &= !use.elsewhere && !use.bare;
    return declared;
}

std::string named_types(const DeclaredArguments& declared, const std::vector<Parameter>& bound) {
    std::string text;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const Parameter& p = declared.parameters[i];
        const std::string definition = "typedef " + codegen::value_type(bound[i].dtype) + " " + p.type + ";\n";
        if (is_open_type(p) && text.find(definition) == std::string::npos) text += definition;
    }
    return text;
}

std::vector<Parameter> bind_types(const DeclaredArguments& declared,
                                  const std::vector<std::pair<std::string, DType>>& types) {
    std::vector<Parameter> bound = declared.parameters;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        Parameter& p = bound[i];
        if (!p.dtype.empty()) continue;
        const auto found = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.first == p.type; });
        if (found == types.end()) {
            declared.refuse(i,
                            text(is_open_type(p) ? "is of the open type '" : "is of the type '", p.type,
                                 is_open_type(p) ? "', which a call binds" : "', which an array or value of it tells",
                                 "; without one say what it is: source(dialect, {{\"", p.type, "\", dtype_of<",
                                 is_open_type(p) ? "float" : p.type, ">()}})"));
        }
        p.dtype = found->second;
        p.type = found->second.name();
    }
    return bound;
}

}  // namespace gemel
