/// Matrices for bench/sparse.cpp, as triples. bench/sparse_peers.py makes the same ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct Triples {
    std::int64_t extent = 0;  ///< rows and columns
    std::vector<std::int32_t> rows = {}, columns = {};
    std::vector<double> values = {};

    void add(std::int64_t row, std::int64_t column, double value) {
        rows.push_back(static_cast<std::int32_t>(row));
        columns.push_back(static_cast<std::int32_t>(column));
        values.push_back(value);
    }
};

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}
inline std::uint64_t bits_of(std::uint64_t row, std::uint64_t k) { return mixed(row * 0x10001 + mixed(k)); }
/// Above 0, below 1.
inline double fraction(std::uint64_t bits) { return (static_cast<double>(bits >> 40) + 0.5) / 16777216.0; }

/// The five-point Laplacian of a square grid: symmetric, positive definite.
inline Triples laplacian(std::int64_t n) {
    Triples m{.extent = n * n};
    for (std::int64_t i = 0; i < n * n; ++i) {
        if (i >= n) m.add(i, i - n, -1);
        if (i % n > 0) m.add(i, i - 1, -1);
        m.add(i, i, 4);
        if (i % n < n - 1) m.add(i, i + 1, -1);
        if (i < n * n - n) m.add(i, i + n, -1);
    }
    return m;
}

/// Rows of so many entries at random places; where two meet, they add up.
template <class Length>
Triples random_rows(std::int64_t extent, const Length& length) {
    Triples m{.extent = extent};
    for (std::int64_t i = 0; i < extent; ++i) {
        const std::int64_t count = length(fraction(bits_of(static_cast<std::uint64_t>(i), 0)));
        for (std::int64_t k = 1; k <= count; ++k) {
            const std::uint64_t bits = bits_of(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
            m.add(i, static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(extent)), 0.5 + fraction(bits));
        }
    }
    return m;
}

/// Lengths of a power law: 19 entries on average, the longest row a sixteenth of all columns.
inline Triples power_law(std::int64_t extent) {
    const double longest = static_cast<double>(extent) / 16;
    return random_rows(extent, [=](double u) {
        const double fourth = std::sqrt(std::sqrt(u));  // roots, which every library rounds alike
        return static_cast<std::int64_t>(std::fmin(std::floor(7.4 / (fourth * fourth * std::sqrt(fourth))), longest));
    });
}

inline Triples banded(std::int64_t extent, std::int64_t half_width) {
    Triples m{.extent = extent};
    for (std::int64_t i = 0; i < extent; ++i)
        for (std::int64_t j = i - half_width; j <= i + half_width; ++j)
            if (j >= 0 && j < extent)
                m.add(i, j, 0.5 + fraction(bits_of(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j))));
    return m;
}

/// "laplacian 512", "power law 2097152", "banded 1048576", "short rows ...", "long rows ...": by kind and size.
inline Triples triples_of(const std::string& kind, std::int64_t size) {
    if (kind == "laplacian") return laplacian(size);
    if (kind == "power law") return power_law(size);
    if (kind == "banded") return banded(size, 16);
    if (kind == "short rows") return random_rows(size, [](double u) { return 1 + static_cast<std::int64_t>(8 * u); });
    if (kind == "long rows") return random_rows(size, [=](double) { return size / 4; });
    throw std::invalid_argument("there is no matrix '" + kind + "'");
}

}  // namespace bench
