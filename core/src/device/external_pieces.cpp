/// Pieces of a copy, and their order on the legs.
#include "device/external_pieces.hpp"

#include <algorithm>

namespace gemel {
namespace {

/// Pieces begin at multiples of it.
constexpr std::size_t unit = std::size_t{1} << 20;

class Pipeline {
   public:
    Pipeline(std::span<const Leg* const> legs, std::span<const Piece> pieces, std::size_t slots)
        : legs_(legs), pieces_(pieces), slots_(slots), passed_(legs.size()) {
        for (auto& of_leg : passed_) of_leg.resize(pieces.size());
    }

    void run() {
        for (std::size_t step = 0; step + 1 < pieces_.size() + legs_.size(); ++step)
            for (std::size_t leg = 0; leg < legs_.size() && leg <= step; ++leg)
                if (step - leg < pieces_.size()) start(leg, step - leg);
        for (std::size_t piece = 0; piece < pieces_.size(); ++piece) wait(legs_.size() - 1, piece);
    }

   private:
    /// Each leg is one piece behind the one before it: when it waits there for a piece, the next is enqueued already.
    void start(std::size_t leg, std::size_t piece) {
        if (leg > 0) wait(leg - 1, piece);
        if (leg + 1 < legs_.size() && piece >= slots_) wait(leg + 1, piece - slots_);  // which had the memory before
        passed_[leg][piece] = legs_[leg]->start(piece % slots_, pieces_[piece]);
    }
    void wait(std::size_t leg, std::size_t piece) {
        auto& event = passed_[leg][piece];
        if (!event) return;
        legs_[leg]->wait(*event);
        event.reset();
    }

    std::span<const Leg* const> legs_;
    std::span<const Piece> pieces_;
    std::size_t slots_;
    std::vector<std::vector<std::unique_ptr<plugin::Event>>> passed_;  ///< by leg and piece; null once waited for
};

}  // namespace

std::vector<Piece> cut_into_pieces(std::size_t bytes, std::size_t smallest, std::size_t largest) {
    std::vector<Piece> pieces;
    for (std::size_t at = 0, most = smallest; at < bytes; most = std::min(2 * most, largest)) {
        const std::size_t left = bytes - at, half = (left / 2 + unit - 1) / unit * unit;
        std::size_t n = std::min({left, most, std::max(smallest, half)});
        if (left - n < smallest && left <= most) n = left;
        pieces.push_back({at, n});
        at += n;
    }
    return pieces;
}

void send_pieces(std::span<const Leg* const> legs, std::span<const Piece> pieces, std::size_t slots) {
    try {
        Pipeline(legs, pieces, slots).run();
    } catch (...) {
        for (const Leg* const leg : legs) leg->settle();
        throw;
    }
}

}  // namespace gemel
