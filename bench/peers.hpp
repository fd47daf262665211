/// NVIDIA's own device-wide algorithms (CUB) on gemel's memory and stream, to be timed in turns with gemel's.
#pragma once

#include <cstddef>

namespace bench::peers {

/// Element types by gemel's names.
enum class Type { f32, f64, f16, i8 };

// Each enqueues on `stream` (a CUstream) and returns. Pointers are device addresses, contiguous.
void axpy(Type type, double a, const void* x, const void* y, void* z, std::size_t n, void* stream);
void axpby(double a, const void* x, double b, const void* y, void* z, std::size_t n, void* stream);
/// out = (a + b * c - d) * e, f32.
void five(const void* a, const void* b, const void* c, const void* d, const void* e, void* out, std::size_t n,
          void* stream);
void sum(Type type, const void* x, void* out, std::size_t n, void* stream);
void dot(const void* x, const void* y, void* out, std::size_t n, void* stream);
/// The value to `value`, its index (int64) to `index`.
void argmax(const void* x, void* value, void* index, std::size_t n, void* stream);
/// Minimum and maximum, two f32.
void minmax(const void* x, void* out, std::size_t n, void* stream);
void scan(Type type, const void* x, void* out, std::size_t n, void* stream);

/// Of f32: those above a limit, their number (int64) to `count`.
void select_above(const void* x, float limit, void* out, void* count, std::size_t n, void* stream);
/// Those below to the front of `out`, the others behind them.
void partition_below(const void* x, float limit, void* out, void* count, std::size_t n, void* stream);
// Of neighbouring int32.
void unique(const void* x, void* out, void* count, std::size_t n, void* stream);
void run_lengths(const void* x, void* values, void* lengths, void* count, std::size_t n, void* stream);
/// int32 keys, f32 sums.
void reduce_by_key(const void* keys, const void* values, void* out_keys, void* sums, void* count, std::size_t n,
                   void* stream);
/// Of f32 between 0 and 1, int32 counts.
void histogram(const void* x, void* counts, int bins, std::size_t n, void* stream);

enum class Key { u8, u16, u32, u64, f32 };
void sort_keys(Key type, const void* x, void* out, std::size_t n, void* stream);
/// Keys with values.
enum class Pair { u8_u32, u16_u16, u32_u8, u32_u32, u32_u64, u64_u32, u64_u64 };
void sort_pairs(Pair type, const void* keys, void* sorted_keys, const void* values, void* sorted_values, std::size_t n,
                void* stream);
/// f32, each row by itself.
void sort_rows(const void* x, void* out, std::size_t rows, std::size_t length, void* stream);

}  // namespace bench::peers
