/// A captured call as a C++ program.
#include "device/capture.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {
namespace {

std::string in_quotes(std::string_view words) {
    std::string all = "\"";
    for (const char c : words) {
        if (c == '"' || c == '\\') all += '\\';
        all += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
    }
    return all + "\"";
}

/// "{.defines = {{"N", "16"}}, .fp_contract = false}"
std::string options_text(const CompileOptions& options) {
    std::vector<std::string> members;
    std::vector<std::string> defines, folders, extra;
    for (const auto& [name, value] : options.defines)
        defines.push_back(text("{", in_quotes(name), ", ", in_quotes(value), "}"));
    for (const auto& folder : options.include_directories) folders.push_back(in_quotes(folder.string()));
    for (const auto& word : options.extra) extra.push_back(in_quotes(word));
    if (!defines.empty()) members.push_back(".defines = {" + join(defines) + "}");
    if (!folders.empty()) members.push_back(".include_directories = {" + join(folders) + "}");
    if (!options.fp_contract) members.push_back(".fp_contract = false");
    if (options.fast_math) members.push_back(".fast_math = true");
    if (!options.architecture.empty()) members.push_back(".architecture = " + in_quotes(options.architecture));
    if (options.debug) members.push_back(".debug = true");
    if (options.jit.max_registers > 0)
        members.push_back(text(".jit = {.max_registers = ", options.jit.max_registers, "}"));
    if (!extra.empty()) members.push_back(".extra = {" + join(extra) + "}");
    return "{" + join(members) + "}";
}

std::string cpp_type(DType dtype) {
    const std::string bits = std::to_string(8 * dtype.size_bytes());
    switch (dtype.kind()) {
        case DType::Kind::boolean: return "bool";
        case DType::Kind::signed_integer: return "std::int" + bits + "_t";
        case DType::Kind::unsigned_integer: return "std::uint" + bits + "_t";
        default: return dtype.size_bytes() == 4 ? "float" : "double";
    }
}

std::string sizes_text(const std::array<std::uint64_t, 3>& n) { return text("{", n[0], ", ", n[1], ", ", n[2], "}"); }

std::string module_line(const CapturedCall& call) {
    const std::string file = in_quotes(call.program_file);
    if (!call.text) return text("context.load_binary(std::as_bytes(std::span(file(", file, "))))");
    const std::string options = options_text(call.text->options);
    if (call.text->is_portable) return text("context.compile(file(", file, "), ", options, ")");
    return text("context.compile(gemel::NativeSource{.", call.program_file.ends_with(".cu") ? "cuda" : "opencl",
                " = file(", file, ")}, ", options, ")");
}

/// The line that creates argument k.
std::string argument_line(const CapturedArgument& argument, std::size_t k) {
    const std::string name = text("argument_", k), note = argument.name.empty() ? "" : "  // " + argument.name;
    if (argument.kind == Argument::Kind::shared)
        return text("    const gemel::SharedMemory ", name, "{", argument.bytes, "};", note, "\n");
    if (argument.is_memory() && argument.before.empty())
        return text("    const gemel::Buffer ", name, " = memory(context, std::string(", argument.bytes, ", '\\0'));",
                    note, "\n");
    const std::string from = text("array(", in_quotes(argument.before), ")");
    if (argument.image)
        return image_lines(*argument.image, argument.kind == Argument::Kind::texture, name, from) + note + "\n";
    if (argument.is_memory())
        return text("    const gemel::Buffer ", name, " = memory(context, ", from, ");", note, "\n");
    const std::string type = argument.kind == Argument::Kind::scalar
                                 ? cpp_type(argument.dtype)
                                 : text("std::array<unsigned char, ", argument.bytes, ">");
    return text("    const auto ", name, " = value<", type, ">(", from, ");", note, "\n");
}

constexpr const char* helpers = R"(#include <gemel/core/core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::filesystem::path folder;  // of the captured call

std::string file(const char* name) {
    std::ifstream in(folder / name, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + (folder / name).string());
    return {std::istreambuf_iterator<char>(in), {}};
}

// What lies behind the header of a .npy file.
std::string array(const char* name) {
    const std::string all = file(name);
    return all.substr(10 + static_cast<unsigned char>(all.at(8)) + 256u * static_cast<unsigned char>(all.at(9)));
}

template <class T>
T value(const std::string& bytes) {
    T x;
    std::memcpy(&x, bytes.data(), sizeof x);
    return x;
}

gemel::Buffer memory(const gemel::Context& context, const std::string& bytes) {
    const gemel::Buffer buffer = context.allocate(bytes.size());
    if (!bytes.empty()) buffer.upload(bytes);
    return buffer;
}

// Whether the buffer holds what it held after the captured call.
bool is_same(const gemel::Buffer& buffer, const char* name) {
    const std::string expected = array(name);
    std::string got(expected.size(), '\0');
    if (!got.empty()) buffer.download(got);
    for (std::size_t k = 0; k < got.size(); ++k)
        if (got[k] != expected[k]) return std::printf("%s: differs from byte %zu on\n", name, k), false;
    return std::printf("%s: same\n", name), true;
}

}  // namespace

)";

}  // namespace

std::string program_of(const CapturedCall& call) {
    const bool uses_images =
        std::any_of(call.arguments.begin(), call.arguments.end(), [](const auto& argument) { return argument.image; });
    std::string all =
        text("// Repeats a call of the kernel ", in_quotes(call.kernel), " that was captured on ", call.device,
             ".\n//\n//     c++ -std=c++20 main.cpp -lgemel -o repeat && ./repeat\n", helpers,
             uses_images ? image_helpers : "",
             "int main(int argc, char** argv) try {\n"
             "    folder = argc > 1 ? std::filesystem::path(argv[1])\n"
             "                      : std::filesystem::path(__FILE__).parent_path();\n"
             "    const gemel::Context context = gemel::default_context();\n"
             "    const gemel::Module module = ",
             module_line(call), ";\n    const gemel::Kernel kernel = module.kernel(", in_quotes(call.kernel), ");\n");
    std::string config = text(".grid = ", sizes_text(call.grid), ", .block = ", sizes_text(call.block));
    if (call.shared_bytes > 0) config += text(", .shared_bytes = ", call.shared_bytes);
    if (call.cooperative) config += ", .cooperative = true";
    if (!call.overlap) config += ", .overlap = false";
    if (call.offset != std::array<std::uint64_t, 3>{}) config += ", .offset = " + sizes_text(call.offset);
    std::string names, checks;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
        const CapturedArgument& argument = call.arguments[k];
        all += argument_line(argument, k);
        names += text(", argument_", k);
        if (!argument.after.empty())
            checks += text("    same &= is_same(argument_", k, ", ", in_quotes(argument.after), ");\n");
    }
    return all + text("    kernel({", config, "}", names, ");\n    bool same = true;\n", checks,
                      "    return same ? 0 : 1;\n} catch (const std::exception& error) {\n"
                      "    std::fprintf(stderr, \"%s\\n\", error.what());\n    return 2;\n}\n");
}

}  // namespace gemel
