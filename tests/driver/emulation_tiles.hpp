/// What core/src/language/tile_section.cpp has as PTX, for kernels that the host's compiler makes: how warp groups read
/// shared memory, written down here a second time, from the PTX ISA's figures.
#pragma once

/// Tiles of wgmma: lines of 128 bytes whose accesses of 16 bytes are exchanged by the line's number. A tile's number is
/// here its address in units of 16 bytes, and above it the distance of panels in the same units.
inline unsigned long long gemel_tile(const void* p, int lead) {
    return reinterpret_cast<std::size_t>(p) / 16 | static_cast<unsigned long long>(lead / 16) << 48;
}
/// The same with lines of 64 bytes, of which pairs are exchanged together; the number's highest bit tells.
inline unsigned long long gemel_tile_64(const void* p) { return reinterpret_cast<std::size_t>(p) / 16 | 1ull << 63; }
template <class T>
T* gemel_tile_aligned(T* p) {
    return reinterpret_cast<T*>((reinterpret_cast<std::size_t>(p) + 1023) / 1024 * 1024);
}
inline void gemel_show_copies_to_tiles() {}
inline void gemel_begin_tiles() {}
inline void gemel_commit_tiles() {}
inline void gemel_await_tiles_0() {}
inline void gemel_await_tiles_1() {}
inline void gemel_before_tiles(unsigned int*) {}
inline void gemel_after_tiles(float*) {}

/// The element of a line (a row of a, a column of b) at a place along the summed axis.
template <class T>
T gemel_tile_element(unsigned long long tile, bool is_turned, int line, int depth) {
    constexpr int per_line = 128 / sizeof(T);
    const bool is_short = tile >> 63 != 0;
    std::size_t at = (tile & 0xffffffffffffull) * 16, lead = (tile >> 48 & 0x7fff) * 16;
    if (is_short && is_turned) __builtin_trap();
    if (is_turned)
        at += static_cast<std::size_t>(line / per_line) * lead + static_cast<std::size_t>(depth) * 128 +
              static_cast<std::size_t>(line % per_line) * sizeof(T);
    else
        at += static_cast<std::size_t>(line) * (is_short ? 64 : 128) + static_cast<std::size_t>(depth) * sizeof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(at ^ (at >> 7 & (is_short ? 3 : 7)) << 4), sizeof(T));
    return value;
}

/// The float next to x towards zero: tensor cores truncate sums.
inline float gemel_truncated(double x) {
    const auto rounded = static_cast<float>(x);
    if (!(__builtin_fabs(rounded) > __builtin_fabs(x))) return rounded;
    return gemel_bits<float>(gemel_bits<unsigned>(rounded) - 1);
}

/// c += a b for the four warps' 64 lines. `a_of(row, depth)` and `b_of(depth, column)` give elements.
template <int width, int depth, class A, class B>
void gemel_multiply_tiles(float* c, const A& a_of, const B& b_of) {
    const int group = static_cast<int>(gemel_lane() / 4), quad = static_cast<int>(gemel_lane() % 4);
    for (int half = 0; half < 2; ++half) {
        float own[depth];
        for (int k = 0; k < depth; ++k) own[k] = a_of(group + 8 * half, k);
        for (int column = 0; column < width; ++column)
            if (column % 8 / 2 == quad) {
                float& sum = c[column / 8 * 4 + 2 * half + column % 2];
                double exact = sum;
                for (int k = 0; k < depth; ++k) exact += static_cast<double>(own[k]) * b_of(k, column);
                sum = gemel_truncated(exact);
            }
    }
}
template <int width, bool a_is_turned, bool b_is_turned, class Convert>
void gemel_multiply_tiles_short(float* c, unsigned long long a, unsigned long long b, const Convert& convert) {
    const int first = static_cast<int>(threadIdx.x / 32 % 4) * 16;
    gemel_multiply_tiles<width, 16>(
        c, [&](int row, int k) { return convert(gemel_tile_element<unsigned short>(a, a_is_turned, first + row, k)); },
        [&](int k, int column) { return convert(gemel_tile_element<unsigned short>(b, b_is_turned, column, k)); });
}
template <int width>
void gemel_multiply_tiles_tf32(float* c, const unsigned* a, unsigned long long b) {
    const GemelWords words[] = {GemelWords(a[0]), GemelWords(a[1]), GemelWords(a[2]), GemelWords(a[3])};
    gemel_multiply_tiles<width, 8>(
        c, [&](int row, int k) { return gemel_tf32_of(words[row / 8 + k / 4 * 2].of[row % 8 * 4 + k % 4]); },
        [&](int k, int column) { return gemel_tf32_of(gemel_tile_element<unsigned>(b, false, column, k)); });
}
inline float gemel_tiles_bfloat16(unsigned bits) { return gemel_bits<float>(bits << 16); }

#define GEMEL_TILES_IN_ORDER(width, orders, a_is_turned, b_is_turned) \
    inline void gemel_multiply_tiles_float16_##width##_##orders(float* c, unsigned long long a, \
                                                                unsigned long long b) { \
        gemel_multiply_tiles_short<width, a_is_turned, b_is_turned>(c, a, b, gemel_load_float16); \
    } \
    inline void gemel_multiply_tiles_bfloat16_##width##_##orders(float* c, unsigned long long a, \
                                                                 unsigned long long b) { \
        gemel_multiply_tiles_short<width, a_is_turned, b_is_turned>(c, a, b, gemel_tiles_bfloat16); \
    }
#define GEMEL_TILES_OF_WIDTH(width) \
    GEMEL_TILES_IN_ORDER(width, kk, false, false) \
    GEMEL_TILES_IN_ORDER(width, kn, false, true) \
    GEMEL_TILES_IN_ORDER(width, mk, true, false) \
    GEMEL_TILES_IN_ORDER(width, mn, true, true) \
    inline void gemel_multiply_tiles_tf32_##width(float* c, const unsigned* a, unsigned long long b) { \
        gemel_multiply_tiles_tf32<width>(c, a, b); \
    }
GEMEL_TILES_OF_WIDTH(64)
GEMEL_TILES_OF_WIDTH(128)
GEMEL_TILES_OF_WIDTH(192)
GEMEL_TILES_OF_WIDTH(256)
