/// Random numbers on the device by counter-based generators: Philox 4x32-10 and Threefry 4x32-20.
///
/// Element i of a draw depends only on seed, stream, substream and its position in the stream, not on device, launch or
/// the division of a sequence into calls. Every distribution gives the same bits on every device and on the host
/// (HostPhilox). docs/random.md has the rules, the accuracy and the sources.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/vector_types.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace gemel::random {

/// float, double, half, bfloat16.
template <class T>
concept RealElement =
    HasDType<T> && (std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>);
/// The number type of a vector's lanes; a number's own.
template <class T>
struct LaneOf {
    using type = T;
};
template <class T, int lanes>
struct LaneOf<Vector<T, lanes>> {
    using type = T;
};
/// Real elements, and complex ones and vectors, whose parts are drawn one after another.
template <class T>
concept ContinuousElement =
    RealElement<typename LaneOf<T>::type> || std::is_same_v<T, cfloat> || std::is_same_v<T, cdouble>;
/// int8_t to uint64_t.
template <class T>
concept IntegerElement = HasDType<T> && std::is_integral_v<T> && !std::is_same_v<T, bool>;
/// Integers, and vectors of them.
template <class T>
concept IntegerLanes = IntegerElement<typename LaneOf<T>::type>;
template <class T>
concept CountElement = IntegerElement<T> || RealElement<T>;
template <class T>
concept BitElement = CountElement<T> || std::is_same_v<T, bool>;
template <class T>
concept AnyElement = ContinuousElement<T> || IntegerLanes<T> || std::is_same_v<T, bool>;

/// An end of a range, a seed, the number of a stream: from any integer type without loss.
struct IntegerBound {
    template <std::integral I>
    IntegerBound(I bound) : value(static_cast<std::uint64_t>(bound)), is_negative(std::cmp_less(bound, 0)) {}
    std::uint64_t value;  ///< modulo 2^64
    bool is_negative;
};

/// The number of elements of a host range. @throws ArgumentError if it is negative
GEMEL_API std::size_t checked_count(Integer count);

struct PhiloxState;

/// A stream of random numbers on a device. A handle: copies share the position in the stream, also between threads, so
/// that no two calls return the same numbers. Draws are enqueued on the thread's current stream and return at once.
class GEMEL_API Philox {
   public:
    /// Streams of one seed never overlap, nor do their substreams.
    /// @param seed    64 bits
    /// @param stream  0 to 2^32 - 1
    /// @throws ArgumentError for other streams
    explicit Philox(const Context& context, IntegerBound seed, IntegerBound stream = 0);
    /// On the current context.
    explicit Philox(IntegerBound seed);

    /// Substream k of this stream, at its beginning. Equal k give equal numbers.
    /// @param k  0 to 2^32 - 2
    /// @throws ArgumentError if this is a substream itself, or for k out of range
    Philox substream(IntegerBound k) const;
    /// Skips a number of 32-bit words: floats and 32-bit integers take one each, doubles two.
    void skip(std::uint64_t words) const;
    /// How many 32-bit words have been drawn or skipped.
    std::uint64_t position() const;
    std::uint64_t seed() const;
    Context context() const { return context_; }

    /// Reals in [low, high): low + u * (high - low), rounded once. u is a multiple of 2^-24 (half 2^-11, bfloat16 2^-8,
    /// double 2^-53). @throws ArgumentError unless low < high, both finite in T
    template <ContinuousElement T>
    GPUArray<T> uniform(Shape shape, double low = 0, double high = 1) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_uniform(out, low, high);
        return out;
    }
    /// Normally distributed. |x - mean| <= 6.8 sigma for float and half, 8.7 sigma for double.
    template <ContinuousElement T>
    GPUArray<T> normal(Shape shape, double mean = 0, double sigma = 1) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_normal(out, mean, sigma);
        return out;
    }
    /// exp of a normal number with this mean and sigma.
    template <RealElement T>
    GPUArray<T> log_normal(Shape shape, double mean = 0, double sigma = 1) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_log_normal(out, mean, sigma);
        return out;
    }
    /// Exponentially distributed with mean `scale`.
    template <RealElement T>
    GPUArray<T> exponential(Shape shape, double scale = 1) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_exponential(out, scale);
        return out;
    }
    /// Uniform integers in [low, high), without bias.
    template <IntegerLanes T>
    GPUArray<T> integers(Shape shape, IntegerBound low, IntegerBound high) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_integers(out, low, high);
        return out;
    }
    /// All values of T.
    template <IntegerLanes T>
    GPUArray<T> integers(Shape shape) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_bits(out);
        return out;
    }
    /// 1 with this probability (rounded to a multiple of 2^-32), else 0.
    template <BitElement T = bool>
    GPUArray<T> bernoulli(Shape shape, double probability = 0.5) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_bernoulli(out, probability);
        return out;
    }
    /// Poisson distributed with this mean, 0 to 10^9. The first draw with a new mean uploads a table and blocks.
    template <CountElement T = std::int32_t>
    GPUArray<T> poisson(Shape shape, double mean) const {
        GPUArray<T> out(context_, std::move(shape));
        fill_poisson(out, mean);
        return out;
    }
    /// Poisson distributed, with one mean per element: `poisson(2 * x)`. Even for equal means, the numbers differ from
    /// those of poisson(shape, mean).
    /// @param means  real numbers from 0 to 10^9, any shape and layout; an expression is evaluated first
    /// @returns  the shape of the means. A negative mean, NaN, or one above 10^9 gives NaN, of an integer type -1 or
    ///           the largest unsigned number. Counts beyond an integer type become its largest number
    /// @throws ArgumentError for complex means or those of another context; CompileError on devices without double
    /// @time enqueued, returns at once; means of another type than float or double, or with gaps, are copied first
    /// @source Hoermann 1993, transformed rejection (PTRS); below a mean of 10 inversion
    template <CountElement T = std::int32_t>
    GPUArray<T> poisson(const AnyArray& means) const {
        GPUArray<T> out(context_, means.shape());
        fill_poisson(out, means);
        return out;
    }
    /// The numbers 0 to count - 1 in random order, shape (count,). Up to 4096 numbers are shuffled on the host, and the
    /// call blocks; more go through a keyed bijection, which needs no sorting.
    template <IntegerElement T = std::int64_t>
    GPUArray<T> permutation(Integer count) const {
        GPUArray<T> out(context_, Shape(std::int64_t{count}));
        fill_permutation(out);
        return out;
    }

    // NumPy's order, `normal(0, 1, 100)`, would be a shape of 0 and other parameters: a shape before parameters has
    // braces.
#define GEMEL_SHAPE_FIRST(function, T) \
    template <T, class N, class... Parameters> \
        requires(std::is_arithmetic_v<N> && sizeof...(Parameters) > 0) \
    void function(N, Parameters...) const = delete
    GEMEL_SHAPE_FIRST(uniform, class T);         // the shape comes first: uniform<float>({100}, low, high)
    GEMEL_SHAPE_FIRST(normal, class T);          // the shape comes first: normal<float>({100}, mean, sigma)
    GEMEL_SHAPE_FIRST(log_normal, class T);      // the shape comes first: log_normal<float>({100}, mean, sigma)
    GEMEL_SHAPE_FIRST(exponential, class T);     // the shape comes first: exponential<float>({100}, scale)
    GEMEL_SHAPE_FIRST(integers, class T);        // the shape comes first: integers<int>({100}, low, high)
    GEMEL_SHAPE_FIRST(bernoulli, class = bool);  // the shape comes first: bernoulli({100}, probability)
    GEMEL_SHAPE_FIRST(poisson, class = int);     // the shape comes first: poisson({100}, mean)
#undef GEMEL_SHAPE_FIRST

    // The same into given arrays, which must be of this context. Numbers are in C order of the indices; an
    // array with gaps is filled through a temporary one.
    void fill_uniform(const AnyArray& out, double low = 0, double high = 1) const;
    void fill_normal(const AnyArray& out, double mean = 0, double sigma = 1) const;
    void fill_log_normal(const AnyArray& out, double mean = 0, double sigma = 1) const;
    void fill_exponential(const AnyArray& out, double scale = 1) const;
    void fill_integers(const AnyArray& out, IntegerBound low, IntegerBound high) const;
    void fill_bits(const AnyArray& out) const;
    void fill_bernoulli(const AnyArray& out, double probability = 0.5) const;
    void fill_poisson(const AnyArray& out, double mean) const;
    /// The means are broadcast to the shape of `out` and may lie in its memory.
    void fill_poisson(const AnyArray& out, const AnyArray& means) const;
    void fill_permutation(const AnyArray& out) const;
    /// Reals in [0, 1), integers of all values, true and false alike.
    void fill(const AnyArray& out) const;

   protected:
    Philox(Context context, std::shared_ptr<PhiloxState> state)
        : context_(std::move(context)), state_(std::move(state)) {}
    GEMEL_API friend Philox default_generator(const Context& context);

   private:
    Context context_;
    std::shared_ptr<PhiloxState> state_;
};

/// The same interface as Philox, with words from Threefry 4x32-20, which uses additions, rotations and exclusive ors
/// instead of multiplications: an independent generator to cross-check results.
/// @source Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011
class GEMEL_API Threefry : public Philox {
   public:
    explicit Threefry(const Context& context, IntegerBound seed, IntegerBound stream = 0);
    /// On the current context.
    explicit Threefry(IntegerBound seed);
};

/// The context's default generator, which rand() and randn() use. Its seed is the last one given to seed(), else
/// GEMEL_SEED, else new in every process.
GEMEL_API Philox default_generator(const Context& context);
/// Restarts the default generators of all contexts with this seed.
GEMEL_API void seed(IntegerBound value);

/// Reals in [0, 1), integers of all values, or bools, from the default generator.
template <AnyElement T>
GPUArray<T> rand(const Context& context, Shape shape) {
    GPUArray<T> out(context, std::move(shape));
    default_generator(context).fill(out);
    return out;
}
/// On the current context: `rand<float>({500000})`.
template <AnyElement T>
GPUArray<T> rand(Shape shape) {
    return rand<T>(current_context(), std::move(shape));
}
/// Normal numbers of mean 0 and standard deviation 1 from the default generator.
template <ContinuousElement T>
GPUArray<T> randn(const Context& context, Shape shape) {
    return default_generator(context).normal<T>(std::move(shape));
}
template <ContinuousElement T>
GPUArray<T> randn(Shape shape) {
    return randn<T>(current_context(), std::move(shape));
}

}  // namespace gemel::random
