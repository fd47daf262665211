#include "copy_elements.hpp"

#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include "layout.hpp"

#include <string>
#include <vector>

namespace gemel {
namespace {

using Kind = DType::Kind;

/// A buffer from the start of its allocation on: OpenCL takes memory at other places only if they are aligned.
Buffer whole(const Buffer& buffer) { return Buffer(buffer.block(), 0, buffer.offset_bytes() + buffer.size_bytes()); }

std::string stored_type(const DType& dtype) { return dtype.kind() == Kind::boolean ? "uint8_t" : dtype.name(); }

/// The element `*from` as a number or complex number of the language.
std::string loaded(const DType& dtype) {
    if (dtype.kind() == Kind::bfloat) return "load_bfloat16(*from)";
    if (dtype.kind() == Kind::floating && dtype.size_bytes() == 2) return "load_float16(*from)";
    if (dtype.kind() == Kind::boolean) return "(*from != 0)";
    return "*from";
}

/// Conversion of what was loaded to what is stored.
std::string converted(const DType& from, const DType& to) {
    const std::string value = loaded(from);
    const bool is_complex = from.kind() == Kind::complex;
    if (to.kind() == Kind::complex) {
        const std::string part = to.size_bytes() == 8 ? "(float)" : "(double)";
        return is_complex ? text(to.name(), "_new(", part, "from->re, ", part, "from->im)")
                          : text(to.name(), "_new(", part, value, ", ", part, "0)");
    }
    if (to.kind() == Kind::boolean) return is_complex ? "from->re != 0 || from->im != 0" : value + " != 0";
    const std::string number = is_complex ? "from->re" : value;
    if (to.kind() == Kind::bfloat) return text("store_bfloat16((float)", number, ")");
    if (to.kind() == Kind::floating && to.size_bytes() == 2) return text("store_float16((float)", number, ")");
    return text("(", to.name(), ")", number);
}

/// The whole kernel for one pair of types and a number of axes.
std::string copy_text(const DType& to, const DType& from, std::size_t rank) {
    std::string to_type = stored_type(to), from_type = stored_type(from), action;
    std::size_t words = 1;
    if (to == from) {
        // Bits, not values: NaNs keep theirs, and structs need no declaration.
        const std::size_t alignment = to.layout() ? to.layout()->alignment_bytes
                                      : to.kind() == Kind::complex ? to.size_bytes() / 2 : to.size_bytes();
        const std::size_t word = alignment < 8 ? alignment : 8;
        words = to.size_bytes() / word;
        to_type = from_type = text("uint", 8 * word, "_t");
        action = words == 1 ? "*to = *from;" : text("for (int w = 0; w < ", words, "; ++w) to[w] = from[w];");
    } else {
        action = "*to = " + converted(from, to) + ";";
    }
    std::string parameters, steps;
    for (std::size_t axis = 0; axis < rank; ++axis)
        parameters += text(", int64_t n", axis, ", int64_t t", axis, ", int64_t f", axis);
    for (std::size_t axis = rank; axis-- > 0;) {
        const std::string at = axis == 0 ? "i" : text("(i % n", axis, ")");
        steps += text("    t += ", at, " * t", axis, ";\n    f += ", at, " * f", axis, ";\n");
        if (axis > 0) steps += text("    i /= n", axis, ";\n");
    }
    return text("KERNEL void copy_elements(GLOBAL_MEM uint8_t *to_memory, int64_t to_bytes,\n"
                "    GLOBAL_MEM const uint8_t *from_memory, int64_t from_bytes, int64_t count", parameters, ")\n{\n"
                "    int64_t i = GLOBAL_ID_0, t = 0, f = 0;\n"
                "    if (i >= count) return;\n", steps,
                "    GLOBAL_MEM ", to_type, " *to = (GLOBAL_MEM ", to_type, " *)(to_memory + to_bytes) + t * ", words, ";\n"
                "    GLOBAL_MEM const ", from_type, " *from = (GLOBAL_MEM const ", from_type,
                " *)(from_memory + from_bytes) + f * ", words, ";\n    ", action, "\n}\n");
}

std::int64_t first_byte(const AnyArray& array, std::int64_t offset) {
    return static_cast<std::int64_t>(array.buffer().offset_bytes() + array.offset_bytes()) +
           offset * static_cast<std::int64_t>(array.dtype().size_bytes());
}

Buffer run_of(const AnyArray& array, std::int64_t offset) {
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes());
    return array.buffer().view(array.offset_bytes() + static_cast<std::size_t>(offset * item), array.size_bytes());
}

}  // namespace

void copy_elements(const AnyArray& to, const AnyArray& from) {
    if (to.size() == 0) return;
    const Pair pair = joined({to.shape(), to.strides(), 0}, {from.shape(), from.strides(), 0});
    const std::size_t rank = pair.shape.rank();
    const bool is_one_run = rank == 0 || (rank == 1 && pair.to[0] == 1 && pair.from[0] == 1);
    if (is_one_run && to.dtype() == from.dtype())
        return run_of(to, pair.to_offset).copy_from(run_of(from, pair.from_offset));

    const Buffer to_memory = whole(to.buffer()), from_memory = whole(from.buffer());
    const std::int64_t places[] = {first_byte(to, pair.to_offset), first_byte(from, pair.from_offset),
                                   static_cast<std::int64_t>(to.size())};
    std::vector<Argument> arguments{as_argument(to_memory), as_argument(places[0]), as_argument(from_memory),
                                    as_argument(places[1]), as_argument(places[2])};
    for (std::size_t axis = 0; axis < rank; ++axis)
        for (const AxisVector* list : {static_cast<const AxisVector*>(&pair.shape),
                                       static_cast<const AxisVector*>(&pair.to),
                                       static_cast<const AxisVector*>(&pair.from)})
            arguments.push_back(as_argument(list->data()[axis]));
    const Kernel kernel =
        to.context().compile(copy_text(to.dtype(), from.dtype(), rank), {.name = "copy_elements"}).kernel("copy_elements");
    kernel.launch({.block = {128}, .threads = {to.size()}}, arguments);
}

}  // namespace gemel
