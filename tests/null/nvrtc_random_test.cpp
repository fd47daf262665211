/// Every kernel of random numbers, compiled to machine code for three architectures.
#include "../nvrtc.hpp"
#include "../philox_programs.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <tuple>

using namespace gemel;

namespace {

void check_compiles(const std::string& name, const std::string& text) {
    for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
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
        for (const int shift : {0, 1}) {
            const codegen::PhiloxFill fill{
                .distribution = distribution, .element = element, .tuning = {}, .shift = shift};
            const std::string text = fill.source(Dialect::cuda());
            const std::string ptx =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_90", {"--fmad=false"}).ptx;
            int stores = 0;
            for (std::size_t at = ptx.find(store); at != std::string::npos; at = ptx.find(store, at + 1)) ++stores;
            CHECK_MESSAGE(stores == fill.tuning.counters_per_thread, element.name(), ", shift ", shift);
            CHECK(ptx.find(".local") == std::string::npos);
        }
    }
}

TEST_SUITE_END();
