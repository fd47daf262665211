#include "sm_90a.hpp"

#include <algorithm>

namespace gemel::plugin::opencl {

std::string ptx_for_sm_90a(std::string_view ptx) {
    constexpr std::string_view target = ".target sm_90";
    std::string result;
    for (std::size_t begin = 0; begin < ptx.size();) {
        const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
        std::string_view line = ptx.substr(begin, end - begin);
        begin = end;
        const std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string_view::npos) line.remove_prefix(first);
        if (line.starts_with(sm_90a_mark)) {
            line.remove_prefix(sm_90a_mark.size());
        } else if (line.starts_with(target) && !line.substr(target.size()).starts_with('a')) {
            result += target;
            result += 'a';
            line.remove_prefix(target.size());
        }
        result += line;
    }
    return result;
}

}  // namespace gemel::plugin::opencl
