#include <gemel/codegen/tuning_fields.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace gemel::tune {
namespace {

/// Values of a number that are worth measuring.
struct Choices {
    std::string_view field;
    std::vector<std::uint32_t> values;
};

const std::vector<Choices>& known_choices() {
    static const auto& known = *new std::vector<Choices>{
        {"block", {32, 64, 128, 256, 512, 1024}},
        {"access_bytes", {4, 8, 16}},
        {"unroll", {1, 2, 4, 8}},
        {"items_per_thread", {2, 4, 8, 16, 32, 64}},
        {"blocks_per_unit", {1, 2, 4, 8, 16, 32}},
        {"running_results", {2, 4, 8, 16, 32, 64}},
    };
    return known;
}

std::uint32_t value_of(std::span<const codegen::TuningField> fields, std::string_view name) {
    for (const codegen::TuningField& field : fields)
        if (name == field.name) return field.value;
    return 0;
}

/// Whether a tile is one of doubles by tensor maps, whose warps are not in groups.
bool is_mapped_doubles(std::span<const codegen::TuningField> start) {
    return value_of(start, "unit_warps") == 4 && value_of(start, "own_rows") > 16 &&
           value_of(start, "own_columns") > 16;
}

/// Tiles of matrix products: in registers of a CPU's thread, of blocks, or in slots of shared memory.
const std::vector<Choices>& matmul_choices(std::span<const codegen::TuningField> start) {
    static const auto& serial = *new std::vector<Choices>{{"rows", {24, 48, 96, 192}},
                                                          {"columns", {8, 16, 32, 64}},
                                                          {"depth", {64, 128, 256}},
                                                          {"own_rows", {2, 4, 6, 8}}};
    static const auto& blocks = *new std::vector<Choices>{{"rows", {16, 32, 64}}};
    static const auto& threads = *new std::vector<Choices>{{"rows", {32, 64, 128, 256}},
                                                           {"columns", {32, 64, 128, 256}},
                                                           {"depth", {8, 16, 32}},
                                                           {"own_rows", {4, 8}},
                                                           {"own_columns", {4, 8}},
                                                           {"stages", {2, 3, 4}},
                                                           {"resident_blocks", {1, 2, 3, 4}},
                                                           {"slices", {1, 2, 4}}};
    static const auto& warps = *new std::vector<Choices>{
        {"rows", {32, 64, 128, 256}},     {"columns", {32, 64, 128, 256}}, {"depth", {8, 16, 32, 64}},
        {"own_rows", {16, 32, 64}},       {"own_columns", {16, 32, 64}},   {"stages", {2, 3, 4, 5}},
        {"resident_blocks", {1, 2, 3, 4}}};
    // A group computes whole lines: own_columns equals columns, or own_rows equals rows.
    static const auto& groups =
        *new std::vector<Choices>{{"rows", {64, 128, 192, 256}},         {"columns", {64, 128, 192, 256}},
                                  {"own_rows", {16, 64, 128, 192, 256}}, {"own_columns", {16, 64, 128, 192, 256}},
                                  {"stages", {3, 4, 5, 6, 8}},           {"resident_blocks", {1, 2}}};
    static const auto& doubles = *new std::vector<Choices>{
        {"rows", {64, 128}}, {"columns", {64, 128}}, {"stages", {3, 4, 5, 6, 8}}, {"resident_blocks", {1, 2}}};
    static const auto& packed = *new std::vector<Choices>{
        {"columns", {64, 128, 256}}, {"own_columns", {64, 128, 256}}, {"stages", {2, 3, 4, 5, 6}}};
    if (value_of(start, "stages") == 0) return value_of(start, "depth") == 0 ? blocks : serial;
    if (is_mapped_doubles(start)) return doubles;
    if (value_of(start, "unit_warps") == 4) return value_of(start, "packs") > 0 ? packed : groups;
    return value_of(start, "own_rows") < 16 ? threads : warps;
}

const std::vector<Choices>& sparse_choices() {
    static const auto& known =
        *new std::vector<Choices>{{"block", {64, 128, 256}},
                                  {"width", {1, 2, 4, 8, 16, 32}},
                                  {"items", {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
                                  {"chunks_per_unit", {1, 2, 4, 8, 16, 32, 64}}};
    return known;
}

/// The requirements of the kernels, as constraints on the parameters.
std::vector<std::string> matmul_constraints(std::span<const codegen::TuningField> start) {
    if (value_of(start, "stages") == 0)
        return value_of(start, "depth") == 0 ? std::vector<std::string>{}
                                             : std::vector<std::string>{"rows % own_rows == 0"};
    const std::string shared_memory =
        "(device.shared_memory_opt_in_bytes if device.shared_memory_opt_in_bytes is defined else "
        "(device.shared_memory_static_bytes if device.shared_memory_static_bytes is defined else "
        "device.shared_memory_per_block_bytes))";
    if (value_of(start, "packs") > 0 && value_of(start, "unit_warps") == 4) {
        const bool splits = value_of(start, "depth") == 64;  // three parts of 128 bytes per line
        return {"own_columns == columns", splits ? "columns <= 128" : "columns <= 256",
                std::string("stages * (128 + columns) * ") + (splits ? "384" : "128") + " + 22000 <= " + shared_memory};
    }
    const bool warps = value_of(start, "own_rows") >= 16;  // also true for groups, with 16 or more
    const std::string block = std::string("(rows // own_rows) * (columns // own_columns)") + (warps ? " * 32" : "") +
                              " * (slices if slices > 0 else 1)";
    std::vector<std::string> all{"own_rows <= rows and own_columns <= columns",
                                 block + " >= 64 and " + block + " <= device.max_threads_per_block",
                                 // Threads copy 16 bytes at a time, and several of them share a line of an operand.
                                 block + " * 16 <= depth * item_bytes * (rows if rows < columns else columns)",
                                 // Padding needs a little more.
                                 "stages * depth * (rows + columns) * item_bytes <= " + shared_memory};
    if (value_of(start, "packs") > 0) all.push_back("depth == 16 or depth == 32");  // halves
    if (is_mapped_doubles(start)) {
        all.push_back(
            "(stages * depth * (rows + columns) * item_bytes + 2300) * resident_blocks <= "
            "device.shared_memory_opt_in_bytes");
        all.push_back("rows * columns * resident_blocks <= 8192");  // with more warps, registers are spilled
    } else if (value_of(start, "unit_warps") == 4) {
        all.push_back(value_of(start, "own_rows") == 16 ? "own_rows == 16 and own_columns == columns"
                                                        : "own_columns == 16 and own_rows == rows");
        all.push_back(block + " <= 256");
        // Sums on their way to memory.
        all.push_back(
            "(stages * depth * (rows + columns) * item_bytes + 22000) * (resident_blocks if resident_blocks > 1 else "
            "1) <= " +
            shared_memory);
        all.push_back("device.has_tensor_maps or (rows == 128 and depth == 32 and stages >= 3)");
        all.push_back("resident_blocks <= 1 or rows * columns < 32768");
    }
    if (warps) all.push_back("depth >= 16 or item_bytes == 8");
    if (!warps) all.push_back("(rows // own_rows) % 4 == 0 and (columns // own_columns) % 8 == 0");
    return all;
}

std::vector<codegen::Value> values_of(std::string_view family, std::span<const codegen::TuningField> start,
                                      const codegen::TuningField& field, const DeviceInfo& device) {
    std::set<std::uint32_t> values{field.value};
    const std::string_view name(field.name);
    for (const Choices& choices : family == "matmul"           ? matmul_choices(start)
                                  : family == "sparse_product" ? sparse_choices()
                                                               : known_choices())
        if (choices.field == name) values.insert(choices.values.begin(), choices.values.end());
    if (family == "sort" && field.value > 1) {
        // A thread per 8-bit digit, and any number of elements.
        if (name == "block") values = {field.value, std::max(field.value, 256u), 256, 384, 512};
        if (name == "items_per_thread") values.insert({6, 12, 18, 20, 24});
    }
    if (name == "parts" && field.value > 1) values.insert({1, field.value / 2, 2 * field.value});
    // A block of one thread is a different kind of kernel, which no other block can replace.
    if (name == "block" && field.value == 1) values = {1};
    if (name == "block")
        std::erase_if(values, [&](std::uint32_t v) {
            return v != field.value && v > std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
        });
    return {values.begin(), values.end()};
}

/// The initial point belongs to the space even if it violates these.
std::vector<std::string> constraints_of(std::string_view family, std::span<const codegen::TuningField> start) {
    if (family == "matmul") return matmul_constraints(start);
    if (family == "sparse_product" && value_of(start, "items") > 0)
        return {"block * items * item_bytes <= device.shared_memory_per_block_bytes // 2"};
    return {};
}

/// Strategies of a sparse product for the same kind of threads: from 1 on, without stream on CPU devices.
std::vector<codegen::Value> strategies_of(std::span<const codegen::TuningField> start,
                                          const codegen::TuningField& field) {
    std::vector<codegen::Value> values;
    for (std::size_t k = 1; k < field.value_names.size(); ++k)
        if (value_of(start, "block") > 0 || std::string_view(field.value_names[k]) != "stream")
            values.emplace_back(std::string(field.value_names[k]));
    return values;
}

}  // namespace

Space tuning_space(std::string_view family, std::span<const codegen::TuningField> start, const DeviceInfo& device,
                   const codegen::Workload& work) {
    std::vector<Parameter> parameters;
    for (const codegen::TuningField& field : start) {
        const bool is_word = !field.value_names.empty();
        if (field.value == 0 || (is_word && family != "sparse_product")) continue;
        std::vector<codegen::Value> values =
            is_word ? strategies_of(start, field) : values_of(family, start, field, device);
        if (values.size() > 1) parameters.push_back({field.name, std::move(values)});
    }
    if (parameters.empty())  // there is nothing to choose: the first given number
        for (const codegen::TuningField& field : start)
            if (parameters.empty() && field.value_names.empty()) parameters.push_back({field.name, {field.value}});
    std::vector<std::string> constraints = constraints_of(family, start);
    if (constraints.empty()) return Space(std::move(parameters));
    codegen::Values facts = device_facts(device);
    facts["item_bytes"] = work.item_bytes;
    std::string is_start = "true";
    for (const codegen::TuningField& field : start) {
        const bool is_parameter =
            std::ranges::any_of(parameters, [&](const Parameter& one) { return one.name == field.name; });
        if (!is_parameter) facts[field.name] = field.value;
        if (is_parameter && field.value_names.empty())
            is_start += " and " + std::string(field.name) + " == " + std::to_string(field.value);
    }
    for (std::string& one : constraints) one = "(" + one + ") or (" + is_start + ")";
    return Space(std::move(parameters), constraints, facts);
}

Point tuning_point(std::span<const codegen::TuningField> start, const Space& space) {
    Point::Values values;
    for (const Parameter& parameter : space.parameters())
        for (const codegen::TuningField& field : start)
            if (parameter.name == field.name)
                values.emplace_back(parameter.name, field.value_names.empty()
                                                        ? codegen::Value(field.value)
                                                        : codegen::Value(std::string(field.value_names[field.value])));
    return Point(std::move(values));
}

}  // namespace gemel::tune
