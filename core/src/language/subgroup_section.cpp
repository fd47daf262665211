/// The source of subgroup_add and related functions, based on one exchange of words.
#include "language/subgroup_section.hpp"

#include <utility>

namespace gemel {
namespace {

const char* const body = R"(GEMEL_FUNCTION uint64_t gemel_subgroup_wide(uint64_t x, int lane)
{
    uint64_t low = gemel_subgroup_word((uint32_t)x, lane), high = gemel_subgroup_word((uint32_t)(x >> 32), lane);
    return low | high << 32;
}
#define GEMEL_SUBGROUP(T, SHUFFLED, MIN, MAX) \
GEMEL_FUNCTION T subgroup_shuffle(T x, int lane) { return SHUFFLED; } \
GEMEL_FUNCTION T subgroup_broadcast(T x, int lane) { return subgroup_shuffle(x, lane); } \
GEMEL_SUBGROUP_FOLD(T, subgroup_add, x + other) \
GEMEL_SUBGROUP_FOLD(T, subgroup_min, MIN(x, other)) \
GEMEL_SUBGROUP_FOLD(T, subgroup_max, MAX(x, other)) \
GEMEL_FUNCTION T subgroup_scan_add(T x) \
{ \
    int size = subgroup_size(), lane = subgroup_lane(), delta; \
    for (delta = 1; delta < size; delta *= 2) { \
        T other = subgroup_shuffle(x, lane < delta ? lane : lane - delta); \
        if (lane >= delta) x = other + x; \
    } \
    return x; \
}
#define GEMEL_SUBGROUP_FOLD(T, NAME, FOLDED) \
GEMEL_FUNCTION T NAME(T x) \
{ \
    int size = subgroup_size(), lane = subgroup_lane(), delta = 1; \
    while (2 * delta < size) delta *= 2; \
    for (; delta > 0; delta /= 2) { \
        T other = subgroup_shuffle(x, lane + delta < size ? lane + delta : lane); \
        if (lane + delta < size) x = FOLDED; \
    } \
    return subgroup_shuffle(x, 0); \
}
#define GEMEL_SUBGROUP_LESS(a, b) ((b) < (a) ? (b) : (a))
#define GEMEL_SUBGROUP_MORE(a, b) ((a) < (b) ? (b) : (a))
GEMEL_SUBGROUP(int32_t, (int32_t)gemel_subgroup_word((uint32_t)x, lane), GEMEL_SUBGROUP_LESS, GEMEL_SUBGROUP_MORE)
GEMEL_SUBGROUP(uint32_t, gemel_subgroup_word(x, lane), GEMEL_SUBGROUP_LESS, GEMEL_SUBGROUP_MORE)
GEMEL_SUBGROUP(int64_t, (int64_t)gemel_subgroup_wide((uint64_t)x, lane), GEMEL_SUBGROUP_LESS, GEMEL_SUBGROUP_MORE)
GEMEL_SUBGROUP(uint64_t, gemel_subgroup_wide(x, lane), GEMEL_SUBGROUP_LESS, GEMEL_SUBGROUP_MORE)
GEMEL_SUBGROUP(float, as_float(gemel_subgroup_word(as_uint(x), lane)), fmin, fmax)
)";

const char* const of_double = "GEMEL_SUBGROUP(double, as_double(gemel_subgroup_wide(as_ulong(x), lane)), fmin, fmax)\n";

const char* const votes = R"(#undef GEMEL_SUBGROUP
#undef GEMEL_SUBGROUP_FOLD
#undef GEMEL_SUBGROUP_LESS
#undef GEMEL_SUBGROUP_MORE
GEMEL_FUNCTION uint64_t subgroup_ballot(int vote) { return gemel_subgroup_votes(vote); }
GEMEL_FUNCTION int subgroup_any(int vote) { return gemel_subgroup_votes(vote) != 0; }
GEMEL_FUNCTION int subgroup_all(int vote) { return gemel_subgroup_votes(!vote) == 0; }
)";

}  // namespace

Dialect::Section subgroup_section(const std::string& platform, const std::string& double_guard,
                                  std::vector<std::string> needs) {
    const std::string in_double =
        double_guard.empty() ? of_double : "#if " + double_guard + "\n" + of_double + "#endif\n";
    return {.name = "subgroups",
            .words = {"subgroup_size", "subgroup_lane", "subgroup_id", "subgroup_add", "subgroup_min", "subgroup_max",
                      "subgroup_scan_add", "subgroup_broadcast", "subgroup_shuffle", "subgroup_ballot", "subgroup_any",
                      "subgroup_all"},
            .text = platform + body + in_double + votes,
            .needs = std::move(needs)};
}

}  // namespace gemel
