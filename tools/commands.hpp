/// The commands of `gemel`. Each returns the exit code: 0, or 1 after a message on standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::tools {

/// Everything that a bug report needs: gemel, plug-ins, devices, libraries, cache, environment.
/// @param all  also what drivers tell by names of their own
int info(bool as_json, bool all = false);

/// The compiled kernels on disk, newest first.
int cache_list();
/// Where the cache is, how it is used and how full it is.
int cache_stat();
/// Removes every entry.
int cache_clear();

/// The programs of a bundle.
int bundle_list(const std::string& file);
/// Writes the programs of several bundles into one; of equal ones the last stays.
int bundle_merge(const std::string& output, const std::vector<std::string>& inputs);
/// Becomes a command whose compiled programs are added to a bundle.
int bundle_record(const std::string& file, const std::string& architectures, const std::vector<std::string>& command);

/// Prints a portable program, or standard input if `file` is "-", as a complete one in each of the dialects, or writes
/// it to `output_folder` if that is not empty.
int translate(const std::string& file, const std::vector<std::string>& dialects, const std::string& output_folder,
              const std::vector<std::string>& include_folders);

/// What is stored of tunings: searches and tunings in use, by device.
int tune_list();
/// Every trial of what has `part` in its name.
int tune_show(const std::string& part);
/// One search in the T4 format.
int tune_export(const std::string& part);
/// Removes what has `part` in its name; everything if it is empty.
int tune_clear(const std::string& part);

/// What this machine's devices reach: launches, copies, bandwidth, arithmetic, the compiler.
/// @param seconds  for each figure, about
int bench(bool as_json, double seconds);
/// Repeats a captured call on the default device, or on one of a device's id, "opencl:0". @returns 1 if results differ
int replay(const std::string& folder, const std::string& device);

struct TuneFileOptions {
    std::size_t trials = 0;
    double seconds = 0;
    std::string strategy = "neighbours", json = {}, page = {};
    std::uint64_t seed = 0;
    bool again = false;
};
/// Tunes the kernel of a file whose comments name its space.
int tune_file(const std::string& name, const TuneFileOptions& options);

}  // namespace gemel::tools
