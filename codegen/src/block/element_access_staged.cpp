/// Elements that a block copies to shared memory and back as one piece of memory.
#include "block/aligned_shared.hpp"
#include "block/element_access.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

namespace {

constexpr std::size_t access_bytes = 16;

}  // namespace

std::string ElementAccess::stage_pointer(const Array& array) const {
    return gemel::text("((LOCAL_MEM_ARG ", storage_type(parameter(array).dtype, writer_.dialect()), " *)", stage(array),
                       ")");
}

void ElementAccess::declare_stage(std::size_t elements) {
    for (const Array& array : arrays_) {
        if (!is_staged(array)) continue;
        const std::size_t bytes = elements * parameter(array).dtype.size_bytes();
        writer_.line(aligned_shared(writer_.dialect()), " uint4 ", stage(array), "[", bytes / access_bytes + 2, "];");
        writer_.line("int ", unused(prefix(&array) + "_shift"), ";");
    }
}

/// Accesses begin at multiples of 16 bytes; elements of the first and the last one that are outside the piece are left
/// out.
void ElementAccess::move_piece(const Array& array, const Piece& piece, bool stores) {
    const Parameter& p = parameter(array);
    const std::size_t width = access_bytes / p.dtype.size_bytes();
    const std::string shift = unused(p.name + "_shift"), line = unused(p.name + "_line");
    const std::string pack = unused(p.name + "_access"), e = unused(p.name + "_first"), lane = unused(p.name + "_lane");
    writer_.open(gemel::text("for (", index_, " ", pack, " = ", piece.thread, "; ", pack, " * ", width, " - ", shift,
                             " < ", piece.size, "; ", pack, " += ", piece.block, ")"));
    writer_.line("const ", index_, " ", e, " = ", pack, " * ", width, " - ", shift, ";");
    const std::string own = gemel::text(stage(array), "[", pack, "]");
    const std::string memory =
        gemel::text("((", writer_.global_pointer("uint4", !stores), ")(", p.name, " + ", line, " + ", e, "))[0]");
    writer_.open(gemel::text("if (", e, " >= 0 && ", e, " + ", width, " <= ", piece.size, ")"));
    writer_.line(stores        ? gemel::text(memory, " = ", own, ";")
                 : piece.async ? gemel::text("gemel_copy_async_16(&", own, ", &", memory, ", 16);")
                               : gemel::text(own, " = ", memory, ";"));
    writer_.close();
    writer_.open("else");
    writer_.open(gemel::text("for (int ", lane, " = 0; ", lane, " < ", width, "; ++", lane, ")"));
    const std::string inside =
        gemel::text("if (", e, " + ", lane, " >= 0 && ", e, " + ", lane, " < ", piece.size, ") ");
    const std::string one = gemel::text(p.name, "[", line, " + ", e, " + ", lane, "]");
    const std::string staged = gemel::text(stage_pointer(array), "[", pack, " * ", width, " + ", lane, "]");
    writer_.line(inside, stores ? one : staged, " = ", stores ? staged : one, ";");
    writer_.close();
    writer_.close();
    writer_.close();
}

void ElementAccess::copy_to_stage(const Piece& piece) {
    for (const Array& array : arrays_) {
        if (!is_staged(array)) continue;
        const Parameter& p = parameter(array);
        writer_.line(unused(p.name + "_shift"), " = (int)((size_t)(", p.name, " + ", unused(p.name + "_line"),
                     ") / sizeof(", storage_type(p.dtype, writer_.dialect()), ") % ",
                     access_bytes / p.dtype.size_bytes(), ");");
        if (array.use.element_read) move_piece(array, piece, false);
    }
}

void ElementAccess::copy_from_stage(const Piece& piece) {
    for (const Array& array : arrays_)
        if (is_staged(array) && array.use.element_written) move_piece(array, piece, true);
}

void ElementAccess::begin_in_stage(std::string position) { in_stage_ = std::move(position); }

}  // namespace gemel::codegen
