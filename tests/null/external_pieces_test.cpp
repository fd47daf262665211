/// How copies through shared memory are cut into pieces, and in which order the pieces pass the legs.
#include "device/external_pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace gemel;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<std::size_t> mebibytes_of(const std::vector<Piece>& pieces) {
    std::vector<std::size_t> sizes;
    for (const Piece& piece : pieces) sizes.push_back(piece.bytes / mebibyte);
    return sizes;
}

class NumberedEvent final : public plugin::Event {
   public:
    explicit NumberedEvent(std::size_t piece) : piece(piece) {}
    void wait() override {}
    bool done() override { return true; }
    double milliseconds_since(const Event&) const override { return 0; }
    std::uint64_t native() const override { return piece; }
    std::size_t piece;
};

/// Legs that write down what they are told: "A2" starts the third piece on the first leg, "a2" waits for it there.
struct Journal {
    std::string text;
    std::vector<std::string> slots = {};
    std::string fails_at = {};
};
class WritingLeg final : public Leg {
   public:
    WritingLeg(Journal& journal, char name) : journal_(journal), name_(name) {}
    std::unique_ptr<plugin::Event> start(std::size_t slot, const Piece& piece) const override {
        const std::string what = name_ + std::to_string(piece.at);
        if (what == journal_.fails_at) throw std::runtime_error(what);
        journal_.text += what + ' ';
        journal_.slots.push_back(what + '@' + std::to_string(slot));
        return std::make_unique<NumberedEvent>(piece.at);
    }
    void wait(plugin::Event& event) const override {
        journal_.text += static_cast<char>(name_ - 'A' + 'a') + std::to_string(event.native()) + ' ';
    }
    void settle() const noexcept override { journal_.text += std::string("settle") + name_ + ' '; }

   private:
    Journal& journal_;
    char name_;
};

void send(Journal& journal, std::size_t legs, std::size_t pieces, std::size_t slots) {
    const std::deque<WritingLeg> all{{journal, 'A'}, {journal, 'B'}, {journal, 'C'}};
    std::vector<const Leg*> used;
    for (std::size_t k = 0; k < legs; ++k) used.push_back(&all[k]);
    std::vector<Piece> numbered;
    for (std::size_t k = 0; k < pieces; ++k) numbered.push_back({k, 1});
    send_pieces(used, numbered, slots);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a copy between GPUs begins and ends with small pieces") {
    using Sizes = std::vector<std::size_t>;
    const auto cut = [](std::size_t mebibytes) {
        return mebibytes_of(cut_into_pieces(mebibytes * mebibyte, 8 * mebibyte, 32 * mebibyte));
    };
    CHECK(cut(4) == Sizes{4});
    CHECK(cut(16) == Sizes{8, 8});
    CHECK(cut(17) == Sizes{8, 9});
    CHECK(cut(256) == Sizes{8, 16, 32, 32, 32, 32, 32, 32, 20, 10, 10});
    CHECK(mebibytes_of(cut_into_pieces(70 * mebibyte, 32 * mebibyte, 32 * mebibyte)) == Sizes{32, 32, 6});
    CHECK(cut_into_pieces(0, mebibyte, mebibyte).empty());
}

TEST_CASE("pieces cover a copy and none is larger than its memory") {
    for (const std::size_t largest : {1 * mebibyte, 2 * mebibyte, 8 * mebibyte, 31 * mebibyte, 64 * mebibyte})
        for (const std::size_t smallest : {std::min(largest, 8 * mebibyte), largest})
            for (std::size_t bytes = 1; bytes < 400 * mebibyte; bytes = bytes * 3 + 12345) {
                CAPTURE(largest);
                CAPTURE(smallest);
                CAPTURE(bytes);
                std::size_t at = 0;
                bool is_right = true;
                for (const Piece& piece : cut_into_pieces(bytes, smallest, largest)) {
                    is_right = is_right && piece.at == at && piece.at % mebibyte == 0 && piece.bytes > 0 &&
                               piece.bytes <= largest;
                    at += piece.bytes;
                }
                CHECK(is_right);
                CHECK(at == bytes);
            }
}

TEST_CASE("each leg has its next piece before anybody waits for the last") {
    Journal journal;
    SUBCASE("three legs") {
        send(journal, 3, 5, 3);
        CHECK(journal.text ==
              "A0 A1 a0 B0 A2 a1 B1 b0 C0 A3 a2 B2 b1 C1 A4 a3 c0 B3 b2 C2 a4 c1 B4 b3 C3 b4 C4 c2 c3 c4 ");
    }
    SUBCASE("two legs with two pieces of memory") {
        send(journal, 2, 4, 2);
        CHECK(journal.text == "A0 A1 a0 B0 b0 A2 a1 B1 b1 A3 a2 B2 a3 B3 b2 b3 ");
    }
    SUBCASE("one piece") {
        send(journal, 3, 1, 3);
        CHECK(journal.text == "A0 a0 B0 b0 C0 c0 ");
    }
}

TEST_CASE("memory is written again only after the next leg has read it") {
    for (const std::size_t legs : {2, 3})
        for (const std::size_t slots : {2, 3, 4}) {
            CAPTURE(legs);
            CAPTURE(slots);
            Journal journal;
            send(journal, legs, 9, slots);
            const auto place = [&](const std::string& what) { return (' ' + journal.text).find(' ' + what + ' '); };
            for (char leg = 'A'; leg < static_cast<char>('A' + legs); ++leg)
                for (std::size_t piece = 0; piece < 9; ++piece) {
                    const auto start = place(leg + std::to_string(piece));
                    REQUIRE(start != std::string::npos);
                    const auto waited = [&](char other, std::size_t at) {
                        return place(static_cast<char>(other - 'A' + 'a') + std::to_string(at)) < start;
                    };
                    if (leg > 'A') CHECK(waited(static_cast<char>(leg - 1), piece));
                    if (leg + 1 < static_cast<char>('A' + legs) && piece >= slots)
                        CHECK(waited(static_cast<char>(leg + 1), piece - slots));
                }
            CHECK(std::count(journal.slots.begin(), journal.slots.end(), "A5@" + std::to_string(5 % slots)) == 1);
        }
}

TEST_CASE("after a failure all legs settle and the error goes on") {
    Journal journal{.text = {}, .slots = {}, .fails_at = "B1"};
    CHECK_THROWS_WITH(send(journal, 3, 4, 3), "B1");
    CHECK(journal.text == "A0 A1 a0 B0 A2 a1 settleA settleB settleC ");
}

TEST_SUITE_END();
