/// ListBuilder: lists of lists, made by counting first and filling then.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// One of the lists that each object has.
struct ListSpec {
    std::string name;  ///< `append_<name>(value)` adds to it
    DType dtype;       ///< of what is in it
    /// Another list's name, to which every object appends as often: it is counted once, and has the same starts.
    std::string counts_of = {};
    bool omit_empty = false;  ///< objects without any are left out; `indices` says which stay
};

/// What a ListBuilder does; all in C.
struct ListBuilderSpec {
    std::string arguments = {};  ///< as in ElementwiseKernel: "const float *p, float r"
    std::vector<ListSpec> lists = {};
    /// Statements for object i of n, which call append_<name>(value). They run twice, and must do the same both times.
    /// `continue` and `break` go on to the next object.
    std::string generate = {};
    std::string preamble = {};
    std::string name = "lists";
    CompileOptions compile = {};
};

/// Lists in CSR form: object k has items[starts[k]], ..., items[starts[k + 1] - 1], in the order in which it appended.
struct BuiltList {
    GPUArray<std::int64_t> starts;  ///< one more than there are objects
    AnyArray items;
    GPUArray<std::int64_t> indices;  ///< with omit_empty: the objects that stay; else an empty handle
};

/// The lists of one call, by their names.
class Lists {
   public:
    /// @throws ArgumentError if there is no such list
    GEMEL_API const BuiltList& operator[](std::string_view name) const;
    std::size_t size() const { return lists_.size(); }

   private:
    friend class ListBuilder;
    std::map<std::string, BuiltList, std::less<>> lists_;
};

struct ListBuilderState;

/// Builds lists of which nobody knows beforehand how long they are.
///
///     ListBuilder near({.arguments = "const float *p, float r",
///                       .lists = {{"neighbour", dtype_of<std::int32_t>()}},
///                       .generate = "for (int j = 0; j < n; ++j) if (j != i && fabs(p[i] - p[j]) < r)"
///                                   "    append_neighbour(j);"});
///     Lists lists = near(p.size(), p, 0.1f);
///
/// @time waits for the lengths once. Launches: one that counts, a scan for each list (two with omit_empty), one that
///       fills
class GEMEL_API ListBuilder {
   public:
    /// @throws ArgumentError if the specification cannot be right
    explicit ListBuilder(ListBuilderSpec spec);

    /// @param count  of objects @throws ArgumentError as ElementwiseKernel; if it is negative
    template <GeneratorArgument... A>
    Lists operator()(std::int64_t count, const A&... arguments) const {
        return (*this)(Stream(), count, arguments...);
    }
    template <GeneratorArgument... A>
    Lists operator()(const Stream& stream, std::int64_t count, const A&... arguments) const {
        const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
        return run(stream, count, packed);
    }
    Lists run(const Stream& stream, std::int64_t count, std::span<const CallArgument> arguments) const;
    /// The texts of the two kernels.
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ListBuilderState> state_;
};

}  // namespace gemel
