/// The tables of the kernel languages.
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace gemel;

TEST_SUITE_BEGIN("core");

TEST_CASE("dialects are found by name") {
    CHECK(&Dialect::find("cuda") == &Dialect::cuda());
    CHECK(&Dialect::find("opencl") == &Dialect::opencl());
    CHECK(Dialect::cuda().file_extension == ".cu");
    CHECK(Dialect::opencl().file_extension == ".cl");
}

TEST_CASE("an unknown dialect is refused with the names of those that exist") {
    try {
        Dialect::find("metal");
        FAIL("found");
    } catch (const ArgumentError& error) {
        const std::string message = error.what();
        for (const char* word : {"'metal'", "cuda", "opencl"}) CHECK(message.find(word) != std::string::npos);
    }
}

TEST_CASE("a third dialect becomes known once and its address stays") {
    Dialect::add({.name = "third of the dialect test", .kernel = "kernel"});
    const Dialect& found = Dialect::find("third of the dialect test");
    CHECK(found.kernel == "kernel");
    Dialect::add({.name = "fourth of the dialect test"});
    CHECK(&Dialect::find("third of the dialect test") == &found);
    CHECK_THROWS_AS(Dialect::add({.name = "third of the dialect test"}), ArgumentError);
    CHECK_THROWS_AS(Dialect::add({.name = "cuda"}), ArgumentError);
    CHECK_THROWS_AS(Dialect::add({}), ArgumentError);
}

TEST_CASE("dialects are added and found from several threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            for (int i = 0; i < 50; ++i) {
                const std::string name = "dialect " + std::to_string(t) + " " + std::to_string(i);
                Dialect::add({.name = name});
                Dialect::find(name);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(Dialect::find("dialect 3 49").name == "dialect 3 49");
}

TEST_CASE("patterns take the axis as a digit or as a letter") {
    CHECK(Dialect::indexed("id(#)", 2) == "id(2)");
    CHECK(Dialect::indexed("a.@ * b.@ + #", 1) == "a.y * b.y + 1");
    CHECK(Dialect::indexed(Dialect::cuda().thread_id, 0) == "((int)threadIdx.x)");
    CHECK(Dialect::indexed(Dialect::opencl().block_id, 1) == "((int)get_group_id(1))");
    CHECK_THROWS_AS(Dialect::indexed("#", 3), ArgumentError);
    CHECK_THROWS_AS(Dialect::indexed("#", -1), ArgumentError);
}

TEST_SUITE_END();
