/// A graph as text.
#include "device/graph_state.hpp"

#include <gemel/core/launch.hpp>
#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel {
namespace {

template <class T>
T read(const std::vector<std::byte>& bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

template <class... T>
std::string integer_text(const std::vector<std::byte>& bytes) {
    std::string result;
    ((sizeof(T) == bytes.size() ? void(result = text(+read<T>(bytes))) : void()), ...);
    return result;
}

/// The number, or the number of bytes if it is not a number.
std::string value_text(const Parameter* parameter, const std::vector<std::byte>& bytes) {
    const DType dtype = parameter ? parameter->dtype : DType();
    std::string result;
    if (dtype.kind() == DType::Kind::signed_integer)
        result = integer_text<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(bytes);
    else if (dtype.kind() == DType::Kind::unsigned_integer)
        result = integer_text<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(bytes);
    else if (dtype.kind() == DType::Kind::floating && bytes.size() == sizeof(float))
        result = text(read<float>(bytes));
    else if (dtype.kind() == DType::Kind::floating && bytes.size() == sizeof(double))
        result = text(read<double>(bytes));
    return result.empty() ? counted(bytes.size(), "byte") : result;
}

std::string dims(const std::array<std::uint32_t, 3>& d) { return gemel::to_string(Dim3(d[0], d[1], d[2])); }

const char* place_text(const plugin::RectSide& side) { return side.host ? "the host" : "the device"; }

}  // namespace

std::string GraphState::line(const GraphNode& node) const {
    const plugin::GraphCommand& command = node.command;
    if (command.kind == plugin::GraphCommand::Kind::fill)
        return text("fill of ", command.count * command.pattern_bytes, " bytes");
    if (command.kind == plugin::GraphCommand::Kind::copy) {
        const auto& [bytes, rows, slices] = command.extent;
        return text("copy of ", bytes, rows * slices == 1 ? "" : text(" x ", rows, " x ", slices), " bytes from ",
                    place_text(command.from), " to ", place_text(command.to));
    }
    std::string result =
        text(node.kernel->name, ", grid ", dims(command.shape.grid), ", block ", dims(command.shape.block), ":");
    for (std::size_t slot = 0; slot < node.views.size(); ++slot) {
        if (node.kernel->is_hidden(slot)) continue;
        const Parameter* const parameter = node.kernel->signature ? &node.kernel->signature->parameters[slot] : nullptr;
        if (parameter && parameter->space == Parameter::Space::part) continue;
        const GraphUse* used = nullptr;
        for (const GraphUse& use : node.uses)
            if (use.slot == static_cast<int>(slot)) used = &use;
        result += text(slot ? ", " : " ", parameter ? parameter->text() : std::string("?"), " = ",
                       used ? text(counted(used->bytes, "byte"), " of memory", used->block ? "" : " of its own")
                            : value_text(parameter, node.values[slot]));
    }
    return result;
}

std::string Graph::to_string() const {
    const GraphState& graph = checked("Graph::to_string");
    std::lock_guard lock(graph.mutex);
    std::string result = text("graph of ", counted(graph.nodes.size(), "node"), " on ", graph.driver->description(),
                              ", with ", readable_bytes(graph.memory->bytes()), " of its own\n");
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        result += text("  ", i, "  ", graph.line(graph.nodes[i]), "\n");
    return result;
}

}  // namespace gemel
