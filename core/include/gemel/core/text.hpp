/// Helpers for message texts.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <locale>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// Concatenates its arguments into a string: text("expected ", 2, ", got ", 1). Numbers have the same form under every
/// locale, because some become kernel text.
template <class... Parts>
std::string text(const Parts&... parts) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    (out << ... << parts);
    return std::move(out).str();
}

/// "1 element", "2 elements"
template <class N>
std::string counted(const N& number, std::string_view thing) {
    return text(number, " ", thing, number == N{1} ? "" : "s");
}

/// "a, b, c"
GEMEL_API std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");
/// A readable size: "1.5 MiB", "640 bytes"; exact below 10 KiB.
GEMEL_API std::string readable_bytes(std::size_t bytes);
/// The SHA-1 digest of some bytes as 40 hexadecimal digits, for names of cache files and checksums.
GEMEL_API std::string digest(std::string_view bytes);

}  // namespace gemel
