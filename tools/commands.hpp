/// The commands of `gemel`. Each returns the exit code: 0, or 1 after a message on standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::tools {

/// Prints everything that a bug report needs: gemel, plug-ins, devices, libraries, cache, environment.
/// @param all  also the drivers' attributes under their own names
int info(bool as_json, bool all = false);

/// Lists the compiled kernels on disk, newest first.
int cache_list();
/// Prints the location, the use and the size of the cache.
int cache_stat();
/// Removes every entry.
int cache_clear();

/// Lists the programs of a bundle.
int bundle_list(const std::string& file);
/// Writes the programs of several bundles into one; of equal programs the last one is kept.
int bundle_merge(const std::string& output, const std::vector<std::string>& inputs);
/// Replaces this process by a command, whose compiled programs are added to a bundle.
int bundle_record(const std::string& file, const std::string& architectures, const std::vector<std::string>& command);

/// Converts a portable program, or standard input if `file` is "-", to a complete program in each of the dialects.
/// Prints it, or writes it to `output_folder` if that is not empty.
int translate(const std::string& file, const std::vector<std::string>& dialects, const std::string& output_folder,
              const std::vector<std::string>& include_folders);

/// Lists the stored tunings: searches, and tunings in use, by device.
int tune_list();
/// Lists every trial of the searches whose names contain `part`.
int tune_show(const std::string& part);
/// Prints one search in the T4 format.
int tune_export(const std::string& part);
/// Removes everything whose name contains `part`; all if it is empty.
int tune_clear(const std::string& part);

/// Measures this machine's devices: launches, copies, bandwidth, arithmetic, the compiler.
/// @param seconds  approximate time for each measurement
int bench(bool as_json, double seconds);
/// Repeats a captured call on the default device, or on the device with an id such as "opencl:0". @returns 1 if results
/// differ
int replay(const std::string& folder, const std::string& device);

struct TuneFileOptions {
    std::size_t trials = 0;
    double seconds = 0;
    std::string strategy = "neighbours", json = {}, page = {};
    std::uint64_t seed = 0;
    bool again = false;
};
/// Tunes the kernel of a file whose comments define its space. @returns 130 if Ctrl-C ended the search
int tune_file(const std::string& name, const TuneFileOptions& options);

}  // namespace gemel::tools
