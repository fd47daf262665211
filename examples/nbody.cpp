/// Bodies that attract each other: C++ structs as elements, each body looking at all others.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

struct Body {
    float x, y, z;
    float vx, vy, vz;
    float mass;
};
GEMEL_STRUCT(Body, x, y, z, vx, vy, vz, mass)

int main() {
    // A planet with a ring of moons, all of which go round in one time. Gravity's constant is 1.
    constexpr int moons = 255, steps = 1000;
    constexpr double pi = std::numbers::pi, moon_mass = 1e-9;
    double pull = 1;  // of the planet and of the other moons
    for (int k = 1; k < moons; ++k) pull += moon_mass / (4 * std::sin(pi * k / moons));
    const double speed = std::sqrt(pull);
    const float dt = static_cast<float>(2 * pi / speed / steps);

    std::vector<Body> start{{0, 0, 0, 0, 0, 0, 1}};
    for (int k = 0; k < moons; ++k) {
        const auto c = static_cast<float>(std::cos(2 * pi * k / moons)), s = static_cast<float>(std::sin(2 * pi * k / moons));
        const auto v = static_cast<float>(speed);
        start.push_back({c, s, 0, -v * s, v * c, 0, static_cast<float>(moon_mass)});
    }
    const gemel::GPUArray<Body> bodies = gemel::to_gpu(start), next = gemel::empty_like(bodies);

    // Velocities are half a step behind positions: the leap-frog.
    const gemel::ElementwiseKernel move("const Body *from, Body *to, float dt, float drift, int32_t count", R"(
        Body me = from[i];
        float ax = 0, ay = 0, az = 0;
        for (int32_t j = 0; j < count; ++j) {
            const float x = from[j].x - me.x, y = from[j].y - me.y, z = from[j].z - me.z;
            const float r = rsqrt(x * x + y * y + z * z + 1e-12f), pull = from[j].mass * r * r * r;
            ax += pull * x, ay += pull * y, az += pull * z;
        }
        me.vx += dt * ax, me.vy += dt * ay, me.vz += dt * az;
        me.x += drift * me.vx, me.y += drift * me.vy, me.z += drift * me.vz;
        to[i] = me;)", "move");
    const auto count = static_cast<std::int32_t>(bodies.size());
    move(bodies, next, dt / 2, dt, count);
    for (int step = 1; step < steps; ++step) step % 2 ? move(next, bodies, dt, dt, count) : move(bodies, next, dt, dt, count);

    const std::vector<Body> end = bodies.get();  // the number of steps is even
    double furthest = 0;
    for (std::size_t k = 0; k < end.size(); ++k)
        furthest = std::max<double>(furthest, std::hypot(end[k].x - start[k].x, end[k].y - start[k].y, end[k].z - start[k].z));
    const bool good = furthest < 1e-3;
    std::printf("%s: after one turn no moon is more than %.1e away from where it was\n", good ? "ok" : "wrong", furthest);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
