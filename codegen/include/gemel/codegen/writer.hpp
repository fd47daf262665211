/// Writes kernel text line by line, indented, with the words of a dialect: what the generators print with.
#pragma once

#include <gemel/codegen/identifier.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

/// Kernel text in the making. Says what is written; the dialect says how it is spelled.
class GEMEL_API Writer {
   public:
    explicit Writer(const Dialect& dialect) : dialect_(dialect) {}
    const Dialect& dialect() const { return dialect_; }

    /// One line of its parts streamed together: line("x[", 3, "] = 0;").
    template <class... Parts>
    Writer& line(const Parts&... parts) {
        return add_line(gemel::text(parts...));
    }
    /// "for (...) {" and indents what follows, until close().
    template <class... Parts>
    Writer& open(const Parts&... parts) {
        add_line(gemel::text(parts..., " {"));
        ++depth_;
        return *this;
    }
    /// A block of its own.
    Writer& open_braces();
    /// "}", with `tail` behind it: close(";").
    Writer& close(std::string_view tail = "");
    Writer& blank();
    /// Lines of somebody's own, indented to where they stand, with a newline at the end.
    Writer& lines(std::string_view text);
    /// Asks the compiler to unroll the loop that follows.
    Writer& unroll();
    Writer& barrier();

    /// The head of a kernel and its opening brace. @param block  threads per block that it is launched with; 0 for any
    Writer& open_kernel(const std::string& name, const std::vector<std::string>& parameters, std::uint32_t block = 0);
    /// The head of a function that kernels call.
    Writer& open_function(const std::string& result, const std::string& name,
                          const std::vector<std::string>& parameters);
    /// An array that the threads of a block share; at the head of a kernel.
    Writer& shared_array(const std::string& type, const std::string& name, std::size_t count);

    std::string thread_id() const { return Dialect::indexed(dialect_.thread_id, 0); }
    std::string block_id(int axis = 0) const { return Dialect::indexed(dialect_.block_id, axis); }
    std::string grid_size(int axis = 0) const { return Dialect::indexed(dialect_.grid_size, axis); }
    /// "__global const float *": a pointer to device memory, ready for a name.
    std::string global_pointer(const std::string& type, bool is_const) const;
    std::string shared_pointer(const std::string& type) const;

    /// The text so far.
    std::string take() { return std::move(out_); }

   private:
    Writer& add_line(const std::string& text);
    const Dialect& dialect_;
    std::string out_;
    int depth_ = 0;
};

/// What an element is made of in memory: bool is a byte, everything else its own type.
GEMEL_API std::string storage_type(const DType& dtype, const Dialect& dialect);
/// What it is computed in: 16-bit floats in float, everything else in its own type.
GEMEL_API std::string value_type(const DType& dtype);
/// In front of the operands of + - * and <<, for a result that wraps around as NumPy's: the cast to the unsigned type
/// of the same width, or of 32 bits where that is wider. C leaves the overflow of signed integers undefined, and
/// computes smaller ones in int, uint16_t too. Empty for types that need none. The result must be cast back.
GEMEL_API std::string wrapping_cast(const DType& dtype);
/// The value of a stored element, and the element to store for a value: "load_float16(x[i])", "store_float16(v)".
GEMEL_API std::string load_text(const DType& dtype, const std::string& stored);
GEMEL_API std::string store_text(const DType& dtype, const std::string& value);

}  // namespace gemel::codegen
