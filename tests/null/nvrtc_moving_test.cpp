/// The kernels that move elements by indices, masks and borders, compiled for CUDA.
#include "../nvrtc.hpp"
#include "rearrange/index_kernels.hpp"
#include "rearrange/mask_kernels.hpp"
#include "rearrange/pad_kernel.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

using namespace gemel;

namespace {

/// What moved elements look like: words of every size, and complex numbers.
const DType moved[] = {dtype_of<std::uint8_t>(),  dtype_of<std::uint16_t>(), dtype_of<std::uint32_t>(),
                       dtype_of<std::uint64_t>(), dtype_of<cfloat>(),        dtype_of<cdouble>()};
const DType indices[] = {dtype_of<std::int8_t>(),   dtype_of<std::uint8_t>(), dtype_of<std::int32_t>(),
                         dtype_of<std::uint32_t>(), dtype_of<std::int64_t>(), dtype_of<std::uint64_t>()};

template <class Kernel>
void check_compiles(const Kernel& kernel, const std::map<std::string, DType>& types = {}) {
    static std::size_t choice = 0;
    if (testing::is_left_out(2, choice++)) return;
    const std::string text = kernel.source(Dialect::cuda(), types);
    const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_75");
    CHECK_MESSAGE(result.succeeded, result.log, "\n", text);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("take and put compile for CUDA") {
    for (const DType& index : indices)
        for (const bool wide : {false, true}) {
            check_compiles(index_check_kernel(index, wide));
            for (const bool clips : {false, true})
                for (const std::size_t rank : {0, 1, 3}) {
                    const IndexForm form{
                        .index = index, .clips = clips, .wide_index = wide, .wide_position = wide, .rank = rank};
                    const DType type = moved[(rank + index.size_bytes() + wide) % std::size(moved)];
                    check_compiles(take_kernel(form, clips ? 1 : 2, wide), {{"T0", type}, {"T1", dtype_of<cfloat>()}});
                    const auto values = static_cast<ValueForm>((rank + wide) % 3);
                    check_compiles(put_kernel(form, 1, values), {{"T0", type}});
                }
        }
}

TEST_CASE("masks compile for CUDA") {
    for (const DType& type : moved) {
        check_compiles(place_scan(type.size_bytes() % 2 == 1), {{"T", type}});
        for (const ValueForm values : {ValueForm::one, ValueForm::each, ValueForm::repeated})
            check_compiles(put_mask_kernel(values), {{"T", type}});
    }
    for (const bool wide : {false, true}) check_compiles(unravel_kernel(3, wide));
    check_compiles(repeat_ends_scan());
    check_compiles(repeat_sources_kernel());
}

TEST_CASE("borders compile for CUDA") {
    for (const PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap})
        for (const DType& type : moved)
            check_compiles(
                pad_kernel(
                    {.mode = mode, .wide = type.size_bytes() == 8, .has_border = {true, type.size_bytes() < 4, true}}),
                {{"T", type}});
}
