/// The declared arguments of a generated kernel, and messages about them.
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
    std::string kind;  ///< "ElementwiseKernel", for messages
    std::string name;
    std::vector<Parameter> parameters;
    std::vector<codegen::ArrayUse> uses;
    bool order_free = false;  ///< elements may be processed in any order: `i` occurs only in x[i]
    bool has_open_types = false;

    [[noreturn]] void refuse(const std::string& what) const;
    [[noreturn]] void refuse(std::size_t argument, const std::string& what) const;
    std::string text() const;  ///< "axpy(float a, const float *x)"
};

/// Whether an argument is a Texture or an Image, which is passed to the kernel unchanged.
inline bool is_sampled(const Parameter& parameter) { return parameter.space > Parameter::Space::arena; }

/// The state of a generator's class. @throws ArgumentError if it was moved from
template <class State>
const State& state_of(const char* kind, const std::shared_ptr<const State>& state) {
    if (!state) throw ArgumentError(text(kind, ": it was moved from; use the one that it was moved to"));
    return *state;
}

/// Analyses declarations and snippets. @throws ArgumentError
DeclaredArguments declare_arguments(std::string kind, std::string name, std::vector<Parameter> parameters,
                                    const std::vector<const codegen::Snippet*>& snippets, const std::string& preamble);
/// Whether a type is open: a capital letter, or T and a number.
bool is_open_type(const Parameter& parameter);
/// Definitions of the open types for use in texts: "typedef float T;".
std::string named_types(const DeclaredArguments& declared, const std::vector<Parameter>& bound);
/// The parameters with open and struct types filled in. @throws ArgumentError if a type stays unknown
std::vector<Parameter> bind_types(const DeclaredArguments& declared,
                                  const std::vector<std::pair<std::string, DType>>& types);

}  // namespace gemel
