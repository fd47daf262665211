/// What arrays held before kernels wrote them, and what they held after the first: to put back, and to compare with.
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

/// Stretches of memory with copies of what they held when they were added.
class SavedMemory {
   public:
    explicit SavedMemory(Stream stream) : stream_(std::move(stream)) {}
    void add(const AnyArray& array);
    void add(const Buffer& buffer);
    /// Copies all of it back.
    void put_back() const;
    /// Takes what the stretches hold now as what they should hold after a run.
    void expect();
    /// In which of them something else is. Floating-point numbers may differ a little: other configurations add in
    /// another order.
    std::string difference() const;

   private:
    struct Stretch {
        Buffer memory;
        Buffer before;
        Buffer expected = {};  ///< empty: as before
        DType dtype;
    };
    Stream stream_;
    std::vector<Stretch> stretches_;
};

/// The kernel `compare(a, b, n, differ)` that does so for the elements of a type, as words where it is empty.
GEMEL_API codegen::Rendered comparison_text(const DType& dtype, std::size_t bytes);

/// Whether two arrays of one shape and type, contiguous and in one context, hold the same, with the same tolerance.
bool hold_the_same(const AnyArray& a, const AnyArray& b);

}  // namespace gemel::tune
