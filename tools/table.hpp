/// Text in columns, for people.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::tools {

/// Rows of cells; every column is as wide as its widest cell, except that the last one has no width.
class Table {
   public:
    /// @param indent  spaces before each row
    explicit Table(int indent = 2) : indent_(indent) {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    /// The rows, each ending with a newline.
    std::string text() const;

   private:
    int indent_;
    std::vector<std::vector<std::string>> rows_;
};

/// "1 entry", "3 entries"
std::string counted(std::uint64_t count, const std::string& one, const std::string& many);
/// "2026-03-01 14:05", local time
std::string readable_time(std::chrono::system_clock::time_point time);

}  // namespace gemel::tools
