/// Estimates unmeasured times from measured ones by Gaussian-process regression over a few dozen points.
#pragma once

#include "tune/coordinates.hpp"

#include <cstddef>
#include <random>
#include <vector>

namespace gemel::tune {

/// The value measured at a point; smaller is better.
struct Sample {
    Coordinates at;
    double value = 0;
};

/// Some models whose length scales, noise and shares are drawn by Gibbs sampling from their distribution given the
/// samples (Snoek, Larochelle and Adams, "Practical Bayesian Optimization of Machine Learning Algorithms", 2012): a
/// few points say little about them, and one choice would be too sure of itself.
class Surrogate {
   public:
    /// @param samples  at least two
    Surrogate(std::vector<bool> is_word, std::vector<Sample> samples, std::mt19937_64& random);
    /// The expected improvement of a point over `best`, averaged over the models.
    double expected_gain(const Coordinates& at, double best) const;
    /// The probability that the value of a point is positive, averaged over the models.
    double chance_of_positive(const Coordinates& at) const;

   private:
    /// The similarity of two points: the average and the product of the similarities by dimension, weighted. All
    /// members are numbers of entries in lists.
    struct Similarity {
        std::vector<std::size_t> lengths;
        std::size_t product_share = 1, noise = 2;
    };
    struct Model {
        Similarity by;
        double log_likelihood = 0;
        std::vector<double> factor = {};   ///< lower triangle of the Cholesky factor, by rows
        std::vector<double> weights = {};  ///< inverse of the similarity matrix times the values
    };
    struct Guess {
        double mean = 0, deviation = 0;
    };
    double similarity(const Similarity& by, const Coordinates& a, const Coordinates& b) const;
    Model fit(const Similarity& by) const;
    /// For each member of a similarity, calls use(options) with models that differ from `model` in this member only.
    /// `use` may change `model`.
    template <class Use>
    void sweep(const Model& model, Use&& use) const;
    void draw_models(std::mt19937_64& random);
    Guess guess(const Model& model, const Coordinates& at) const;

    std::vector<bool> is_word_;
    std::vector<Sample> samples_;
    double mean_ = 0, scale_ = 1;
    std::vector<double> values_;  ///< of the samples, normalised to mean 0 and deviation 1
    std::vector<Model> models_;
};

}  // namespace gemel::tune
