#include "required_block.hpp"

#include <algorithm>

namespace gemel::plugin::opencl {

std::string without_required_block(std::string_view text) {
    constexpr std::string_view word = "reqd_work_group_size";
    std::string all(text);
    for (auto at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) {
        const auto open = all.find_first_not_of(" \t\r\n_", at + word.size());  // __reqd_work_group_size__ as well
        if (open == std::string::npos || all[open] != '(') continue;
        const auto close = all.find(')', open);
        if (close == std::string::npos) break;
        auto begin = at;
        while (begin > 0 && all[begin - 1] == '_') --begin;
        std::replace_if(
            all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(close) + 1,
            [](char c) { return c != '\n'; }, ' ');
    }
    return all;
}

}  // namespace gemel::plugin::opencl
