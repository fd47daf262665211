/// Size classes, bins, and the order of uses on different streams.
#include "device/pool.hpp"

#include "device/state.hpp"

#include <algorithm>
#include <bit>

namespace gemel {

StreamCore::~StreamCore() = default;

void StreamUses::touch_slowly(const std::shared_ptr<StreamCore>& stream, bool writes) {
    std::lock_guard lock(mutex_);
    const auto come_after = [&](const std::shared_ptr<StreamCore>& other) {
        if (!other || other == stream || other->gone) return;
        const auto event = other->stream->record(false);
        stream->stream->wait(*event);
    };
    const auto tag = reinterpret_cast<std::uintptr_t>(stream.get());
    if (writes) {
        come_after(writer_);
        for (const auto& reader : readers_)
            if (reader != writer_) come_after(reader);
        readers_.clear();
        last_reader_.store(0, std::memory_order_relaxed);
        writer_ = stream;
        sole_.store(tag | 1, std::memory_order_relaxed);
        mixed_.store(false, std::memory_order_relaxed);
        return;
    }
    if (std::find(readers_.begin(), readers_.end(), stream) == readers_.end()) {
        come_after(writer_);
        readers_.push_back(stream);
    }
    last_reader_.store(tag, std::memory_order_relaxed);
    const bool alone = readers_.size() == 1 && (!writer_ || writer_ == stream);
    sole_.store(alone ? tag | (writer_ ? 1u : 0u) : 0, std::memory_order_relaxed);
    mixed_.store(!alone, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<StreamCore>> StreamUses::streams() const {
    std::lock_guard lock(mutex_);
    auto all = readers_;
    if (writer_ && std::find(all.begin(), all.end(), writer_) == all.end()) all.push_back(writer_);
    return all;
}

void StreamUses::wait() const {
    for (const auto& stream : streams())
        if (!stream->gone) stream->stream->synchronize();
}

std::vector<std::unique_ptr<plugin::Event>> StreamUses::record() const {
    std::vector<std::unique_ptr<plugin::Event>> events;
    for (const auto& stream : streams()) {
        if (stream->gone) continue;
        events.push_back(stream->stream->record(false));
        stream->stream->flush();
    }
    return events;
}

void StreamUses::forget() {
    std::lock_guard lock(mutex_);
    writer_.reset();
    readers_.clear();
    sole_.store(0, std::memory_order_relaxed);
    last_reader_.store(0, std::memory_order_relaxed);
    mixed_.store(false, std::memory_order_relaxed);
}

int size_class_of(std::size_t bytes) {
    const std::size_t x = bytes - 1;
    if (x < 16) return static_cast<int>(x);
    const int exponent = static_cast<int>(std::bit_width(x)) - 1;
    const int leading = static_cast<int>((x >> (exponent - 4)) & 15);
    return 16 + (exponent - 4) * 16 + leading;
}

std::size_t size_of_class(int size_class) {
    if (size_class < 16) return static_cast<std::size_t>(size_class) + 1;
    const int exponent = (size_class - 16) / 16 + 4, leading = (size_class - 16) % 16;
    return static_cast<std::size_t>(16 + leading + 1) << (exponent - 4);
}

std::unique_ptr<Allocation> Pool::take(int size_class) {
    std::lock_guard lock(lock_);
    if (static_cast<std::size_t>(size_class) >= bins_.size() || bins_[size_class].empty()) return nullptr;
    auto allocation = std::move(bins_[size_class].back());
    bins_[size_class].pop_back();
    const std::size_t bytes = allocation->memory.bytes;
    --figures_.held_blocks;
    figures_.held_bytes -= bytes;
    ++figures_.active_blocks;
    figures_.active_bytes += bytes;
    figures_.peak_active_bytes = std::max(figures_.peak_active_bytes, figures_.active_bytes);
    return allocation;
}

bool Pool::admits(std::size_t bytes) const {
    std::lock_guard lock(lock_);
    return figures_.limit_bytes == 0 || (bytes <= figures_.limit_bytes &&
                                         figures_.active_bytes + figures_.held_bytes <= figures_.limit_bytes - bytes);
}

void Pool::count_new(std::size_t bytes) {
    std::lock_guard lock(lock_);
    ++figures_.active_blocks;
    figures_.active_bytes += bytes;
    figures_.peak_active_bytes = std::max(figures_.peak_active_bytes, figures_.active_bytes);
    figures_.peak_bytes = std::max(figures_.peak_bytes, figures_.active_bytes + figures_.held_bytes);
}

void Pool::give_back(std::unique_ptr<Allocation> allocation) noexcept {
    std::lock_guard lock(lock_);
    const auto at = static_cast<std::size_t>(allocation->size_class);
    const std::size_t bytes = allocation->memory.bytes;
    if (bins_.size() <= at) bins_.resize(at + 1);
    bins_[at].push_back(std::move(allocation));
    --figures_.active_blocks;
    figures_.active_bytes -= bytes;
    ++figures_.held_blocks;
    figures_.held_bytes += bytes;
}

void Pool::count_gone(std::size_t bytes) noexcept {
    std::lock_guard lock(lock_);
    --figures_.active_blocks;
    figures_.active_bytes -= bytes;
}

std::vector<std::unique_ptr<Allocation>> Pool::drain() noexcept {
    std::vector<std::unique_ptr<Allocation>> all;
    std::lock_guard lock(lock_);
    for (auto& bin : bins_) {
        for (auto& allocation : bin) all.push_back(std::move(allocation));
        bin.clear();
    }
    figures_.held_blocks = 0;
    figures_.held_bytes = 0;
    return all;
}

PoolStatistics Pool::statistics() const {
    std::lock_guard lock(lock_);
    return figures_;
}

void Pool::set_limit(std::size_t bytes) {
    std::lock_guard lock(lock_);
    figures_.limit_bytes = bytes;
}

}  // namespace gemel
