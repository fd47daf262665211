/// The numbers of random::Philox on the host: the same bits, as a reference and for work without a device.
#pragma once

#include <gemel/arrays/random.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gemel::random {

/// The same calls as Philox; `count` elements instead of a shape. Not for use by several threads at once.
class GEMEL_API HostPhilox {
   public:
    explicit HostPhilox(IntegerBound seed, IntegerBound stream = 0);
    HostPhilox substream(IntegerBound k) const;
    void skip(std::uint64_t words);
    std::uint64_t position() const { return position_; }

    template <ContinuousElement T>
    std::vector<T> uniform(Integer count, double low = 0, double high = 1) {
        std::vector<T> out(checked_count(count));
        fill_uniform(out.data(), dtype_of<T>(), out.size(), low, high);
        return out;
    }
    template <ContinuousElement T>
    std::vector<T> normal(Integer count, double mean = 0, double sigma = 1) {
        std::vector<T> out(checked_count(count));
        fill_normal(out.data(), dtype_of<T>(), out.size(), mean, sigma);
        return out;
    }
    template <RealElement T>
    std::vector<T> log_normal(Integer count, double mean = 0, double sigma = 1) {
        std::vector<T> out(checked_count(count));
        fill_log_normal(out.data(), dtype_of<T>(), out.size(), mean, sigma);
        return out;
    }
    template <RealElement T>
    std::vector<T> exponential(Integer count, double scale = 1) {
        std::vector<T> out(checked_count(count));
        fill_exponential(out.data(), dtype_of<T>(), out.size(), scale);
        return out;
    }
    template <IntegerLanes T>
    std::vector<T> integers(Integer count, IntegerBound low, IntegerBound high) {
        std::vector<T> out(checked_count(count));
        fill_integers(out.data(), dtype_of<T>(), out.size(), low, high);
        return out;
    }
    template <IntegerLanes T>
    std::vector<T> integers(Integer count) {
        std::vector<T> out(checked_count(count));
        fill_bits(out.data(), dtype_of<T>(), out.size());
        return out;
    }
    template <BitElement T = bool>
    std::vector<HostElement<T>> bernoulli(Integer count, double probability = 0.5) {
        std::vector<HostElement<T>> out(checked_count(count));
        fill_bernoulli(out.data(), dtype_of<T>(), out.size(), probability);
        return out;
    }
    template <CountElement T = std::int32_t>
    std::vector<T> poisson(Integer count, double mean) {
        std::vector<T> out(checked_count(count));
        fill_poisson(out.data(), dtype_of<T>(), out.size(), mean);
        return out;
    }
    template <CountElement T = std::int32_t>
    std::vector<T> poisson(std::span<const double> means) {
        std::vector<T> out(means.size());
        fill_poisson(out.data(), dtype_of<T>(), means);
        return out;
    }
    template <IntegerElement T = std::int64_t>
    std::vector<T> permutation(Integer count) {
        const std::vector<std::int64_t> order = permutation_of(count, dtype_of<T>());
        return std::vector<T>(order.begin(), order.end());
    }

    // Into memory for `count` elements of the type.
    void fill_uniform(void* out, DType dtype, std::size_t count, double low, double high);
    void fill_normal(void* out, DType dtype, std::size_t count, double mean, double sigma);
    void fill_log_normal(void* out, DType dtype, std::size_t count, double mean, double sigma);
    void fill_exponential(void* out, DType dtype, std::size_t count, double scale);
    void fill_integers(void* out, DType dtype, std::size_t count, IntegerBound low, IntegerBound high);
    void fill_bits(void* out, DType dtype, std::size_t count);
    void fill_bernoulli(void* out, DType dtype, std::size_t count, double probability);
    void fill_poisson(void* out, DType dtype, std::size_t count, double mean);
    void fill_poisson(void* out, DType dtype, std::span<const double> means);

   protected:
    HostPhilox(IntegerBound seed, IntegerBound stream, bool is_threefry);

   private:
    std::vector<std::int64_t> permutation_of(std::int64_t count, DType dtype);

    std::uint64_t seed_;
    std::uint32_t stream_, substream_ = 0;
    std::uint64_t position_ = 0;
    bool is_threefry_ = false;
};

/// The numbers of random::Threefry.
class GEMEL_API HostThreefry : public HostPhilox {
   public:
    explicit HostThreefry(IntegerBound seed, IntegerBound stream = 0);
};

}  // namespace gemel::random
