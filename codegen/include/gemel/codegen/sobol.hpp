/// Sobol' sequences: their direction vectors, the text of the kernel, and the same points on the host.
///
/// Point n has in each dimension the exclusive or of the direction vectors that belong to the bits of n's Gray code:
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

/// As many as the table of initial direction numbers has: Joe and Kuo's new-joe-kuo-6,
/// codegen/src/kernels/sobol_numbers.inc.
inline constexpr int sobol_dimensions = 1024;

/// What makes a sequence. The upper 32 bits of all of it are the sequence of 32-bit points.
struct SobolTable {
    int dimensions = 0;
    std::vector<std::uint64_t> directions;  ///< 64 rows, one for each bit of the Gray code from the lowest on
    std::vector<std::uint64_t> shifts;      ///< one row, exclusive-ored to each point
};

/// @param scramble_seed  if given, every dimension gets a random linear scramble (its digits are multiplied by a lower
///        triangular matrix of bits: Matousek, "On the L2-discrepancy for anchored boxes", Journal of Complexity 14,
///        1998) and a random digital shift, from the Philox stream 2^32 - 1 of this seed: 65 words of 64 bits per
///        dimension
/// @throws ArgumentError unless 1 <= dimensions <= sobol_dimensions
GEMEL_API SobolTable sobol_table(std::int64_t dimensions, std::optional<std::uint64_t> scramble_seed);

/// Bits of the points that an element is made of: 32, or 64 for those of 8 bytes. @throws ArgumentError for types other
/// than half, bfloat16, float, double, uint32_t and uint64_t
GEMEL_API int sobol_bits(DType element);

/// How elements are dealt out to threads. A thread takes `per_thread` elements side by side, and as many 2^k points
/// later, for which each costs two exclusive ors.
struct SobolTuning {
    int block = 256;          ///< threads
    int per_thread = 4;       ///< elements side by side
    bool wide_stores = true;  ///< all of them at once, where addresses allow
    friend bool operator==(const SobolTuning&, const SobolTuning&) = default;
};
GEMEL_API SobolTuning sobol_tuning(const DeviceInfo& info, DType element);

/// A kernel `sobol` that fills an array of shape (points, dimensions). Its parameters: out, offset and count
/// (elements); directions, with a row of zeros behind the last; shifts; the number of the first point; dimensions; the
/// exponent k of the points from one turn of a thread to its next, for which dimensions * 2^k must be a multiple of
/// `per_thread`; turns. Directions, shifts and the first point have as many bits as the points.
struct GEMEL_API SobolFill {
    DType element = {};
    SobolTuning tuning = {};

    std::string source(const Dialect& dialect) const;
    friend bool operator==(const SobolFill&, const SobolFill&) = default;
};

/// What the kernel computes, on the host. `out` points to points * table.dimensions elements.
GEMEL_API void sobol_fill(DType element, const SobolTable& table, std::uint64_t first, std::uint64_t points, void* out);

}  // namespace gemel::codegen
