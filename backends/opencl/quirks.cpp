/// The table of quirks: the implementation, what it does, gemel's remedy, and the test that covers it.
#include "quirks.hpp"

#include <gemel/core/text.hpp>

#include <cstdlib>
#include <vector>

namespace gemel::plugin::opencl {
namespace {

enum class Implementation : std::uint8_t { every, nvidia, pocl, pocl_on_cpu };

struct Row {
    Quirk quirk;
    const char* name;
    Implementation implementation;
    const char* seen;    ///< versions; newer ones are assumed to be the same until checked
    const char* does;    ///< behaviour of the implementation
    const char* remedy;  ///< of gemel, with its file
    const char* test;    ///< a test case in tests/backend
};

constexpr Row table[] = {
    {
        .quirk = Quirk::launches_collide,
        .name = "launches_collide",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1, 5.0",
        .does = "aborts the process if two launches of one kernel overlap and the second has a wider grid",
        .remedy = "launches of one kernel follow each other (launch_order.hpp)",
        .test = "one kernel with grids of changing size runs on several streams of several threads at once",
    },
    {
        .quirk = Quirk::builds_collide,
        .name = "builds_collide",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1",
        .does = "fails or crashes if processes build the same text in one empty cache folder",
        .remedy = "one process builds at a time (context.cpp, build_lock)",
        .test = "processes at once on one empty folder all succeed",
    },
    {
        .quirk = Quirk::loads_any_binary,
        .name = "loads_any_binary",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1",
        .does = "crashes on some bytes that are not one of its program binaries",
        .remedy = "only what begins with its mark is loaded (context.cpp, load)",
        .test = "a binary with a checksum and no sense is refused",
    },
    {
        .quirk = Quirk::buffers_share_offset,
        .name = "buffers_share_offset",
        .implementation = Implementation::pocl_on_cpu,
        .seen = "PoCL 3.1, 5.0",
        .does = "begins all buffers at the same offset in a page, which makes kernels over several of them slow",
        .remedy = "buffers are host blocks with different offsets (buffer.cpp, create_staggered)",
        .test = "buffers on PoCL's processors begin at different places of a page",
    },
    {
        .quirk = Quirk::compiles_at_first_launch,
        .name = "compiles_at_first_launch",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1, 5.0",
        .does = "compiles a kernel for its block when that is first launched",
        .remedy = "the first launch holds the build lock (module.cpp, finishes_at_first_launch)",
        .test = "a process whose kernel runs for long keeps no other from compiling",
    },
    {
        .quirk = Quirk::misreads_half_images,
        .name = "misreads_half_images",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1",
        .does = "lists images of half, and reads other numbers than were copied into them",
        .remedy = "there are no images of half (image.cpp); a Texture over an array of half reads them",
        .test = "images of every format and rank: nearest has the bits of plain memory, linear is within 2^-8",
    },
    {
        .quirk = Quirk::scales_layers,
        .name = "scales_layers",
        .implementation = Implementation::pocl,
        .seen = "PoCL 3.1",
        .does = "takes the layer for a fraction of all layers where coordinates are normalised",
        .remedy = "kernels interpolate images with layers themselves where the address is wrap or mirror (image.cpp)",
        .test = "images of every format and rank: nearest has the bits of plain memory, linear is within 2^-8",
    },
    {
        .quirk = Quirk::copies_no_layers,
        .name = "copies_no_layers",
        .implementation = Implementation::nvidia,
        .seen = "driver 580",
        .does = "refuses copies between buffers and layers behind the first of 1-D images (CL_INVALID_VALUE)",
        .remedy = "each layer passes through an image without layers (image.cpp, copy_lines)",
        .test = "regions are copied between images and arrays of any layout, and between images",
    },
    {
        .quirk = Quirk::needs_a_kernel,
        .name = "needs_a_kernel",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "crashes over a program without kernels, when it is built, loaded or asked for them",
        .remedy = "an empty kernel is added; binaries without one are refused (context.cpp, build and load)",
        .test = "a text without kernels is an empty program",
    },
    {
        .quirk = Quirk::counts_shared_pointers,
        .name = "counts_shared_pointers",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "counts a byte of shared memory for each pointer that is not set, and takes some beside an arena",
        .remedy = "the pointers are set before the kernel is asked (module.cpp, correct_shared_bytes)",
        .test = "an arena of all shared memory that a device has is taken, one byte more is refused",
    },
    {
        .quirk = Quirk::ignores_line_directives,
        .name = "ignores_line_directives",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "counts lines of the whole text in its log, whatever #line says",
        .remedy = "core renumbers the log (context.cpp, logs_follow_line_directives)",
        .test = "a compiler's complaint names the line of the template",
    },
    {
        .quirk = Quirk::takes_inline_ptx,
        .name = "takes_inline_ptx",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "takes PTX in asm statements, which has atomic additions of floats and a fence for the whole device",
        .remedy = "the device is said to have both (device.cpp)",
        .test = "atomics of 64 bits lose nothing and return what was there before",
    },
    {
        .quirk = Quirk::has_nvidia_attributes,
        .name = "has_nvidia_attributes",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "tells compute capability and PCI address by numbers of its own",
        .remedy = "they become DeviceInfo's architecture and pci_bus_id (device.cpp)",
        .test = "every fact about every device is plausible",
    },
    {
        .quirk = Quirk::lost_without_descriptors,
        .name = "lost_without_descriptors",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "answers clBuildProgram with the code of a lost device when the process can open no file",
        .remedy = "it is a failed build if that is so (context.cpp, build)",
        .test = "a process that can open no file is told so and not that its text is wrong",
    },
    {
        .quirk = Quirk::large_fills_fail,
        .name = "large_fills_fail",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580",
        .does = "loses the context when it fills bytes beyond the first 2 GiB of a buffer",
        .remedy = "gemel's own kernel fills them (stream.cpp, fill)",
        .test = "fills of more than 2 GiB reach the end",
    },
    {
        .quirk = Quirk::hides_shared_memory,
        .name = "hides_shared_memory",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580 on sm_90",
        .does = "reports 48 KiB of shared memory per block, but takes kernels that declare up to 227 KiB",
        .remedy = "DeviceInfo::shared_memory_static_bytes (device.cpp)",
        .test = "kernels declare as much shared memory as the device has",
    },
    {
        .quirk = Quirk::refuses_sm_90a,
        .name = "refuses_sm_90a",
        .implementation = Implementation::nvidia,
        .seen = "NVIDIA 580 on sm_90",
        .does = "assembles what it compiles for sm_90, which lacks wgmma, but loads PTX for sm_90a",
        .remedy = "such instructions are comments until the compiler has made PTX (sm_90a.hpp)",
        .test = "kernels of warp groups that copy for themselves are exact in every layout",
    },
};

struct DriverSetting {
    enum class When : std::uint8_t { always, cache_not_written };
    const char* variable;
    const char* value;
    When when;
};

constexpr DriverSetting settings[] = {
    // PoCL compiles kernels for small grids separately: twice, if programs use both small and large grids.
    {"POCL_WORK_GROUP_SPECIALIZATION", "0", DriverSetting::When::always},
    // GEMEL_CACHE=off or readonly applies to the drivers' own caches too.
    {"CUDA_CACHE_DISABLE", "1", DriverSetting::When::cache_not_written},
    {"MESA_SHADER_CACHE_DISABLE", "true", DriverSetting::When::cache_not_written},
    {"NEO_CACHE_PERSISTENT", "0", DriverSetting::When::cache_not_written},
    {"POCL_KERNEL_CACHE", "0", DriverSetting::When::cache_not_written},
};

}  // namespace

Quirks::Quirks(std::string_view platform, DeviceInfo::Type type) {
    const bool pocl = platform == "Portable Computing Language", nvidia = platform.starts_with("NVIDIA");
    for (const Row& row : table) {
        const bool applies =
            row.implementation == Implementation::every || (row.implementation == Implementation::nvidia && nvidia) ||
            (row.implementation == Implementation::pocl && pocl) ||
            (row.implementation == Implementation::pocl_on_cpu && pocl && type == DeviceInfo::Type::cpu);
        if (applies) set_ |= std::uint32_t{1} << static_cast<unsigned>(row.quirk);
    }
}

std::string Quirks::names() const {
    std::vector<std::string> names;
    for (const Row& row : table)
        if (has(row.quirk)) names.push_back(row.name);
    return join(names);
}

void set_driver_settings(bool may_write) {
    for (const DriverSetting& setting : settings)
        if (setting.when == DriverSetting::When::always || !may_write) ::setenv(setting.variable, setting.value, 0);
}

}  // namespace gemel::plugin::opencl
