/// What core/src/language/tile_section.cpp has as PTX, for kernels that the host's compiler makes: how warp groups read
/// shared memory, written down here a second time, from the PTX ISA's figures.
#pragma once

/// Tiles of wgmma: lines of 128 bytes whose accesses of 16 bytes are exchanged by the line's number. A tile's number is
/// here its address in units of 16 bytes, and above it the distance of panels in the same units.
inline unsigned long long gemel_tile(const void* p, int lead) {
    return reinterpret_cast<std::size_t>(p) / 16 | static_cast<unsigned long long>(lead / 16) << 48;
}
template <class T>
T* gemel_tile_aligned(T* p) {
    return reinterpret_cast<T*>((reinterpret_cast<std::size_t>(p) + 1023) / 1024 * 1024);
}
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
    std::size_t at = (tile & 0xffffffffffffull) * 16, lead = (tile >> 48) * 16;
    if (is_turned)
        at += static_cast<std::size_t>(line / per_line) * lead + static_cast<std::size_t>(depth) * 128 +
              static_cast<std::size_t>(line % per_line) * sizeof(T);
    else
        at += static_cast<std::size_t>(line) * 128 + static_cast<std::size_t>(depth) * sizeof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(at ^ (at >> 7 & 7) << 4), sizeof(T));
    return value;
}

/// c += a b for the four warps' 64 lines. `a_of(row, depth)` and `b_of(depth, column)` give elements.
template <int width, int depth, class A, class B>
void gemel_multiply_tiles(float* c, const A& a_of, const B& b_of) {
    const int group = static_cast<int>(gemel_lane() / 4), quad = static_cast<int>(gemel_lane() % 4);
    for (int half = 0; half < 2; ++half) {
        float own[depth];
        for (int k = 0; k < depth; ++k) own[k] = a_of(group + 8 * half, k);
        for (int column = 0; column < width; ++column)
            if (column % 8 / 2 == quad)
                for (int k = 0; k < depth; ++k) c[column / 8 * 4 + 2 * half + column % 2] += own[k] * b_of(k, column);
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
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_float16_64(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<64, a_is_turned, b_is_turned>(c, a, b, gemel_load_float16);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_bfloat16_64(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<64, a_is_turned, b_is_turned>(
        c, a, b, [](unsigned bits) { return gemel_bits<float>(bits << 16); });
}
inline void gemel_multiply_tiles_tf32_64(float* c, const unsigned* a, unsigned long long b) {
    gemel_multiply_tiles_tf32<64>(c, a, b);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_float16_128(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<128, a_is_turned, b_is_turned>(c, a, b, gemel_load_float16);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_bfloat16_128(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<128, a_is_turned, b_is_turned>(
        c, a, b, [](unsigned bits) { return gemel_bits<float>(bits << 16); });
}
inline void gemel_multiply_tiles_tf32_128(float* c, const unsigned* a, unsigned long long b) {
    gemel_multiply_tiles_tf32<128>(c, a, b);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_float16_192(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<192, a_is_turned, b_is_turned>(c, a, b, gemel_load_float16);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_bfloat16_192(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<192, a_is_turned, b_is_turned>(
        c, a, b, [](unsigned bits) { return gemel_bits<float>(bits << 16); });
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_float16_256(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<256, a_is_turned, b_is_turned>(c, a, b, gemel_load_float16);
}
template <int a_is_turned, int b_is_turned>
void gemel_multiply_tiles_bfloat16_256(float* c, unsigned long long a, unsigned long long b) {
    gemel_multiply_tiles_short<256, a_is_turned, b_is_turned>(
        c, a, b, [](unsigned bits) { return gemel_bits<float>(bits << 16); });
}
inline void gemel_multiply_tiles_tf32_192(float* c, const unsigned* a, unsigned long long b) {
    gemel_multiply_tiles_tf32<192>(c, a, b);
}
inline void gemel_multiply_tiles_tf32_256(float* c, const unsigned* a, unsigned long long b) {
    gemel_multiply_tiles_tf32<256>(c, a, b);
}
