/// Bundles as the compiler uses them: the programs in use, and the recorders.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel {

struct BundledProgram {
    std::string key;  ///< digest of text and options
    std::string name, dialect, target;
    std::vector<std::byte> program;  ///< in the format of pack_binary()

    friend bool operator==(const BundledProgram&, const BundledProgram&) = default;
};

struct BundleState {
    mutable std::mutex mutex;
    /// By key, then by target.
    std::map<std::string, std::map<std::string, BundledProgram>> programs;
    std::vector<std::string> architectures;  ///< that a recorder wants

    void add(BundledProgram program);
};

/// One program in the file format, and a file's programs. @throws Error beginning with `file` if it is damaged
std::string bundle_record(const BundledProgram& program);
void read_bundle(BundleState& bundle, std::string_view bytes, const std::string& file);
/// The length of a bundle up to its first damaged record.
std::size_t whole_records(std::string_view bytes, const std::string& file);
/// The first line of every bundle.
inline constexpr std::string_view bundle_magic = "gemel bundle 1\n";

/// All programs with that key in the bundles in use, including GEMEL_BUNDLE; the latest bundle first.
std::vector<BundledProgram> find_bundled(const std::string& key, std::string_view dialect);

bool anyone_records();
/// The architectures, besides the device's, for which recorders want programs.
std::vector<std::string> recorded_architectures();
void record_program(const BundledProgram& program);

}  // namespace gemel
