/// The kernels that arrays launch themselves, compiled for CUDA: every conversion, every progression.
#include "../nvrtc.hpp"
#include "elements/array_kernels.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace gemel;

namespace {

const DType numbers[] = {dtype_of<bool>(),          dtype_of<std::int8_t>(),   dtype_of<std::uint8_t>(),
                         dtype_of<std::int16_t>(),  dtype_of<std::uint16_t>(), dtype_of<std::int32_t>(),
                         dtype_of<std::uint32_t>(), dtype_of<std::int64_t>(),  dtype_of<std::uint64_t>(),
                         dtype_of<half>(),          dtype_of<bfloat16>(),      dtype_of<float>(),
                         dtype_of<double>(),        dtype_of<cfloat>(),        dtype_of<cdouble>()};

void check_compiles(const std::string& text) {
    for (const char* architecture : some_of({"sm_75", "sm_90"})) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, architecture, "\n", result.log, "\n", text);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("conversions of all types compile for CUDA") {
    for (const DType& from : numbers) {
        for (const DType& to : numbers) {
            if (from == to) continue;
            const auto i = static_cast<std::size_t>(&from - numbers), j = static_cast<std::size_t>(&to - numbers);
            if (testing::is_left_out(2, i + j / 2)) continue;
            if (from.kind() == DType::Kind::complex && to.kind() != DType::Kind::complex &&
                to.kind() != DType::Kind::boolean)
                continue;
            check_compiles(conversion_kernel(from, to).source(Dialect::cuda()));
        }
    }
}

TEST_CASE("progressions and copies compile for CUDA") {
    for (const DType& to : numbers) {
        check_compiles(copy_kernel().source(Dialect::cuda(), {{"T", to}}));
        check_compiles(fill_kernel().source(Dialect::cuda(), {{"T", to}}));
        if (to.kind() == DType::Kind::complex || to.kind() == DType::Kind::boolean) continue;
        for (const char* number : {"int64_t", "double", "float"})
            check_compiles(progression_kernel(to, number).source(Dialect::cuda()));
    }
}
