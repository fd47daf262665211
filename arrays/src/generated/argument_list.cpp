#include "generated/argument_list.hpp"

#include "generated/convert_value.hpp"

#include <cstring>

namespace gemel {

void ArgumentList::add(const BoundCall& call, const CallLayout& layout) {
    const auto arrays = call.arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const BoundCall::Array& a = arrays[i];
        if (!a.array) {
            add(convert_value(call.declared(), i, call.value_type(i), call.arguments()[i]));
            continue;
        }
        Argument memory;
        memory.kind = Argument::Kind::memory;
        memory.block = a.array->buffer().block().get();
        memory.offset_bytes = layout.kernel.arguments[i].offset ? 0 : a.offset_bytes;
        memory.bytes = a.array->size_bytes();
        add(memory);
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (layout.kernel.arguments[i].offset) add(as_argument(static_cast<std::int64_t>(arrays[i].offset_bytes)));
    if (layout.values.empty()) return;
    const bool wide = layout.kernel.wide_index;
    const std::size_t item = wide ? sizeof(std::int64_t) : sizeof(std::int32_t);
    layout_.resize(layout.values.size() * item);
    std::byte* at = layout_.data();
    for (const std::int64_t value : layout.values) {
        const auto narrow = static_cast<std::int32_t>(value);
        std::memcpy(at, wide ? static_cast<const void*>(&value) : &narrow, item);
        at += item;
    }
    Argument numbers;
    numbers.kind = Argument::Kind::structure;
    numbers.data = layout_.data();
    numbers.bytes = layout_.size();
    add(numbers);
}

}  // namespace gemel
