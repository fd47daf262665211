/// The files of a captured call: .npy files of its arguments, and call.txt, which has everything else line by line.
#include "device/capture.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gemel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "gemel call 1", npy_mark = "\x93NUMPY";

[[noreturn]] void fail(const fs::path& file, const char* what) {
    throw Error(text("captured call: cannot ", what, " ", file.string(), ": ", std::strerror(errno)));
}
[[noreturn]] void damaged(const fs::path& file) {
    throw Error(text("captured call: ", file.string(), " is damaged or of another version of gemel; capture it again"));
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, "read");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Escapes a field of a line: tabs, line ends and backslashes.
std::string escaped(std::string_view field) {
    std::string all;
    for (const char c : field) {
        if (c == '\t' || c == '\n' || c == '\\') all += '\\';
        all += c == '\t' ? 't' : c == '\n' ? 'n' : c;
    }
    return all;
}
std::string unescaped(std::string_view field) {
    std::string all;
    for (std::size_t i = 0; i < field.size(); ++i) {
        const bool is_escape = field[i] == '\\' && i + 1 < field.size();
        if (is_escape) ++i;
        all += is_escape && field[i] == 't' ? '\t' : is_escape && field[i] == 'n' ? '\n' : field[i];
    }
    return all;
}

template <class... Fields>
std::string line(const Fields&... fields) {
    std::string all;
    ((all += (all.empty() ? "" : "\t") + escaped(text(fields))), ...);
    return all + "\n";
}

/// NumPy's name of the element type, "<f4"; "|u1" for types that NumPy lacks.
std::string descr_of(DType lane) {
    const auto sized = [&](char kind) { return text(lane.size_bytes() == 1 ? '|' : '<', kind, lane.size_bytes()); };
    switch (lane.kind()) {
        case DType::Kind::boolean: return sized('b');
        case DType::Kind::signed_integer: return sized('i');
        case DType::Kind::unsigned_integer:
        case DType::Kind::bfloat: return sized('u');
        case DType::Kind::floating: return sized('f');
        case DType::Kind::complex: return sized('c');
        default: return "|u1";
    }
}

/// The fields of a line, read in order.
class Fields {
   public:
    Fields(std::string_view line, const fs::path& file) : rest_(line), file_(file) {}
    std::string next() {
        if (is_done_) damaged(file_);
        const auto end = rest_.find('\t');
        const std::string field = unescaped(rest_.substr(0, end));
        is_done_ = end == std::string_view::npos;
        if (!is_done_) rest_.remove_prefix(end + 1);
        return field;
    }
    std::uint64_t number() {
        const std::string field = next();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc() || end != field.data() + field.size()) damaged(file_);
        return value;
    }

   private:
    std::string_view rest_;
    const fs::path& file_;
    bool is_done_ = false;
};

std::string option_lines(const ProgramText& program) {
    const CompileOptions& options = program.options;
    std::string all = line("portable", program.is_portable ? 1 : 0);
    all += line("fp_contract", options.fp_contract ? 1 : 0) + line("fast_math", options.fast_math ? 1 : 0);
    all += line("debug", options.debug ? 1 : 0) + line("max_registers", options.jit.max_registers);
    if (!options.architecture.empty()) all += line("architecture", options.architecture);
    for (const auto& [name, value] : options.defines) all += line("define", name, value);
    for (const auto& folder : options.include_directories) all += line("include", folder.string());
    for (const std::string& word : options.extra) all += line("extra", word);
    return all;
}

void read_option(const std::string& word, Fields& fields, CapturedCall& call) {
    if (!call.text) call.text.emplace();
    CompileOptions& options = call.text->options;
    if (word == "portable") call.text->is_portable = fields.number() != 0;
    if (word == "fp_contract") options.fp_contract = fields.number() != 0;
    if (word == "fast_math") options.fast_math = fields.number() != 0;
    if (word == "debug") options.debug = fields.number() != 0;
    if (word == "max_registers") options.jit.max_registers = static_cast<int>(fields.number());
    if (word == "architecture") options.architecture = fields.next();
    if (word == "include") options.include_directories.emplace_back(fields.next());
    if (word == "extra") options.extra.push_back(fields.next());
    if (word == "define") {
        const std::string name = fields.next();
        options.defines.emplace_back(name, fields.next());
    }
}

std::string image_fields(const CapturedImage& image) {
    const auto& [shape, sampler, is_over_memory, offset, step] = image;
    return line(shape.extent[0], shape.extent[1], shape.extent[2], int{shape.dimensions}, int{shape.is_layered},
                static_cast<int>(shape.kind), int{shape.is_normalised}, int{shape.channels},
                static_cast<int>(sampler.filter), static_cast<int>(sampler.address), int{sampler.normalised},
                int{sampler.exact}, int{sampler.hardware}, int{is_over_memory}, offset,
                static_cast<std::uint64_t>(step[0]), static_cast<std::uint64_t>(step[1]),
                static_cast<std::uint64_t>(step[2]));
}

CapturedImage read_image(Fields& fields) {
    CapturedImage image;
    const auto byte = [&] { return static_cast<std::uint8_t>(fields.number()); };
    for (auto& extent : image.shape.extent) extent = static_cast<std::uint32_t>(fields.number());
    image.shape.dimensions = byte();
    image.shape.is_layered = byte() != 0;
    image.shape.kind = static_cast<plugin::ChannelKind>(byte());
    image.shape.is_normalised = byte() != 0;
    image.shape.channels = byte();
    image.sampler.filter = static_cast<Filter>(byte());
    image.sampler.address = static_cast<Address>(byte());
    image.sampler.normalised = byte() != 0;
    image.sampler.exact = byte() != 0;
    image.sampler.hardware = byte() != 0;
    image.is_over_memory = byte() != 0;
    image.offset_bytes = fields.number();
    for (auto& step : image.step_bytes) step = static_cast<std::int64_t>(fields.number());
    return image;
}

CapturedArgument read_argument(Fields& fields) {
    CapturedArgument argument;
    argument.kind = static_cast<Argument::Kind>(fields.number());
    argument.name = fields.next();
    const auto kind = static_cast<DType::Kind>(fields.number());
    const auto size = static_cast<std::uint32_t>(fields.number());
    const auto lanes = static_cast<std::uint8_t>(fields.number());
    if (kind != DType::Kind::none && kind != DType::Kind::structure) argument.dtype = DType(kind, size, lanes);
    argument.bytes = fields.number();
    argument.before = fields.next();
    argument.after = fields.next();
    if (argument.kind == Argument::Kind::texture || argument.kind == Argument::Kind::image)
        argument.image = read_image(fields);
    return argument;
}

}  // namespace

void write_bytes(const fs::path& file, std::span<const std::byte> bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) fail(file, "write");
}

std::vector<std::byte> read_bytes(const fs::path& file) {
    const std::string all = read_file(file);
    const auto bytes = std::as_bytes(std::span(all));
    return {bytes.begin(), bytes.end()};
}

void write_npy(const fs::path& file, DType dtype, std::span<const std::byte> bytes) {
    const bool is_known = !dtype.empty() && !dtype.layout() && bytes.size() % dtype.size_bytes() == 0;
    const std::size_t count = is_known ? bytes.size() / dtype.size_bytes() : bytes.size();
    const std::string shape =
        is_known && dtype.lanes() > 1 ? text("(", count, ", ", int{dtype.lane_places()}, ")") : text("(", count, ",)");
    std::string head = text("{'descr': '", is_known ? descr_of(dtype.lane()) : "|u1",
                            "', 'fortran_order': False, 'shape': ", shape, ", }");
    constexpr std::size_t front = 10;  // magic, version 1.0, length of the header
    head.append((64 - (front + head.size() + 1) % 64) % 64, ' ') += '\n';
    std::string all(npy_mark);
    all += {1, 0, static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
    all += head;
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    write_bytes(file, std::as_bytes(std::span(all)));
}

std::vector<std::byte> read_npy(const fs::path& file) {
    const std::string all = read_file(file);
    if (!all.starts_with(npy_mark) || all.size() < 10) damaged(file);
    const std::size_t begin = 10 + static_cast<unsigned char>(all[8]) + 256u * static_cast<unsigned char>(all[9]);
    if (begin > all.size()) damaged(file);
    const auto bytes = std::as_bytes(std::span(all)).subspan(begin);
    return {bytes.begin(), bytes.end()};
}

void write_call(const fs::path& folder, const CapturedCall& call) {
    std::string all = text(first_line, "\n", line("kernel", call.kernel), line("device", call.device),
                           line("program", call.program_file));
    if (call.text) all += option_lines(*call.text);
    const auto sizes = [&](const char* word, const std::array<std::uint64_t, 3>& n) {
        all += line(word, n[0], n[1], n[2]);
    };
    sizes("grid", call.grid);
    sizes("block", call.block);
    sizes("offset", call.offset);
    all += line("shared_bytes", call.shared_bytes) + line("cooperative", call.cooperative ? 1 : 0) +
           line("overlap", call.overlap ? 1 : 0);
    for (const CapturedArgument& argument : call.arguments) {
        all += line("argument", static_cast<int>(argument.kind), argument.name, static_cast<int>(argument.dtype.kind()),
                    argument.dtype.size_bytes(), int{argument.dtype.lanes()}, argument.bytes, argument.before,
                    argument.after);
        if (argument.image) all.replace(all.size() - 1, 1, "\t" + image_fields(*argument.image));
    }
    write_bytes(folder / "call.txt", std::as_bytes(std::span(all)));
}

CapturedCall read_call(const fs::path& folder) {
    const fs::path file = folder / "call.txt";
    const std::string all = read_file(file);
    std::string_view rest = all;
    CapturedCall call;
    bool is_first = true;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (std::exchange(is_first, false)) {
            if (one != first_line) damaged(file);
            continue;
        }
        Fields fields(one, file);
        const std::string word = fields.next();
        const auto sizes = [&](std::array<std::uint64_t, 3>& n) {
            for (auto& extent : n) extent = fields.number();
        };
        if (word == "kernel")
            call.kernel = fields.next();
        else if (word == "device")
            call.device = fields.next();
        else if (word == "program")
            call.program_file = fields.next();
        else if (word == "grid")
            sizes(call.grid);
        else if (word == "block")
            sizes(call.block);
        else if (word == "offset")
            sizes(call.offset);
        else if (word == "shared_bytes")
            call.shared_bytes = fields.number();
        else if (word == "cooperative")
            call.cooperative = fields.number() != 0;
        else if (word == "overlap")
            call.overlap = fields.number() != 0;
        else if (word == "argument")
            call.arguments.push_back(read_argument(fields));
        else
            read_option(word, fields, call);
    }
    if (call.kernel.empty() || call.program_file.empty()) damaged(file);
    if (call.text) call.text->source = read_file(folder / call.program_file);
    return call;
}

}  // namespace gemel
