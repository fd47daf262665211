/// The contents of arrays before kernels write them, to restore, and after the first run, to compare with.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <string>
#include <vector>

namespace gemel::tune {

/// Ranges of memory, with copies of their contents when they were added.
class SavedMemory {
   public:
    explicit SavedMemory(Stream stream) : stream_(std::move(stream)) {}
    void add(const AnyArray& array);
    void add(const Buffer& buffer);
    /// Restores all of it.
    void put_back() const;
    /// Takes the present contents as the expected contents after a run.
    void expect();
    /// Names the ranges that differ from that. Floating-point numbers may differ slightly, since other configurations
    /// add in another order.
    std::string difference() const;

   private:
    struct Range {
        Buffer memory;
        Buffer before;
        Buffer expected = {};  ///< empty: the contents before
        DType dtype;
    };
    Stream stream_;
    std::vector<Range> ranges_;
};

/// The kernel `compare(a, b, n, differ)` for the elements of a type; compares words if the type is empty.
GEMEL_API codegen::Rendered comparison_text(const DType& dtype, std::size_t bytes);

/// Whether two contiguous arrays of one shape, type and context are equal, with the same tolerance.
bool hold_the_same(const AnyArray& a, const AnyArray& b);

}  // namespace gemel::tune
