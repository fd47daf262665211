#include "declared_arguments.hpp"

#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cctype>

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

DeclaredArguments declare_arguments(std::string kind, std::string name, std::vector<Parameter> parameters,
                                    const std::vector<const codegen::Snippet*>& snippets, const std::string& preamble) {
    DeclaredArguments declared{
        .kind = std::move(kind), .name = std::move(name), .parameters = std::move(parameters), .uses = {}};
    if (!codegen::is_identifier(declared.name))
        declared.refuse("the name is no C identifier, which a kernel's name must be");
    if (declared.parameters.size() > most_call_arguments)
        declared.refuse(text("has ", declared.parameters.size(), " arguments; at most ", most_call_arguments,
                             " are possible. Put values into a struct."));
    std::vector<std::string> arrays;
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        Parameter& p = declared.parameters[i];
        if (p.name == "i") declared.refuse("an argument is called 'i', which is the index");
        if (p.is_pointer) {
            if (p.space == Parameter::Space::shared || p.space == Parameter::Space::constant)
                declared.refuse(i, "is a pointer to other than device memory");
            p.space = Parameter::Space::global;
            arrays.push_back(p.name);
        }
        declared.has_open_types |= p.dtype.empty();
        codegen::ArrayUse use;
        if (p.is_pointer) {
            for (const codegen::Snippet* snippet : snippets) use = use | snippet->use_of(p.name);
            // What a preamble's macros do with an array cannot be seen.
            if (!use.element && !use.elsewhere && !use.bare) use.bare = true;
            if (p.is_const && (use.element_written || use.elsewhere_written))
                declared.refuse(i, "is declared const, but the snippet writes to it");
            if (const std::string why = codegen::refused_use(p, use); !why.empty()) declared.refuse(i, why);
        }
        declared.uses.push_back(use);
    }
    if (arrays.empty()) declared.refuse("no argument is an array; at least one must be, as in \"float *x\"");
    declared.order_free = preamble.find('#') == std::string::npos;  // its macros might use i
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
            if (is_open_type(p))
                declared.refuse(i, text("is of the open type ", p.type, ", and nothing says what that stands for"));
            declared.refuse(i, text("is of the type '", p.type,
                                    "', which is no type of the kernel language; a struct's type is "
                                    "known by an array or value of it, or by VectorArg and ScalarArg"));
        }
        p.dtype = found->second;
        p.type = found->second.name();
    }
    return bound;
}

}  // namespace gemel
