/// A store of bytes on disk, keyed by text: compiled kernels live here, and applications may keep their own results.
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

/// Many processes and threads may use one folder at once. An entry appears whole or not at all (written beside, then
/// renamed); a damaged, truncated or foreign file is a miss and is removed, never an error. A full or unwritable disk
/// loses the entry and is logged once; it is not an error. Folders and files that another user (except root) owns or
/// may write to are not used.
class GEMEL_API DiskCache {
   public:
    enum class Mode { on, readonly, off };

    /// @param folder       made on first write, with mode 0700
    /// @param limit_bytes  when entries take more than this, the oldest by last use go first
    explicit DiskCache(std::filesystem::path folder, std::size_t limit_bytes = default_limit_bytes,
                       Mode mode = Mode::on);
    ~DiskCache();
    DiskCache(DiskCache&&) noexcept;
    DiskCache& operator=(DiskCache&&) noexcept;

    static constexpr std::size_t default_limit_bytes = std::size_t{1} << 30;

    /// The bytes stored under exactly this key, if there are any and they are whole.
    std::optional<std::vector<std::byte>> get(std::string_view key) const;
    /// Stores bytes under a key, replacing what was there. Returns whether they are on disk now.
    bool put(std::string_view key, std::span<const std::byte> value);
    /// Removes one entry. Returns whether there was one.
    bool remove(std::string_view key);
    /// Removes every entry (of every process). Returns how many.
    std::size_t clear();

    struct Entry {
        std::filesystem::path file;
        std::string label;  ///< first line of the key
        std::size_t bytes = 0;
        std::chrono::system_clock::time_point last_use;
    };
    /// What is stored, newest first.
    std::vector<Entry> entries() const;

    struct Counters {
        std::uint64_t hits = 0, misses = 0, damaged = 0, stored = 0, evicted = 0;
    };
    /// Of this object, since it was made.
    Counters counters() const;

    const std::filesystem::path& folder() const;
    std::size_t limit_bytes() const;
    Mode mode() const;

    /// The cache of compiled kernels, as GEMEL_CACHE and GEMEL_CACHE_DIR ask; off when there is no home folder, and
    /// with GEMEL_DEBUG=1.
    static DiskCache kernels();
    /// Where that is: GEMEL_CACHE_DIR, else $XDG_CACHE_HOME/gemel, else ~/.cache/gemel; nothing without a home folder.
    static std::optional<std::filesystem::path> default_folder();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gemel
