/// The page rank of a graph in which few pages have most of the links: power iteration with a sparse matrix, without
/// reading more than one number in ten steps. Draws rank against links into page_rank.ppm, both axes logarithmic.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

using gemel::GPUArray;

constexpr std::int64_t pages = 30000, links = 5 * pages;
constexpr float damping = 0.85f;  // how often somebody follows a link, rather than going to any page

/// The same in double on the host, as many steps. Who comes to a page without links goes to any page.
static std::vector<double> rank_on_host(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                                        int steps) {
    std::vector<double> out(pages), rank(pages, 1.0 / pages), next(pages);
    for (const std::int64_t page : from) ++out[static_cast<std::size_t>(page)];
    for (int step = 0; step < steps; ++step) {
        double lost = 0;
        for (std::size_t page = 0; page < pages; ++page) lost += out[page] == 0 ? rank[page] : 0;
        std::fill(next.begin(), next.end(), (damping * lost + 1 - damping) / pages);
        for (std::size_t k = 0; k < from.size(); ++k) {
            const auto source = static_cast<std::size_t>(from[k]);
            next[static_cast<std::size_t>(to[k])] += damping * rank[source] / out[source];
        }
        rank.swap(next);
    }
    return rank;
}

/// How many pages have so many links and such a rank: brighter where there are more. Lines stand at powers of ten.
static bool save(const GPUArray<std::int64_t>& links_to, const GPUArray<float>& rank, const char* path) {
    constexpr std::int64_t width = 240, height = 160, zoom = 3;
    constexpr double left = -0.5, right = 4, bottom = -1, top = 3;  // powers of ten: links, and rank times the pages
    // Pages that nobody links to stand at half a link.
    const auto x = gemel::log10(gemel::maximum(gemel::astype<float>(links_to), 0.5f));
    const auto y = gemel::log10(rank * static_cast<float>(pages));
    const auto seen = gemel::histogram2d(x, y, {width, height}, {left, right}, {bottom, top});
    const std::vector<std::int64_t> counts = seen.counts.get();

    // Part k of an axis holds a power of ten.
    const auto is_line = [](std::int64_t k, std::int64_t parts, double low, double high) {
        const auto decade = [&](std::int64_t part) {
            return std::ceil(low + (high - low) * static_cast<double>(part) / static_cast<double>(parts));
        };
        return decade(k) != decade(k + 1);
    };
    std::ofstream file(path, std::ios::binary);
    file << "P6 " << zoom * width << ' ' << zoom * height << " 255\n";
    for (std::int64_t pixel = 0; pixel < zoom * width * zoom * height; ++pixel) {
        const std::int64_t column = pixel % (zoom * width) / zoom, row = height - 1 - pixel / (zoom * width) / zoom;
        const double light = std::log1p(static_cast<double>(counts[static_cast<std::size_t>(column * height + row)]));
        const bool line = is_line(column, width, left, right) || is_line(row, height, bottom, top);
        for (const double shade : {40.0, 65.0, 110.0})
            file.put(static_cast<char>(static_cast<std::uint8_t>(light > 0 ? std::min(40 + shade * light, 255.0)
                                                                 : line    ? 50
                                                                           : 12)));
    }
    return file.good();
}

int main() {
    // A link comes from any page. It goes to the k-th most popular one with a probability like k^(-2/3).
    const gemel::random::Philox generator(/*seed=*/1998);
    const auto from = generator.integers<std::int64_t>({links}, 0, pages);
    const GPUArray<double> u = generator.uniform<double>({links});
    const auto to = gemel::take(generator.permutation<std::int64_t>(pages),
                                gemel::astype<std::int64_t>(static_cast<double>(pages) * u * u * u));

    // Element (i, j) is the probability of going from page j to page i. A link that is there twice counts twice.
    const GPUArray<std::int64_t> links_from = gemel::bincount(from, {.length = pages}),
                                 links_to = gemel::bincount(to, {.length = pages});
    const GPUArray<float> share = 1.0f / gemel::astype<float>(gemel::maximum(links_from, 1));
    const auto step = gemel::sparse::coo<float>({pages, pages}, to, from, gemel::take(share, from))
                          .to(gemel::sparse::Format::automatic);
    std::printf("%s\n\n", step.explain().c_str());
    const GPUArray<float> has_none = gemel::astype<float>(links_from == 0);

    GPUArray<float> rank = gemel::full<float>({pages}, 1.0f / pages), next = gemel::zeros<float>({pages});
    int steps = 0;
    for (double change = 1; change > 1e-6; ++steps) {
        const GPUArray<float> lost = gemel::vdot(has_none, rank);  // stays on the device
        step.multiply_into(next, rank, {.alpha = damping});
        next += (damping * lost + (1 - damping)) / static_cast<float>(pages);
        if (steps % 10 == 9) change = gemel::sum(gemel::abs(next - rank)).item();
        std::swap(rank, next);
    }

    const auto [best, which] = gemel::max_k(rank, 10);
    const std::vector<float> ranks = rank.get(), highest = best.get();
    const std::vector<std::int64_t> numbers = which.get(), into = links_to.get(), out_of = links_from.get();
    const std::vector<double> expected = rank_on_host(from.get(), to.get(), steps);
    std::printf("%4s %8s %10s %10s %10s %10s\n", "", "page", "rank", "on host", "links to", "links from");
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const auto page = static_cast<std::size_t>(numbers[k]);
        std::printf("%4zu %8zu %10.7f %10.7f %10lld %10lld\n", k + 1, page, static_cast<double>(highest[k]),
                    expected[page], static_cast<long long>(into[page]), static_cast<long long>(out_of[page]));
    }
    double sum = 0, error = 0;
    for (std::size_t page = 0; page < pages; ++page) {
        sum += ranks[page];
        error = std::max(error, std::abs(ranks[page] / expected[page] - 1));
    }
    const bool good =
        save(links_to, rank, "page_rank.ppm") && std::abs(sum - 1) < 1e-4 && error < 1e-4 &&
        static_cast<std::size_t>(numbers[0]) ==
            static_cast<std::size_t>(std::max_element(expected.begin(), expected.end()) - expected.begin());
    std::printf("%s: page_rank.ppm, %lld pages and %lld links after %d steps; ranks differ from the host's by %.1e\n",
                good ? "ok" : "wrong", static_cast<long long>(pages), static_cast<long long>(links), steps, error);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
