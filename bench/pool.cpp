/// What an allocation costs: from the pool, beside the driver's own calls.
#include "harness.hpp"
#include "raw.hpp"

int main() try {
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{1} << 26}) {
        const int times = 2000;
        const auto pooled = [&] {
            for (int k = 0; k < times; ++k) (void)context.allocate(bytes);
        };
        const auto figures = bench::medians({pooled,
                                             [&] {
                                                 for (int k = 0; k < 20; ++k) raw->allocate_and_free(bytes);
                                             }},
                                            15);
        const std::string size = std::to_string(bytes >> 10) + " KiB";
        // The promise is on the time itself: under 0.2 us.
        bench::report(context.device(), "pool allocation against the driver, " + size, figures[0] / times,
                      figures[1] / 20, 0);
        bench::print_line({{"benchmark", "pool allocation, " + size},
                           {"device", context.device().id()},
                           {"us", bench::rounded(figures[0] / times, 3)},
                           {"promise", 0.2},
                           {"kept", figures[0] / times < 0.2}});
        if (raw->allocate_and_free_pooled(bytes)) {
            const auto own = bench::medians({pooled,
                                             [&] {
                                                 for (int k = 0; k < 200; ++k) raw->allocate_and_free_pooled(bytes);
                                             }},
                                            15);
            bench::report(context.device(), "pool allocation against the driver's pool, " + size, own[0] / times,
                          own[1] / 200, 1);
        }
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
