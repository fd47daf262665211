/// Counts allocations by their place in the user's program.
#include "device/allocation_log.hpp"

#include <gemel/core/context.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gemel {
namespace {

thread_local const std::string* current_site = nullptr;

std::string place_of(const CallPlace& where) {
    const std::string_view path = where.file;
    return text(path.substr(path.rfind('/') + 1), ":", where.line);
}

}  // namespace

AllocationSite::AllocationSite(std::string name, const CallPlace& where)
    : name_(text(name, name.empty() ? "" : " ", "(", place_of(where), ")")),
      previous_(std::exchange(current_site, &name_)) {}
AllocationSite::~AllocationSite() { current_site = previous_; }

AllocationFigures* AllocationLog::add(std::size_t bytes, const CallPlace* where) {
    const std::string site = current_site ? *current_site : where ? place_of(*where) : "elsewhere";
    const std::lock_guard lock(mutex_);
    auto& figures = sites_[site];
    if (!figures) figures = std::make_unique<AllocationFigures>(AllocationFigures{.site = site});
    ++figures->live_blocks;
    figures->live_bytes += bytes;
    figures->peak_bytes = std::max(figures->peak_bytes, figures->live_bytes);
    ++figures->total_blocks;
    figures->total_bytes += bytes;
    return figures.get();
}

void AllocationLog::remove(AllocationFigures& figures, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    --figures.live_blocks;
    figures.live_bytes -= bytes;
}

std::vector<AllocationFigures> AllocationLog::figures() const {
    std::vector<AllocationFigures> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [site, figures] : sites_) all.push_back(*figures);
    }
    std::stable_sort(all.begin(), all.end(), [](const AllocationFigures& a, const AllocationFigures& b) {
        return std::pair(a.live_bytes, a.total_bytes) > std::pair(b.live_bytes, b.total_bytes);
    });
    return all;
}

}  // namespace gemel
