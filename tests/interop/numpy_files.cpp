/// Writes files for NumPy to read, and reads those that NumPy wrote: `numpy_files write|read FOLDER`.
#include <gemel/gemel.hpp>

#include <complex>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

struct Particle {
    std::int8_t charge;
    double mass;
    std::array<float, 3> position;
};
GEMEL_STRUCT(Particle, charge, mass, position)

namespace {

using namespace gemel;
int failures = 0;

/// 0, 1, 2, ... in every type, so that either side can make them.
template <class T>
GPUArray<T> numbers(const Shape& shape) {
    const GPUArray<T> array(current_context(), shape);
    std::vector<HostElement<T>> values(array.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (is_complex<T>)
            values[i] = T(static_cast<RealOf<T>>(i), static_cast<RealOf<T>>(-1));
        else if constexpr (std::is_same_v<T, bool>)
            values[i] = i % 2;
        else if constexpr (std::is_same_v<T, half>)
            values[i] = half(static_cast<float>(i));
        else
            values[i] = static_cast<T>(i);
    }
    array.set(values);
    return array;
}

template <class T>
void write(const std::filesystem::path& folder, const std::string& name, std::map<std::string, AnyArray>& all) {
    const GPUArray<T> array = numbers<T>({2, 3, 4});
    save_npy(folder / (name + ".npy"), array);
    save_npy(folder / (name + "_fortran.npy"), array.transpose());
    all[name] = array;
}

template <class T>
void read(const std::filesystem::path& folder, const std::string& name) {
    const auto check = [&](const std::string& what, const GPUArray<T>& array, const GPUArray<T>& expected) {
        const auto a = array.get(), b = expected.get();
        if (array.shape() == expected.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0) return;
        std::printf("%s: what was read is not what NumPy wrote\n", what.c_str());
        ++failures;
    };
    const GPUArray<T> expected = numbers<T>({2, 3, 4});
    check(name, load_npy<T>(folder / (name + ".npy")), expected);
    check(name + " in Fortran order", load_npy<T>(folder / (name + "_fortran.npy")), GPUArray<T>(expected.transpose()));
    check(name + " swapped", load_npy<T>(folder / (name + "_swapped.npy")), expected);
    check(name + " in .npz", NpzFile(folder / "stored.npz").load<T>(name), expected);
    check(name + " in .npz, deflated", NpzFile(folder / "deflated.npz").load<T>(name), expected);
}

template <class Function>
void for_each_type(const Function& function) {
    function.template operator()<bool>("bool");
    function.template operator()<std::int8_t>("int8");
    function.template operator()<std::uint8_t>("uint8");
    function.template operator()<std::int16_t>("int16");
    function.template operator()<std::uint16_t>("uint16");
    function.template operator()<std::int32_t>("int32");
    function.template operator()<std::uint32_t>("uint32");
    function.template operator()<std::int64_t>("int64");
    function.template operator()<std::uint64_t>("uint64");
    function.template operator()<half>("float16");
    function.template operator()<float>("float32");
    function.template operator()<double>("float64");
    function.template operator()<cfloat>("complex64");
    function.template operator()<cdouble>("complex128");
}

std::vector<Particle> particles() {
    std::vector<Particle> list(4);
    std::memset(static_cast<void*>(list.data()), 0, list.size() * sizeof(Particle));
    for (int i = 0; i < 4; ++i) {
        const float f = static_cast<float>(i);
        list[i].charge = static_cast<std::int8_t>(-i);
        list[i].mass = 0.5 * i;
        list[i].position = {f, f + 1, f + 2};
    }
    return list;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::filesystem::path folder = argc == 3 ? argv[2] : ".";
    if (argc == 3 && std::string(argv[1]) == "write") {
        std::map<std::string, AnyArray> all;
        for_each_type([&]<class T>(const char* name) { write<T>(folder, name, all); });
        const GPUArray<Particle> array(current_context(), {4});
        array.set(particles());
        save_npy(folder / "particles.npy", array);
        all["particles"] = array;
        save_npy(folder / "scalar.npy", numbers<float>(Shape()));
        save_npy(folder / "empty.npy", numbers<float>({0, 5}));
        save_npz(folder / "all.npz", all);
        return 0;
    }
    for_each_type([&]<class T>(const char* name) { read<T>(folder, name); });
    const auto expected = particles();
    for (const char* name : {"particles.npy", "packed_particles.npy", "swapped_particles.npy"}) {
        const auto back = load_npy<Particle>(folder / name).get();
        for (int i = 0; i < 4; ++i)
            if (back[i].charge != expected[i].charge || back[i].mass != expected[i].mass ||
                back[i].position != expected[i].position)
                std::printf("%s: particle %d differs\n", name, i), ++failures;
    }
    if (load_npy<float>(folder / "version3.npy").get() != std::vector<float>{1, 2}) std::puts("version 3"), ++failures;
    return failures;
} catch (const gemel::BackendUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
    return 77;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
