#include "tune/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <utility>

namespace gemel::tune {
namespace {

constexpr std::array lengths{0.25, 0.5, 1.0, 2.0, 5.0};
constexpr std::array noises{1e-4, 1e-3, 1e-2, 1e-1};
constexpr std::array shares{0.2, 0.5, 0.8, 1.0};
/// More samples say more about the models, and cost more.
std::size_t model_count(std::size_t samples) { return samples <= 40 ? 4 : 2; }

/// The Matern 5/2 kernel: smooth, but not too smooth for kernel times. By length, and by distance times 255.
using Table = std::array<std::array<double, 256>, lengths.size()>;
const Table& matern() {
    static const Table table = [] {
        Table out{};
        for (std::size_t length = 0; length < lengths.size(); ++length)
            for (std::size_t distance = 0; distance < 256; ++distance) {
                const double r = std::sqrt(5.0) * static_cast<double>(distance) / 255 / lengths[length];
                out[length][distance] = (1 + r + r * r / 3) * std::exp(-r);
            }
        return out;
    }();
    return table;
}

/// Solves L x = b in place.
void solve_lower(const std::vector<double>& factor, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        double rest = x[i];
        for (std::size_t j = 0; j < i; ++j) rest -= factor[i * n + j] * x[j];
        x[i] = rest / factor[i * n + i];
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

Surrogate::Surrogate(std::vector<bool> is_word, std::vector<Sample> samples, std::mt19937_64& random)
    : is_word_(std::move(is_word)), samples_(std::move(samples)) {
    const auto n = static_cast<double>(samples_.size());
    for (const Sample& sample : samples_) mean_ += sample.value / n;
    double variance = 0;
    for (const Sample& sample : samples_) variance += (sample.value - mean_) * (sample.value - mean_) / n;
    scale_ = std::max(std::sqrt(variance), 1e-9);
    for (const Sample& sample : samples_) values_.push_back((sample.value - mean_) / scale_);
    draw_models(random);
}

double Surrogate::similarity(const Similarity& by, const Coordinates& a, const Coordinates& b) const {
    const Table& table = matern();
    double sum = 0, product = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const int gap = is_word_[k] ? (a[k] == b[k] ? 0 : 255) : std::abs(a[k] - b[k]);
        const double one = table[by.lengths[k]][static_cast<std::size_t>(gap)];
        sum += one;
        product *= one;
    }
    const double share = shares[by.product_share];
    return (1 - share) * sum / static_cast<double>(a.size()) + share * product;
}

Surrogate::Model Surrogate::fit(const Similarity& by) const {
    const std::size_t n = samples_.size();
    Model model{.by = by, .log_likelihood = -std::numeric_limits<double>::infinity()};
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            matrix[i * n + j] = similarity(by, samples_[i].at, samples_[j].at) + (i == j ? noises[by.noise] : 0.0);
    if (!factorise(matrix, n)) return model;
    model.weights = values_;
    solve_lower(matrix, model.weights);
    double likelihood = 0;
    for (std::size_t i = 0; i < n; ++i)
        likelihood -= model.weights[i] * model.weights[i] / 2 + std::log(matrix[i * n + i]);
    solve_upper(matrix, model.weights);
    // A prior favours lengths near 1: few points say little about each dimension.
    for (const std::size_t length : by.lengths) likelihood -= std::pow(std::log(lengths[length]), 2) / 4;
    model.factor = std::move(matrix);
    model.log_likelihood = likelihood;
    return model;
}

template <class Use>
void Surrogate::sweep(const Model& model, Use&& use) const {
    const auto each = [&](std::size_t count, auto&& member) {
        std::vector<Model> options;
        for (std::size_t choice = 0; choice < count; ++choice) {
            Similarity by = model.by;
            member(by) = choice;
            options.push_back(fit(by));
        }
        use(options);
    };
    each(shares.size(), [](Similarity& by) -> std::size_t& { return by.product_share; });
    each(noises.size(), [](Similarity& by) -> std::size_t& { return by.noise; });
    for (std::size_t k = 0; k < is_word_.size(); ++k)
        each(lengths.size(), [k](Similarity& by) -> std::size_t& { return by.lengths[k]; });
}

void Surrogate::draw_models(std::mt19937_64& random) {
    const auto less = [](const Model& a, const Model& b) { return a.log_likelihood < b.log_likelihood; };
    Model model = fit({.lengths = std::vector<std::size_t>(is_word_.size(), 2)});
    // A likely model first, so that few steps are lost on unlikely ones.
    sweep(model, [&](std::vector<Model>& options) {
        model = std::move(*std::max_element(options.begin(), options.end(), less));
    });
    while (models_.size() < model_count(samples_.size())) {
        sweep(model, [&](std::vector<Model>& options) {
            const double most = std::max_element(options.begin(), options.end(), less)->log_likelihood;
            double sum = 0;
            for (const Model& one : options) sum += std::exp(one.log_likelihood - most);
            double left = sum * static_cast<double>(random() >> 11) / 9007199254740992.0;
            std::size_t drawn = 0;
            for (; drawn + 1 < options.size(); ++drawn)
                if ((left -= std::exp(options[drawn].log_likelihood - most)) < 0) break;
            model = std::move(options[drawn]);
        });
        models_.push_back(model);
    }
}

Surrogate::Guess Surrogate::guess(const Model& model, const Coordinates& at) const {
    std::vector<double> like(samples_.size());
    double mean = 0;
    for (std::size_t i = 0; i < like.size(); ++i) {
        like[i] = similarity(model.by, at, samples_[i].at);
        mean += like[i] * model.weights[i];
    }
    solve_lower(model.factor, like);
    double known = 0;
    for (const double one : like) known += one * one;
    return {mean_ + scale_ * mean, scale_ * std::sqrt(std::max(1 - known, 1e-9))};
}

double Surrogate::expected_gain(const Coordinates& at, double best) const {
    double sum = 0;
    for (const Model& model : models_) {
        const Guess one = guess(model, at);
        const double z = (best - one.mean) / one.deviation;
        const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
        const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
        sum += one.deviation * (z * below + density);
    }
    return sum / static_cast<double>(models_.size());
}

double Surrogate::chance_of_positive(const Coordinates& at) const {
    double sum = 0;
    for (const Model& model : models_) {
        const Guess one = guess(model, at);
        sum += std::erfc(-one.mean / one.deviation / std::numbers::sqrt2) / 2;
    }
    return sum / static_cast<double>(models_.size());
}

}  // namespace gemel::tune
