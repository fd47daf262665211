/// A guess at times that were not measured, from those that were: Gaussian-process regression over a few dozen points.
#pragma once

#include <gemel/codegen/tuning_space.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemel::tune {

/// What was measured at a point; smaller is better.
struct Sample {
    std::vector<std::uint32_t> choices;
    double value = 0;
};

class Surrogate {
   public:
    struct Guess {
        double mean = 0, deviation = 0;
    };

    /// @param samples  at least two
    Surrogate(const Space& space, std::vector<Sample> samples);
    Guess guess(const std::vector<std::uint32_t>& choices) const;
    /// By how much a point is expected to lie below `best`, counted from zero.
    double expected_gain(const std::vector<std::uint32_t>& choices, double best) const;

   private:
    /// How similar two points are: the sum of what each parameter says by itself, and their product.
    struct Similarity {
        std::vector<double> lengths;  ///< of each parameter, over which times change
        double product_share = 0.5;
        double noise = 1e-2;
    };
    double similarity(const Similarity& by, const std::vector<std::uint32_t>& a,
                      const std::vector<std::uint32_t>& b) const;
    /// Solves for the weights. @returns the logarithm of the likelihood
    double fit(const Similarity& by);
    void choose_similarity();

    const Space& space_;
    std::vector<Sample> samples_;
    double mean_ = 0, scale_ = 1;
    std::vector<double> values_;  ///< of the samples, with mean 0 and deviation 1
    Similarity chosen_;
    std::vector<double> factor_;   ///< lower triangle of the Cholesky factor, by rows
    std::vector<double> weights_;  ///< inverse of the similarities times values
};

}  // namespace gemel::tune
