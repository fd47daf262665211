/// What a generator's class knows of its arguments before any call, and says when they do not fit.
#pragma once

#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gemel {

inline constexpr std::size_t max_call_arguments = codegen::max_arguments;

/// What a generator knows of its arguments before any call.
struct DeclaredArguments {
    std::string kind;  ///< "ElementwiseKernel": who speaks in messages
    std::string name;
    std::vector<Parameter> parameters;
    std::vector<codegen::ArrayUse> uses;
    bool order_free = false;  ///< elements may be visited in any order: `i` stands only in x[i]
    bool has_open_types = false;

    [[noreturn]] void refuse(const std::string& what) const;
    [[noreturn]] void refuse(std::size_t argument, const std::string& what) const;
    std::string text() const;  ///< "axpy(float a, const float *x)"
};

/// Whether an argument is a Texture or an Image, which the kernel takes as it is.
inline bool is_sampled(const Parameter& parameter) { return parameter.space > Parameter::Space::arena; }

/// What a generator's class keeps. @throws ArgumentError if it was moved from
template <class State>
const State& kept_by(const char* kind, const std::shared_ptr<const State>& state) {
    if (!state) throw ArgumentError(text(kind, ": it was moved from; use the one that it was moved to"));
    return *state;
}

/// Looks at declarations and snippets. @throws ArgumentError
DeclaredArguments declare_arguments(std::string kind, std::string name, std::vector<Parameter> parameters,
                                    const std::vector<const codegen::Snippet*>& snippets, const std::string& preamble);
/// Whether a type is left open: a capital letter, or T and a number.
bool is_open_type(const Parameter& parameter);
/// Definitions of the open types, so that texts can name them: "typedef float T;".
std::string named_types(const DeclaredArguments& declared, const std::vector<Parameter>& bound);
/// Parameters with open and struct types filled in. @throws ArgumentError if one stays unknown
std::vector<Parameter> bind_types(const DeclaredArguments& declared,
                                  const std::vector<std::pair<std::string, DType>>& types);

}  // namespace gemel
