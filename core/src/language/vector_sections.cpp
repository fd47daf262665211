#include "language/vector_sections.hpp"

#include <gemel/core/text.hpp>

#include <array>
#include <string>

namespace gemel {
namespace {

constexpr std::array narrow{"char", "uchar", "short", "ushort", "int", "uint", "float"};
constexpr std::array wide{"long", "ulong", "double"};

/// "x, y, z" or "s0, s1, ...", each prefixed with `before`.
std::string lane_list(int lanes, const std::string& before) {
    std::vector<std::string> names;
    for (int k = 0; k < lanes; ++k)
        names.push_back(before + (lanes <= 4 ? std::string(1, "xyzw"[k]) : text("s", "0123456789abcdef"[k])));
    return join(names, ", ");
}

/// A type with its own name behind a macro: CUDA has some of these, packed more tightly.
Dialect::Section cuda_vector(const std::string& base, int lanes, int lane_bytes) {
    const std::string name = text(base, lanes), own = "gemel_" + name;
    const int slots = lanes == 3 ? 4 : lanes;
    return {.name = name,
            .words = {name, "make_" + name},
            .text = text("struct alignas(", slots * lane_bytes, ") ", own, " { ", base, " ", lane_list(lanes, ""),
                         "; };\n#define ", name, " ", own, "\nGEMEL_FUNCTION ", own, " gemel_make_", name, "(",
                         lane_list(lanes, base + " "), ") {\n    ", own, " v = {", lane_list(lanes, ""),
                         "};\n    return v;\n}\n#define make_", name, " gemel_make_", name, "\n")};
}

}  // namespace

Dialect::Section opencl_vector_section() {
    Dialect::Section section{.name = "vectors"};
    const auto add = [&](const std::string& base) {
        for (const int lanes : {2, 3, 4, 8, 16}) {
            const std::string vector = text(base, lanes), parameters = lane_list(lanes, "");
            section.words.push_back("make_" + vector);
            section.text += text("#define make_", vector, "(", parameters, ") ((", vector, ")(", parameters, "))\n");
        }
    };
    for (const char* base : narrow) add(base);
    for (const char* base : wide) add(base);
    return section;
}

std::vector<Dialect::Section> cuda_vector_sections() {
    constexpr std::array bytes{1, 1, 2, 2, 4, 4, 4};
    std::vector<Dialect::Section> all;
    for (std::size_t k = 0; k < narrow.size(); ++k)
        for (const int lanes : {3, 8, 16}) all.push_back(cuda_vector(narrow[k], lanes, bytes[k]));
    for (const char* base : wide)
        for (const int lanes : {3, 4, 8, 16}) all.push_back(cuda_vector(base, lanes, 8));
    return all;
}

}  // namespace gemel
