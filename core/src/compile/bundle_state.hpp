/// Bundles as the compiler sees them: the programs in use, and who records.
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
    std::vector<std::byte> program;  ///< as pack_binary() makes it

    friend bool operator==(const BundledProgram&, const BundledProgram&) = default;
};

struct BundleState {
    mutable std::mutex mutex;
    /// By key, then by target.
    std::map<std::string, std::map<std::string, BundledProgram>> programs;
    std::vector<std::string> architectures;  ///< of a recorder

    void add(BundledProgram program);
};

/// One program as it stands in a file, and a file's programs. @throws Error that begins with `file` if it is damaged
std::string bundle_record(const BundledProgram& program);
void read_bundle(BundleState& bundle, std::string_view bytes, const std::string& file);
/// The first line of every bundle.
inline constexpr std::string_view bundle_magic = "gemel bundle 1\n";

/// Every program of that key in the bundles in use, GEMEL_BUNDLE's among them; those in use last come first.
std::vector<BundledProgram> find_bundled(const std::string& key, std::string_view dialect);

bool anyone_records();
/// For which architectures somebody wants programs besides the device's.
std::vector<std::string> recorded_architectures();
void record_program(const BundledProgram& program);

}  // namespace gemel
