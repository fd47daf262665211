/// Particles sorted into cells, and the list of each one's neighbours, as simulations of molecules and fluids need
/// them; drawn into neighbours.ppm: particles by how many neighbours they have, with lines to those.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

struct Particle {
    float x, y;
};
GEMEL_STRUCT(Particle, x, y)

constexpr std::int32_t count = 3000, cells = 40;  // cells are as wide as the reach
constexpr float reach = 1.0f / cells;

/// The numbers of a particle's neighbours, by looking at all others.
static std::vector<std::int32_t> near_on_host(const std::vector<Particle>& all, std::size_t i) {
    std::vector<std::int32_t> found;
    for (std::size_t j = 0; j < all.size(); ++j) {
        const float dx = all[j].x - all[i].x, dy = all[j].y - all[i].y;
        if (j != i && dx * dx + dy * dy < reach * reach) found.push_back(static_cast<std::int32_t>(j));
    }
    return found;
}

class Picture {
   public:
    void dot(float x, float y, int red, int green, int blue) {
        const int column = std::min(static_cast<int>(x * size), size - 1),
                  row = std::min(static_cast<int>(y * size), size - 1);
        unsigned char* pixel = &pixels_[static_cast<std::size_t>(3 * (row * size + column))];
        pixel[0] = static_cast<unsigned char>(red), pixel[1] = static_cast<unsigned char>(green),
        pixel[2] = static_cast<unsigned char>(blue);
    }
    void line(const Particle& a, const Particle& b) {
        const int steps = static_cast<int>(size * reach) + 1;
        for (int k = 0; k <= steps; ++k) {
            const float part = static_cast<float>(k) / static_cast<float>(steps);
            dot(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), 70, 80, 110);
        }
    }
    bool write(const char* name) const {
        std::ofstream file(name, std::ios::binary);
        file << "P6 " << size << ' ' << size << " 255\n";
        file.write(reinterpret_cast<const char*>(pixels_.data()), static_cast<std::streamsize>(pixels_.size()));
        return file.good();
    }

   private:
    static constexpr int size = 800;
    std::vector<unsigned char> pixels_ = std::vector<unsigned char>(3 * size * size, 12);
};

int main() {
    // Denser towards the middle of the left edge.
    const gemel::random::Philox generator(/*seed=*/11);
    const gemel::GPUArray<float> u = generator.uniform<float>({count, 2});
    const gemel::GPUArray<Particle> unsorted(gemel::current_context(), gemel::Shape{count});
    const gemel::ElementwiseKernel place(
        "const float *u, Particle *p",
        "p[i].x = u[2 * i] * u[2 * i]; p[i].y = 0.5f + (u[2 * i + 1] - 0.5f) * (0.3f + 0.7f * u[2 * i])", "place");
    place(u, unsorted);

    // Particles of one cell lie side by side; where each cell begins is found by searching for its number.
    const gemel::GPUArray<std::int32_t> cell(gemel::current_context(), gemel::Shape{count});
    const gemel::ElementwiseKernel find_cell(
        "const Particle *p, int32_t *cell, int32_t cells",
        "const int32_t x = min((int32_t)(p[i].x * cells), cells - 1), y = min((int32_t)(p[i].y * cells), cells - 1);\n"
        "cell[i] = y * cells + x",
        "find_cell");
    find_cell(unsorted, cell, cells);
    const auto [sorted_cell, particles] = gemel::sort_by_key(cell, unsorted);
    const auto begins = gemel::searchsorted(sorted_cell, gemel::arange<std::int32_t>(cells * cells + 1));

    // Each looks into its own cell and the eight around it: in the order of cells, and so in that of particles.
    const gemel::ListBuilder near({.arguments = "const Particle *p, const int64_t *begins, int32_t cells, float reach",
                                   .lists = {{"neighbour", gemel::dtype_of<std::int32_t>()}},
                                   .generate = R"(
        const int32_t x = min((int32_t)(p[i].x * cells), cells - 1), y = min((int32_t)(p[i].y * cells), cells - 1);
        for (int32_t row = max(y - 1, 0); row <= min(y + 1, cells - 1); ++row) {
            const int64_t first = begins[row * cells + max(x - 1, 0)], end = begins[row * cells + min(x + 1, cells - 1) + 1];
            for (int64_t j = first; j < end; ++j) {
                const float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
                if (j != i && dx * dx + dy * dy < reach * reach) append_neighbour((int32_t)j);
            }
        })",
                                   .compile = {.fp_contract = false}});
    const gemel::Lists lists = near(count, particles, begins, cells, reach);
    const std::vector<std::int64_t> starts = lists["neighbour"].starts.get();
    const std::vector<std::int32_t> items = lists["neighbour"].items.get<std::int32_t>();
    const std::vector<Particle> all = particles.get();

    Picture picture;
    std::int64_t wrong = 0, most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<std::int32_t> mine(items.begin() + starts[i], items.begin() + starts[i + 1]);
        wrong += mine != near_on_host(all, i);
        most = std::max<std::int64_t>(most, static_cast<std::int64_t>(mine.size()));
        for (const std::int32_t j : mine) picture.line(all[i], all[static_cast<std::size_t>(j)]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int warm = static_cast<int>(255 * (starts[i + 1] - starts[i]) / std::max<std::int64_t>(most, 1));
        for (const float dx : {-0.001f, 0.0f, 0.001f})
            for (const float dy : {-0.001f, 0.0f, 0.001f})
                picture.dot(std::clamp(all[i].x + dx, 0.0f, 1.0f), std::clamp(all[i].y + dy, 0.0f, 1.0f),
                            90 + warm * 165 / 255, 200 - warm / 2, 255 - warm);
    }
    // At the reach itself the last bit of a product decides.
    const bool good = picture.write("neighbours.ppm") && wrong < count / 500 && !items.empty();
    std::printf(
        "%s: neighbours.ppm, %zu particles with %zu neighbours, at most %lld, %lld lists differ from the host's\n",
        good ? "ok" : "wrong", all.size(), items.size(), static_cast<long long>(most), static_cast<long long>(wrong));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
