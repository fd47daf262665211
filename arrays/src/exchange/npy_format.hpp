/// The header of .npy files. Needs no device.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/core/dtype.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gemel::npy {

/// An element type as described by the file: a number, or a struct of fields.
struct Element {
    DType dtype;           ///< of a number; empty for structs and padding
    bool swapped = false;  ///< bytes are in reverse order
    struct Field;
    std::vector<Field> fields;
    bool is_structure = false, is_padding = false;
    std::size_t size_bytes = 0;
};
struct Element::Field {
    std::string name;
    Element element;
    std::size_t offset_bytes = 0;
    std::size_t count = 1;
};

inline constexpr std::size_t max_axes = 64;  ///< NumPy's limit

struct Header {
    Element element;
    bool fortran_order = false;
    Shape shape;
    std::size_t data_offset = 0;  ///< bytes from the beginning to the first element
};

/// @throws Error that says what is wrong; the message does not name the file
Header parse_header(std::span<const std::byte> bytes);
/// The number of bytes that parse_header() needs to find the header's length, and that length.
inline constexpr std::size_t prologue_bytes = 12;
std::size_t header_bytes(std::span<const std::byte> prologue);

/// @throws ArgumentError for types that NumPy lacks
std::string make_header(DType dtype, const Shape& shape, bool fortran_order);
/// As above, for elements that are already described: "'<f4'".
std::string make_header(const std::string& described, const Shape& shape, bool fortran_order);

/// The text of a file with one bytes string of ASCII characters and no axes. @throws Error for other files
std::vector<std::byte> word_file(const std::string& word);
std::string word_of(std::span<const std::byte> file);

/// The type of the elements, if it is not a struct. @throws Error
DType known_dtype(const Element& element);
/// Whether the fields match the type in order, name, type and count, at any offsets.
bool matches(const Element& element, DType dtype);
/// Whether matching fields also have the type's offsets. NumPy packs fields unless told otherwise.
bool lies_as(const Element& element, DType dtype);
/// Copies a matching element field by field.
void lay_out(const Element& element, DType dtype, const std::byte* from, std::byte* to);
/// "<f4", "[('x', '<f4'), ('y', '<f4')]": for messages.
std::string describe(const Element& element);
std::string describe(DType dtype);
/// Reverses the bytes of swapped numbers.
void to_native(const Element& element, std::span<std::byte> data);

}  // namespace gemel::npy
