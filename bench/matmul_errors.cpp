/// Errors of float products on hard operands: Precision::exact and split (by single warps and by warp groups), in units
/// of the sum of |a||b| of each element, against the product in double. One JSON line per case and way;
/// bench/matmul_errors.py measures PyTorch (cuBLAS) on the same operands, which are saved in DIR.
///
///     matmul_errors DIR
#include "harness.hpp"

#include <gemel/arrays/matmul.hpp>
#include <gemel/arrays/npy.hpp>

#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace bench;
using gemel::GPUArray;
using gemel::Precision;

constexpr std::int64_t lines = 256;  // of a, and columns of b

using Engine = std::mt19937_64;
/// An element by its place along the summed axis; the other place only spreads seeds.
using Element = std::function<double(Engine&, std::int64_t at)>;

struct Case {
    std::string name;
    std::int64_t inner;
    Element a, b;
};

double normal(Engine& engine) { return std::normal_distribution<double>()(engine); }
/// +-u 2^e with u in [1, 2) and e uniform in [-most, most].
double wide(Engine& engine, int most) {
    std::uniform_real_distribution<double> mantissa(1, 2), exponent(-most, most);
    return (engine() % 2 ? 1 : -1) * std::ldexp(mantissa(engine), static_cast<int>(std::lround(exponent(engine))));
}

std::vector<Case> cases() {
    const Element plain = [](Engine& e, std::int64_t) { return normal(e); };
    const Element positive = [](Engine& e, std::int64_t) { return std::abs(normal(e)); };
    const Element sizes20 = [](Engine& e, std::int64_t) { return wide(e, 20); };
    const Element sizes40 = [](Engine& e, std::int64_t) { return wide(e, 40); },
                  sizes10 = [](Engine& e, std::int64_t) { return wide(e, 10); };
    const auto times = [](double scale) { return [scale](Engine& e, std::int64_t) { return scale * normal(e); }; };
    const Element one_large = [](Engine& e, std::int64_t at) { return (at == 17 ? 1e6 : 1) * normal(e); };
    std::vector<Case> all;
    for (const std::int64_t inner : {64, 512, 2048, 4096}) {
        const std::string k = ", k = " + std::to_string(inner);
        all.push_back({"normal" + k, inner, plain, plain});
        all.push_back({"positive" + k, inner, positive, positive});
        all.push_back({"sizes 2^-10 to 2^10" + k, inner, sizes10, sizes10});
        all.push_back({"sizes 2^-20 to 2^20" + k, inner, sizes20, sizes20});
        all.push_back({"sizes 2^-40 to 2^40" + k, inner, sizes40, sizes40});
        all.push_back({"one term larger by 10^6" + k, inner, one_large, plain});
    }
    all.push_back({"products near the smallest normal number, k = 512", 512, times(1e-18), times(1e-18)});
    all.push_back({"denormal operands, k = 512", 512, times(1e-39), times(1e20)});
    all.push_back({"large operands, k = 512", 512, times(1e18), times(1e18)});
    return all;
}

/// Operands in C order. With `opposites`, terms cancel exactly: neighbours (1), or the halves of the summed axis (2).
std::pair<GPUArray<float>, GPUArray<float>> operands(const Case& one, int opposites) {
    Engine engine(static_cast<std::uint64_t>(one.inner) * 31 + one.name.size());
    const auto n = static_cast<std::size_t>(lines), k = static_cast<std::size_t>(one.inner);
    std::vector<float> a(n * k), b(k * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t at = 0; at < k; ++at)
            a[i * k + at] = static_cast<float>(one.a(engine, static_cast<std::int64_t>(at)));
    for (std::size_t at = 0; at < k; ++at)
        for (std::size_t j = 0; j < n; ++j)
            b[at * n + j] = static_cast<float>(one.b(engine, static_cast<std::int64_t>(at)));
    for (std::size_t at = 0; opposites && at < k; ++at) {
        const std::size_t other = opposites == 1 ? at - at % 2 : at % (k / 2);
        if (other == at) continue;
        for (std::size_t i = 0; i < n; ++i) a[i * k + at] = -a[i * k + other];
        for (std::size_t j = 0; j < n; ++j) b[at * n + j] = b[other * n + j];
    }
    return {gemel::to_gpu(a).reshape({lines, one.inner}), gemel::to_gpu(b).reshape({one.inner, lines})};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: matmul_errors DIR    saves the operands there\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    const gemel::Device device = gemel::default_context().device();
    std::vector<std::pair<std::string, gemel::MatmulOptions>> ways{
        {"exact", {}}, {"split", {.precision = Precision::split, .tuning = {.unit_warps = 1}}}};
    if (device.info().has_warp_groups)
        ways.push_back({"split, groups", {.precision = Precision::split, .tuning = {.unit_warps = 4}}});
    std::vector<std::pair<Case, int>> all;
    for (const Case& one : cases()) all.emplace_back(one, 0);
    const Element plain = [](Engine& e, std::int64_t) { return normal(e); };
    for (const std::int64_t inner : {512, 4096})
        for (const int opposites : {1, 2})
            all.emplace_back(Case{std::string(opposites == 1 ? "neighbours" : "halves") +
                                      " that cancel, k = " + std::to_string(inner),
                                  inner, plain, plain},
                             opposites);
    for (std::size_t at = 0; at < all.size(); ++at) {
        const auto& [one, opposites] = all[at];
        const auto [a, b] = operands(one, opposites);
        gemel::save_npy(folder / (std::to_string(at) + "_a.npy"), a);
        gemel::save_npy(folder / (std::to_string(at) + "_b.npy"), b);
        const auto a2 = gemel::astype<double>(a), b2 = gemel::astype<double>(b);
        const GPUArray<double> right = gemel::matmul(a2, b2),
                               sizes = gemel::matmul(GPUArray<double>(abs(a2)), GPUArray<double>(abs(b2)));
        for (const auto& [name, way] : ways) {
            const GPUArray<double> got = gemel::astype<double>(gemel::matmul(a, b, way));
            const GPUArray<double> error = abs(got - right) / sizes;
            const double largest = gemel::max(error).item();
            const double mean_square = gemel::mean(gemel::GPUArray<double>(error * error)).item();
            print_line({{"case", one.name},
                        {"number", at},
                        {"way", name},
                        {"device", device.id()},
                        {"largest", largest},
                        {"root_mean_square", std::sqrt(mean_square)}});
        }
    }
}
