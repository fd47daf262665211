/// Helpers for messages, and digests.
#include <gemel/core/text.hpp>
#include <gemel/core/uuid_text.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <locale>

using namespace gemel;

TEST_SUITE_BEGIN("core");

TEST_CASE("text puts its arguments one after another") {
    CHECK(text("") == "");
    CHECK(text("expected ", 2, ", got ", std::string("1"), '.') == "expected 2, got 1.");
}

TEST_CASE("numbers in texts do not follow the locale") {
    struct Grouped : std::numpunct<char> {
        char do_thousands_sep() const override { return '.'; }
        char do_decimal_point() const override { return ','; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouped));
    const std::string number = text(1234567, " ", 1.5);
    const std::string size = readable_bytes(9999);
    std::locale::global(before);
    CHECK(number == "1234567 1.5");
    CHECK(size == "9999 bytes");
}

TEST_CASE("join separates") {
    CHECK(join({}) == "");
    CHECK(join({"a"}) == "a");
    CHECK(join({"a", "", "c"}) == "a, , c");
    CHECK(join({"a", "a"}, " or ") == "a or a");
}

TEST_CASE("sizes are readable and exact when small") {
    CHECK(readable_bytes(0) == "0 bytes");
    CHECK(readable_bytes(1) == "1 byte");
    CHECK(readable_bytes(640) == "640 bytes");
    CHECK(readable_bytes(10239) == "10239 bytes");
    CHECK(readable_bytes(10240) == "10 KiB");
    CHECK(readable_bytes(1536 * 1024) == "1.5 MiB");
    CHECK(readable_bytes(1024 * 1024 - 1) == "1 MiB");
    CHECK(readable_bytes(std::size_t{1} << 40) == "1 TiB");
    CHECK(readable_bytes(150'000'000'000) == "139.7 GiB");
    CHECK(readable_bytes(std::numeric_limits<std::size_t>::max()) == "16 EiB");
}

TEST_CASE("the digest is SHA-1") {
    // Examples of FIPS 180-1 and the empty message.
    CHECK(digest("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(digest("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    CHECK(digest(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    CHECK(digest(std::string_view("a\0b", 3)) != digest("a"));
}

TEST_CASE("a UUID is written as the driver's tools write it") {
    std::array<std::byte, 16> uuid{};
    for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::byte>(i * 17);
    CHECK(uuid_text(uuid) == "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST_SUITE_END();
