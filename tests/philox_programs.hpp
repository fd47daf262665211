/// Kernels of random numbers that the suites print and compile.
#pragma once

#include <gemel/codegen/philox.hpp>

#include <string>
#include <utility>
#include <vector>

namespace philox_programs {

using gemel::DType;
using gemel::dtype_of;
using gemel::codegen::Distribution;
using gemel::codegen::PhiloxFill;
using gemel::codegen::PhiloxTuning;

inline constexpr PhiloxTuning wide{}, narrow{.wide_stores = false},
    lanes{.block = 1, .counters_per_thread = 1, .wide_stores = false, .lanes = true};

/// Every distribution with every type that it has, by name.
inline std::vector<std::pair<std::string, PhiloxFill>> all() {
    std::vector<std::pair<std::string, PhiloxFill>> list;
    const auto add = [&](const char* name, Distribution distribution, DType element) {
        for (const auto& [word, tuning] : {std::pair{"wide", wide}, {"narrow", narrow}, {"lanes", lanes}})
            list.emplace_back(
                std::string(name) + " " + element.name() + " " + word,
                PhiloxFill{.distribution = distribution, .element = element, .tuning = tuning, .shift = 0});
        list.emplace_back(std::string(name) + " " + element.name() + " shifted",
                          PhiloxFill{.distribution = distribution, .element = element, .tuning = wide, .shift = 1});
    };
    const auto add_means = [&](DType element) {
        add("poisson_means", Distribution::poisson_means, element);
        for (std::size_t i = list.size() - 4; i < list.size(); ++i)
            list[i].second.means = i % 2 ? dtype_of<float>() : dtype_of<double>();
    };
    const std::vector<DType> reals{dtype_of<gemel::half>(), dtype_of<gemel::bfloat16>(), dtype_of<float>(),
                                   dtype_of<double>()};
    const std::vector<DType> integers{dtype_of<std::int8_t>(),   dtype_of<std::uint8_t>(), dtype_of<std::int16_t>(),
                                      dtype_of<std::uint16_t>(), dtype_of<std::int32_t>(), dtype_of<std::uint32_t>(),
                                      dtype_of<std::int64_t>(),  dtype_of<std::uint64_t>()};
    for (const DType element : reals) {
        add("unit", Distribution::unit, element);
        add("uniform", Distribution::uniform, element);
        add("normal", Distribution::normal, element);
        add("log_normal", Distribution::log_normal, element);
        add("exponential", Distribution::exponential, element);
        add("bernoulli", Distribution::bernoulli, element);
        add("poisson", Distribution::poisson, element);
    }
    for (const DType element : reals) add_means(element);
    for (const DType element : integers) {
        add_means(element);
        add("bits", Distribution::bits, element);
        add("integers", Distribution::integers, element);
        add("bernoulli", Distribution::bernoulli, element);
        add("poisson", Distribution::poisson, element);
    }
    add("bernoulli", Distribution::bernoulli, dtype_of<bool>());
    return list;
}

}  // namespace philox_programs
