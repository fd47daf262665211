/// .npz: a ZIP archive (PKWARE's APPNOTE 6.3) of .npy files, with the 64-bit extension.
#include <gemel/arrays/npy.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "exchange/npy_file.hpp"
#include "exchange/output_file.hpp"

#ifdef GEMEL_HAS_ZLIB
#include <zlib.h>
#else
#include <boost/crc.hpp>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <unordered_map>

namespace gemel {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint16_t stored = 0, deflated = 8;

std::uint32_t checksum_of(std::span<const std::byte> data) {
#ifdef GEMEL_HAS_ZLIB
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
#else
    boost::crc_32_type checksum;
    checksum.process_bytes(data.data(), data.size());
    return checksum.checksum();
#endif
}

/// Numbers of a ZIP file, low byte first.
class Reader {
   public:
    explicit Reader(std::span<const std::byte> data) : data_(data) {}
    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        const auto piece = take(bytes);
        for (std::size_t i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(piece[i]) << (8 * i);
        return value;
    }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::span<const std::byte> take(std::size_t bytes) {
        if (bytes > data_.size()) throw Error("its directory is cut off");
        const auto piece = data_.first(bytes);
        data_ = data_.subspan(bytes);
        return piece;
    }
    std::size_t left() const { return data_.size(); }

   private:
    std::span<const std::byte> data_;
};

class Writer {
   public:
    explicit Writer(const std::filesystem::path& path) : out_(path) {}
    void number(std::uint64_t value, int bytes) {
        std::array<std::byte, 8> low{};
        for (std::size_t i = 0; i < low.size(); ++i) low[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
        out_.write(low.data(), static_cast<std::size_t>(bytes));
    }
    void u16(std::uint64_t value) { number(value, 2); }
    void u32(std::uint64_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void write(const void* data, std::size_t bytes) { out_.write(data, bytes); }
    std::uint64_t at() const { return out_.written_bytes(); }
    void close() { out_.close(); }

   private:
    npy::OutputFile out_;
};

struct Directory {
    std::uint64_t offset = 0, bytes = 0, entries = 0;
};

Directory find_directory(npy::InputFile& file) {
    constexpr std::uint64_t end_bytes = 22, locator_bytes = 20;
    const std::uint64_t size = file.size_bytes();
    const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, end_bytes + 65535);
    const std::vector<std::byte> tail = file.read(size - tail_bytes, tail_bytes);
    const std::span<const std::byte> all(tail);
    std::optional<std::size_t> found;  // the end record is followed by a comment of any length
    for (std::size_t at = tail.size() >= end_bytes ? tail.size() - end_bytes + 1 : 0; at-- > 0 && !found;)
        if (Reader(all.subspan(at)).u32() == end_mark) found = at;
    if (!found) throw Error("it is not an .npz file, or its end is missing");
    Reader end(all.subspan(*found));
    end.take(8);
    end.u16();
    Directory directory;
    directory.entries = end.u16();
    directory.bytes = end.u32();
    directory.offset = end.u32();
    if (directory.entries != 0xffff && directory.bytes != 0xffffffff && directory.offset != 0xffffffff)
        return directory;
    if (*found < locator_bytes) return directory;
    Reader locator(all.subspan(*found - locator_bytes));
    if (locator.u32() != locator_mark) return directory;
    locator.u32();
    const std::uint64_t at = locator.u64();
    const std::vector<std::byte> record = file.read(at, 56);
    Reader end64(record);
    if (end64.u32() != end64_mark) throw Error("its directory is damaged");
    end64.take(8 + 2 + 2 + 4 + 4 + 8);
    directory.entries = end64.u64();
    directory.bytes = end64.u64();
    directory.offset = end64.u64();
    return directory;
}

#ifdef GEMEL_HAS_ZLIB
std::vector<std::byte> inflated(const std::vector<std::byte>& packed, std::uint64_t bytes) {
    // Deflate compresses by at most 1032 to 1. An entry that claims more is damaged, and no memory is allocated for it.
    if (bytes / 1032 > packed.size() + 64)
        throw Error(text("it is damaged: ", packed.size(), " bytes cannot hold ", bytes));
    std::vector<std::byte> data(bytes);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("zlib cannot be initialised");
    std::size_t in = 0, out = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        constexpr std::size_t piece = std::size_t{1} << 30;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data())) + in;
        stream.avail_in = static_cast<uInt>(std::min(piece, packed.size() - in));
        stream.next_out = reinterpret_cast<Bytef*>(data.data()) + out;
        stream.avail_out = static_cast<uInt>(std::min(piece, data.size() - out));
        const uInt given_in = stream.avail_in, given_out = stream.avail_out;
        state = inflate(&stream, Z_NO_FLUSH);
        in += given_in - stream.avail_in;
        out += given_out - stream.avail_out;
        if (state == Z_OK && given_in == stream.avail_in && given_out == stream.avail_out) state = Z_BUF_ERROR;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || out != bytes)
        throw Error(text("it is damaged: it inflates to ", out, " bytes, not ", bytes));
    return data;
}
#else
std::vector<std::byte> inflated(const std::vector<std::byte>&, std::uint64_t) {
    throw Error("it is compressed, and this gemel was built without zlib: numpy.savez writes uncompressed files");
}
#endif

}  // namespace

namespace {

struct Written {
    std::string name;
    std::uint64_t offset, bytes;
    std::uint32_t checksum;
};

constexpr std::uint32_t new_year_1980 = 0x00210000;  // files with equal arrays are equal

/// Always uses the 64-bit extension, as numpy.savez does: sizes need not be known in advance.
Written write_entry(Writer& out, const std::string& name, const std::vector<std::byte>& content) {
    const Written entry{name + ".npy", out.at(), content.size(), checksum_of(content)};
    out.u32(local_mark), out.u16(45), out.u16(0x800), out.u16(stored), out.u32(new_year_1980);
    out.u32(entry.checksum), out.u32(0xffffffff), out.u32(0xffffffff), out.u16(entry.name.size()), out.u16(20);
    out.write(entry.name.data(), entry.name.size());
    out.u16(1), out.u16(16), out.u64(entry.bytes), out.u64(entry.bytes);
    out.write(content.data(), content.size());
    return entry;
}

}  // namespace

void save_npz(const std::filesystem::path& path, const std::map<std::string, AnyArray>& arrays,
              const std::map<std::string, std::string>& words) {
    for (const auto& [name, array] : arrays) {
        if (name.empty() || name.size() > 65000)
            throw ArgumentError(
                text("save_npz: '", path.string(), "': an array needs a name, of at most 65000 characters"));
        npy::require_storable("save_npz", text("array '", name, "'"), array);
    }
    for (const auto& [name, array] : arrays) (void)npy::describe(array.dtype());  // throws before any file is written
    Writer out(path);
    std::vector<Written> all;
    for (const auto& [name, array] : arrays) all.push_back(write_entry(out, name, npy::to_bytes(array)));
    for (const auto& [name, word] : words) all.push_back(write_entry(out, name, npy::word_file(word)));
    const std::uint64_t directory = out.at();
    for (const Written& entry : all) {
        out.u32(central_mark), out.u16(45), out.u16(45), out.u16(0x800), out.u16(stored), out.u32(new_year_1980);
        out.u32(entry.checksum), out.u32(0xffffffff), out.u32(0xffffffff), out.u16(entry.name.size()), out.u16(28);
        out.u16(0), out.u16(0), out.u16(0), out.u32(0), out.u32(0xffffffff);
        out.write(entry.name.data(), entry.name.size());
        out.u16(1), out.u16(24), out.u64(entry.bytes), out.u64(entry.bytes), out.u64(entry.offset);
    }
    const std::uint64_t end = out.at();
    out.u32(end64_mark), out.u64(44), out.u16(45), out.u16(45), out.u32(0), out.u32(0);
    out.u64(all.size()), out.u64(all.size()), out.u64(end - directory), out.u64(directory);
    out.u32(locator_mark), out.u32(0), out.u64(end), out.u32(1);
    const std::uint64_t count = std::min<std::uint64_t>(all.size(), 0xffff);
    out.u32(end_mark), out.u16(0), out.u16(0), out.u16(count), out.u16(count);
    out.u32(std::min<std::uint64_t>(end - directory, 0xffffffff)),
        out.u32(std::min<std::uint64_t>(directory, 0xffffffff));
    out.u16(0);
    out.close();
}

NpzFile::NpzFile(const std::filesystem::path& path) : path_(path) {
    npy::with_error_prefix("NpzFile", "", path, [&] {
        npy::InputFile file(path);
        const Directory directory = find_directory(file);
        const std::vector<std::byte> bytes = file.read(directory.offset, directory.bytes);
        Reader reader(bytes);
        std::vector<std::uint64_t> begins{directory.offset};
        std::unordered_map<std::string, std::size_t> indices;
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            if (reader.u32() != central_mark) throw Error("its directory is damaged");
            reader.take(4);
            const std::uint16_t flags = reader.u16();
            Entry entry;
            entry.method = reader.u16();
            reader.take(4);
            entry.checksum = reader.u32();
            entry.packed_bytes = reader.u32();
            entry.bytes = reader.u32();
            const std::size_t name_bytes = reader.u16(), extra_bytes = reader.u16(), comment_bytes = reader.u16();
            reader.take(8);
            entry.offset = reader.u32();
            const auto name = reader.take(name_bytes);
            entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
            entry.name.resize(std::min(entry.name.find('\0'), entry.name.size()));  // as Python's zipfile reads it
            Reader extra(reader.take(extra_bytes));
            reader.take(comment_bytes);
            while (extra.left() >= 4) {
                const std::uint16_t kind = extra.u16(), length = extra.u16();
                Reader field(extra.take(length));
                if (kind != 1) continue;  // the 64-bit extension has the values that do not fit, in this order
                for (std::uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.offset})
                    if (*value == 0xffffffff) *value = field.u64();
            }
            if (flags & 1) throw Error(text("'", entry.name, "' is encrypted"));
            begins.push_back(entry.offset);
            if (entry.name.ends_with('/')) continue;
            const std::string full_name = entry.name;
            entry.is_array = entry.name.ends_with(".npy");
            if (entry.is_array) entry.name.resize(entry.name.size() - 4);
            // Of entries with one name the last counts, as in Python: archives are updated by appending.
            const auto [known, is_new] = indices.try_emplace(full_name, entries_.size());
            if (is_new)
                entries_.push_back(std::move(entry));
            else
                entries_[known->second] = std::move(entry);
        }
        // If entries could share bytes, a small file could claim any size. So each must end where the next one begins.
        std::sort(begins.begin(), begins.end());
        for (Entry& entry : entries_) {
            const auto next = std::upper_bound(begins.begin(), begins.end(), entry.offset);
            if (next == begins.end()) throw Error(text("'", entry.name, "' lies after the directory"));
            entry.end = *next;
            if (next - std::lower_bound(begins.begin(), next, entry.offset) > 1)
                throw Error(text("'", entry.name, "' overlaps another entry"));
        }
    });
}

std::vector<std::string> NpzFile::names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_)
        if (entry.is_array) names.push_back(entry.name);
    return names;
}

bool NpzFile::contains(const std::string& name) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.is_array && entry.name == name; });
}

const NpzFile::Entry& NpzFile::find(const std::string& name) const {
    for (const bool is_array : {true, false})
        for (const Entry& entry : entries_)
            if (entry.is_array == is_array && entry.name == name) return entry;
    throw Error(text("load_npz: '", path_.string(), "' holds no array '", name, "'; it has: ", join(names())));
}

std::vector<std::byte> NpzFile::content(const Entry& entry) const {
    npy::InputFile file(path_);
    constexpr std::uint64_t local_bytes = 30;
    const std::vector<std::byte> head = file.read(entry.offset, local_bytes);
    Reader reader(head);
    if (reader.u32() != local_mark) throw Error("it is damaged: the directory's entry points to other data");
    reader.take(22);
    const std::uint64_t name_bytes = reader.u16(), extra_bytes = reader.u16();
    const std::uint64_t begin = entry.offset + local_bytes + name_bytes + extra_bytes;
    if (begin > entry.end || entry.packed_bytes > entry.end - begin)
        throw Error(
            text("it is damaged: ", entry.packed_bytes, " bytes at ", begin, " overlap what begins at ", entry.end));
    std::vector<std::byte> data = file.read(begin, entry.packed_bytes);
    if (entry.method == deflated)
        data = inflated(data, entry.bytes);
    else if (entry.method != stored)
        throw Error(text("it is compressed by method ", entry.method, ", expected stored or deflated entries"));
    else if (data.size() != entry.bytes)
        throw Error(text("it is damaged: ", data.size(), " bytes are stored, not ", entry.bytes));
    if (checksum_of(data) != entry.checksum) throw Error("it is damaged: its checksum differs");
    return data;
}

AnyArray NpzFile::load(const Context& context, const std::string& name) const {
    const Entry& entry = find(name);
    return npy::with_error_prefix("load_npz", name, path_, [&] {
        std::vector<std::byte> data = content(entry);
        return npy::to_array(context, data, nullptr);
    });
}

AnyArray NpzFile::load(const Context& context, const std::string& name, DType dtype) const {
    const Entry& entry = find(name);
    return npy::with_error_prefix("load_npz", name, path_, [&] {
        std::vector<std::byte> data = content(entry);
        return npy::to_array(context, data, &dtype);
    });
}

std::string NpzFile::load_word(const std::string& name) const {
    const Entry& entry = find(name);
    return npy::with_error_prefix("load_npz", name, path_, [&] { return npy::word_of(content(entry)); });
}

std::map<std::string, AnyArray> load_npz(const Context& context, const std::filesystem::path& path) {
    const NpzFile file(path);
    std::map<std::string, AnyArray> arrays;
    for (const std::string& name : file.names()) arrays.emplace(name, file.load(context, name));
    return arrays;
}

}  // namespace gemel
