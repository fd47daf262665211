/// Statistical tests: each returns how unlikely a sample is under the hypothesis, as a probability. Seeds are fixed, so
/// a test passes or fails for good; the limits are such that a sound generator fails once in 10^5 choices of seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace statistics {

/// The limit that tests compare with.
inline constexpr double unlikely = 1e-5;

/// The upper tail of the chi-square distribution, by Wilson and Hilferty's cube root (good to a few per cent of the
/// probability from 10 degrees of freedom on, which is all that is asked here).
inline double chi_square_tail(double value, double degrees) {
    const double z = (std::cbrt(value / degrees) - (1 - 2 / (9 * degrees))) / std::sqrt(2 / (9 * degrees));
    return 0.5 * std::erfc(z / std::sqrt(2.0));
}

/// Pearson's test; cells of fewer than 8 expected samples are joined with the next.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
    double value = 0, seen = 0, hoped = 0;
    std::size_t cells = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        seen += counts[i];
        hoped += expected[i];
        if (hoped < 8 && i + 1 < counts.size()) continue;
        if (hoped > 0) value += (seen - hoped) * (seen - hoped) / hoped, ++cells;
        seen = hoped = 0;
    }
    return chi_square_tail(value, static_cast<double>(cells - 1));
}

/// Kolmogorov and Smirnov: the tail of the largest distance between a sample and a cumulative distribution.
template <class T, class Cumulative>
double kolmogorov_smirnov(std::vector<T> sample, const Cumulative& cumulative) {
    std::sort(sample.begin(), sample.end());
    const double n = static_cast<double>(sample.size());
    double distance = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const double f = cumulative(static_cast<double>(sample[i])), at = static_cast<double>(i);
        distance = std::max({distance, f - at / n, (at + 1) / n - f});
    }
    const double t = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
    double tail = 0;
    for (int k = 1; k < 100; ++k) tail += (k % 2 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * t * t);
    return std::min(1.0, tail);
}

/// Two-sided: how far a sum of n values of that variance is from what was expected.
inline double normal_tail(double deviation, double standard_deviation) {
    return std::erfc(std::abs(deviation) / standard_deviation / std::sqrt(2.0));
}

template <class T>
double mean(const std::vector<T>& sample) {
    double sum = 0;
    for (const T& x : sample) sum += static_cast<double>(x);
    return sum / static_cast<double>(sample.size());
}

/// The mean of (x - center)^power.
template <class T>
double moment(const std::vector<T>& sample, double center, int power) {
    double sum = 0;
    for (const T& x : sample) sum += std::pow(static_cast<double>(x) - center, power);
    return sum / static_cast<double>(sample.size());
}

/// Pearson's correlation of two samples of equal size, in standard deviations: about normal for independent ones.
template <class T>
double correlation(const std::vector<T>& a, const std::vector<T>& b) {
    const double ma = mean(a), mb = mean(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = static_cast<double>(a[i]) - ma, y = static_cast<double>(b[i]) - mb;
        ab += x * y, aa += x * x, bb += y * y;
    }
    return ab / std::sqrt(aa * bb) * std::sqrt(static_cast<double>(a.size()));
}

inline double normal_cumulative(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace statistics
