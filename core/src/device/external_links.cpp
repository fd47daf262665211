/// Device memory that contexts of different backends both see: its making and import, and whether it is what both mean.
#include "device/external_links.hpp"

#include "device/state.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

namespace gemel {
namespace {

/// On one GPU a piece costs two changes between contexts, 300 us on an H100, in which it copies several hundred MiB:
/// pieces are as large as the device has memory to spare.
constexpr std::size_t min_piece_bytes = std::size_t{32} << 20, max_piece_bytes = std::size_t{256} << 20;
/// From one GPU to another. CUDA's copy takes 82 us for that much between two H100, in which the host enqueues what is
/// next and both ends copy theirs, 24 us each, beside it. Larger pieces gain nothing, and the first and the last take
/// longer. Worked out, not tuned.
constexpr std::size_t piece_bytes_between_devices = std::size_t{32} << 20;
/// Less would be all overhead.
constexpr std::size_t min_piece_bytes_between_devices = std::size_t{1} << 20;

/// On one GPU one is written while the other is read; from one to another the slowest leg has the third (see
/// send_pieces()).
std::size_t piece_count(Staging staging) { return staging == Staging::within_device ? 2 : 3; }

/// How long a copy waits for the end of another; longer ones go through the host.
constexpr auto patience = std::chrono::milliseconds(100);

class File {
   public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() { ::close(descriptor_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    operator int() const { return descriptor_; }

   private:
    int descriptor_;
};

/// Empty if the driver has no such memory.
ExternalPieces make_pieces(DriverContext& maker, const std::string& identity, std::size_t count, std::size_t bytes) {
    return maker.call([&](plugin::Context& plugin) {
        ExternalPieces made(count);
        for (auto& one : made)
            if (!(one = plugin.make_external(identity, bytes))) return ExternalPieces();
        return made;
    });
}

/// Empty if the driver imports none.
ExternalPieces import_pieces(DriverContext& maker, const ExternalPieces& made, DriverContext& importer) {
    ExternalPieces imported(made.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
        const File file(maker.call([&](plugin::Context&) { return made[k]->export_file(); }));
        imported[k] = importer.call(
            [&](plugin::Context& plugin) { return plugin.import_external(file, made[k]->memory().bytes); });
        if (!imported[k]) return {};
    }
    return imported;
}

using Mark = std::array<std::uint8_t, 256>;

/// Calls `use(stream, place)` for the first and the last bytes, on a stream of its own, and waits.
template <class F>
void at_both_ends(DriverContext& driver, plugin::ExternalMemory& external, F&& use) {
    driver.call([&](plugin::Context& plugin) {
        const auto stream = plugin.create_stream();
        external.acquire(*stream);
        for (const std::size_t offset : {std::size_t{0}, external.memory().bytes - sizeof(Mark)})
            use(*stream, plugin::Place{&external.memory(), offset});
        external.release(*stream);
        stream->synchronize();
    });
}

/// Whether one side reads what the other writes. A driver that imports other memory than was meant says nothing.
bool reads_what_is_written(DriverContext& writer, plugin::ExternalMemory& written, DriverContext& reader,
                           plugin::ExternalMemory& read, std::uint8_t seed) {
    Mark mark{}, found{};
    for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = static_cast<std::uint8_t>(seed + 7 * i);
    at_both_ends(writer, written, [&](plugin::Stream& stream, const plugin::Place& place) {
        stream.upload(place, mark.data(), mark.size(), true);
    });
    bool is_same = true;
    at_both_ends(reader, read, [&](plugin::Stream& stream, const plugin::Place& place) {
        found.fill(0);
        stream.download(found.data(), place, found.size(), true);
        is_same = is_same && found == mark;
    });
    return is_same;
}

bool is_shared(DriverContext& maker, const ExternalPieces& made, DriverContext& importer,
               const ExternalPieces& imported) {
    std::uint8_t seed = 1;
    for (std::size_t k = 0; k < made.size(); ++k)
        if (!reads_what_is_written(maker, *made[k], importer, *imported[k], seed++) ||
            !reads_what_is_written(importer, *imported[k], maker, *made[k], seed++))
            return false;
    return true;
}

}  // namespace

std::size_t piece_bytes_for(const DriverContext& maker, Staging staging) {
    const std::size_t all = maker.info().global_memory_bytes;
    if (staging == Staging::within_device)
        return std::clamp(std::bit_floor(all / 256), min_piece_bytes, max_piece_bytes);
    return std::max(env::bytes("GEMEL_COPY_PIECE", all).value_or(piece_bytes_between_devices),
                    min_piece_bytes_between_devices);
}

void log_copy(const std::string& message) { logging::write(logging::Level::debug, "copy", message); }

ExternalStage::Turn::Turn(ExternalStage& stage) : stage_(stage) {
    std::unique_lock lock(stage.mutex_);
    has_it_ = stage.given_back_.wait_for(lock, patience, [&] { return !stage.is_taken_; });
    if (has_it_) stage.is_taken_ = true;
}

ExternalStage::Turn::~Turn() {
    if (!has_it_) return;
    {
        std::lock_guard lock(stage_.mutex_);
        stage_.is_taken_ = false;
    }
    stage_.given_back_.notify_one();
}

std::shared_ptr<const ExternalLink> ExternalLinks::find(DriverContext& maker, DriverContext& importer,
                                                        Staging staging) {
    const std::pair key(importer.id, staging);
    const auto known = [&]() -> std::optional<std::shared_ptr<const ExternalLink>> {
        std::lock_guard lock(mutex_);
        const auto found = links_.find(key);
        if (found == links_.end()) return std::nullopt;
        return found->second;
    };
    if (auto link = known()) return *link;
    std::lock_guard making(making_mutex_);
    if (auto link = known()) return *link;
    {
        std::lock_guard lock(importer.external_links->mutex_);
        std::erase_if(importer.external_links->makers_, [](const auto& gone) { return gone.expired(); });
        importer.external_links->makers_.push_back(weak_from_this());
    }
    {
        std::lock_guard lock(mutex_);
        links_[key] = nullptr;  // also if what follows throws
    }
    auto link = make(maker, importer, staging);
    std::lock_guard lock(mutex_);
    return links_[key] = std::move(link);
}

std::shared_ptr<const ExternalLink> ExternalLinks::make(DriverContext& maker, DriverContext& importer,
                                                        Staging staging) {
    const std::string& identity = importer.info().identity;
    const auto refuse = [&](const std::string& why) {
        log_copy(text(maker.description(), " shares no memory with ", importer.description(), ": ", why));
        return nullptr;
    };
    try {
        auto link = std::make_shared<ExternalLink>();
        auto& known = stages_[{identity, staging}];
        link->made = known.lock();
        std::optional<ExternalStage::Turn> turn;
        if (link->made) turn.emplace(*link->made);
        if (!turn || !*turn) {  // there is none yet, or a copy has it for long: then another
            const std::size_t piece_bytes = piece_bytes_for(maker, staging), count = piece_count(staging);
            if (!maker.device_pool.admits(count * piece_bytes)) return refuse("the pool's limit is reached");
            auto made = make_pieces(maker, identity, count, piece_bytes);
            if (made.empty()) {
                log_copy(text(maker.description(), " makes no memory for ", importer.description(), " to import"));
                return nullptr;
            }
            known = link->made = std::make_shared<ExternalStage>(std::move(made));
        }
        link->imported = import_pieces(maker, link->made->memory, importer);
        if (link->imported.empty()) return refuse("the other's driver imports none");
        if (!is_shared(maker, link->made->memory, importer, link->imported))
            return refuse("one did not read what the other had written");
        log_copy(text(maker.description(), " and ", importer.description(), " share device memory for copies"));
        return link;
    } catch (const DeviceLost&) {
        throw;
    } catch (const Error& error) {
        return refuse(error.what());
    }
}

void ExternalLinks::forget(std::uint64_t importer) {
    std::lock_guard lock(mutex_);
    std::erase_if(links_, [&](const auto& link) { return link.first.first == importer; });
}

void ExternalLinks::end(std::uint64_t context) {
    std::vector<std::weak_ptr<ExternalLinks>> makers;
    {
        std::lock_guard lock(mutex_);
        links_.clear();
        makers.swap(makers_);
    }
    for (const auto& maker : makers)
        if (const auto alive = maker.lock()) alive->forget(context);
}

}  // namespace gemel
