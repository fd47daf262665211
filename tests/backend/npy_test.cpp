/// Arrays in NumPy's files: round trips, both orders, damaged files. tests/interop/numpy_files.sh asks NumPy itself.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <complex>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

namespace npy_structs {

struct Inner {
    float weight;
    std::int16_t tag;
};
GEMEL_STRUCT(Inner, weight, tag)
struct Record {
    std::int8_t flag;
    double mass;
    std::array<float, 3> position;
    std::array<Inner, 2> inner;
};
GEMEL_STRUCT(Record, flag, mass, position, inner)

}  // namespace npy_structs

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
void check_round_trip(const std::filesystem::path& folder, const std::vector<T>& values, const Shape& shape) {
    const Context context = default_context();
    GPUArray<T> array(context, shape);
    array.set(values);
    const auto path = folder / "x.npy";
    save_npy(path, array);
    const GPUArray<T> back = load_npy<T>(context, path);
    CHECK(back.shape() == shape);
    CHECK((values.empty() || std::memcmp(back.get().data(), values.data(), values.size() * sizeof(T)) == 0));
    CHECK(load_npy(context, path).dtype() == dtype_of<T>());
    CHECK((std::filesystem::file_size(path) - values.size() * sizeof(T)) % 64 == 0);
}

std::string head(const std::string& dictionary, int major = 1) {
    std::string header = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
    const std::size_t n = dictionary.size();
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) header += static_cast<char>(n >> (8 * i) & 0xff);
    return header + dictionary;
}

/// A file of this content is refused in these words and by its name.
void check_refused(const ScratchFolder& scratch, const std::string& content,
                   std::initializer_list<std::string_view> words) {
    const auto path = scratch.path() / "damaged.npy";
    write_file(path, content);
    const std::string message = message_of<Error>([&] { load_npy(default_context(), path); });
    INFO(message);
    CHECK(mentions(message, words));
    CHECK(mentions(message, {"damaged.npy"}));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arrays of all types come back from their files") {
    const ScratchFolder scratch;
    check_round_trip<std::int8_t>(scratch.path(), {-1, 2, 3, 4, 5, 6}, {2, 3});
    check_round_trip<std::uint8_t>(scratch.path(), {255, 2}, {2});
    check_round_trip<std::int16_t>(scratch.path(), {-300, 2}, {1, 2});
    check_round_trip<std::uint16_t>(scratch.path(), {65535, 2}, {2, 1, 1});
    check_round_trip<std::int32_t>(scratch.path(), {-70000}, Shape());
    check_round_trip<std::uint32_t>(scratch.path(), {4000000000u}, {1});
    check_round_trip<std::int64_t>(scratch.path(), {INT64_MIN, 1}, {2});
    check_round_trip<std::uint64_t>(scratch.path(), {UINT64_MAX, 1}, {2});
    check_round_trip<half>(scratch.path(), {half(1.5f), half(-2)}, {2});
    check_round_trip<float>(scratch.path(), {1.5f, -2}, {2});
    check_round_trip<cfloat>(scratch.path(), {{1, 2}, {3, 4}}, {2});
    check_round_trip<double>(scratch.path(), {1.5, -2}, {2});
    check_round_trip<cdouble>(scratch.path(), {{1, 2}, {3, 4}}, {2});
    check_round_trip<float>(scratch.path(), {}, {0, 3});
    const GPUArray<bool> flags(default_context(), {3});
    flags.set(std::vector<std::uint8_t>{1, 0, 1});
    save_npy(scratch.path() / "b.npy", flags);
    CHECK(load_npy<bool>(scratch.path() / "b.npy").get() == std::vector<std::uint8_t>{1, 0, 1});
}

TEST_CASE("Fortran order and views are kept as what they are") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const GPUArray<float> a(context, {2, 3});
    a.set(counting<float>(6));
    save_npy(scratch.path() / "t.npy", a.transpose());
    const auto back = load_npy<float>(context, scratch.path() / "t.npy");
    CHECK(back.shape() == Shape(3, 2));
    CHECK(!back.is_contiguous(Order::C));
    CHECK(back.is_contiguous(Order::F));
    CHECK(back.get() == a.transpose().get());
    save_npy(scratch.path() / "v.npy", a(slice({}, {}, -1), slice(0, {}, 2)));
    CHECK(load_npy<float>(context, scratch.path() / "v.npy").get() == std::vector<float>{3, 5, 0, 2});
}

TEST_CASE("structs are structured types") {
    using npy_structs::Record;
    const ScratchFolder scratch;
    const Context context = default_context();
    std::vector<Record> records(5);
    std::memset(static_cast<void*>(records.data()), 0, records.size() * sizeof(Record));
    for (int i = 0; i < 5; ++i) {
        records[i].flag = static_cast<std::int8_t>(i);
        records[i].mass = 0.5 * i;
        records[i].position = {float(i), 1, 2};
        records[i].inner[1] = {2.5f, static_cast<std::int16_t>(i)};
    }
    const GPUArray<Record> array(context, {5});
    array.set(records);
    const auto path = scratch.path() / "r.npy";
    save_npy(path, array);
    const auto back = load_npy<Record>(context, path).get();
    CHECK(std::memcmp(back.data(), records.data(), 5 * sizeof(Record)) == 0);
    CHECK(read_file(path).find("[('flag', '|i1'), ('', '|V7'), ('mass', '<f8'), ('position', '<f4', (3,)), ('inner', "
                               "[('weight', '<f4'), ('tag', '<i2'), ('', '|V2')], (2,)), ('', '|V4')]") !=
          std::string::npos);
    CHECK_THROWS_MENTIONING(Error, load_npy(context, path), "structs", "load_npy<T>", "r.npy");
    CHECK_THROWS_MENTIONING(ArgumentError, load_npy<npy_structs::Inner>(context, path), "('mass', '<f8')", "Inner");
    CHECK_THROWS_MENTIONING(ArgumentError, load_npy<float>(context, path), "not float");
}

TEST_CASE("structs that NumPy has packed are laid out as the type has them") {
    using npy_structs::Record;
    const ScratchFolder scratch;
    const auto path = scratch.path() / "r.npy";
    std::string data;
    const auto add = [&](auto value) { data.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (int i = 0; i < 6; ++i) {
        add(static_cast<std::int8_t>(i));
        add(0.5 * i);
        for (int k = 0; k < 3; ++k) add(static_cast<float>(k + i));
        for (int k = 0; k < 2; ++k) {
            add(static_cast<float>(10 * k + i));
            add(static_cast<std::int16_t>(100 * k + i));
        }
    }
    const std::string fields =
        "[('flag', '|i1'), ('mass', '<f8'), ('position', '<f4', (3,)), ('inner', [('weight', '<f4'), ('tag', '<i2')], "
        "(2,))]";
    const auto check = [&](const char* order, auto&& place) {
        write_file(path, head("{'descr': " + fields + ", 'fortran_order': " + order + ", 'shape': (2, 3), }") + data);
        const std::vector<Record> records = load_npy<Record>(path).get();
        for (int i = 0; i < 6; ++i) {
            const Record& r = records[place(i)];
            CHECK(r.flag == i);
            CHECK(r.mass == 0.5 * i);
            CHECK(r.position == std::array<float, 3>{float(i), float(i + 1), float(i + 2)});
            CHECK(r.inner[1].weight == 10.0f + i);
            CHECK(r.inner[1].tag == 100 + i);
        }
    };
    check("False", [](int i) { return i; });
    check("True", [](int i) { return i % 2 * 3 + i / 2; });
    write_file(path, head("{'descr': [('flag', '|i1'), ('mass', '<f4')], 'fortran_order': False, 'shape': (0,), }"));
    CHECK_THROWS_MENTIONING(ArgumentError, load_npy<Record>(path), "('mass', '<f4')");
}

TEST_CASE("files are read into the current context") {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "x.npy", several = scratch.path() / "x.npz";
    save_npy(path, full<float>({2}, 3));
    save_npz(several, {{"a", full<float>({2}, 4)}});
    const Context other(default_device());
    const ContextScope scope(other);
    CHECK(load_npy(path).context() == other);
    CHECK(load_npy(path).get<float>() == std::vector<float>{3, 3});
    CHECK(load_npy(path, dtype_of<float>()).context() == other);
    CHECK(NpzFile(several).load("a").get<float>() == std::vector<float>{4, 4});
    CHECK(NpzFile(several).load("a", dtype_of<float>()).context() == other);
    CHECK(load_npz(several).at("a").context() == other);
}

TEST_CASE("the other byte order and other versions are read") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "x.npy";
    write_file(path, head("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n") +
                         std::string("\x3f\x80\0\0\xc0\0\0\0", 8));
    CHECK(load_npy<float>(context, path).get() == std::vector<float>{1, -2});
    write_file(path, head("{\"shape\": (1L,), 'fortran_order': True, 'descr': '>c8'}", 2) +
                         std::string("\x3f\x80\0\0\xc0\0\0\0", 8));
    CHECK(load_npy<cfloat>(context, path).get() == std::vector<cfloat>{{1, -2}});
    write_file(path, head("{'descr': '<i2', 'fortran_order': False, 'shape': ()}", 3) + std::string("\x05\0", 2));
    CHECK(load_npy<std::int16_t>(context, path).item() == 5);
}

TEST_CASE("what NumPy has no type for is refused") {
    const ScratchFolder scratch;
    const GPUArray<bfloat16> a(default_context(), {2});
    CHECK_THROWS_MENTIONING(ArgumentError, save_npy(scratch.path() / "x.npy", a), "bfloat16", "astype<float>");
    CHECK_THROWS_MENTIONING(ArgumentError, save_npz(scratch.path() / "x.npz", {{"a", a}}), "bfloat16");
    CHECK(!std::filesystem::exists(scratch.path() / "x.npz"));
}

TEST_CASE("files that cannot be opened are errors that name the file") {
    const ScratchFolder scratch;
    const Context context = default_context();
    CHECK_THROWS_MENTIONING(Error, load_npy(context, scratch.path() / "missing.npy"), "missing.npy", "cannot be opened",
                            "No such file");
    CHECK_THROWS_MENTIONING(Error, load_npy(context, scratch.path()), "cannot be opened", "folder");
}

TEST_CASE("damaged headers are errors that name the file") {
    const ScratchFolder scratch;
    check_refused(scratch, "", {"does not begin"});
    check_refused(scratch, "\x93NUMP", {"cut off"});
    check_refused(scratch, "PK something else entirely", {"does not begin"});
    check_refused(scratch, head("{}", 9), {"version 9.0"});
    check_refused(scratch, std::string("\x93NUMPY\x01\0\xff\xff{'descr'", 18), {"cut off"});
    check_refused(scratch, std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'", 20), {"claims"});
    check_refused(scratch, head("{}\n"), {"lacks 'descr'"});
    check_refused(scratch, head("[]\n"), {"expected a dictionary"});
    check_refused(scratch, head("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)"), {"expected '}'"});
    check_refused(scratch, head("{'descr': '<f4"), {"does not end"});
    check_refused(scratch, head(std::string(1000, '(')), {"nested"});
}

TEST_CASE("types and shapes that no array can have are errors that name the file") {
    const ScratchFolder scratch;
    const auto refuses = [&](const char* descr, const char* shape, std::initializer_list<std::string_view> words) {
        check_refused(
            scratch,
            head(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n") + "1234",
            words);
    };
    refuses("'<f4'", "(2, 3)", {"needs 24 bytes", "file has 4"});
    refuses("'<f4'", "(-2,)", {"invalid 'shape'"});
    refuses("'<f4'", "(4611686018427387904, 4611686018427387904)", {"64 bits"});
    refuses("'<f8'", "(4611686018427387904,)", {"64 bits"});
    refuses("'<f4'", "7", {"invalid 'shape'"});
    refuses("'|O'", "(2,)", {"Python objects"});
    refuses("'<U5'", "(2,)", {"'<U5'"});
    refuses("'<M8[ns]'", "(2,)", {"'<M8[ns]'"});
    refuses("'<f16'", "(2,)", {"'<f16'"});
    refuses("''", "(2,)", {"''"});
    refuses("'<'", "(2,)", {"'<'"});
    refuses("5", "(2,)", {"invalid 'descr'"});
    refuses("[('a',)]", "(2,)", {"a field is"});
    refuses("[('a', '<f4', (99999999999, 99999999999))]", "(2,)", {"too large"});
}

TEST_CASE("a file that is cut off anywhere is an error") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "damaged.npy";
    save_npy(path, ones<float>(context, {3}));
    const std::string whole = read_file(path);
    for (std::size_t n = 0; n < whole.size(); ++n) {
        write_file(path, whole.substr(0, n));
        CHECK_THROWS_AS(load_npy(context, path), Error);
    }
}

TEST_CASE("a file with one changed byte is read or refused and nothing worse") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "damaged.npy";
    save_npy(path, ones<float>(context, {3}));
    const std::string whole = read_file(path);
    int refused = 0;
    for (std::size_t n = 0; n < 128; ++n) {
        std::string changed = whole;
        changed[n] = static_cast<char>(changed[n] ^ 0x15);
        write_file(path, changed);
        try {
            load_npy(context, path);
        } catch (const Error&) {
            ++refused;
        }
    }
    CHECK(refused > 50);
}

TEST_CASE("several arrays come back by name") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "x.npz";
    const GPUArray<float> a(context, {2, 3});
    a.set(counting<float>(6));
    const GPUArray<std::int64_t> b(context, {4});
    b.fill(-7);
    save_npz(path, {{"a", a}, {"long name", b}, {"none", GPUArray<double>(context, {0})}});
    const NpzFile file(path);
    CHECK(file.names() == std::vector<std::string>{"a", "long name", "none"});
    CHECK(file.contains("a"));
    CHECK(!file.contains("a.npy"));
    CHECK(file.load<float>(context, "a").get() == a.get());
    CHECK(file.load<std::int64_t>("long name").get() == b.get());
    CHECK(file.load<double>("none").shape() == Shape(0));
    CHECK(load_npz(context, path).size() == 3);
    CHECK_THROWS_MENTIONING(Error, file.load<float>("c"), "no array 'c'", "a, long name, none");
    CHECK_THROWS_MENTIONING(ArgumentError, file.load<double>("a"), "'a' in", "'<f4'", "'<f8'");
    CHECK_THROWS_AS(save_npz(path, {{"", a}}), ArgumentError);
    save_npz(path, {});
    CHECK(NpzFile(path).names().empty());
}

TEST_CASE("of two arrays of one name the later counts") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "x.npz";
    save_npz(path, {{"a", full<float>(context, {3}, 1)}, {"b", full<float>(context, {3}, 2)}});
    std::string twice = read_file(path);
    for (std::size_t at = 0; (at = twice.find("b.npy", at)) != std::string::npos;) twice[at] = 'a';
    write_file(path, twice);  // as programs that append to archives leave them
    CHECK(NpzFile(path).names() == std::vector<std::string>{"a"});
    CHECK(NpzFile(path).load<float>(context, "a").get() == std::vector<float>(3, 2));
    CHECK(load_npz(context, path).at("a").get<float>() == std::vector<float>(3, 2));
}

TEST_CASE("what cannot be saved leaves an older file as it is") {
    const ScratchFolder scratch;
    const auto npy = scratch.path() / "x.npy", npz = scratch.path() / "x.npz";
    const Context context = default_context();
    GPUArray<float> a(context, {3}), b(context, {3});
    a.fill(1);
    save_npy(npy, a);
    save_npz(npz, {{"a", a}});
    const std::string old_npy = read_file(npy), old_npz = read_file(npz);
    const GPUArray<float> moved = std::move(b);
    CHECK_THROWS_MENTIONING(ArgumentError, save_npy(npy, GPUArray<float>{}), "save_npy", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, save_npy(npy, b), "save_npy", "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, save_npz(npz, {{"a", a}, {"b", b}}), "save_npz", "'b'", "empty handle");
    GPUArray<float> released(context, {3});
    released.release();
    CHECK_THROWS_MENTIONING(ArgumentError, save_npz(npz, {{"a", a}, {"c", released}}), "save_npz", "'c'");
    CHECK_THROWS_MENTIONING(ArgumentError, save_npz(npz, {{"a", a}, {"d", AnyArray(GPUArray<bfloat16>(context, {2}))}}),
                            "bfloat16");
    Shape shape;
    while (shape.rank() < 65) shape.push_back(1);
    CHECK_THROWS_MENTIONING(ArgumentError, save_npy(npy, a(0).reshape(shape)), "save_npy", "65 axes", "64");
    CHECK(read_file(npy) == old_npy);
    CHECK(read_file(npz) == old_npz);
    shape.erase(0);
    save_npy(npy, a(0).reshape(shape));
    CHECK(load_npy<float>(context, npy).rank() == 64);
    CHECK_THROWS_MENTIONING(Error, save_npy(scratch / "absent" / "x.npy", a), "x.npy", "No such file");
    CHECK_THROWS_MENTIONING(Error, save_npz("/dev/full", {{"a", a}}), "/dev/full", "No space left");
}

TEST_CASE("damaged archives are errors") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const auto path = scratch.path() / "x.npz";
    const GPUArray<float> a(context, {3});
    a.fill(1);
    save_npz(path, {{"a", a}});
    const std::string whole = read_file(path);
    const auto load = [&] { NpzFile(path).load<float>(context, "a"); };
    CHECK_NOTHROW(load());
    for (std::size_t n = 0; n < whole.size(); ++n) {
        write_file(path, whole.substr(0, n));
        CHECK_THROWS_AS(load(), Error);
    }
    int refused = 0;
    for (std::size_t n = 0; n < whole.size(); ++n) {
        std::string changed = whole;
        changed[n] = static_cast<char>(changed[n] ^ 0x15);
        write_file(path, changed);
        try {
            load();
        } catch (const Error&) {
            ++refused;
        }
    }
    CHECK(refused > 200);  // all that the checksum covers, and what names and places the entry
    std::string changed = whole;
    changed[changed.find("\x93NUMPY") + 130] ^= 1;
    write_file(path, changed);
    CHECK_THROWS_MENTIONING(Error, load(), "checksum");
    // A name ends at its first zero byte, so that no message does.
    changed = whole;
    changed[changed.find("a.npy", changed.find("a.npy") + 1) + 1] = '\0';
    changed[changed.find("\x93NUMPY") + 130] ^= 1;
    write_file(path, changed);
    CHECK(NpzFile(path).names().empty());
    CHECK_THROWS_MENTIONING(Error, NpzFile(path).load(context, "a"), "x.npz", "checksum");
}

namespace {

void put_number(std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

/// An archive whose entries all claim the content of the first one, or their own.
struct ZipEntry {
    std::string name;
    std::size_t offset, packed, bytes;
    std::uint32_t checksum;
};
std::string local_header(const ZipEntry& entry) {
    std::string out = "PK\x03\x04";
    put_number(out, 20, 2), put_number(out, 0, 2), put_number(out, 0, 2), put_number(out, 0, 4);
    put_number(out, entry.checksum, 4), put_number(out, entry.packed, 4), put_number(out, entry.bytes, 4);
    put_number(out, entry.name.size(), 2), put_number(out, 0, 2);
    return out + entry.name;
}
std::string directory_of(const std::vector<ZipEntry>& entries, std::size_t offset) {
    std::string out;
    for (const ZipEntry& entry : entries) {
        out += "PK\x01\x02";
        put_number(out, 20, 2), put_number(out, 20, 2), put_number(out, 0, 2), put_number(out, 0, 2);
        put_number(out, 0, 4), put_number(out, entry.checksum, 4), put_number(out, entry.packed, 4);
        put_number(out, entry.bytes, 4), put_number(out, entry.name.size(), 2), put_number(out, 0, 2);
        put_number(out, 0, 2), put_number(out, 0, 2), put_number(out, 0, 2), put_number(out, 0, 4);
        put_number(out, entry.offset, 4);
        out += entry.name;
    }
    const std::size_t bytes = out.size();
    out += "PK\x05\x06";
    put_number(out, 0, 4), put_number(out, entries.size(), 2), put_number(out, entries.size(), 2);
    put_number(out, bytes, 4), put_number(out, offset, 4), put_number(out, 0, 2);
    return out;
}
/// The checksum that an archive of one array has written down.
std::uint32_t checksum_in(const std::string& archive) {
    std::uint32_t checksum = 0;
    std::memcpy(&checksum, archive.data() + 14, 4);
    return checksum;
}

}  // namespace

TEST_CASE("archives whose entries share bytes are refused") {
    const ScratchFolder scratch;
    const auto path = scratch / "x.npz", single = scratch / "a.npy";
    const GPUArray<float> a = full<float>({1000}, 1);
    save_npy(single, a);
    save_npz(path, {{"a", a}});
    const std::string content = read_file(single);
    const std::uint32_t checksum = checksum_in(read_file(path));
    const auto entry = [&](const std::string& name, std::size_t offset, std::size_t packed) {
        return ZipEntry{name, offset, packed, packed, checksum};
    };
    // As it should be.
    const ZipEntry first = entry("a.npy", 0, content.size());
    const std::string body = local_header(first) + content;
    write_file(path, body + directory_of({first}, body.size()));
    CHECK(NpzFile(path).load<float>("a").get() == a.get());
    // A hundred names for one stretch of bytes.
    std::vector<ZipEntry> many;
    for (int i = 0; i < 100; ++i) many.push_back(entry("array" + std::to_string(i) + ".npy", 0, content.size()));
    write_file(path, body + directory_of(many, body.size()));
    CHECK_THROWS_MENTIONING(Error, load_npz(path), "x.npz", "overlaps");
    // Local headers one behind the other, each of which claims all that follows.
    std::string nested;
    for (int i = 0; i < 3; ++i) nested += local_header(many[static_cast<std::size_t>(i)]);
    std::vector<ZipEntry> quoted;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t head = local_header(many[i]).size();
        quoted.push_back(entry(many[i].name, i * head, (2 - i) * head + content.size()));
    }
    write_file(path, nested + content + directory_of(quoted, nested.size() + content.size()));
    CHECK_THROWS_MENTIONING(Error, load_npz(path), "x.npz", "overlap");
    // An entry that claims the directory too, and one behind it.
    write_file(path, body + directory_of({entry("a.npy", 0, content.size() + 10)}, body.size()));
    CHECK_THROWS_MENTIONING(Error, load_npz(path), "overlap");
    write_file(path, body + directory_of({entry("a.npy", body.size() + 5, 10)}, body.size()));
    CHECK_THROWS_MENTIONING(Error, load_npz(path), "after the directory");
}

TEST_CASE("what else is in an archive is passed over") {
    const ScratchFolder scratch;
    const auto path = scratch / "x.npz";
    const GPUArray<float> a = full<float>({3}, 1);
    save_npz(path, {{"a", a}, {"b", a}});
    std::string changed = read_file(path);
    for (std::size_t at = 0; (at = changed.find("b.npy", at)) != std::string::npos; ++at)
        changed.replace(at, 5, "b.txt");
    write_file(path, changed);
    CHECK(NpzFile(path).names() == std::vector<std::string>{"a"});
    CHECK_FALSE(NpzFile(path).contains("b.txt"));
    CHECK(load_npz(path).size() == 1);
    CHECK(NpzFile(path).load<float>("b.txt").get() == a.get());  // which is an .npy file by another name
}

TEST_CASE("headers as other versions of NumPy and Python write them are read") {
    const ScratchFolder scratch;
    const auto path = scratch / "x.npy";
    const std::string two(8, '\0');
    write_file(path, head("{u'descr': u'<f4', b'fortran_order': False, 'shape': (2L,), }\r\n") + two);
    CHECK(load_npy<float>(path).get() == std::vector<float>{0, 0});
    write_file(path, head("{\r\n 'descr' :\t'<f4',\r\n 'fortran_order': False, 'shape': (2,)\r\n}\r\n") + two);
    CHECK(load_npy<float>(path).shape() == Shape{2});
    const auto named = [](const std::string& name) {
        return "{'descr': [('" + name + "', '<f4')], 'fortran_order': False, 'shape': (2,), }\n";
    };
    // One letter in Latin-1, in UTF-8, and as Python 2 spelt it.
    for (const std::string& header :
         {head(named("caf\xe9"), 1), head(named("caf\xe9"), 2), head(named("caf\xc3\xa9"), 3), head(named("caf\\xe9")),
          head(named("caf\\u00e9"))}) {
        write_file(path, header + two);
        CHECK_THROWS_MENTIONING(Error, load_npy(path), "structs", "'caf\xc3\xa9'");
    }
    for (const char* wrong : {"caf\\", "caf\\x", "caf\\xq0", "caf\\u12", "caf\\q"}) {
        write_file(path, head(named(wrong)) + two);
        CHECK_THROWS_MENTIONING(Error, load_npy(path), "x.npy", "invalid header");
    }
}

namespace {

/// No file grows beyond so many bytes: what a full disk is.
class FileLimit {
   public:
    explicit FileLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

   private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace

TEST_CASE("a file that cannot be written to its end leaves the older one and nothing beside it") {
    const ScratchFolder scratch;
    const auto npy = scratch / "x.npy", npz = scratch / "x.npz";
    const auto files = [&] {
        return std::distance(std::filesystem::directory_iterator(scratch.path()),
                             std::filesystem::directory_iterator());
    };
    save_npy(npy, full<float>({10}, 1));
    save_npz(npz, {{"a", full<float>({10}, 1)}});
    const std::string old_npy = read_file(npy), old_npz = read_file(npz);
    const GPUArray<float> small = full<float>({10}, 2), large = full<float>({100000}, 2);
    large.context().synchronize();
    {
        const FileLimit limit(100000);
        CHECK_THROWS_MENTIONING(Error, save_npy(npy, large), "x.npy", "cannot be written", "too large");
        CHECK_THROWS_MENTIONING(Error, save_npz(npz, {{"a", small}, {"b", large}}), "x.npz", "cannot be written");
        CHECK_THROWS_MENTIONING(Error, save_npy(scratch / "new.npy", large), "new.npy");
    }
    CHECK(read_file(npy) == old_npy);
    CHECK(read_file(npz) == old_npz);
    CHECK(files() == 2);
}

TEST_CASE("files have the permissions of files that are opened and links stay links") {
    namespace fs = std::filesystem;
    const ScratchFolder scratch;
    const auto mode = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
    const GPUArray<float> a = full<float>({10}, 1), b = full<float>({3}, 2);
    const mode_t mask = ::umask(027);
    save_npy(scratch / "new.npy", a);
    save_npz(scratch / "new.npz", {{"a", a}});
    ::umask(mask);
    CHECK(mode(scratch / "new.npy") == 0640);
    CHECK(mode(scratch / "new.npz") == 0640);
    fs::permissions(scratch / "new.npy", fs::perms(0606));
    save_npy(scratch / "new.npy", b);
    CHECK(mode(scratch / "new.npy") == 0606);
    CHECK(load_npy<float>(scratch / "new.npy").size() == 3);
    fs::create_symlink("new.npy", scratch / "link.npy");
    save_npy(scratch / "link.npy", a);
    CHECK(fs::is_symlink(scratch / "link.npy"));
    CHECK(load_npy<float>(scratch / "new.npy").size() == 10);
    fs::create_symlink("later.npy", scratch / "dangling.npy");
    save_npy(scratch / "dangling.npy", b);
    CHECK(fs::is_symlink(scratch / "dangling.npy"));
    CHECK(load_npy<float>(scratch / "later.npy").size() == 3);
    fs::create_symlink("loop.npy", scratch / "loop.npy");
    CHECK_THROWS_MENTIONING(Error, save_npy(scratch / "loop.npy", b), "loop.npy");
    if (::geteuid() != 0) {
        fs::permissions(scratch / "new.npy", fs::perms(0400));
        CHECK_THROWS_MENTIONING(Error, save_npy(scratch / "new.npy", b), "new.npy", "Permission denied");
    }
    CHECK_THROWS_MENTIONING(Error, save_npy(scratch.path(), b), "cannot be written", "directory");
    // What is no plain file is written as it is.
    save_npy("/dev/null", a);
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_SUITE_END();
