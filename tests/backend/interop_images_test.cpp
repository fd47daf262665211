/// Images and samplers that others have made with OpenCL's own calls, in gemel.
#include "array_support.hpp"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateSampler
#include <gemel/interop/opencl.hpp>

#include "../image_programs.hpp"

#include <array>
#include <complex>
#include <numeric>

using namespace gemel;

namespace {

/// A foreign image with its elements, released with the handle.
class Foreign {
   public:
    Foreign(const Context& context, cl_channel_order order, cl_channel_type type, cl_image_desc description,
            void* elements) {
        const cl_image_format format{order, type};
        cl_int status = CL_SUCCESS;
        image_ = clCreateImage(opencl::native(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &description,
                               elements, &status);
        REQUIRE(status == CL_SUCCESS);
    }
    ~Foreign() { clReleaseMemObject(image_); }
    Foreign(const Foreign&) = delete;
    Foreign& operator=(const Foreign&) = delete;
    operator cl_mem() const { return image_; }
    cl_uint references() const {
        cl_uint count = 0;
        clGetMemObjectInfo(image_, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
        return count;
    }

   private:
    cl_mem image_ = nullptr;
};

cl_image_desc description_of(cl_mem_object_type type, std::array<std::size_t, 3> extent, std::size_t layers = 1) {
    cl_image_desc description{};
    description.image_type = type;
    description.image_width = extent[0];
    description.image_height = extent[1];
    description.image_depth = extent[2];
    description.image_array_size = layers;
    return description;
}

bool has_images_of_opencl() {
    const Device device = default_device();
    return device.backend() == "opencl" && device.info().has_images;
}

template <class T>
std::vector<T> elements_of(const AnyImage& image) {
    GPUArray<T> to(image.context(), {static_cast<std::int64_t>(image.size() * image.dtype().size_bytes() / sizeof(T))});
    image.copy_to(to.buffer());
    return to.get();
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("foreign images of every rank have the driver's shape and format and elements") {
    if (!has_images_of_opencl()) return;
    const Context context(default_device());
    struct Case {
        cl_mem_object_type type;
        std::array<std::size_t, 3> extent;
        std::size_t layers;
        std::vector<std::size_t> expected;
    };
    const std::vector<Case> cases{{CL_MEM_OBJECT_IMAGE1D, {6, 0, 0}, 0, {6}},
                                  {CL_MEM_OBJECT_IMAGE2D, {6, 5, 0}, 0, {5, 6}},
                                  {CL_MEM_OBJECT_IMAGE3D, {6, 5, 4}, 0, {4, 5, 6}},
                                  {CL_MEM_OBJECT_IMAGE2D_ARRAY, {6, 5, 0}, 3, {3, 5, 6}}};
    for (const Case& one : cases) {
        CAPTURE(one.type);
        std::vector<float> elements(6 * 5 * 4 * 4);
        std::iota(elements.begin(), elements.end(), 1.0f);
        const Foreign theirs(context, CL_RGBA, CL_FLOAT, description_of(one.type, one.extent, one.layers),
                             elements.data());
        const cl_uint references = theirs.references();
        {
            const AnyImage image = opencl::wrap_image(context, theirs);
            CHECK(theirs.references() == references + 1);
            CHECK(opencl::native(image) == theirs);
            CHECK(image.extents() == one.expected);
            CHECK(image.is_layered() == (one.layers > 0));
            CHECK(image.dtype() == dtype_of<float4>());
            elements.resize(image.size() * 4);
            CHECK(elements_of<float>(image) == elements);
        }
        CHECK(theirs.references() == references);
    }
}

TEST_CASE("kernels read and write foreign images") {
    if (!has_images_of_opencl()) return;
    const Context context(default_device());
    std::vector<std::uint8_t> elements(4 * 8 * 4);
    std::iota(elements.begin(), elements.end(), std::uint8_t{0});
    const cl_image_desc flat = description_of(CL_MEM_OBJECT_IMAGE2D, {8, 4, 0});
    const Foreign plain(context, CL_RGBA, CL_UNSIGNED_INT8, flat, elements.data()),
        normalised(context, CL_RGBA, CL_UNORM_INT8, flat, elements.data());
    const AnyImage whole = opencl::wrap_image(context, plain), shares = opencl::wrap_image(context, normalised);
    CHECK(whole.format() == ImageFormat{dtype_of<uchar4>(), false});
    CHECK(shares.format() == ImageFormat{dtype_of<uchar4>(), true});
    const auto points = to_gpu(context, std::vector<float4>{{2.5f, 1.5f, 0, 0}, {9, 3.5f, 0, 0}}, Shape{2});
    GPUArray<float4> to(context, {2});
    GPUArray<int4> ints(context, {2});
    const Kernel sample = context.compile(image_programs::sample(image_programs::ranks[1])).kernel("sample");
    sample({.grid = 1, .block = 2}, Texture(whole), points, to, ints, 2);
    CHECK(ints.get()[0].y == (8 + 2) * 4 + 1);
    CHECK(ints.get()[1].w == (3 * 8 + 7) * 4 + 3);  // the nearest element of the border
    sample({.grid = 1, .block = 2}, Texture(shares), points, to, ints, 2);
    CHECK(to.get()[0].y == doctest::Approx(((8 + 2) * 4 + 1) / 255.0));
    const Kernel write = context.compile(image_programs::access(image_programs::ranks[1])).kernel("write_uint");
    const auto values = to_gpu(context, std::vector<uint4>{{200, 201, 202, 203}}, Shape{1});
    write({.grid = 1, .block = 1}, whole, points, values, 1);
    CHECK(elements_of<std::uint8_t>(whole)[(8 + 2) * 4 + 3] == 203);
    CHECK(elements_of<std::uint8_t>(whole)[(8 + 3) * 4] == (8 + 3) * 4);
    // In a program of others they are what its text says.
    const char* text =
        "__kernel void first(__read_only image2d_t from, __global uint *to) {\n"
        "    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
        "    to[0] = read_imageui(from, nearest, (int2)(2, 1)).w;\n"
        "}\n";
    const cl_program theirs = clCreateProgramWithSource(opencl::native(context), 1, &text, nullptr, nullptr);
    const auto device = reinterpret_cast<cl_device_id>(context.device().native_handle());
    REQUIRE(clBuildProgram(theirs, 1, &device, "", nullptr, nullptr) == CL_SUCCESS);
    std::vector<std::uint32_t> seen(1);
    const Kernel first = opencl::wrap(context, theirs).kernel("first");
    clReleaseProgram(theirs);
    first({.grid = 1, .block = 1}, whole, Out(seen));
    CHECK(seen[0] == 203);
    CHECK_THROWS_MENTIONING(ArgumentError, first({.grid = 1, .block = 1}, Texture(whole), Out(seen)), "first");
}

TEST_CASE("what a foreign image is not is refused with a reason") {
    if (!has_images_of_opencl()) return;
    const Context context(default_device()), other(default_device());
    std::vector<std::uint32_t> elements(8 * 4 * 4);
    const cl_image_desc flat = description_of(CL_MEM_OBJECT_IMAGE2D, {8, 4, 0});
    const Foreign words(context, CL_RGBA, CL_UNSIGNED_INT32, flat, elements.data());
    const ImageFormat complex{dtype_of<std::complex<double>>(), false}, other_kind{dtype_of<float4>(), false};
    CHECK(opencl::wrap_image(context, words, complex).format() == complex);
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap_image(context, words, other_kind), "uint4", "float4");
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap_image(other, words), "another cl_context");
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap_image(context, opencl::native(context.allocate(64))),
                            "another kind of memory");
    CHECK_THROWS_AS(opencl::wrap_image(context, nullptr), ArgumentError);
    std::vector<std::uint8_t> bytes(8 * 4 * 4);
    const Foreign integers(context, CL_RGBA, CL_UNSIGNED_INT8, flat, bytes.data());
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap_image(context, integers, ImageFormat{dtype_of<uchar4>(), true}),
                            "not normalised");
    const AnyImage image = opencl::wrap_image(context, integers);
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::native(AnyImage()), "empty");
    AnyImage released = image;
    released.release();
    CHECK_THROWS_MENTIONING(ArgumentError, image.copy_to(context.allocate(8 * 4 * 4)), "released");
}

TEST_CASE("a foreign sampler is a Sampler of its settings") {
    if (!has_images_of_opencl()) return;
    const Context context(default_device());
    struct Case {
        cl_bool normalised;
        cl_addressing_mode mode;
        cl_filter_mode filter;
        Sampler expected;
    };
    const std::vector<Case> cases{
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, {Filter::nearest, Address::clamp, false}},
        {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, {Filter::linear, Address::border, false}},
        {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, {Filter::linear, Address::wrap, true}},
        {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, {Filter::nearest, Address::mirror, true}}};
    for (const Case& one : cases) {
        cl_int status = CL_SUCCESS;
        const cl_sampler theirs =
            clCreateSampler(opencl::native(context), one.normalised, one.mode, one.filter, &status);
        REQUIRE(status == CL_SUCCESS);
        const Sampler found = opencl::sampler(theirs);
        CHECK(found.filter == one.expected.filter);
        CHECK(found.address == one.expected.address);
        CHECK(found.normalised == one.expected.normalised);
        clReleaseSampler(theirs);
    }
    const cl_sampler undefined =
        clCreateSampler(opencl::native(context), CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, nullptr);
    REQUIRE(undefined);
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::sampler(undefined), "CL_ADDRESS_NONE");
    clReleaseSampler(undefined);
}

TEST_SUITE_END();
