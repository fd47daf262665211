/// The store of tunings: what was measured on one kind of device, in a file with one line per record, which is only
/// appended to.
///
/// `tuning/<digest>.tune` below the cache's folder. The first line is "gemel tuning 1" and the device's fingerprint.
/// Each further line holds a checksum and fields with tabs between them; the first field is the kind of record:
///   begin  key  point  [text]                (it is about to run)
///   left   key  point  [text]                (the caller threw something: it has no result)
///   trial  key  point  milliseconds or -  failure  checked or unchecked  [text]
///   done   key  space  point  milliseconds  start milliseconds  trials  seconds  checked or unchecked
///   use    work  tuning                      (an empty tuning removes it)
/// [text] is a digest of the kernel's text, if the key does not contain the text. Records of earlier versions lack
/// "checked or unchecked".
/// Writers hold a lock, and a line is written by one call. So processes add to each other's records, and one that is
/// killed loses no record that it has finished. A line that is torn or damaged is skipped.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

using Record = std::vector<std::string>;

/// False with GEMEL_TUNE=off: what is stored is not used.
bool uses_stored_tunings();

class RecordFile {
   public:
    explicit RecordFile(const std::string& fingerprint);
    /// For an existing file.
    static RecordFile existing(const std::filesystem::path& file);

    /// All intact records, in the order of writing; none if the cache is off.
    std::vector<Record> read() const;
    /// Appends records. @returns whether they are on disk
    bool append(std::span<const Record> records) const;
    bool append(const Record& record) const { return append({&record, 1}); }
    /// Removes the records for which `keep` is false. @returns their number
    template <class Keep>
    std::size_t keep_if(Keep&& keep) const {
        return rewrite([](const Record& record, void* function) { return (*static_cast<Keep*>(function))(record); },
                       &keep);
    }

    const std::filesystem::path& path() const { return path_; }
    /// The fingerprint of the device, from the file's first line.
    const std::string& fingerprint() const { return fingerprint_; }
    /// All files of the store.
    static std::vector<RecordFile> all();
    /// The folder of the files; empty if the cache is off.
    static std::optional<std::filesystem::path> folder();

   private:
    RecordFile(std::filesystem::path path, std::string fingerprint)
        : path_(std::move(path)), fingerprint_(std::move(fingerprint)) {}
    std::size_t rewrite(bool (*keep)(const Record&, void*), void* function) const;

    std::filesystem::path path_;  ///< empty if the cache is off
    std::string fingerprint_;
};

}  // namespace gemel
