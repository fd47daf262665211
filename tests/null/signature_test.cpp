/// Signatures: what is read from kernels' and generators' text.
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace gemel;
using Space = Parameter::Space;

namespace {

/// The text of all kernels in a program, one a line.
std::string kernels(std::string_view program) {
    std::string result;
    for (const KernelSignature& kernel : parse_kernels(program)) result += kernel.text() + "\n";
    return result;
}

std::string error_of(std::string_view declarations) {
    try {
        parse_declarations(declarations);
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("textures and images are parameters by themselves, with parts that the driver counts") {
    const std::string text =
        "KERNEL void f(TEXTURE_2D(a), GLOBAL_MEM float *to, TEXTURE_1D_LAYERED( b ), IMAGE_3D_WRITE(c), "
        "const IMAGE_like d, IMAGE_2D_LAYERED_READ(e), int n) {}";
    const auto found = parse_kernels("#define TEXTURE_2D(name) something(name)\n" + text);
    REQUIRE(found.size() == 1);
    const KernelSignature& f = found[0];
    CHECK(
        f.text() ==
        "f(TEXTURE_2D(a), float *to, TEXTURE_1D_LAYERED(b), IMAGE_3D_WRITE(c), IMAGE_like d, IMAGE_2D_LAYERED_READ(e), "
        "int n)");
    CHECK(f.argument_count() == 7);
    CHECK(f.parameters.size() == 13);
    CHECK(f.uses_images());
    CHECK(f.parameters[0].space == Space::texture);
    CHECK(f.parameters[1].space == Space::part);
    CHECK(f.parameters[5].dimensions == 1);
    CHECK(f.parameters[5].is_layered);
    CHECK(f.parameters[9].space == Space::image_write);
    CHECK(!f.parameters[9].is_const);
    CHECK(f.parameters[11].space == Space::image_read);
    CHECK(f.parameters[11].is_const);
    CHECK(detail::deserialize_signatures(detail::serialize(found)) == found);
    CHECK(!parse_kernels("KERNEL void g(float *x) {}")[0].uses_images());
    CHECK(parse_kernels("KERNEL void g(TEXTURE_4D(x)) {}").empty());
    CHECK(kernels("#define IMAGE_DATA GLOBAL_MEM float *\nKERNEL void g(IMAGE_DATA x) {}") == "g(float *x)\n");
    const auto declared = parse_declarations("float *y, TEXTURE_2D(x), IMAGE_1D_LAYERED_WRITE(z)");
    REQUIRE(declared.size() == 3);
    CHECK(declared[1].space == Space::texture);
    CHECK(declared[1].dimensions == 2);
    CHECK(declared[1].text() == "TEXTURE_2D(x)");
    CHECK(declared[2].space == Space::image_write);
    CHECK(declared[2].is_layered);
}

TEST_CASE("a portable kernel's signature is read from its text") {
    const auto found = parse_kernels(
        "KERNEL REQD_WG_SIZE(16,16,1) void f(GLOBAL_MEM const float *RESTRICT a, int n, SHARED_ARENA)\n{ }");
    REQUIRE(found.size() == 1);
    const KernelSignature& f = found[0];
    CHECK(f.text() == "f(const float *a, int n, SHARED_ARENA)");
    CHECK(f.required_block == std::array<std::uint32_t, 3>{16, 16, 1});
    REQUIRE(f.parameters.size() == 3);
    CHECK(f.argument_count() == 2);
    CHECK(f.parameters[2].space == Space::arena);
    CHECK(f.parameters[0] == Parameter{.name = "a",
                                       .type = "float",
                                       .dtype = dtype_of<float>(),
                                       .space = Space::global,
                                       .is_pointer = true,
                                       .is_const = true});
    CHECK(f.parameters[1] == Parameter{.name = "n", .type = "int", .dtype = dtype_of<int>()});
    CHECK(f.parameters[2].space == Space::arena);
}

TEST_CASE("tensor maps are arguments of the library's own kernels only") {
    const auto kernels = parse_kernels("KERNEL void f(GEMEL_TENSOR_MAP(a_map), GLOBAL_MEM float *c, int n) {}");
    REQUIRE(kernels.size() == 1);
    const KernelSignature& f = kernels[0];
    CHECK(f.text() == "f(GEMEL_TENSOR_MAP(a_map), float *c, int n)");
    CHECK(f.argument_count() == 3);
    CHECK(f.parameters[0].space == Space::tensor_map);
    CHECK(f.parameters[0].is_const);
    CHECK(!f.uses_images());
    CHECK(detail::deserialize_signatures(detail::serialize(kernels)) == kernels);
    CHECK_THROWS_AS(parse_declarations("float *x, GEMEL_TENSOR_MAP(m)"), ArgumentError);
}

TEST_CASE("CUDA kernels are read in their native spelling") {
    CHECK(kernels(R"(extern "C" __global__ void __launch_bounds__(256)
                     f(const float* __restrict__ a, unsigned long long n) { })") ==
          "f(const float *a, unsigned long long n)\n");
    CHECK(kernels("extern \"C\" { __global__ void f(float a[], float const *b) {} void __global__ g(void) {} }") ==
          "f(float *a, const float *b)\ng()\n");
    CHECK(kernels(
              "extern \"C\" __global__ __launch_bounds__(64, 2) void f(int n = (1 < 2) ? 3 : 4, int m = g(1, 2)) {}") ==
          "f(int n, int m)\n");
    CHECK(
        kernels(
            "__global__ void kernel(float *local, int global, const __grid_constant__ Params constant) noexcept {}") ==
        "kernel(float *local, int global, Params constant)\n");
    CHECK(kernels("[[maybe_unused]] static __global__ void f(thrust::complex<float> *z, vec<float, 4> v) {}") ==
          "f(thrust::complex<float> *z, vec<float,4> v)\n");
    CHECK(parse_kernels("__global__ void f(thrust::complex<float> *z) {}")[0].parameters[0].dtype ==
          dtype_of<cfloat>());
}

TEST_CASE("OpenCL kernels are read in their native spelling") {
    const auto found = parse_kernels(
        "__kernel __attribute__((reqd_work_group_size(16,1,1))) void f(__global const float * restrict a,\n"
        "    __local float *tmp, __constant float *w, ulong n) { }");
    REQUIRE(found.size() == 1);
    CHECK(found[0].text() == "f(const float *a, LOCAL_MEM_ARG float *tmp, CONSTANT_MEM const float *w, ulong n)");
    CHECK(found[0].required_block == std::array<std::uint32_t, 3>{16, 1, 1});
    CHECK(found[0].parameters[3].dtype == dtype_of<std::uint64_t>());
    CHECK(kernels("kernel void g(global float4 *p, local int *t, constant uchar *c, read_only image2d_t image) {}") ==
          "g(float4 *p, LOCAL_MEM_ARG int *t, CONSTANT_MEM const uchar *c, image2d_t image)\n");
    CHECK(parse_kernels("__attribute__((reqd_work_group_size(8u, 4, 2))) __kernel void f(void) {}")[0].required_block ==
          std::array<std::uint32_t, 3>{8, 4, 2});
}

TEST_CASE("the kernels of the first programs that users see are read") {
    CHECK(kernels(R"(
        KERNEL void multiply_by_two(GLOBAL_MEM float *a)
        {
            int i = LID_0 + LID_1 * 4;
            a[i] *= 2;
        })") == "multiply_by_two(float *a)\n");
    CHECK(kernels(R"(
KERNEL void add(GLOBAL_MEM float *tgt,
                GLOBAL_MEM const float *op1,
                GLOBAL_MEM const float *op2)
{
    int idx = LID_0 + 64 * 8 * GID_0;
})") == "add(float *tgt, const float *op1, const float *op2)\n");
    CHECK(kernels(R"(extern "C" __global__ void scale(float *dest, const float *src, float s)
                     { int i = blockIdx.x * blockDim.x + threadIdx.x; dest[i] = s * src[i]; })") ==
          "scale(float *dest, const float *src, float s)\n");
    CHECK(kernels(R"(__kernel void scale(__global float *dest, __global const float *src, float s)
                     { int i = get_global_id(0); dest[i] = s * src[i]; })") ==
          "scale(float *dest, const float *src, float s)\n");
    CHECK(kernels(R"(
        CONST_STATIC float weights[4] = {1, 2, 3, 4};
        KERNEL void weigh(GLOBAL_MEM float *a) { a[LID_0] *= weights[LID_0 % 4]; })") == "weigh(float *a)\n");
    CHECK(kernels("KERNEL void fill_ones(GLOBAL_MEM float *a, int count) { if (LID_0 < count) a[LID_0] = 1; }") ==
          "fill_ones(float *a, int count)\n");
    CHECK(kernels("KERNEL void present() {}") == "present()\n");
}

TEST_CASE("several kernels come in order and what is no kernel is passed over") {
    CHECK(kernels(R"(
        // KERNEL void in_comment(int a) { }
        /* KERNEL void in_comment(int a) { } // */
        #define KERNEL_LIKE(T) KERNEL void f_##T(GLOBAL_MEM T *x) \
            { }
        const char *text = "KERNEL void in_string(int a) { }";
        WITHIN_KERNEL float helper(float x) { return x; }
        KERNEL void declared(int a);
        KERNEL void first(int a) { int kernel = 3; if (kernel > 2) { kernel(a); } }
        template <int N> __global__ void templated(int a) {}
        template <> __global__ void templated<3>(int a) {}
        KERNEL_LIKE(float)
        KERNEL void declared(int a) { }
        KERNEL void second(struct Step s, union U *u, GLOBAL_MEM unsigned const int *p) {}
        void kernel(int a) {}
        static int kernels(int a) { return '"'; }
        KERNEL int not_void(int a) {})") ==
          "first(int a)\ndeclared(int a)\nsecond(struct Step s, union U *u, const unsigned int *p)\n");
    CHECK(kernels("const char *s = R\"x( KERNEL void f(int a) {} )\" )x\"; __global__ void g(int a) {}") ==
          "g(int a)\n");
}

TEST_CASE("a kernel whose parameters depend on conditions or macros is left out") {
    CHECK(kernels("#ifdef A\nKERNEL void f(int a) {}\n#else\nKERNEL void f(float a) {}\n#endif\nKERNEL void g() {}") ==
          "g()\n");
    CHECK(kernels("#ifdef A\nKERNEL void f(int a) {}\n#else\nKERNEL void f(int a) {}\n#endif") == "f(int a)\n");
    CHECK(kernels("KERNEL void f(int a\n#ifdef B\n, int b\n#endif\n) {}") == "");
    CHECK(kernels("#if X\nKERNEL void f(PARAMETERS) {}\n#else\nKERNEL void f(int a) {}\n#endif") == "");
    CHECK(kernels("KERNEL void f(int a EXTRA) {} KERNEL void g(PARAMETERS) {} KERNEL void h(float *a EXTRA) {}") == "");
    CHECK(kernels("#define P(x) x\nKERNEL void f(P(int) a) {}") == "");
    CHECK(kernels("#ifndef real\n#define real float\n#endif\nKERNEL void f(GLOBAL_MEM real *x) {}") == "");
    CHECK(kernels("typedef GLOBAL_MEM float *vector;\nKERNEL void f(vector x) {}") == "");
    CHECK(kernels("using vector = float *;\n__global__ void f(vector x) {}") == "");
    CHECK(kernels("KERNEL void FN(scale)(GLOBAL_MEM float *x) {}") == "");
    CHECK(kernels("KERNEL void f(int a, int a) {}") == "");
    CHECK(kernels("__global__ void f(const T &x, ...) {} __global__ void g(void (*callback)(int)) {}") == "");
}

TEST_CASE("checks of a struct's size and members hide no pointer behind its name") {
    const auto kernels = parse_kernels(
        "typedef struct { float value; long long index; } place;\n"
        "typedef char place_has_its_size[sizeof(place) == 16 ? 1 : -1];\n"
        "typedef char place_has_its_index[__INTADDR__(&((place *)0)->index) == 8 ? 1 : -1];\n"
        "KERNEL void reduce(GLOBAL_MEM place *found, place first) {}");
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].text() == "reduce(place *found, place first)");
}

TEST_CASE("a program's own plain macros are followed") {
    CHECK(kernels("#define real double\n#define IN GLOBAL_MEM const real *\nKERNEL void f(IN x, real a) {}") ==
          "f(const double *x, double a)\n");
    const auto resident = parse_kernels("KERNEL REQD_WG_SIZE(64, 1, 1) RESIDENT_BLOCKS(64, 4) void f(int n) {}");
    REQUIRE(resident.size() == 1);
    CHECK(resident[0].required_block == std::array<std::uint32_t, 3>{64, 1, 1});
    CHECK(parse_kernels("#define N 16\nKERNEL REQD_WG_SIZE(N, 1, 1) void f() {}")[0].required_block ==
          std::array<std::uint32_t, 3>{16, 1, 1});
    CHECK(!parse_kernels("KERNEL REQD_WG_SIZE(N, 1, 1) void f() {}")[0].required_block);
    CHECK(kernels("#define A B\n#define B A\nKERNEL void f(A x) {}") == "");
}

TEST_CASE("spaces and constness follow the pointer") {
    const auto found = parse_kernels(
        "KERNEL void f(GLOBAL_MEM float *a, float const *b, float *const c, LOCAL_MEM_ARG int *d, CONSTANT_MEM int *e,"
        " const float g, float **h, volatile GLOBAL_MEM uint *i) {}");
    REQUIRE(found.size() == 1);
    const auto& p = found[0].parameters;
    REQUIRE(p.size() == 8);
    CHECK((p[0].space == Space::global && !p[0].is_const));
    CHECK((p[1].space == Space::global && p[1].is_const));
    CHECK((p[2].space == Space::global && !p[2].is_const));
    CHECK(p[3].space == Space::shared);
    CHECK((p[4].space == Space::constant && p[4].is_const));
    CHECK((p[5].space == Space::value && !p[5].is_pointer && !p[5].is_const));
    CHECK((p[6].is_pointer && p[6].dtype.empty()));
    CHECK((p[7].space == Space::global && p[7].dtype == dtype_of<unsigned>()));
}

TEST_CASE("a generator's arguments are read") {
    const auto arguments = parse_declarations("float a, const float *x, Particle *p, unsigned  long\nlong n");
    REQUIRE(arguments.size() == 4);
    CHECK(arguments[0] == Parameter{.name = "a", .type = "float", .dtype = dtype_of<float>()});
    CHECK(arguments[1].text() == "const float *x");
    CHECK(arguments[2].text() == "Particle *p");
    CHECK((arguments[2].dtype.empty() && arguments[2].space == Space::global));
    CHECK(arguments[3].dtype == dtype_of<std::uint64_t>());
    CHECK(parse_declarations("").empty());
    CHECK(parse_declarations(" /* none */ ").empty());
    for (const Parameter& argument : parse_declarations("LOCAL_MEM_ARG float *t, CONSTANT_MEM float *w, cfloat z"))
        CHECK(parse_declarations(argument.text()) == std::vector{argument});
}

TEST_CASE("a wrong argument string is refused with the place and what was expected there") {
    CHECK(error_of("float a, *x") == "arguments \"float a, *x\", character 10: expected a type name, found '*'");
    CHECK(error_of("float a, ") == "arguments \"float a, \", character 10: expected a type name, found the end");
    CHECK(error_of("float a,, int b") == "arguments \"float a,, int b\", character 9: expected a type name, found ','");
    CHECK(error_of("float *") == "arguments \"float *\", character 8: expected a name for the 'float', found the end");
    CHECK(error_of("float *x, y") ==
          "arguments \"float *x, y\", character 12: expected a name for the 'y', found the end");
    CHECK(error_of("float a float b") ==
          "arguments \"float a float b\", character 9: expected ',' or the end, found 'float'");
    CHECK(error_of("float a, int a") == "arguments \"float a, int a\", character 10: the name 'a' is taken already");
    CHECK(error_of("void v").find("there are no values of type void") != std::string::npos);
    CHECK(error_of("float a; float b").find("character 8: expected ',' or the end, found ';'") != std::string::npos);
    CHECK(
        error_of("float a = 3, float *z") ==
        "arguments \"float a = 3, float *z\", character 9: found '=', but arguments have no defaults; each call gives "
        "all");
    CHECK(error_of("float 3a").find("character 7: expected a name, found '3a'") != std::string::npos);
}

TEST_CASE("type names denote element types") {
    CHECK(parse_type("float") == dtype_of<float>());
    CHECK(parse_type("unsigned") == dtype_of<unsigned>());
    CHECK(parse_type("long long") == dtype_of<std::int64_t>());
    CHECK(parse_type("int unsigned long") == dtype_of<std::uint64_t>());
    CHECK(parse_type("signed char") == dtype_of<std::int8_t>());
    CHECK(parse_type("short int") == dtype_of<std::int16_t>());
    CHECK(parse_type("size_t") == dtype_of<std::uint64_t>());
    CHECK(parse_type("const double") == dtype_of<double>());
    CHECK(parse_type("std::uint8_t") == dtype_of<std::uint8_t>());
    CHECK(parse_type("half") == dtype_of<half>());
    CHECK(parse_type("bfloat16_t") == dtype_of<bfloat16>());
    CHECK(parse_type("bfloat16") == dtype_of<bfloat16>());
    CHECK(parse_type("cdouble") == dtype_of<cdouble>());
    CHECK(parse_type("float4") == DType(DType::Kind::floating, 16, 4));
    CHECK(parse_type("float3") == DType(DType::Kind::floating, 16, 3));
    CHECK(parse_type("float16") == DType(DType::Kind::floating, 64, 16));
    CHECK(parse_type("uchar8") == DType(DType::Kind::unsigned_integer, 8, 8));
    CHECK(parse_type("ulong2") == DType(DType::Kind::unsigned_integer, 16, 2));
    for (const char* unknown : {"", "Particle", "float5", "float32", "16", "long double", "unsigned float",
                                "long short", "char int", "bool2", "half4", "4", "float 4", "unsigned signed"})
        CHECK_MESSAGE(parse_type(unknown).empty(), unknown);
}

TEST_CASE("signatures survive storage") {
    const auto signatures = parse_kernels(
        "KERNEL REQD_WG_SIZE(16,16,1) void f(GLOBAL_MEM const float *a, vec<int, 3> v, SHARED_ARENA) {}"
        "KERNEL void g() {}");
    REQUIRE(signatures.size() == 2);
    const std::string stored = detail::serialize(signatures);
    CHECK(detail::deserialize_signatures(stored) == signatures);
    CHECK(detail::deserialize_signatures(detail::serialize({})).empty());
    CHECK_THROWS_AS(detail::deserialize_signatures(""), Error);
    CHECK_THROWS_AS(detail::deserialize_signatures(stored + "1"), Error);
    for (std::size_t size = 0; size < stored.size(); ++size)
        CHECK_THROWS_AS(detail::deserialize_signatures(stored.substr(0, size)), Error);
}

TEST_CASE("damaged storage throws or gives other signatures but never does harm") {
    const std::string stored = detail::serialize(parse_kernels("KERNEL void f(GLOBAL_MEM float *a, int n) {}"));
    for (std::size_t i = 0; i < stored.size(); ++i)
        for (int byte = 0; byte < 256; ++byte) {
            std::string damaged = stored;
            damaged[i] = static_cast<char>(byte);
            try {
                detail::deserialize_signatures(damaged);
            } catch (const Error&) {}
        }
}

TEST_CASE("any bytes whatever are read without harm") {
    const std::string seed =
        "#define A B(\\\n\"\nKERNEL REQD_WG_SIZE(1,1,1) void f(GLOBAL_MEM const a<b,c>::d *RESTRICT x[3] = {1,(2)}, "
        "...)"
        "{ R\"x()x\" '\\'' /**/ // \\\r\n typedef struct { int *p; } T; __attribute__((x)) kernel 1'000 0x1p-3 [[a]] }";
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 20000; ++round) {
        std::string text = seed.substr(below(seed.size()));
        for (std::size_t edits = below(8); edits > 0 && !text.empty(); --edits) {
            switch (below(3)) {
                case 0: text[below(text.size())] = static_cast<char>(random()); break;
                case 1: text.erase(below(text.size()), below(9)); break;
                default: text.insert(below(text.size()), seed.substr(below(seed.size()), below(30))); break;
            }
        }
        parse_kernels(text);
        parse_type(text);
        try {
            parse_declarations(text);
        } catch (const ArgumentError&) {}
    }
    CHECK(parse_kernels(std::string(100000, '(')).empty());
    CHECK(parse_kernels("KERNEL void f" + std::string(100000, '(')).empty());
    CHECK(parse_kernels(std::string(1000, '\0')).empty());
}

TEST_SUITE_END();
