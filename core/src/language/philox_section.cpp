/// The source of philox_init and related functions, around those with which arrays are drawn.
#include "language/philox_section.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "philox_text.hpp"

#include <string_view>
#include <utility>

namespace gemel {
namespace {

/// Counters whose upper 8 bits of 64 are all set are the words' own: random:: has the number of an attempt there, at
/// most 254.
const char* const state = R"(typedef struct {
    uint64_t at, substream;
    uint32_t key_low, key_high, x0, x1, x2, x3;
    int32_t left, has_spare;
    float spare;
} philox_t;
WITHIN_KERNEL philox_t philox_init(uint64_t seed, uint64_t substream)
{
    philox_t r;
    r.at = (uint64_t)0xFF << 56;
    r.substream = substream;
    r.key_low = (uint32_t)seed;
    r.key_high = (uint32_t)(seed >> 32);
    r.x0 = r.x1 = r.x2 = r.x3 = 0;
    r.left = r.has_spare = 0;
    r.spare = 0;
    return r;
}
WITHIN_KERNEL uint32_t philox_bits(philox_t *r)
{
    uint32_t word;
    if (r->left == 0) {
        uint32_t x[4];
        gemel_philox(r->at, (uint32_t)r->substream, (uint32_t)(r->substream >> 32), r->key_low, r->key_high, x);
        r->at = (r->at + 1) | (uint64_t)0xFF << 56;
        r->x0 = x[0];
        r->x1 = x[1];
        r->x2 = x[2];
        r->x3 = x[3];
        r->left = 4;
    }
    word = r->x0;
    r->x0 = r->x1;
    r->x1 = r->x2;
    r->x2 = r->x3;
    r->left -= 1;
    return word;
}
WITHIN_KERNEL void philox_skip(philox_t *r, uint64_t words)
{
    for (; words > 0 && r->left > 0; --words) philox_bits(r);
    r->at = (r->at + words / 4) | (uint64_t)0xFF << 56;
    for (words %= 4; words > 0; --words) philox_bits(r);
    r->has_spare = 0;
}
WITHIN_KERNEL float philox_uniform(philox_t *r) { return gemel_unit(philox_bits(r)); }
)";

const char* const normal = R"(WITHIN_KERNEL float philox_normal(philox_t *r)
{
    float z[2];
    uint32_t word;
    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    if (r->left & 1) philox_bits(r);
    word = philox_bits(r);
    gemel_normal_pair(word, philox_bits(r), z);
    r->has_spare = 1;
    r->spare = z[1];
    return z[0];
}
)";

const char* const uniform_double = R"(WITHIN_KERNEL double philox_uniform_double(philox_t *r)
{
    uint32_t low;
    if (r->left & 1) philox_bits(r);
    low = philox_bits(r);
    return gemel_unit_double(gemel_wide(low, philox_bits(r)));
}
)";

std::string replaced(std::string all, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = all.find(from, at)) != std::string::npos; at += to.size())
        all.replace(at, from.size(), to);
    return all;
}

std::string guarded(const std::string& guard, const std::string& body) {
    return guard.empty() ? body : text("#if ", guard, "\n", body, "#endif\n");
}

}  // namespace

std::vector<Dialect::Section> philox_sections(const std::string& double_guard, const std::vector<std::string>& needs) {
    const std::string in_double =
        philox_section("wide") + replaced(philox_section("unit64"), "gemel_unit(", "gemel_unit_double(");
    std::vector<Dialect::Section> all;
    for (const std::string cipher : {"philox", "threefry"}) {
        // Under different names: a program may contain the kernels that draw arrays, and both ciphers.
        const auto own = [&](const std::string& part) {
            return replaced(replaced(part, "philox", cipher), "gemel_",
                            cipher == "philox" ? "gemel_random_" : "gemel_random3_");
        };
        std::vector<std::string> needs_of_normal{cipher};
        needs_of_normal.insert(needs_of_normal.end(), needs.begin(), needs.end());
        all.push_back(
            {.name = cipher,
             .words = {cipher + "_t", cipher + "_init", cipher + "_bits", cipher + "_skip", cipher + "_uniform"},
             .text = own(philox_section(cipher) + philox_section("unit") + state)});
        all.push_back({.name = cipher + "_normal",
                       .words = {cipher + "_normal"},
                       .text = own(philox_section("log32") + philox_section("normal32") + normal),
                       .needs = std::move(needs_of_normal)});
        all.push_back({.name = cipher + "_double",
                       .words = {cipher + "_uniform_double"},
                       .text = guarded(double_guard, own(in_double + uniform_double)),
                       .needs = {cipher}});
    }
    return all;
}

}  // namespace gemel
