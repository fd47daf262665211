/// What core/src/language/tensor_section.cpp and cluster_section.cpp have as PTX, for kernels that the host's compiler
/// makes: where lanes keep their parts of small matrices is written down here a second time, from the PTX ISA's
/// figures.
#pragma once

inline unsigned gemel_lane() { return gemel_runtime->place().lane; }

/// A word of each lane.
struct GemelWords {
    unsigned of[32];
    explicit GemelWords(unsigned own) {
        const unsigned* const all = gemel_runtime->warp_words(own);
        for (unsigned lane = 0; lane < 32; ++lane) of[lane] = all[lane];
        gemel_runtime->warp_done();
    }
};

template <int bytes>
void gemel_copy_async(void* to, const void* from, int valid) {
    if (reinterpret_cast<std::size_t>(to) % bytes || (valid > 0 && reinterpret_cast<std::size_t>(from) % bytes))
        __builtin_trap();  // as a GPU would
    std::memset(to, 0, bytes);
    if (valid > 0) std::memcpy(to, from, static_cast<std::size_t>(valid));
}
inline void gemel_copy_async_4(void* to, const void* from, int valid) { gemel_copy_async<4>(to, from, valid); }
inline void gemel_copy_async_8(void* to, const void* from, int valid) { gemel_copy_async<8>(to, from, valid); }
inline void gemel_copy_async_16(void* to, const void* from, int valid) { gemel_copy_async<16>(to, from, valid); }
inline void gemel_commit_copies() {}
inline void gemel_await_copies_0() {}
inline void gemel_await_copies_1() {}
inline void gemel_await_copies_2() {}
inline void gemel_await_copies_3() {}
inline void gemel_await_copies_4() {}
inline void gemel_await_copies_5() {}

/// Shared memory is thread-local: equally far from this in each thread of the host.
static thread_local char gemel_shared_place;
inline void gemel_cluster_arrive() {}
inline void gemel_cluster_wait(int blocks) {
    __syncthreads();
    if (threadIdx.x == 0) gemel_runtime->cluster_wait(static_cast<unsigned>(blocks), &gemel_shared_place);
    __syncthreads();
}
inline void gemel_cluster_store(void* p, int block, unsigned word) {
    const auto offset = static_cast<char*>(p) - &gemel_shared_place;
    std::memcpy(gemel_runtime->cluster_shared(static_cast<unsigned>(block)) + offset, &word, sizeof word);
}

/// Four matrices of 8 x 8 16-bit words. Lanes 8 * m to 8 * m + 7 give the lines of matrix m.
inline void gemel_load_lines(unsigned* to, const void* from, bool turned) {
    if (reinterpret_cast<std::size_t>(from) % 16) __builtin_trap();
    const GemelWords low(static_cast<unsigned>(reinterpret_cast<std::size_t>(from))),
        high(static_cast<unsigned>(reinterpret_cast<std::size_t>(from) >> 32));
    const unsigned lane = gemel_lane();
    const auto element = [&](unsigned matrix, unsigned line, unsigned at) -> unsigned {
        const unsigned giver = 8 * matrix + line;
        return reinterpret_cast<const unsigned short*>(std::size_t{high.of[giver]} << 32 | low.of[giver])[at];
    };
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
        const unsigned line = lane / 4, at = lane % 4 * 2;
        to[matrix] = turned ? element(matrix, at, line) | element(matrix, at + 1, line) << 16
                            : element(matrix, line, at) | element(matrix, line, at + 1) << 16;
    }
}
inline void gemel_load_matrices(unsigned* to, const void* from) { gemel_load_lines(to, from, false); }
inline void gemel_load_matrices_turned(unsigned* to, const void* from) { gemel_load_lines(to, from, true); }

/// c += a b for 16 x depth times depth x 8. `a_of(lane, register)` and `b_of` give what a lane keeps there; 16-bit
/// elements lie two in a register.
template <int depth, int packed, class Sum, class A, class B>
void gemel_multiply(Sum* c, const A& a_of, const B& b_of) {
    const int group = static_cast<int>(gemel_lane() / 4), quad = static_cast<int>(gemel_lane() % 4);
    for (int i = 0; i < 4; ++i) {
        const int row = group + 8 * (i / 2), column = 2 * quad + i % 2;
        for (int k = 0; k < depth; ++k) {
            const int holder = k / packed % 4,
                      half = k / (4 * packed);  // registers hold the first, then the second half
            c[i] += a_of(row % 8 * 4 + holder, row / 8 + 2 * half, k % packed) *
                    b_of(column * 4 + holder, half, k % packed);
        }
    }
}
inline float gemel_tf32_of(unsigned bits) { return gemel_bits<float>(bits & 0xffffe000u); }
inline void gemel_multiply_tf32(float* c, const unsigned* a, const unsigned* b) {
    const GemelWords a_words[] = {GemelWords(a[0]), GemelWords(a[1]), GemelWords(a[2]), GemelWords(a[3])},
                     b_words[] = {GemelWords(b[0]), GemelWords(b[1])};
    gemel_multiply<8, 1>(
        c, [&](int lane, int k, int) { return gemel_tf32_of(a_words[k].of[lane]); },
        [&](int lane, int k, int) { return gemel_tf32_of(b_words[k].of[lane]); });
}
template <class Convert>
void gemel_multiply_short(float* c, const unsigned* a, const unsigned* b, const Convert& convert) {
    const GemelWords a_words[] = {GemelWords(a[0]), GemelWords(a[1]), GemelWords(a[2]), GemelWords(a[3])},
                     b_words[] = {GemelWords(b[0]), GemelWords(b[1])};
    gemel_multiply<16, 2>(
        c, [&](int lane, int k, int part) { return convert(a_words[k].of[lane] >> 16 * part & 0xffffu); },
        [&](int lane, int k, int part) { return convert(b_words[k].of[lane] >> 16 * part & 0xffffu); });
}
inline void gemel_multiply_float16(float* c, const unsigned* a, const unsigned* b) {
    gemel_multiply_short(c, a, b, [](unsigned bits) { return gemel_load_float16(static_cast<unsigned short>(bits)); });
}
inline void gemel_multiply_bfloat16(float* c, const unsigned* a, const unsigned* b) {
    gemel_multiply_short(c, a, b, [](unsigned bits) { return gemel_bits<float>(bits << 16); });
}
/// A double of each lane.
struct GemelDoubles {
    GemelWords low, high;
    explicit GemelDoubles(double own)
        : low(static_cast<unsigned>(gemel_bits<unsigned long long>(own))),
          high(static_cast<unsigned>(gemel_bits<unsigned long long>(own) >> 32)) {}
    double of(int lane) const {
        return gemel_bits<double>(static_cast<unsigned long long>(high.of[lane]) << 32 | low.of[lane]);
    }
};
template <int depth>
void gemel_multiply_doubles(double* c, const double* a, const double* b) {
    constexpr int n = depth / 2, m = depth / 4;  // elements of a lane; repeated where there are fewer
    const GemelDoubles a_words[] = {GemelDoubles(a[0]),     GemelDoubles(a[1]),     GemelDoubles(a[2]),
                                    GemelDoubles(a[3]),     GemelDoubles(a[4 % n]), GemelDoubles(a[5 % n]),
                                    GemelDoubles(a[6 % n]), GemelDoubles(a[7 % n])},
                       b_words[] = {GemelDoubles(b[0]), GemelDoubles(b[1]), GemelDoubles(b[2 % m]),
                                    GemelDoubles(b[3 % m])};
    gemel_multiply<depth, 1>(
        c, [&](int lane, int k, int) { return a_words[k].of(lane); },
        [&](int lane, int k, int) { return b_words[k].of(lane); });
}
inline void gemel_multiply_double_8(double* c, const double* a, const double* b) { gemel_multiply_doubles<8>(c, a, b); }
inline void gemel_multiply_double_16(double* c, const double* a, const double* b) {
    gemel_multiply_doubles<16>(c, a, b);
}
inline unsigned gemel_two_halves(float first, float second) {
    return static_cast<unsigned>(gemel_store_float16(first)) | static_cast<unsigned>(gemel_store_float16(second)) << 16;
}
inline unsigned gemel_bfloat_bits(float x) {
    const unsigned bits = gemel_bits<unsigned>(x);
    return x != x ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}
inline unsigned gemel_two_bfloats(float first, float second) {
    return gemel_bfloat_bits(first) | gemel_bfloat_bits(second) << 16;
}
inline float gemel_first_half(unsigned both) { return gemel_load_float16(static_cast<unsigned short>(both & 0xffffu)); }
inline float gemel_second_half(unsigned both) { return gemel_first_half(both >> 16); }
inline unsigned gemel_tf32(unsigned bits) { return (bits & 0x7fffffffu) < 0x7f800000u ? bits + 0x1000u : bits; }
