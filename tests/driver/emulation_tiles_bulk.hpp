/// What core/src/language/bulk_section.cpp has as PTX, for kernels that the host's compiler makes: barriers that count
/// threads and bytes, and copies that are done at once.
#pragma once

/// Lies in the eight bytes of a barrier.
struct GemelBarrier {
    unsigned short phase, arrivals, missing, unused;

    static GemelBarrier read(const unsigned long long* at) { return gemel_bits<GemelBarrier>(*at); }
    void write(unsigned long long* at) const { *at = gemel_bits<unsigned long long>(*this); }
};
inline void gemel_barrier_make(unsigned long long* barrier, int arrivals) {
    const auto count = static_cast<unsigned short>(arrivals);
    GemelBarrier{0, count, count, 0}.write(barrier);
}
inline void gemel_barrier_show() {}
inline void gemel_barrier_arrive(unsigned long long* barrier) {
    GemelBarrier state = GemelBarrier::read(barrier);
    if (--state.missing == 0) state.phase ^= 1, state.missing = state.arrivals;
    state.write(barrier);
}
/// Threads of a block run one after the other, and the one that expects bytes copies them before it waits: the last
/// byte counts as the arrival.
struct GemelExpected {
    unsigned long long* barrier;
    int bytes;
};
inline GemelExpected& gemel_expected() {
    static thread_local GemelExpected expected{};
    return expected;
}
inline void gemel_barrier_expect(unsigned long long* barrier, int bytes) { gemel_expected() = {barrier, bytes}; }
inline void gemel_copy_bulk(void* to, const void* from, int bytes, unsigned long long* barrier) {
    GemelExpected& expected = gemel_expected();
    const std::size_t places = reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from);
    if (places % 16 != 0 || bytes % 16 != 0 || expected.barrier != barrier || bytes > expected.bytes)
        __builtin_trap();  // a GPU would fault, or wait for ever
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    if ((expected.bytes -= bytes) == 0) gemel_barrier_arrive(barrier);
}
/// What the stand-in's cuTensorMapEncodeTiled has written into the map: the address, extents, steps, bytes per element
/// and lines per box. `map` is the kernel's own type.
template <class Map>
void gemel_prepare_map(const Map*) {}
template <class Map>
void gemel_copy_box(void* to, const Map* map, int x, int y, int z, unsigned long long* barrier) {
    const auto& words = map->words;
    const std::size_t item = words[6], lines = words[7], per_line = 128 / item;
    GemelExpected& expected = gemel_expected();
    const int bytes = static_cast<int>(lines * 128);
    if (reinterpret_cast<std::size_t>(to) % 128 != 0 || expected.barrier != barrier || bytes > expected.bytes)
        __builtin_trap();  // a GPU would fault, or wait for ever
    const auto is_inside = [&](std::size_t axis, long long at) {
        return at >= 0 && at < static_cast<long long>(words[1 + axis]);
    };
    for (std::size_t line = 0; line < lines; ++line)
        for (std::size_t k = 0; k < per_line; ++k) {
            const long long column = x + static_cast<long long>(k), row = y + static_cast<long long>(line);
            const std::size_t at = reinterpret_cast<std::size_t>(to) + line * 128 + k * item;
            void* const place = reinterpret_cast<void*>(at ^ (at >> 7 & 7) << 4);
            if (is_inside(0, column) && is_inside(1, row) && is_inside(2, z))
                std::memcpy(place,
                            reinterpret_cast<const char*>(words[0]) + static_cast<unsigned long long>(z) * words[5] +
                                static_cast<unsigned long long>(row) * words[4] +
                                static_cast<unsigned long long>(column) * item,
                            item);
            else
                std::memset(place, 0, item);
        }
    if ((expected.bytes -= bytes) == 0) gemel_barrier_arrive(barrier);
}
inline void gemel_barrier_await(unsigned long long* barrier, unsigned phase) {
    while (GemelBarrier::read(barrier).phase == phase) gemel_runtime->pause();
}
static thread_local unsigned gemel_group_arrivals[16];
inline void gemel_groups_arrive(int barrier) { ++gemel_group_arrivals[barrier]; }
inline void gemel_groups_await(int barrier) {
    const unsigned before = gemel_group_arrivals[barrier]++ / 256;
    while (gemel_group_arrivals[barrier] / 256 == before) gemel_runtime->pause();
}
inline void gemel_registers_40() {}
inline void gemel_registers_232() {}

template <int width>
void gemel_multiply_two_tiles_tf32(float* c, unsigned long long a, unsigned long long b) {
    const int first = static_cast<int>(threadIdx.x / 32 % 4) * 16;
    gemel_multiply_tiles<width, 8>(
        c, [&](int row, int k) { return gemel_tf32_of(gemel_tile_element<unsigned>(a, false, first + row, k)); },
        [&](int k, int column) { return gemel_tf32_of(gemel_tile_element<unsigned>(b, false, column, k)); });
}
#define GEMEL_TWO_TILES(width) \
    inline void gemel_multiply_two_tiles_tf32_##width(float* c, unsigned long long a, unsigned long long b) { \
        gemel_multiply_two_tiles_tf32<width>(c, a, b); \
    }
GEMEL_TWO_TILES(64)
GEMEL_TWO_TILES(128)
GEMEL_TWO_TILES(256)
#undef GEMEL_TWO_TILES
