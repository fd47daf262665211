/// What stands at the beginning of an .npy file. Knows no device.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/core/dtype.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gemel::npy {

/// An element type as the file says it: a number, or a struct of fields.
struct Element {
    DType dtype;           ///< of a number; empty for a struct and for padding
    bool swapped = false;  ///< bytes are in the other order
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

inline constexpr std::size_t most_axes = 64;  ///< NumPy's limit

struct Header {
    Element element;
    bool fortran_order = false;
    Shape shape;
    std::size_t data_offset = 0;  ///< bytes from the beginning to the first element
};

/// @throws Error that says what is wrong, without naming the file
Header parse_header(std::span<const std::byte> bytes);
/// The smallest number of bytes with which parse_header can say how long the header is, and that length.
inline constexpr std::size_t prologue_bytes = 12;
std::size_t header_bytes(std::span<const std::byte> prologue);

/// @throws ArgumentError for types that NumPy lacks
std::string make_header(DType dtype, const Shape& shape, bool fortran_order);
/// The same for elements that are described already: "'<f4'".
std::string make_header(const std::string& described, const Shape& shape, bool fortran_order);

/// A file of one bytes string, without axes, and what it says. Letters of ASCII. @throws Error if it is no such file
std::vector<std::byte> word_file(const std::string& word);
std::string word_of(std::span<const std::byte> file);

/// The type of the elements, if it is not a struct. @throws Error
DType known_dtype(const Element& element);
/// Whether these are elements of the type: fields in their order by name, type and count, wherever they lie.
bool matches(const Element& element, DType dtype);
/// Whether fields of elements that match also lie where the type has them: NumPy packs them unless told otherwise.
bool lies_as(const Element& element, DType dtype);
/// Copies an element that matches, each field to its place.
void lay_out(const Element& element, DType dtype, const std::byte* from, std::byte* to);
/// "<f4", "[('x', '<f4'), ('y', '<f4')]": for messages.
std::string describe(const Element& element);
std::string describe(DType dtype);
/// Turns the bytes of swapped numbers around.
void to_native(const Element& element, std::span<std::byte> data);

}  // namespace gemel::npy
