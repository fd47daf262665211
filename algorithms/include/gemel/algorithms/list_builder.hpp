/// ListBuilder: one list of varying length per object, built in two passes: count, then fill.
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

/// A list that each object has.
struct ListSpec {
    std::string name;  ///< `append_<name>(value)` appends to it
    DType dtype;       ///< of its items
    /// The name of another list with the same number of items for every object: the two share counts and starts.
    std::string counts_of = {};
    bool omit_empty = false;  ///< skip objects whose list is empty; `indices` then holds the remaining objects
};

/// The parts of a ListBuilder's kernel, in C.
struct ListBuilderSpec {
    std::string arguments = {};  ///< as in ElementwiseKernel: "const float *p, float r"
    std::vector<ListSpec> lists = {};
    /// Statements for object i of n, which call append_<name>(value). They run once to count and once to fill, and must
    /// append the same values both times. `continue` and `break` end the work on object i.
    std::string generate = {};
    std::string preamble = {};
    std::string name = "lists";
    CompileOptions compile = {};
};

/// Lists in CSR form: object k has items[starts[k]], ..., items[starts[k + 1] - 1], in the order of its appends.
struct BuiltList {
    GPUArray<std::int64_t> starts;   ///< shape (objects + 1,)
    AnyArray items;                  ///< shape (starts.back(),)
    GPUArray<std::int64_t> indices;  ///< with omit_empty: the objects with items, ascending; else an empty handle
};

/// The lists of one call, by name.
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

/// Builds lists whose lengths are not known before the kernel runs, such as neighbour lists.
///
///     ListBuilder near({.arguments = "const float *p, float r",
///                       .lists = {{"neighbour", dtype_of<std::int32_t>()}},
///                       .generate = "for (int j = 0; j < n; ++j) if (j != i && fabs(p[i] - p[j]) < r)"
///                                   "    append_neighbour(j);"});
///     Lists lists = near(p.size(), p, 0.1f);
///
/// @time waits once, for the lengths. Launches: one to count, one scan per list (two with omit_empty), one to fill
class GEMEL_API ListBuilder {
   public:
    /// @throws ArgumentError for an invalid specification: no list, names that clash, an empty `generate`
    explicit ListBuilder(ListBuilderSpec spec);

    /// @param count      the number of objects
    /// @param arguments  the values of ListBuilderSpec::arguments
    /// @throws ArgumentError as ElementwiseKernel, and if count is negative
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
    /// The source of the two kernels in a dialect. @param types  of the arguments' open types
    std::string source(const Dialect& dialect, const std::map<std::string, DType>& types = {}) const;

   private:
    std::shared_ptr<const ListBuilderState> state_;
};

}  // namespace gemel
