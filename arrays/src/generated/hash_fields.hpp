/// The hash of a plain value, field by field through reflection, so that no field can be forgotten.
#pragma once

#include <gemel/core/dtype.hpp>

#include <boost/container_hash/hash.hpp>
#include <boost/pfr/core.hpp>

#include <cstddef>
#include <ranges>
#include <type_traits>

namespace gemel {

inline void hash_fields(std::size_t& seed, const DType& dtype) {
    boost::hash_combine(seed, static_cast<std::size_t>(dtype.kind()) | std::size_t{dtype.lanes()} << 8 |
                                  std::size_t{dtype.size_bytes()} << 16);
    if (dtype.layout()) boost::hash_combine(seed, dtype.layout());
}

template <class T>
void hash_fields(std::size_t& seed, const T& value) {
    if constexpr (std::is_enum_v<T>) {
        boost::hash_combine(seed, static_cast<std::size_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        boost::hash_combine(seed, value);
    } else if constexpr (std::ranges::range<T>) {
        boost::hash_combine(seed, std::ranges::size(value));
        for (const auto& element : value) hash_fields(seed, element);
    } else if constexpr (!std::is_empty_v<T>) {
        static_assert(std::is_aggregate_v<T>);
        boost::pfr::for_each_field(value, [&](const auto& field) { hash_fields(seed, field); });
    }
}

struct FieldsHash {
    template <class T>
    std::size_t operator()(const T& value) const {
        std::size_t seed = 0;
        hash_fields(seed, value);
        return seed;
    }
};

}  // namespace gemel
