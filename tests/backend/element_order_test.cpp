/// Which elements a snippet meets, whatever the arrays' layouts are: those of NumPy's C order, against a host loop.
#include <doctest/doctest.h>

#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include "generator_support.hpp"

#include <algorithm>
#include <array>

using namespace gemel;
using namespace gemel::testing;

namespace {

const std::array<AnyTuning, 2> tunings{AnyTuning{}, gpu_shaped};
/// All that can be written.
constexpr std::array layouts{Form::C, Form::F, Form::permuted, Form::reversed, Form::strided};

struct Indices {
    IndexRange range;
    int first, count;
};

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a range runs over the elements in C order whatever the layouts are") {
    const ElementwiseKernel mark("const int *x, int *z", "z[i] = x[i] + 1000", "mark");
    std::size_t choice = 0;
    for (const Shape& shape : {Shape{60}, Shape{6, 10}, Shape{3, 4, 5}, Shape{2, 3, 2, 5}}) {
        for (const Indices& indices :
             {Indices{{.start = 2, .stop = 7}, 2, 5}, Indices{{.start = 7, .stop = 53, .step = 5}, 7, 10},
              Indices{{.start = 58, .stop = 3, .step = -9}, 58, 7}, Indices{{.start = 1}, 1, 59}}) {
            ++choice;
            for (const Form from : forms)
                for (const Form to : layouts)
                    for (const AnyTuning& tuning : tunings) {
                        const std::size_t forms_and_tuning =
                            static_cast<std::size_t>(from) + static_cast<std::size_t>(to) + (&tuning - tunings.data());
                        if (is_left_out(4, choice + forms_and_tuning)) continue;
                        GPUArray<std::int32_t> x, z;
                        std::vector<std::int32_t> numbers(60), expected(60, -1);
                        for (int i = 0; i < 60; ++i) numbers[static_cast<std::size_t>(i)] = i;
                        numbers = fill_in(from, shape, x, numbers);
                        fill_in(to, shape, z, expected);
                        mark({.range = indices.range, .tuning = tuning}, x, z);
                        for (int k = 0; k < indices.count; ++k) {
                            const auto i =
                                static_cast<std::size_t>(indices.first + k * static_cast<int>(indices.range.step));
                            expected[i] = numbers[i] + 1000;
                        }
                        CHECK_SAME(expected, z.get(), "from ", name_of(from), " to ", name_of(to), " in ",
                                   to_string(shape), ", from ", indices.first, " by ", indices.range.step);
                    }
        }
        ++choice;
    }
}

TEST_CASE("a contiguous array of another shape is met in C order beside those of any layout") {
    const ElementwiseKernel add("const int *x, const int *flat, int *z", "z[i] = x[i] + 1000*flat[i]", "add");
    const ReductionKernel<std::int64_t> weigh({.arguments = "const int *x, const int *flat, const int *other",
                                               .neutral = "0",
                                               .map_expr = "x[i] * (int64_t)flat[i] + other[i]",
                                               .reduce_expr = "a + b",
                                               .name = "weigh"});
    std::vector<std::int32_t> counted(60);
    for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<std::int32_t>(i);
    std::size_t shapes = 0;
    for (const Shape& shape : {Shape{6, 10}, Shape{3, 4, 5}, Shape{2, 3, 2, 5}}) {
        ++shapes;
        for (const Form form : layouts)
            for (const Form other_form : layouts)
                for (const AnyTuning& tuning : tunings) {
                    const std::size_t forms_and_tuning = static_cast<std::size_t>(form) +
                                                         static_cast<std::size_t>(other_form) +
                                                         (&tuning - tunings.data());
                    if (is_left_out(3, shapes + forms_and_tuning)) continue;
                    // A contiguous array leads, which is what allows another shape.
                    const auto leading = GPUArray<std::int32_t>(current_context(), shape);
                    leading.set(counted);
                    const auto flat = to_gpu(counted);
                    GPUArray<std::int32_t> x, z;
                    fill_in(form, shape, x, counted);
                    fill_in(other_form, shape, z, std::vector<std::int32_t>(60, -1));
                    const ElementwiseKernel three("const int *leading, const int *flat, const int *x, int *z",
                                                  "z[i] = leading[i] + 100*flat[i] + 10000*x[i]", "three");
                    three({.tuning = tuning}, leading, flat, x, z);
                    std::vector<std::int32_t> expected(60);
                    for (std::size_t i = 0; i < 60; ++i) expected[i] = 10101 * static_cast<std::int32_t>(i);
                    CHECK_SAME(expected, z.get(), name_of(form), " and ", name_of(other_form), " in ",
                               to_string(shape));
                    std::int64_t sum = 0;
                    for (const std::int32_t i : counted) sum += std::int64_t{i} * i + i;
                    CHECK(weigh({.tuning = tuning}, leading, flat, x).item() == sum);
                }
    }
    // Where the array with gaps leads, another shape is refused: which element is meant would be open.
    GPUArray<std::int32_t> x, z;
    fill_in(Form::F, Shape{6, 10}, x, counted);
    fill_in(Form::F, Shape{6, 10}, z, counted);
    CHECK_THROWS_MENTIONING(ArgumentError, add(x, to_gpu(counted), z), "add", "flat", "shape");
}
