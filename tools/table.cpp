/// Text in columns.
#include "table.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace gemel::tools {

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_) {
        widths.resize(std::max(widths.size(), cells.size()));
        // The last cell of a row is not padded, and its width does not widen the column.
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
    }
    std::string out;
    for (const auto& cells : rows_) {
        std::string line(static_cast<std::size_t>(indent_), ' ');
        for (std::size_t i = 0; i < cells.size(); ++i) {
            line += cells[i];
            if (i + 1 < cells.size()) line.append(widths[i] - cells[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string readable_time(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm local{};
    localtime_r(&seconds, &local);
    std::array<char, 32> out{};
    const std::size_t length = std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M", &local);
    return std::string(out.data(), length);
}

}  // namespace gemel::tools
