/// Quasi-random numbers: Sobol' sequences, whose points fill the unit cube more evenly than random ones.
///
/// The points are the same on every device and on the host (HostSobol). docs/random.md has the rules and the sources.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/random.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gemel::random {

/// Randomises a sequence and keeps its uniformity: Matousek's random linear scramble of the digits, then a random
/// digital shift. Both use Philox numbers of this seed.
struct Scramble {
    std::uint64_t seed = 0;
};

/// The points themselves: multiples of 2^-32, or of 2^-64, as integers.
template <class T>
concept PointElement = std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

struct SobolState;

/// A Sobol' sequence on a device. It is a handle: copies share one sequence and may be used from any thread; no two
/// calls return the same points. Draws are enqueued on the thread's current stream. Draws return at once, except the
/// first of each width (32 or 64 bits), which uploads the direction vectors and blocks.
///
/// Point 0 is the origin, unless the sequence is scrambled. In each dimension, exactly one of the points 0 to 2^k - 1
/// lies in every interval [j 2^-k, (j + 1) 2^-k). To use this property, draw 2^k points from the start.
///
///     random::Sobol points(context, 2);
///     GPUArray<float> x = points.uniform<float>(1 << 20);   // shape (1048576, 2)
class GEMEL_API Sobol {
   public:
    /// @param dimensions  1 to 1024
    /// @throws ArgumentError for other numbers of dimensions
    /// @source direction numbers: Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections",
    ///         SIAM J. Sci. Comput. 30, 2008; order: Antonov and Saleev 1979 (as scipy.stats.qmc.Sobol)
    Sobol(const Context& context, Integer dimensions, std::optional<Scramble> scramble = {});
    /// On the current context.
    explicit Sobol(Integer dimensions, std::optional<Scramble> scramble = {});

    std::int64_t dimensions() const;
    /// The number of points that were drawn or skipped.
    std::uint64_t position() const;
    /// Skips a number of points. @throws Error beyond point 2^63
    void skip(std::uint64_t points) const;
    Context context() const { return context_; }

    /// The next points, in [0, 1): the highest bits of each coordinate, 24 for float, 53 for double, 11 for half, 8 for
    /// bfloat16. All types give the same points.
    /// @returns  shape (count, dimensions)
    /// @throws ArgumentError for a negative count; Error beyond point 2^32, for double and uint64_t beyond point 2^63
    template <RealElement T>
    GPUArray<T> uniform(Integer count) const {
        GPUArray<T> out(context_, Shape(std::int64_t{count}, dimensions()));
        fill(out);
        return out;
    }
    /// The same as integers: 2^32 or 2^64 times the coordinates.
    template <PointElement T>
    GPUArray<T> integers(Integer count) const {
        GPUArray<T> out(context_, Shape(std::int64_t{count}, dimensions()));
        fill(out);
        return out;
    }
    /// Writes the next points into an array of this context, of shape (count, dimensions) and one of the types above.
    /// An array with gaps is filled through a temporary one. @throws ArgumentError for other arrays; Error as above
    void fill(const AnyArray& out) const;

   private:
    Context context_;
    std::shared_ptr<SobolState> state_;
};

/// The same points on the host, as a reference and for work without a device. Not thread-safe.
class GEMEL_API HostSobol {
   public:
    explicit HostSobol(Integer dimensions, std::optional<Scramble> scramble = {});

    std::int64_t dimensions() const;
    std::uint64_t position() const { return position_; }
    void skip(std::uint64_t points);

    /// In C order: the coordinates of a point are contiguous.
    template <RealElement T>
    std::vector<T> uniform(Integer count) {
        const std::size_t points = checked_count(count);
        std::vector<T> out(points * static_cast<std::size_t>(dimensions()));
        fill(out.data(), dtype_of<T>(), points);
        return out;
    }
    template <PointElement T>
    std::vector<T> integers(Integer count) {
        const std::size_t points = checked_count(count);
        std::vector<T> out(points * static_cast<std::size_t>(dimensions()));
        fill(out.data(), dtype_of<T>(), points);
        return out;
    }
    /// Writes to memory for count * dimensions elements.
    void fill(void* out, DType dtype, std::size_t count);

   private:
    std::shared_ptr<const SobolState> state_;
    std::uint64_t position_ = 0;
};

}  // namespace gemel::random
