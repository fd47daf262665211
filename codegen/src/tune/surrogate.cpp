#include "tune/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace gemel::tune {
namespace {

/// The Matern 5/2 kernel: smooth, but not too smooth for kernel times.
double matern(double distance, double length) {
    const double r = std::sqrt(5.0) * distance / length;
    return (1 + r + r * r / 3) * std::exp(-r);
}

/// Solves L x = b in place.
void solve_lower(const std::vector<double>& factor, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) x[i] -= factor[i * n + j] * x[j];
        x[i] /= factor[i * n + i];
    }
}
/// Solves L^T x = b in place.
void solve_upper(const std::vector<double>& factor, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) x[i] -= factor[j * n + i] * x[j];
        x[i] /= factor[i * n + i];
    }
}
/// Replaces a symmetric matrix by its Cholesky factor. @returns false if it is not positive definite
bool factorise(std::vector<double>& matrix, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
            if (i != j) {
                matrix[i * n + j] = sum / matrix[j * n + j];
            } else {
                if (sum <= 1e-12) return false;
                matrix[i * n + i] = std::sqrt(sum);
            }
        }
    return true;
}

}  // namespace

Surrogate::Surrogate(const Space& space, std::vector<Sample> samples) : space_(space), samples_(std::move(samples)) {
    const auto n = static_cast<double>(samples_.size());
    for (const Sample& sample : samples_) mean_ += sample.value / n;
    double variance = 0;
    for (const Sample& sample : samples_) variance += (sample.value - mean_) * (sample.value - mean_) / n;
    scale_ = std::max(std::sqrt(variance), 1e-9);
    for (const Sample& sample : samples_) values_.push_back((sample.value - mean_) / scale_);
    choose_similarity();
}

double Surrogate::similarity(const Similarity& by, const std::vector<std::uint32_t>& a,
                             const std::vector<std::uint32_t>& b) const {
    double sum = 0, product = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double one = matern(space_.distance(k, a[k], b[k]), by.lengths[k]);
        sum += one;
        product *= one;
    }
    return (1 - by.product_share) * sum / static_cast<double>(a.size()) + by.product_share * product;
}

double Surrogate::fit(const Similarity& by) {
    const std::size_t n = samples_.size();
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            matrix[i * n + j] = similarity(by, samples_[i].choices, samples_[j].choices) + (i == j ? by.noise : 0.0);
    if (!factorise(matrix, n)) return -std::numeric_limits<double>::infinity();
    std::vector<double> weights = values_;
    solve_lower(matrix, weights);
    double likelihood = 0;
    for (std::size_t i = 0; i < n; ++i) likelihood -= weights[i] * weights[i] / 2 + std::log(matrix[i * n + i]);
    solve_upper(matrix, weights);
    // A prior favours lengths near 1: few points say little about each parameter.
    for (const double length : by.lengths) likelihood -= std::log(length) * std::log(length) / 4;
    factor_ = std::move(matrix);
    weights_ = std::move(weights);
    return likelihood;
}

void Surrogate::choose_similarity() {
    Similarity best{.lengths = std::vector<double>(space_.parameters().size(), 1.0)};
    double best_likelihood = fit(best);
    const auto keep_if_better = [&](const Similarity& other) {
        const double likelihood = fit(other);
        if (likelihood <= best_likelihood) return;
        best_likelihood = likelihood;
        best = other;
    };
    for (int sweep = 0; sweep < 2; ++sweep) {
        for (const double share : {0.2, 0.5, 0.8, 1.0}) {
            Similarity other = best;
            other.product_share = share;
            keep_if_better(other);
        }
        for (const double noise : {1e-3, 1e-2, 1e-1}) {
            Similarity other = best;
            other.noise = noise;
            keep_if_better(other);
        }
        for (std::size_t k = 0; k < best.lengths.size(); ++k)
            for (const double length : {0.25, 0.5, 1.0, 2.0, 5.0}) {
                Similarity other = best;
                other.lengths[k] = length;
                keep_if_better(other);
            }
    }
    chosen_ = best;
    fit(chosen_);
}

Surrogate::Guess Surrogate::guess(const std::vector<std::uint32_t>& choices) const {
    std::vector<double> like(samples_.size());
    for (std::size_t i = 0; i < like.size(); ++i) like[i] = similarity(chosen_, choices, samples_[i].choices);
    double mean = 0;
    for (std::size_t i = 0; i < like.size(); ++i) mean += like[i] * weights_[i];
    solve_lower(factor_, like);
    double known = 0;
    for (const double one : like) known += one * one;
    return {mean_ + scale_ * mean, scale_ * std::sqrt(std::max(1 - known, 1e-9))};
}

double Surrogate::expected_gain(const std::vector<std::uint32_t>& choices, double best) const {
    const Guess at = guess(choices);
    const double z = (best - at.mean) / at.deviation;
    const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    return at.deviation * (z * below + density);
}

}  // namespace gemel::tune
