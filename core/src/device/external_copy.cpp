/// Copies between contexts that share no driver through device memory that both see: the order of writing and reading.
#include "device/external_copy.hpp"

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

/// A copy through shared memory switches the GPU between contexts, which took 145 us each time on an H100: at 1 MiB the
/// host's way was up to 2.2 times faster, at 16 MiB 4 to 8 times slower. Smaller copies make no memory either.
constexpr std::size_t min_bytes = std::size_t{2} << 20;
/// Between two contexts of OpenCL: through the host 16 MiB took 630 us from one H100 to another, which is about what
/// the switches of three contexts and their copies take. Worked out, not tuned.
constexpr std::size_t min_relayed_bytes = std::size_t{16} << 20;

bool is_wanted() { return !env::get("GEMEL_EXTERNAL_MEMORY") || env::flag("GEMEL_EXTERNAL_MEMORY"); }

/// One end of a copy: the user's memory, and the shared memory as this context sees it.
struct End {
    Block& block;
    std::size_t offset;
    const ExternalPair& external;
    std::shared_ptr<StreamCore> stream = choose_stream({}, block.driver);

    /// Between the user's memory at byte `at` and one of the pair. @returns what is done when the copy is
    std::unique_ptr<plugin::Event> copy(bool into_external, std::size_t which, std::size_t at,
                                        std::size_t bytes) const {
        return block.driver->call([&](plugin::Context& plugin) {
            block.allocation->uses.touch(stream, !into_external);
            const plugin::Place own{&block.allocation->memory, offset + at};
            const plugin::Place shared{&external[which]->memory(), 0};
            external[which]->acquire(*stream->stream);
            {
                const Timed timed(block.driver, stream, Timed::Kind::copy, "copy", bytes);
                stream->stream->copy(into_external ? shared : own, into_external ? own : shared, bytes, plugin, false);
            }
            external[which]->release(*stream->stream);
            auto done = stream->stream->record(false);
            stream->stream->flush();
            return done;
        });
    }
    void wait(plugin::Event& event) const {
        block.driver->call([&](plugin::Context&) { event.wait(); });
    }
    /// After a failure: nothing may still be writing into the shared memory when the next copy has it.
    void settle() const noexcept {
        try {
            block.driver->call([&](plugin::Context&) { stream->stream->synchronize(); });
        } catch (const std::exception& error) {
            log_copy(text("after a copy that failed: ", error.what()));
        }
    }
};

/// While the target reads one of the pair, the source writes the other. The host stands between the two, because no
/// driver knows the other's events.
void copy_pieces(const End& target, const End& source, std::size_t bytes) {
    const std::size_t piece_bytes = source.external[0]->memory().bytes;
    std::array<std::unique_ptr<plugin::Event>, 2> read;
    for (std::size_t at = 0, k = 0; at < bytes; at += piece_bytes, k ^= 1) {
        const std::size_t n = std::min(piece_bytes, bytes - at);
        if (read[k]) target.wait(*read[k]);
        const auto written = source.copy(true, k, at, n);
        source.wait(*written);
        read[k] = target.copy(false, k, at, n);
    }
    target.block.driver->call([&](plugin::Context&) { target.stream->stream->synchronize(); });
}

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

/// The part of the context between the two: its copies from what the source's context imports to what the target's
/// does.
struct Hop {
    const std::shared_ptr<DriverContext>& relay;
    const ExternalPair& from;
    const ExternalPair& to;

    std::unique_ptr<plugin::Event> copy(std::size_t which, std::size_t bytes) const {
        return by_relay([&] {
            return relay->call([&](plugin::Context& plugin) {
                plugin::Stream& stream = *relay->default_stream->stream;
                from[which]->acquire(stream);
                to[which]->acquire(stream);
                {
                    const Timed timed(relay, relay->default_stream, Timed::Kind::copy, "copy", bytes);
                    stream.copy({&to[which]->memory(), 0}, {&from[which]->memory(), 0}, bytes, plugin, false);
                }
                from[which]->release(stream);
                to[which]->release(stream);
                auto done = stream.record(false);
                stream.flush();
                return done;
            });
        });
    }
    void wait(plugin::Event& event) const {
        by_relay([&] { relay->call([&](plugin::Context&) { event.wait(); }); });
    }
    void settle() const noexcept {
        try {
            relay->call([&](plugin::Context&) { relay->default_stream->stream->synchronize(); });
        } catch (const std::exception& error) {
            log_copy(text("after a copy that failed: ", error.what()));
        }
    }
};

/// While a piece is on its way between the GPUs, the source writes the next and the target reads the last.
void copy_pieces(const End& target, const End& source, const Hop& hop, std::size_t bytes) {
    const std::size_t piece_bytes = std::min(source.external[0]->memory().bytes, target.external[0]->memory().bytes);
    const auto bytes_at = [&](std::size_t at) { return std::min(piece_bytes, bytes - at); };
    std::array<std::unique_ptr<plugin::Event>, 2> read;
    auto written = source.copy(true, 0, 0, bytes_at(0));
    for (std::size_t at = 0, k = 0; at < bytes; at += piece_bytes, k ^= 1) {
        source.wait(*written);
        if (read[k]) target.wait(*read[k]);
        const auto sent = hop.copy(k, bytes_at(at));
        if (const std::size_t next = at + piece_bytes; next < bytes)
            written = source.copy(true, k ^ 1, next, bytes_at(next));
        hop.wait(*sent);
        read[k] = target.copy(false, k, at, bytes_at(at));
    }
    target.block.driver->call([&](plugin::Context&) { target.stream->stream->synchronize(); });
}

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
    const auto into = relay->external_links->find(*relay, *source.driver);
    const auto out = relay->external_links->find(*relay, *target.driver);
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
    const End reader{target, to, out->imported}, writer{source, from, into->imported};
    const Hop hop{relay, into->made->memory, out->made->memory};
    try {
        if (into->made == out->made)
            copy_pieces(reader, writer, bytes);
        else
            copy_pieces(reader, writer, hop, bytes);
    } catch (...) {
        writer.settle();
        hop.settle();
        reader.settle();
        throw;
    }
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
        return bytes >= min_relayed_bytes && copy_through_relay(target, to, source, from, bytes);
    for (const bool source_makes : {true, false}) {
        DriverContext& maker = source_makes ? *source.driver : *target.driver;
        DriverContext& importer = source_makes ? *target.driver : *source.driver;
        const auto link = maker.external_links->find(maker, importer);
        if (!link) continue;
        const ExternalStage::Turn turn(*link->made);
        if (!turn) {
            log_copy(in_use);
            return false;
        }
        const End reader{target, to, source_makes ? link->imported : link->made->memory};
        const End writer{source, from, source_makes ? link->made->memory : link->imported};
        try {
            copy_pieces(reader, writer, bytes);
        } catch (...) {
            writer.settle();
            reader.settle();
            throw;
        }
        return true;
    }
    return false;
}

}  // namespace gemel
