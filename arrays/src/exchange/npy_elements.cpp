/// Matches the elements of .npy files with requested types, and copies them.
#include "exchange/npy_format.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace gemel::npy {

DType known_dtype(const Element& element) {
    if (element.is_structure)
        throw Error(text("its elements are structs, ", describe(element), ": name the C++ type, load_npy<T>()"));
    if (element.is_padding) throw Error(text("its elements are raw bytes, ", describe(element)));
    return element.dtype;
}

namespace {

/// Do two structs have as many fields, and does `f` hold for each pair?
template <class F>
bool all_fields(const Element& element, const StructLayout& layout, F&& f) {
    return element.is_structure &&
           std::equal(element.fields.begin(), element.fields.end(), layout.fields.begin(), layout.fields.end(), f);
}

}  // namespace

bool matches(const Element& element, DType dtype) {
    const StructLayout* layout = dtype.layout();
    if (!layout) return !element.is_structure && !element.is_padding && element.dtype == dtype;
    return all_fields(element, *layout, [](const Element::Field& here, const StructField& there) {
        return here.name == there.name && here.count == there.count && matches(here.element, there.dtype);
    });
}

bool lies_as(const Element& element, DType dtype) {
    const StructLayout* layout = dtype.layout();
    if (!layout) return true;
    return element.size_bytes == layout->size_bytes &&
           all_fields(element, *layout, [](const Element::Field& here, const StructField& there) {
               return here.offset_bytes == there.offset_bytes && lies_as(here.element, there.dtype);
           });
}

void lay_out(const Element& element, DType dtype, const std::byte* from, std::byte* to) {
    const StructLayout* layout = dtype.layout();
    if (!layout) {
        std::memcpy(to, from, element.size_bytes);
        return;
    }
    for (std::size_t k = 0; k < element.fields.size(); ++k) {
        const Element::Field& here = element.fields[k];
        const StructField& there = layout->fields[k];
        for (std::size_t i = 0; i < here.count; ++i)
            lay_out(here.element, there.dtype, from + here.offset_bytes + i * here.element.size_bytes,
                    to + there.offset_bytes + i * there.dtype.size_bytes());
    }
}

void to_native(const Element& element, std::span<std::byte> data) {
    if (element.size_bytes == 0) return;
    const std::size_t count = data.size() / element.size_bytes;
    if (element.is_structure) {
        for (const Element::Field& field : element.fields)
            for (std::size_t i = 0; i < count; ++i)
                to_native(field.element, data.subspan(i * element.size_bytes + field.offset_bytes,
                                                      field.count * field.element.size_bytes));
        return;
    }
    if (!element.swapped) return;
    const std::size_t bytes = element.size_bytes / (element.dtype.kind() == DType::Kind::complex ? 2 : 1);
    for (std::size_t at = 0; at + bytes <= data.size(); at += bytes)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                     data.begin() + static_cast<std::ptrdiff_t>(at + bytes));
}

}  // namespace gemel::npy
