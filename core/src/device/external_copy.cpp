/// Copies between contexts that share no driver through device memory that both see: the order of writing and reading.
#include "device/external_copy.hpp"

#include "device/external_pieces.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace gemel {
namespace {

/// Between two backends on one GPU. Such a copy switches the GPU between contexts, which took 145 us each time on an
/// H100: at 1 MiB the host's way was up to 2.2 times faster, at 16 MiB 4 to 8 times slower. Smaller copies make no
/// memory either.
constexpr std::size_t min_bytes = std::size_t{2} << 20;
/// Between two contexts of OpenCL on one GPU. Worked out, not tuned.
constexpr std::size_t min_relayed_bytes = std::size_t{16} << 20;
/// On two: 16 MiB took 117 us by way of CUDA on two H100, some 40 of them whatever the size, and 630 through the host;
/// 1 MiB took 66 through the host. Worked out from these, not tuned.
constexpr std::size_t min_relayed_bytes_between_devices = std::size_t{4} << 20;
/// A piece costs the host some 25 us on an H100 and its GPUs 3 us for each MiB, so that smaller ones leave the link
/// idle.
constexpr std::size_t smallest_piece_bytes = std::size_t{8} << 20;

bool is_wanted() { return env::flag("GEMEL_EXTERNAL_MEMORY", true); }

Staging staging_for(const DriverContext& one, const DriverContext& other) {
    return one.info().identity == other.info().identity ? Staging::within_device : Staging::between_devices;
}

std::size_t min_relayed_between(const DriverContext& one, const DriverContext& other) {
    return staging_for(one, other) == Staging::within_device ? min_relayed_bytes : min_relayed_bytes_between_devices;
}

/// @param room_bytes  of the smallest memory on the way
std::vector<Piece> pieces_of(std::size_t bytes, Staging staging, const DriverContext& maker, std::size_t room_bytes) {
    if (staging == Staging::within_device) return cut_into_pieces(bytes, room_bytes, room_bytes);
    // The variable may have been set since the memory was made.
    const std::size_t largest = std::min(room_bytes, piece_bytes_for(maker, staging));
    return cut_into_pieces(bytes, std::min(smallest_piece_bytes, largest), largest);
}

std::size_t room_of(const ExternalStage& stage) { return stage.memory.front()->memory().bytes; }

/// Waits for a stream after a failure, of whose own it only tells.
void settle_stream(DriverContext& driver, StreamCore& stream) noexcept {
    try {
        driver.call([&](plugin::Context&) { stream.stream->synchronize(); });
    } catch (const std::exception& error) {
        log_copy(text("after a copy that failed: ", error.what()));
    }
}

/// Between the user's memory and the shared memory as its context sees it: the first leg, or the last.
class End final : public Leg {
   public:
    End(bool writes_shared, Block& block, std::size_t offset, const ExternalPieces& shared)
        : writes_shared_(writes_shared), block_(block), offset_(offset), shared_(shared) {}

    std::unique_ptr<plugin::Event> start(std::size_t slot, const Piece& piece) const override {
        return block_.driver->call([&](plugin::Context& plugin) {
            block_.allocation->uses.touch(stream_, !writes_shared_);
            plugin::ExternalMemory& external = *shared_[slot];
            plugin::Stream& stream = *stream_->stream;
            const plugin::Place own{&block_.allocation->memory, offset_ + piece.at};
            const plugin::Place shared{&external.memory(), 0};
            external.acquire(stream);
            {
                const Timed timed(block_.driver, stream_, Timed::Kind::copy, "copy", piece.bytes);
                stream.copy(writes_shared_ ? shared : own, writes_shared_ ? own : shared, piece.bytes, plugin, false);
            }
            external.release(stream);
            auto done = stream.record(false);
            stream.flush();
            return done;
        });
    }
    void wait(plugin::Event& event) const override {
        block_.driver->call([&](plugin::Context&) { event.wait(); });
    }
    void settle() const noexcept override { settle_stream(*block_.driver, *stream_); }

   private:
    bool writes_shared_;
    Block& block_;
    std::size_t offset_;
    const ExternalPieces& shared_;
    std::shared_ptr<StreamCore> stream_ = choose_stream({}, block_.driver);
};

/// An error of the context between the two, of which the user knows nothing.
struct RelayFailed {
    std::string why;
};

template <class F>
decltype(auto) by_relay(F&& use) {
    try {
        return use();
    } catch (const Error& error) {
        throw RelayFailed{error.what()};
    }
}

/// The leg of the context between the two: from what the source's context imports to what the target's does.
class Hop final : public Leg {
   public:
    Hop(const std::shared_ptr<DriverContext>& relay, const ExternalPieces& from, const ExternalPieces& to)
        : relay_(relay), from_(from), to_(to) {}

    std::unique_ptr<plugin::Event> start(std::size_t slot, const Piece& piece) const override {
        return by_relay([&] {
            return relay_->call([&](plugin::Context& plugin) {
                plugin::Stream& stream = *relay_->default_stream->stream;
                from_[slot]->acquire(stream);
                to_[slot]->acquire(stream);
                {
                    const Timed timed(relay_, relay_->default_stream, Timed::Kind::copy, "copy", piece.bytes);
                    stream.copy({&to_[slot]->memory(), 0}, {&from_[slot]->memory(), 0}, piece.bytes, plugin, false);
                }
                from_[slot]->release(stream);
                to_[slot]->release(stream);
                auto done = stream.record(false);
                stream.flush();
                return done;
            });
        });
    }
    void wait(plugin::Event& event) const override {
        by_relay([&] { relay_->call([&](plugin::Context&) { event.wait(); }); });
    }
    void settle() const noexcept override { settle_stream(*relay_, *relay_->default_stream); }

   private:
    const std::shared_ptr<DriverContext>& relay_;
    const ExternalPieces& from_;
    const ExternalPieces& to_;
};

/// What the links of a relay share with both ends, for the length of one copy.
class BothStages {
   public:
    BothStages(ExternalStage& one, ExternalStage& other) {
        // All copies take them in one order, so that no two wait for each other.
        ExternalStage* const first = std::less<>()(&one, &other) ? &one : &other;
        ExternalStage* const second = first == &one ? &other : &one;
        first_.emplace(*first);
        if (*first_ && first != second) second_.emplace(*second);
    }
    explicit operator bool() const { return *first_ && (!second_ || *second_); }

   private:
    std::optional<ExternalStage::Turn> first_, second_;
};

const char* const in_use = "the memory that two contexts share is in use: a copy goes through the host";

/// Copies in both directions take the same relay, that of the context made first.
DriverContext& older_of(const Block& one, const Block& other) {
    return one.driver->id < other.driver->id ? *one.driver : *other.driver;
}

bool copy_by(const std::shared_ptr<DriverContext>& relay, Block& target, std::size_t to, Block& source,
             std::size_t from, std::size_t bytes) {
    const Staging staging = staging_for(*source.driver, *target.driver);
    const auto into = relay->external_links->find(*relay, *source.driver, staging);
    const auto out = relay->external_links->find(*relay, *target.driver, staging);
    if (!into || !out) {
        // Without a link to the context that keeps it, no copy will need the relay.
        DriverContext& own = older_of(target, source);
        if (!(&own == source.driver.get() ? into : out)) own.copy_relay.give_up("it shares no memory with this one");
        return false;
    }
    const BothStages turns(*into->made, *out->made);
    if (!turns) {
        log_copy(in_use);
        return false;
    }
    const End writer(true, source, from, into->imported), reader(false, target, to, out->imported);
    const Hop hop(relay, into->made->memory, out->made->memory);
    const auto pieces = pieces_of(bytes, staging, *relay, std::min(room_of(*into->made), room_of(*out->made)));
    if (into->made == out->made)
        send_pieces(std::array<const Leg*, 2>{&writer, &reader}, pieces, into->imported.size());
    else
        send_pieces(std::array<const Leg*, 3>{&writer, &hop, &reader}, pieces, into->imported.size());
    return true;
}

/// Between two contexts of one backend that imports memory but makes none.
bool copy_through_relay(Block& target, std::size_t to, Block& source, std::size_t from, std::size_t bytes) {
    DriverContext& own = older_of(target, source);
    DriverContext& other = &own == source.driver.get() ? *target.driver : *source.driver;
    const auto relay = own.copy_relay.find(own, other, bytes);
    if (!relay) return false;
    try {
        return copy_by(relay, target, to, source, from, bytes);
    } catch (const RelayFailed& failure) {
        own.copy_relay.give_up(failure.why);
    } catch (const DeviceLost&) {
        if (relay->usable()) throw;
        own.copy_relay.give_up("it is lost");
    }
    return false;
}

}  // namespace

bool copy_through_device(Block& target, std::size_t to, Block& source, std::size_t from, std::size_t bytes) {
    if (bytes < min_bytes || !is_wanted()) return false;
    if (target.driver->device->backend == source.driver->device->backend)
        return bytes >= min_relayed_between(*source.driver, *target.driver) &&
               copy_through_relay(target, to, source, from, bytes);
    const Staging staging = staging_for(*source.driver, *target.driver);
    for (const bool source_makes : {true, false}) {
        DriverContext& maker = source_makes ? *source.driver : *target.driver;
        DriverContext& importer = source_makes ? *target.driver : *source.driver;
        const auto link = maker.external_links->find(maker, importer, staging);
        if (!link) continue;
        const ExternalStage::Turn turn(*link->made);
        if (!turn) {
            log_copy(in_use);
            return false;
        }
        const ExternalPieces& made = link->made->memory;
        const End writer(true, source, from, source_makes ? made : link->imported);
        const End reader(false, target, to, source_makes ? link->imported : made);
        const auto pieces = pieces_of(bytes, staging, maker, room_of(*link->made));
        send_pieces(std::array<const Leg*, 2>{&writer, &reader}, pieces, made.size());
        return true;
    }
    return false;
}

}  // namespace gemel
