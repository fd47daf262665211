/// Keyword substitution.
#include <gemel/codegen/substitute.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

std::string substitute(std::string_view pattern, const std::map<std::string, std::string>& values) {
    std::string result;
    std::size_t line = 1;
    for (std::size_t at = 0; at < pattern.size();) {
        const char c = pattern[at];
        if (c == '\n') ++line;
        if (c != '$') {
            result += c;
            ++at;
            continue;
        }
        if (pattern.substr(at, 2) == "$$") {
            result += '$';
            at += 2;
            continue;
        }
        const auto close = pattern.find('}', at);
        if (pattern.substr(at, 2) != "${" || close == std::string_view::npos)
            throw ArgumentError(text("substitute: line ", line,
                                     ": found a single '$'; write '$$' for a dollar sign, '${name}' for a value"));
        const std::string name(pattern.substr(at + 2, close - at - 2));
        const auto value = values.find(name);
        if (value == values.end()) {
            std::vector<std::string> known;
            for (const auto& [key, unused] : values) known.push_back(key);
            throw ArgumentError(text("substitute: line ", line, ": there is no value for '", name, "'; there are ",
                                     known.empty() ? "none" : join(known)));
        }
        result += value->second;
        at = close + 1;
    }
    return result;
}

}  // namespace gemel::codegen
