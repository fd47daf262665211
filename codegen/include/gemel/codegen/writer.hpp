/// Writer: prints kernel source line by line, indented, in a dialect. The generators use it.
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

/// Accumulates kernel source in a dialect.
class GEMEL_API Writer {
   public:
    explicit Writer(const Dialect& dialect) : dialect_(dialect) {}
    const Dialect& dialect() const { return dialect_; }

    /// Writes a line of the concatenated parts: line("x[", 3, "] = 0;").
    template <class... Parts>
    Writer& line(const Parts&... parts) {
        return add_line(gemel::text(parts...));
    }
    /// Writes "for (...) {" and indents until close().
    template <class... Parts>
    Writer& open(const Parts&... parts) {
        add_line(gemel::text(parts..., " {"));
        ++depth_;
        return *this;
    }
    /// Writes "{" and indents until close().
    Writer& open_braces();
    /// Writes "}" followed by `tail`: close(";").
    Writer& close(std::string_view tail = "");
    Writer& blank();
    /// Writes the lines of `text` at the current indentation, ending with a newline.
    Writer& lines(std::string_view text);
    /// Asks the compiler to unroll the next loop.
    Writer& unroll();
    Writer& barrier();

    /// Writes a kernel's head and its opening brace. @param block  the required threads per block; 0: any
    Writer& open_kernel(const std::string& name, const std::vector<std::string>& parameters, std::uint32_t block = 0);
    /// Writes the head of a device function and its opening brace.
    Writer& open_function(const std::string& result, const std::string& name,
                          const std::vector<std::string>& parameters);
    /// Declares an array in shared memory; only at the top of a kernel.
    Writer& shared_array(const std::string& type, const std::string& name, std::size_t count);

    std::string thread_id() const { return Dialect::indexed(dialect_.thread_id, 0); }
    std::string block_id(int axis = 0) const { return Dialect::indexed(dialect_.block_id, axis); }
    std::string grid_size(int axis = 0) const { return Dialect::indexed(dialect_.grid_size, axis); }
    /// "__global const float *": a pointer to device memory, ready for a name.
    std::string global_pointer(const std::string& type, bool is_const) const;
    std::string shared_pointer(const std::string& type) const;

    /// Returns the source and leaves the writer empty.
    std::string take() { return std::move(out_); }

   private:
    Writer& add_line(const std::string& text);
    const Dialect& dialect_;
    std::string out_;
    int depth_ = 0;
};

/// The type of a stored element: a byte for bool, otherwise the type itself.
GEMEL_API std::string storage_type(const DType& dtype, const Dialect& dialect);
/// The type of the computation: float for 16-bit floats, otherwise the type itself.
GEMEL_API std::string value_type(const DType& dtype);
/// A cast for the operands of + - * and << by which integer results wrap around as in NumPy: to the unsigned type of
/// the same width, but at least 32 bits. In C, overflow of signed integers is undefined, and smaller integers, even
/// uint16_t, are computed in int. Empty for types that need no cast. The result must be cast back.
GEMEL_API std::string wrapping_cast(const DType& dtype);
/// Convert a stored element to a value, and a value to a stored element: "load_float16(x[i])", "store_float16(v)".
GEMEL_API std::string load_text(const DType& dtype, const std::string& stored);
GEMEL_API std::string store_text(const DType& dtype, const std::string& value);

}  // namespace gemel::codegen
