/// Sobol' sequences: direction vectors, the source of the kernel, and the same points on the host.
///
/// In each dimension, point n is the exclusive or of the direction vectors of the bits set in the Gray code of n:
/// Sobol', "On the distribution of points in a cube and the approximate evaluation of integrals", USSR Computational
/// Mathematics and Mathematical Physics 7, 1967; the order is that of Antonov and Saleev, ibid. 19, 1979.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemel::codegen {

/// Dimensions in the table of initial direction numbers: Joe and Kuo's new-joe-kuo-6,
/// codegen/src/kernels/sobol_numbers.inc.
inline constexpr int sobol_dimensions = 1024;

/// The tables of a sequence. Their upper 32 bits give the sequence of 32-bit points.
struct SobolTable {
    int dimensions = 0;
    std::vector<std::uint64_t> directions;  ///< 64 rows, one per bit of the Gray code, lowest first
    std::vector<std::uint64_t> shifts;      ///< one row, combined with each point by exclusive or
};

/// @param scramble_seed  if given, every dimension gets a random linear scramble (its bits are multiplied by a lower
///        triangular bit matrix: Matousek, "On the L2-discrepancy for anchored boxes", Journal of Complexity 14, 1998)
///        and a random digital shift. Both come from the Philox stream 2^32 - 1 of this seed, 65 words of 64 bits per
///        dimension
/// @throws ArgumentError unless 1 <= dimensions <= sobol_dimensions
GEMEL_API SobolTable sobol_table(std::int64_t dimensions, std::optional<std::uint64_t> scramble_seed);

/// The bits of the points of an element type: 64 for types of 8 bytes, otherwise 32.
/// @throws ArgumentError for types other than half, bfloat16, float, double, uint32_t and uint64_t
GEMEL_API int sobol_bits(DType element);

/// The distribution of elements over threads. A thread computes `per_thread` neighbouring elements, then those 2^k
/// points later, each with two exclusive ors, and so on.
struct SobolTuning {
    int block = 256;          ///< threads
    int per_thread = 4;       ///< neighbouring elements
    bool wide_stores = true;  ///< one store for all of them, if the addresses allow
    friend bool operator==(const SobolTuning&, const SobolTuning&) = default;
};
GEMEL_API SobolTuning sobol_tuning(const DeviceInfo& info, DType element);

/// The kernel `sobol`, which fills an array of shape (points, dimensions). Parameters: out, offset and count
/// (elements); directions, followed by a row of zeros; shifts; the number of the first point; dimensions; k, where 2^k
/// is the distance in points between a thread's turns and dimensions * 2^k must be a multiple of `per_thread`; turns.
/// Directions, shifts and the first point have as many bits as the points.
struct GEMEL_API SobolFill {
    DType element = {};
    SobolTuning tuning = {};

    std::string source(const Dialect& dialect) const;
    friend bool operator==(const SobolFill&, const SobolFill&) = default;
};

/// Computes on the host what the kernel computes. `out` points to points * table.dimensions elements.
GEMEL_API void sobol_fill(DType element, const SobolTable& table, std::uint64_t first, std::uint64_t points, void* out);

}  // namespace gemel::codegen
