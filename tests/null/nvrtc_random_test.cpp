/// Every kernel of random numbers, compiled to machine code for three architectures.
#include "../nvrtc.hpp"
#include "../philox_programs.hpp"
#include "../sobol_programs.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <tuple>

using namespace gemel;

namespace {

void check_compiles(const std::string& name, const std::string& text) {
    for (const char* architecture : some_of({"sm_75", "sm_80", "sm_90"})) {
        const Nvrtc::Result result =
            Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture, {"--fmad=false"});
        CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, " for ", architecture, "\n", result.log);
    }
}

}  // namespace

TEST_SUITE_BEGIN("random");

TEST_CASE("kernels of random numbers compile without a warning") {
    for (const auto& [name, fill] : philox_programs::all()) {
        if (fill.tuning.lanes) continue;  // never chosen for a GPU
        // How numbers are stored does not depend on where they come from: half of the texts say all.
        const bool is_stored_alike = !fill.tuning.wide_stores || fill.shift != 0;
        if (is_stored_alike && fill.distribution != codegen::Distribution::bernoulli) continue;
        check_compiles(name, fill.source(Dialect::cuda()));
    }
    // The cipher stands apart from all else.
    for (const auto distribution : {codegen::Distribution::normal, codegen::Distribution::poisson_means})
        check_compiles("threefry", codegen::PhiloxFill{.distribution = distribution,
                                                       .element = dtype_of<double>(),
                                                       .tuning = philox_programs::narrow,
                                                       .shift = 0,
                                                       .means = dtype_of<float>(),
                                                       .cipher = codegen::RandomCipher::threefry}
                                       .source(Dialect::cuda()));
    for (const DType element : {dtype_of<std::int32_t>(), dtype_of<std::int64_t>()})
        check_compiles("permutation", codegen::PhiloxPermutation{.element = element}.source(Dialect::cuda()));
}

TEST_CASE("wide stores stay whole and nothing goes to local memory") {
    using codegen::Distribution;
    for (const auto& [distribution, element, store] :
         {std::tuple{Distribution::unit, dtype_of<float>(), "st.global.v4.f32"},
          {Distribution::normal, dtype_of<float>(), "st.global.v4.f32"},
          {Distribution::normal, dtype_of<double>(), "st.global.v2.f64"},
          {Distribution::integers, dtype_of<std::int32_t>(), "st.global.v4.u32"}}) {
        const std::string name = element.name();  // clang 14 captures no structured bindings
        for (const int shift : {0, 1}) {
            const codegen::PhiloxFill fill{
                .distribution = distribution, .element = element, .tuning = {}, .shift = shift};
            const std::string text = fill.source(Dialect::cuda());
            const std::string ptx =
                Nvrtc::instance()
                    ->compile_optimised(prelude(Dialect::cuda(), text) + text, "sm_90", {"--fmad=false"})
                    .ptx;
            int stores = 0;
            for (std::size_t at = ptx.find(store); at != std::string::npos; at = ptx.find(store, at + 1)) ++stores;
            CHECK_MESSAGE(stores == fill.tuning.counters_per_thread, name, ", shift ", shift);
            CHECK(ptx.find(".local") == std::string::npos);
        }
    }
}

TEST_CASE("kernels of Sobol' sequences compile without a warning") {
    for (const auto& [name, fill] : sobol_programs::all())
        if (fill.tuning != sobol_programs::lanes) check_compiles(name, fill.source(Dialect::cuda()));
}

TEST_CASE("points of Sobol' sequences are stored wide and from registers") {
    for (const auto& [element, tuning, store] :
         {std::tuple{dtype_of<float>(), sobol_programs::wide, "st.global.v4.f32"},
          {dtype_of<std::uint32_t>(), sobol_programs::wide, "st.global.v4.u32"},
          {dtype_of<half>(), sobol_programs::wide, "st.global.v4.u16"},
          {dtype_of<double>(), sobol_programs::wide_pair, "st.global.v2.f64"}}) {
        const std::string text = codegen::SobolFill{.element = element, .tuning = tuning}.source(Dialect::cuda());
        const std::string ptx =
            Nvrtc::instance()->compile_optimised(prelude(Dialect::cuda(), text) + text, "sm_90", {}).ptx;
        const bool is_wide = ptx.find(store) != std::string::npos;
        const std::string name = element.name();
        CHECK_MESSAGE(is_wide, name);
        CHECK_MESSAGE(ptx.find(".local") == std::string::npos, name);
    }
}

TEST_SUITE_END();
