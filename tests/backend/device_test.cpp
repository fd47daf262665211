/// Devices: the facts about them, their names, and how one is chosen.
#include <gemel/testing_doctest.hpp>

#include "support.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>

using namespace gemel;
using gemel::testing::ScopedVariable;

namespace {

std::string named_backend() { return default_device().backend(); }

}  // namespace

TEST_SUITE_BEGIN("core");

GEMEL_TEST_CASE_PER_DEVICE("every fact about every device is plausible", context) {
    const Device device = context.device();
    const DeviceInfo& d = device.info();
    CHECK(device.name() == d.name);
    for (const std::string* text : {&d.name, &d.vendor, &d.platform, &d.driver_version, &d.api_version,
                                    &d.language_version, &d.architecture, &d.identity}) {
        CHECK_FALSE(text->empty());
        CHECK(text->find_first_of("\n\t") == std::string::npos);
    }
    CHECK(d.compute_units >= 1);
    CHECK(d.compute_units < 100000);
    CHECK(d.global_memory_bytes >= std::size_t{64} << 20);
    CHECK(d.max_allocation_bytes <= d.global_memory_bytes);
    CHECK(d.max_allocation_bytes >= d.global_memory_bytes / 8);
    CHECK(d.constant_memory_bytes >= std::size_t{64} << 10);  // OpenCL's and CUDA's least
    CHECK(d.shared_memory_per_block_bytes >= std::size_t{16} << 10);
    CHECK(d.shared_memory_opt_in_bytes.value_or(d.shared_memory_per_block_bytes) >= d.shared_memory_per_block_bytes);
    CHECK(d.shared_memory_static_bytes.value_or(d.shared_memory_per_block_bytes) >= d.shared_memory_per_block_bytes);
    CHECK((d.has_warp_groups || !d.has_tensor_maps));
    CHECK(d.max_threads_per_block >= 1);
    CHECK(d.max_block[0] * d.max_block[1] * d.max_block[2] >= d.max_threads_per_block);
    for (int axis = 0; axis < 3; ++axis) CHECK(d.max_grid[axis] >= 65535);
    CHECK(std::has_single_bit(d.base_alignment_bytes));
    CHECK(d.max_parameter_bytes >= 256);
    CHECK(d.is_little_endian == (std::endian::native == std::endian::little));
    if (d.type == DeviceInfo::Type::cpu) {
        CHECK(d.has_unified_memory);
        CHECK_FALSE(d.warp_size);
    }
}

GEMEL_TEST_CASE_PER_DEVICE("a fact that a driver does not tell is absent and never zero", context) {
    const Device device = context.device();
    const DeviceInfo& d = device.info();
    for (const auto& number : {d.clock_mhz, d.memory_clock_mhz, d.memory_bus_bits, d.warp_size,
                               d.preferred_vector_floats, d.max_threads_per_compute_unit})
        CHECK(number.value_or(1) > 0);
    CHECK(d.clock_mhz.value_or(1000) < 20000);
    CHECK(d.l2_cache_bytes.value_or(1) > 0);
    if (d.warp_size) CHECK(std::has_single_bit(*d.warp_size));
    if (d.pci_bus_id) CHECK(d.pci_bus_id->find(':') != std::string::npos);
    if (const auto memory = context.memory_info()) {
        CHECK(memory->first <= memory->second);
        CHECK(memory->second > 0);
    }
}

TEST_CASE("identities tell devices of one backend apart") {
    std::set<std::string> identities;
    std::unordered_set<Device> different;
    for (const Device& device : all_devices()) {
        CHECK(identities.insert(device.backend() + " " + device.info().identity).second);
        CHECK(different.insert(device).second);
    }
    CHECK(Context(default_device()).fingerprint().find(default_device().name()) != std::string::npos);
    CHECK(Context(default_device()).fingerprint() == Context(default_device()).fingerprint());
}

TEST_CASE("devices come graphics processors first and each backend counts its own from zero") {
    const auto all = all_devices();
    REQUIRE_FALSE(all.empty());
    for (std::size_t i = 1; i < all.size(); ++i)
        CHECK_FALSE((all[i].info().type == DeviceInfo::Type::gpu && all[i - 1].info().type == DeviceInfo::Type::cpu));
    std::size_t listed = 0;
    for (const BackendStatus& status : backends()) {
        CHECK(status.available == status.reason.empty());
        if (!status.available) continue;
        const auto own = devices(status.name);
        CHECK(own.size() == status.device_count);
        listed += own.size();
        for (std::size_t i = 0; i < own.size(); ++i) {
            CHECK(own[i].index() == static_cast<int>(i));
            CHECK(own[i].id() == status.name + ":" + std::to_string(i));
        }
    }
    CHECK(listed == all.size());
}

TEST_CASE("platforms hold every device once") {
    std::size_t count = 0;
    for (const Platform& platform : platforms()) {
        CHECK_FALSE(platform.name.empty());
        CHECK_FALSE(platform.vendor.empty());
        CHECK_FALSE(platform.driver_version.empty());
        REQUIRE_FALSE(platform.devices.empty());
        for (const Device& device : platform.devices) {
            CHECK(device.backend() == platform.backend);
            CHECK(device.info().platform == platform.name);
        }
        count += platform.devices.size();
    }
    CHECK(count == all_devices().size());
}

TEST_CASE("versions of drivers, interfaces, compilers and headers are told") {
    const std::string own = default_device().backend();
    for (const BackendStatus& backend : backends()) {
        if (backend.name != own) continue;
        const auto has = [&](const std::string& name) {
            return std::any_of(backend.libraries.begin(), backend.libraries.end(),
                               [&](const auto& library) { return library.name == name && !library.version.empty(); });
        };
        if (own == "cuda") {
            CHECK(has("driver"));
            CHECK(has("NVRTC"));
            CHECK(has("built with"));
        } else {
            CHECK(has("platform"));
        }
    }
    const Device device = default_device();
    const DeviceInfo& info = device.info();
    CHECK_FALSE(info.driver_version.empty());
    CHECK_FALSE(info.api_version.empty());
}

TEST_CASE("a device is found by index and by id and by part of its name in any case") {
    for (const Device& device : all_devices()) {
        CHECK(find_device(device.id()) == device);
        CHECK(find_device(std::to_string(device.index()), device.backend()) == device);
        std::string part = device.name().substr(0, 5);
        for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        CHECK(find_device(part, device.backend()).name().substr(0, 5) == device.name().substr(0, 5));
    }
}

TEST_CASE("a device that is not there is refused with a list of those that are") {
    const std::string here = default_device().id();
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device("no such device"), "no such device", here);
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device("999", named_backend()), "999", here);
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device(named_backend() + ":999"), "999", here);
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device("metal:0"), "metal");
    CHECK_THROWS_MENTIONING(BackendUnavailable, find_device("metal:0", named_backend()), "metal:0", named_backend());
    CHECK_THROWS_MENTIONING(BackendUnavailable, devices("metal"), "metal", "libgemel_metal.so", named_backend());
}

TEST_CASE("variables that name what is not there are errors and never a silent choice") {
    const std::string backend = named_backend();
    {
        const ScopedVariable wrong("GEMEL_BACKEND", "metal");
        CHECK_THROWS_MENTIONING(BackendUnavailable, default_device(), "metal", "GEMEL_BACKEND");
        bool listed = false;
        for (const auto& status : backends()) listed |= status.name == "metal" && !status.available;
        CHECK(listed);
    }
    const ScopedVariable right("GEMEL_BACKEND", backend);
    for (const char* value : {"999", "no such device", "metal:0", " ", ":0", ":"}) {
        const ScopedVariable wrong("GEMEL_DEVICE", value);
        CHECK_THROWS_MENTIONING(BackendUnavailable, default_device(), value, "GEMEL_DEVICE");
        CHECK_THROWS_MENTIONING(BackendUnavailable, devices(), value, "GEMEL_DEVICE");
    }
    const ScopedVariable device("GEMEL_DEVICE", "0");
    CHECK(default_device() == devices(backend).front());
}

TEST_CASE("the variables restrict which devices are listed") {
    const ScopedVariable no_device("GEMEL_DEVICE", std::nullopt);
    {
        const ScopedVariable none("GEMEL_BACKEND", std::nullopt);
        CHECK(devices() == all_devices());
    }
    for (const Device& device : all_devices()) {
        const ScopedVariable backend("GEMEL_BACKEND", device.backend());
        CHECK(devices() == devices(device.backend()));
        const ScopedVariable one("GEMEL_DEVICE", device.id());
        CHECK(devices() == std::vector{device});
        CHECK(devices(device.backend()).size() > static_cast<std::size_t>(device.index()));
    }
    const ScopedVariable missing("GEMEL_BACKEND", "metal");
    CHECK_THROWS_MENTIONING(BackendUnavailable, devices(), "metal", "GEMEL_BACKEND");
    CHECK_FALSE(all_devices().empty());
    // Code wins over the environment.
    CHECK(find_device(all_devices().front().id()) == all_devices().front());
}

TEST_CASE("backends are named in any case") {
    const Device device = default_device();
    std::string capitals = device.backend();
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    CHECK(devices(capitals) == devices(device.backend()));
    CHECK(find_device(capitals + ":" + std::to_string(device.index())) == device);
    CHECK(find_device(capitals + ":" + std::to_string(device.index()), device.backend()) == device);
    const ScopedVariable no_device("GEMEL_DEVICE", std::nullopt);
    const ScopedVariable set("GEMEL_BACKEND", capitals);
    CHECK(default_device().backend() == device.backend());
    for (const BackendStatus& status : backends()) CHECK(status.name != capitals);
}

TEST_SUITE_END();
