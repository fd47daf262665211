/// Words in .npy files, with which SciPy names a sparse matrix's format.
#include "exchange/npy_format.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <charconv>
#include <cstring>
#include <string_view>

namespace gemel::npy {

std::vector<std::byte> word_file(const std::string& word) {
    const std::string file = make_header(text("'|S", word.size(), "'"), Shape(), false) + word;
    std::vector<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    return bytes;
}

std::string word_of(std::span<const std::byte> file) {
    const std::size_t begin = header_bytes(file);
    if (begin > file.size()) throw Error(text("its header is cut off after ", file.size(), " bytes"));
    const std::string_view header(reinterpret_cast<const char*>(file.data()), begin);
    // {'descr': '|S3', ...: bytes, or '<U3': characters of 4 bytes each.
    std::string_view described = header.substr(std::min(header.find("'descr'"), header.size()));
    described.remove_prefix(std::min(described.find(':'), described.size()));
    described.remove_prefix(std::min(described.find('\''), described.size()));
    std::size_t count = 0;
    const bool has_kind = described.size() > 3 && (described[2] == 'S' || described[2] == 'U');
    if (!has_kind ||
        std::from_chars(described.data() + 3, described.data() + described.size(), count).ec != std::errc())
        throw Error("it is not a string");
    const bool is_swapped = described[1] == '>';
    const std::size_t bytes = described[2] == 'S' ? 1 : 4;
    const auto data = file.subspan(begin);
    if (count > data.size() / bytes)
        throw Error(text("it is cut off: a string of ", count, " characters needs ", bytes, " bytes each, but ",
                         data.size(), " bytes follow"));
    std::string word;
    for (std::size_t k = 0; k < count; ++k) {
        const auto c = std::to_integer<char>(data[k * bytes + (is_swapped ? bytes - 1 : 0)]);
        if (c == 0) break;
        word += c;
    }
    return word;
}

}  // namespace gemel::npy
