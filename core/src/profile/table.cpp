/// A profile as a table by kernel.
#include "profile/collector.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gemel::profile {
namespace {

struct Line {
    std::string name;
    std::size_t calls = 0, untimed = 0;
    double us = 0;       ///< device time
    double host_us = 0;  ///< of ranges
    std::uint64_t bytes = 0;
};

std::string fixed(double value, int digits) {
    char text[400];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
    return error == std::errc() ? std::string(text, end) : std::string("-");
}

std::string bytes_text(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
    return fixed(bytes, unit == 0 ? 0 : 1) + " " + units[unit];
}

/// Prints columns: the first left-aligned, the others right-aligned.
std::string columns(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (widths.size() <= i) widths.push_back(0);
            widths[i] = std::max(widths[i], line[i].size());
        }
    std::string out;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string blanks(widths[i] - line[i].size(), ' ');
            out += i == 0 ? line[i] + blanks : "  " + blanks + line[i];
        }
        out += '\n';
    }
    return out;
}

Line& line_of(std::vector<Line>& lines, const std::string& name) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
    if (found != lines.end()) return *found;
    lines.emplace_back().name = name;
    return lines.back();
}

void sort_by_time(std::vector<Line>& lines, double Line::*time) {
    std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return a.*time > b.*time; });
}

std::string kernels_text(std::vector<Line> lines) {
    sort_by_time(lines, &Line::us);
    double all = 0;
    std::size_t untimed = 0;
    for (const Line& line : lines) all += line.us, untimed += line.untimed;
    std::vector<std::vector<std::string>> rows{{"kernel", "calls", "total ms", "mean us", "share", "bytes", "GB/s"}};
    for (const Line& line : lines) {
        const auto timed = static_cast<double>(line.calls - line.untimed);
        const double share_of_bytes = timed / static_cast<double>(line.calls);
        rows.push_back(
            {line.name, std::to_string(line.calls), fixed(line.us / 1000, 3),
             timed > 0 ? fixed(line.us / timed, 1) : "-", all > 0 ? fixed(100 * line.us / all, 1) + " %" : "-",
             line.bytes ? bytes_text(static_cast<double>(line.bytes)) : "-",
             line.bytes && line.us > 0 ? fixed(static_cast<double>(line.bytes) * share_of_bytes / line.us / 1000, 1)
                                       : "-"});
    }
    std::string out = columns(rows);
    if (untimed) out += std::to_string(untimed) + " calls have no device time: their stream cannot time, or was lost\n";
    return out;
}

}  // namespace

std::string Collector::table() {
    std::lock_guard lock(mutex_);
    std::vector<Line> kernels, ranges;
    std::vector<double> device_us(spans_.size());
    std::vector<std::size_t> calls(spans_.size());
    for (const Command& c : commands_) {
        Line& line = line_of(kernels, c.name);
        ++line.calls;
        line.untimed += !c.timed;
        line.us += c.duration_us;
        line.bytes += c.bytes;
        for (std::size_t range = c.range; range != none; range = spans_[range].parent)
            device_us[range] += c.duration_us, ++calls[range];
    }
    std::size_t compilations = 0, found = 0;
    double compiling_us = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        const HostSpan& span = spans_[i];
        const double end = span.end_us < 0 ? now_us() : span.end_us;
        if (span.is_compilation) {
            ++(std::string_view(span.outcome) == "compiled" ? compilations : found);
            compiling_us += end - span.begin_us;
            continue;
        }
        Line& line = line_of(ranges, span.name);
        ++line.calls;
        line.host_us += end - span.begin_us;
        line.us += device_us[i];
        line.bytes += calls[i];
    }
    std::string out = kernels_text(std::move(kernels));
    sort_by_time(ranges, &Line::host_us);
    if (!ranges.empty()) {
        std::vector<std::vector<std::string>> rows{{"range", "times", "host ms", "device ms", "commands"}};
        for (const Line& line : ranges)
            rows.push_back({line.name, std::to_string(line.calls), fixed(line.host_us / 1000, 3),
                            fixed(line.us / 1000, 3), std::to_string(line.bytes)});
        out += "\n" + columns(rows);
    }
    out += "\nprograms: " + std::to_string(compilations) + " compiled, " + std::to_string(found) +
           " from the disk cache, " + fixed(compiling_us / 1000, 1) + " ms\n";
    return out;
}

}  // namespace gemel::profile
