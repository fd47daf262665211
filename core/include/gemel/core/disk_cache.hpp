/// A key-value store on disk. It holds compiled kernels; applications may store their own results.
#pragma once

#include <gemel/core/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// Several processes and threads may use one folder at the same time. An entry is written to a temporary file and
/// renamed, so that it appears complete or not at all. A damaged, truncated or foreign file counts as a miss and is
/// removed; it is not an error. If the disk is full or not writable, the entry is lost and one message is logged; it is
/// not an error. Folders and files that another user (except root) owns or may write to are not used.
class GEMEL_API DiskCache {
   public:
    enum class Mode { on, readonly, off };

    /// @param folder       created on the first write, with mode 0700
    /// @param limit_bytes  above this size the least recently used entries are removed
    explicit DiskCache(std::filesystem::path folder, std::size_t limit_bytes = default_limit_bytes,
                       Mode mode = Mode::on);
    ~DiskCache();
    DiskCache(DiskCache&&) noexcept;
    DiskCache& operator=(DiskCache&&) noexcept;

    static constexpr std::size_t default_limit_bytes = std::size_t{1} << 30;

    /// The bytes stored under exactly this key; empty if there are none or they are damaged.
    std::optional<std::vector<std::byte>> get(std::string_view key) const;
    /// Stores bytes under a key and replaces an existing entry. @returns whether they are on disk now
    bool put(std::string_view key, std::span<const std::byte> value);
    /// Removes one entry. @returns whether it existed
    bool remove(std::string_view key);
    /// Removes all entries, of all processes. @returns their number
    std::size_t clear();

    struct Entry {
        std::filesystem::path file;
        std::string label;  ///< first line of the key
        std::size_t bytes = 0;
        std::chrono::system_clock::time_point last_use;
    };
    /// All entries, newest first.
    std::vector<Entry> entries() const;

    struct Counters {
        std::uint64_t hits = 0, misses = 0, damaged = 0, stored = 0, evicted = 0;
    };
    /// The counters of this object since its construction.
    Counters counters() const;

    const std::filesystem::path& folder() const;
    std::size_t limit_bytes() const;
    Mode mode() const;

    /// The cache of compiled kernels, as set by GEMEL_CACHE and GEMEL_CACHE_DIR. It is off without a home folder and
    /// with GEMEL_DEBUG=1.
    static DiskCache kernels();
    /// The folder of kernels(): GEMEL_CACHE_DIR, else $XDG_CACHE_HOME/gemel, else ~/.cache/gemel; empty without a home
    /// folder.
    static std::optional<std::filesystem::path> default_folder();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gemel
