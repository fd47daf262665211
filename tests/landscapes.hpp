/// Times over spaces of more than a thousand points, made up in the shape of those of kernels or recorded: what a
/// search is tested on without a device.
#pragma once

#include <gemel/codegen/tuning_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gemel::testing {

struct Landscape {
    const char* name;
    tune::Space space;
    std::function<double(const tune::Point&)> time;  ///< without the roughness

    /// Each point has a deviation of its own, up to 4 %.
    double at(std::size_t point) const {
        std::uint64_t x = point + 0x9E3779B97F4A7C15u;
        for (const int shift : {33, 29, 32}) x = (x ^ (x >> shift)) * 0xFF51AFD7ED558CCDu;
        return time(space.point(point)) * (1 + 0.04 * static_cast<double>(x >> 11) / 9007199254740992.0);
    }
    double fastest() const {
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t point = 0; point < space.size(); ++point) best = std::min(best, at(point));
        return best;
    }
};

/// A product of matrices by tiles: registers, shared memory and threads limit how many blocks are resident.
inline Landscape matmul_landscape() {
    const auto time = [](const tune::Point& p) {
        const double bm = static_cast<double>(p["bm"]), bn = static_cast<double>(p["bn"]),
                     bk = static_cast<double>(p["bk"]), tm = static_cast<double>(p["tm"]),
                     tn = static_cast<double>(p["tn"]), width = static_cast<double>(p["width"]),
                     stages = static_cast<double>(p["stages"]);
        const double threads = bm / tm * bn / tn, registers = tm * tn + tm + tn + 20,
                     shared = (bm + bn) * bk * 4 * stages;
        double blocks =
            std::floor(std::min({65536 / (registers * threads), 229376 / (shared + 1024), 2048 / threads, 32.0}));
        if (blocks < 1) blocks = 0.5;
        const double full = std::min(1.0, blocks * threads / 768), reuse = tm * tn / (tm + tn);
        const double at_once = 132 * std::max(blocks, 1.0), tile = bm * bn / (4096.0 * 4096);
        return 3 * (1 + 2.2 / reuse) * (1 + 24 * (1 / bm + 1 / bn) / (1 + 0.1 * (width - 1))) *
               (registers > 200 ? 2.5 : 1.0) * (1 + (stages > 1 ? 2 : 4) / bk) * (1 + 0.35 * (1 - full) / full) *
               std::ceil(1 / (tile * at_once)) * at_once * tile;
    };
    return {"matmul",
            tune::Space({{"bm", {16, 32, 64, 128, 256}},
                         {"bn", {16, 32, 64, 128, 256}},
                         {"bk", {4, 8, 16, 32, 64}},
                         {"tm", {1, 2, 4, 8, 16}},
                         {"tn", {1, 2, 4, 8, 16}},
                         {"width", {1, 2, 4}},
                         {"stages", {1, 2}}},
                        {"bm % tm == 0 and bn % tn == 0", "(bm // tm) * (bn // tn) >= 32",
                         "(bm // tm) * (bn // tn) <= 1024", "(bm + bn) * bk * 4 * stages <= 49152"}),
            time};
}

/// A kernel over elements, with an order of its axes that is a word.
inline Landscape elements_landscape() {
    const auto time = [](const tune::Point& p) {
        const auto log = [&](const char* name) { return std::log2(static_cast<double>(p[name])); };
        const std::string order = p.value("order").as_string();
        const double by_order = order == "columns" ? 1.4 : order == "rows" ? 0.1 : log("block") < 7 ? 0.15 : 0;
        return 1 + 0.05 * std::pow(log("block") - 7.5, 2) + 0.08 * std::pow(log("unroll") + log("access") - 5, 2) +
               0.03 * std::abs(log("waves") - 3) + by_order + (p["prefetch"] && p["unroll"] < 4 ? -0.05 : 0);
    };
    return {"elements",
            tune::Space({{"block", {32, 64, 128, 256, 512, 1024}},
                         {"unroll", {1, 2, 4, 8}},
                         {"access", {4, 8, 16}},
                         {"waves", {1, 2, 4, 8, 16, 32}},
                         {"order", {"rows", "columns", "tiles"}},
                         {"prefetch", {false, true}}},
                        {"block * unroll <= 4096"}),
            time};
}

/// The space of bench/tune.cpp's kernel on a device with 1024 threads per block and 48 KiB of shared memory.
inline tune::Space tiled_product_space() {
    return tune::Space(
        {{"bm", {16, 32, 64, 128}},
         {"bn", {16, 32, 64, 128}},
         {"bk", {8, 16, 32}},
         {"tm", {1, 2, 4, 8}},
         {"tn", {1, 2, 4, 8}},
         {"pad", {0, 4}}},
        {"(bm // tm) * (bn // tn) >= 16", "(bm // tm) * (bn // tn) <= 1024", "(bm + bn + 2 * pad) * bk * 4 <= 49152"});
}

/// Times measured at all points of a space; nothing where a point did not run.
struct RecordedLandscape {
    const char* name;
    tune::Space space;
    std::vector<std::optional<double>> milliseconds;

    double fastest() const {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& one : milliseconds) best = std::min(best, one.value_or(best));
        return best;
    }
};

}  // namespace gemel::testing
