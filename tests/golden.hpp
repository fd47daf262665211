/// Generated text compared byte for byte with files under tests/golden/.
///
/// GEMEL_UPDATE_GOLDEN=1 writes the files instead; look at the difference before committing it.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace golden {

inline std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Lines that differ, from the first to the last one, as a diff shows them.
inline std::string difference(const std::string& expected, const std::string& actual) {
    const std::vector<std::string> a = lines_of(expected), b = lines_of(actual);
    std::size_t first = 0, tail = 0;
    while (first < a.size() && first < b.size() && a[first] == b[first]) ++first;
    while (tail < a.size() - first && tail < b.size() - first && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::ostringstream out;
    out << "from line " << first + 1 << " on:\n";
    for (std::size_t i = first; i < a.size() - tail; ++i) out << "- " << a[i] << "\n";
    for (std::size_t i = first; i < b.size() - tail; ++i) out << "+ " << b[i] << "\n";
    return out.str();
}

/// @param name  of the file below tests/golden/, e.g. "add.cl"
inline void check(const std::string& name, const std::string& actual) {
    const std::string path = std::string(GEMEL_SOURCE_DIR) + "/tests/golden/" + name;
    if (const char* update = std::getenv("GEMEL_UPDATE_GOLDEN"); update && std::string(update) == "1") {
        std::ofstream(path, std::ios::binary) << actual;
        return;
    }
    std::ifstream in(path, std::ios::binary);
    REQUIRE_MESSAGE(in, "there is no " << path << "; GEMEL_UPDATE_GOLDEN=1 writes it");
    std::ostringstream expected;
    expected << in.rdbuf();
    CHECK_MESSAGE(expected.str() == actual,
                  path << " (-) is not what was generated (+), " << difference(expected.str(), actual));
}

}  // namespace golden
