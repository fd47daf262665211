#include <gemel/codegen/tuning_fields.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace gemel::tune {
namespace {

/// Values of a number that are worth a trial.
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
        {"running_results", {2, 4, 8, 16, 32}},
    };
    return known;
}

std::vector<codegen::Value> values_of(std::string_view family, const codegen::TuningField& field,
                                      const DeviceInfo& device) {
    std::set<std::uint32_t> values{field.value};
    const std::string_view name(field.name);
    for (const Choices& choices : known_choices())
        if (choices.field == name) values.insert(choices.values.begin(), choices.values.end());
    if (family == "sort" && field.value > 1) {
        // A thread for each digit of 8 bits, and any number of elements.
        if (name == "block") values = {field.value, std::max(field.value, 256u), 256, 384, 512};
        if (name == "items_per_thread") values.insert({6, 12, 18, 20, 24});
    }
    // A block of one thread is another kind of kernel, which no other block can replace.
    if (name == "block" && field.value == 1) values = {1};
    if (name == "block")
        std::erase_if(values, [&](std::uint32_t v) {
            return v != field.value && v > std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
        });
    return {values.begin(), values.end()};
}

}  // namespace

Space tuning_space(std::string_view family, std::span<const codegen::TuningField> start, const DeviceInfo& device) {
    std::vector<Parameter> parameters;
    for (const codegen::TuningField& field : start) {
        if (field.value == 0 || !field.value_names.empty()) continue;
        std::vector<codegen::Value> values = values_of(family, field, device);
        if (values.size() > 1) parameters.push_back({field.name, std::move(values)});
    }
    if (parameters.empty())  // nothing to choose: the first number that is given
        for (const codegen::TuningField& field : start)
            if (parameters.empty() && field.value_names.empty()) parameters.push_back({field.name, {field.value}});
    return Space(std::move(parameters));
}

Point tuning_point(std::span<const codegen::TuningField> start, const Space& space) {
    Point::Values values;
    for (const Parameter& parameter : space.parameters())
        for (const codegen::TuningField& field : start)
            if (parameter.name == field.name) values.emplace_back(parameter.name, codegen::Value(field.value));
    return Point(std::move(values));
}

}  // namespace gemel::tune
