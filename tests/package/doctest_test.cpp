/// A user's tests with doctest: a case once per device, and a comparison.
#define DOCTEST_CONFIG_IMPLEMENT
#include <gemel/gemel.hpp>
#include <gemel/testing_doctest.hpp>

GEMEL_TEST_CASE_PER_DEVICE("ones sum to their number", context) {
    CHECK(gemel::sum(gemel::ones<float>(context, 1000)).item() == 1000);
}

TEST_CASE("every device counts alike") {
    GEMEL_CHECK_COMPARISON(gemel::testing::compare_backends(
        [](const gemel::Context& context) { return gemel::arange<float>(context, 0, 4); },
        {.reference = {0, 1, 2, 3}}));
}

TEST_CASE("a thousand devices agree") {
    GEMEL_CHECK_COMPARISON(gemel::testing::compare_backends(
        [](const gemel::Context& context) { return gemel::arange<float>(context, 0, 4); }, {.min_devices = 1000}));
}

#ifdef OWN_MAIN
int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
#else
int main(int argc, char** argv) { return gemel::testing::run_doctest(argc, argv); }
#endif
