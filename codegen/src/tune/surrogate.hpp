/// Estimates unmeasured times from measured ones by Gaussian-process regression over a few dozen points.
#pragma once

#include <gemel/codegen/tuning_space.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemel::tune {

/// The value measured at a point; smaller is better.
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
    /// The expected improvement of a point over `best`.
    double expected_gain(const std::vector<std::uint32_t>& choices, double best) const;

   private:
    /// The similarity of two points: the average and the product of the similarities by parameter, weighted.
    struct Similarity {
        std::vector<double> lengths;  ///< length scales of the parameters
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
    std::vector<double> values_;  ///< of the samples, normalised to mean 0 and deviation 1
    Similarity chosen_;
    std::vector<double> factor_;   ///< lower triangle of the Cholesky factor, by rows
    std::vector<double> weights_;  ///< inverse of the similarity matrix times the values
};

}  // namespace gemel::tune
