/// Structs by reflection: what is found in the type, and what devices are told.
#include "../codegen_programs.hpp"

#include <gemel/core/error.hpp>

#include <gemel/core/text.hpp>

#include <doctest/doctest.h>

#include <cstddef>

struct AtGlobalScope {
    std::int32_t a;
};
GEMEL_STRUCT(AtGlobalScope, a)

struct Many {
    float a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6, c7, d0, d1, d2,
        d3, d4, d5, d6, d7;
};
GEMEL_STRUCT(Many, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6, c7, d0,
             d1, d2, d3, d4, d5, d6, d7)

namespace elsewhere {

struct Spin {  // the name that another struct has
    double angle;
};
GEMEL_STRUCT(Spin, angle)

struct Outer {
    struct Inner {
        std::uint8_t byte;
        alignas(16) float value;
    };
    Inner inner;
    std::int32_t last;
};
GEMEL_STRUCT(Outer::Inner, byte, value)
GEMEL_STRUCT(Outer, inner, last)

struct Both {
    Spin first;
    codegen_programs::science::Spin second;
};
GEMEL_STRUCT(Both, first, second)

struct Derived : AtGlobalScope {};

struct Nothing {};

}  // namespace elsewhere

using namespace gemel;
using codegen_programs::science::Particle;
using codegen_programs::science::Spin;

namespace {

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

/// Asked for before main, as a static kernel does.
const std::string early_name = dtype_of<elsewhere::Outer>().name();

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("a struct's layout is the one of the C++ type") {
    const DType dtype = dtype_of<Particle>();
    CHECK(dtype.kind() == DType::Kind::structure);
    CHECK(dtype.name() == "Particle");
    CHECK(dtype.size_bytes() == sizeof(Particle));
    CHECK(dtype == dtype_of<const Particle>());
    const StructLayout& layout = *dtype.layout();
    CHECK(layout.alignment_bytes == alignof(Particle));
    REQUIRE(layout.fields.size() == 12);
    CHECK(layout.fields[3].name == "mass");
    CHECK(layout.fields[3].dtype == dtype_of<double>());
    CHECK(layout.fields[3].offset_bytes == offsetof(Particle, mass));
    CHECK(layout.fields[5].dtype == dtype_of<Spin>());
    CHECK(layout.fields[5].count == 3);
    CHECK(layout.fields[6].dtype == dtype_of<std::complex<float>>());
    CHECK(layout.fields[7].dtype == dtype_of<std::int16_t>());
    CHECK(layout.fields[8].count == 6);
    CHECK(layout.fields[8].offset_bytes == offsetof(Particle, matrix));
}

TEST_CASE("structs work in any namespace and before main") {
    CHECK(dtype_of<AtGlobalScope>().name() == "AtGlobalScope");
    CHECK(dtype_of<elsewhere::Outer::Inner>().name() == "Inner");
    CHECK(early_name == "Outer");
    CHECK(dtype_of<Many>().layout()->fields.size() == 32);
    CHECK(dtype_of<Many>().layout()->fields[31].offset_bytes == offsetof(Many, d7));
}

TEST_CASE("what was not declared is no element type") {
    static_assert(HasDType<Particle>);
    static_assert(!HasDType<elsewhere::Derived>);
    static_assert(!HasDType<elsewhere::Nothing>);
    static_assert(!HasDType<Particle*>);
}

TEST_CASE("padding is explicit and nested structs come first") {
    const std::string text = codegen::struct_declaration(*dtype_of<elsewhere::Outer>().layout(), Dialect::opencl());
    CHECK(text ==
          "typedef struct {\n"
          "    unsigned char byte;\n"
          "    unsigned char gemel_padding_0[15];\n"
          "    float value;\n"
          "    unsigned char gemel_padding_1[12];\n"
          "} Inner;\n"
          "typedef char Inner_has_size_as_on_the_host[sizeof(Inner) == 32 ? 1 : -1];\n"
          "typedef char Inner_has_byte_as_on_the_host[__builtin_offsetof(Inner, byte) == 0 ? 1 : -1];\n"
          "typedef char Inner_has_value_as_on_the_host[__builtin_offsetof(Inner, value) == 16 ? 1 : -1];\n"
          "typedef struct {\n"
          "    Inner inner;\n"
          "    int last;\n"
          "    unsigned char gemel_padding_0[12];\n"
          "} Outer;\n"
          "typedef char Outer_has_size_as_on_the_host[sizeof(Outer) == 48 ? 1 : -1];\n"
          "typedef char Outer_has_inner_as_on_the_host[__builtin_offsetof(Outer, inner) == 0 ? 1 : -1];\n"
          "typedef char Outer_has_last_as_on_the_host[__builtin_offsetof(Outer, last) == 32 ? 1 : -1];\n");
}

TEST_CASE("two structs of one name are refused in one program") {
    CHECK_THROWS_WITH_AS(codegen::struct_declaration(*dtype_of<elsewhere::Both>().layout(), Dialect::cuda()),
                         "struct_declaration: two different structs are named 'Spin' (8 and 8 bytes); rename one",
                         ArgumentError);
    CHECK_THROWS_AS(codegen::struct_declarations({dtype_of<Spin>(), dtype_of<elsewhere::Spin>()}, Dialect::cuda()),
                    ArgumentError);
    const std::string once =
        codegen::struct_declarations({dtype_of<Spin>(), dtype_of<float>(), dtype_of<Spin>()}, Dialect::cuda());
    CHECK(once == codegen::struct_declaration(*dtype_of<Spin>().layout(), Dialect::cuda()));
}

TEST_CASE("kernels bring the structs that they use") {
    const std::string text = codegen_programs::copy_particles().source(Dialect::opencl());
    CHECK(text.find("} Spin;") < text.find("} Particle;"));
    CHECK(text.find("} Particle;") < text.find("__kernel void copy_particles"));
    CHECK(has(text, "__global const Particle *in"));
}

TEST_CASE("equal layouts are one") {
    StructLayout layout{
        .name = "Made", .size_bytes = 8, .alignment_bytes = 4, .fields = {{"a", dtype_of<float>(), 0, 2}}};
    const StructLayout* const first = &codegen::intern_layout(layout);
    CHECK(&codegen::intern_layout(layout) == first);
    layout.fields[0].name = "b";
    CHECK(&codegen::intern_layout(layout) != first);
    layout.fields[0].count = 3;
    CHECK_THROWS_AS(codegen::intern_layout(layout), ArgumentError);
}

TEST_CASE("fields with names that devices do not take are refused") {
    const auto named = [](const std::string& name) {
        return StructLayout{
            .name = "Named", .size_bytes = 4, .alignment_bytes = 4, .fields = {{name, dtype_of<float>(), 0, 1}}};
    };
    for (const char* name : {"kernel", "global", "local", "constant", "__private", "half"}) {
        const std::string why =
            text("'", name, "' cannot be the name of a field of struct Named: it is a keyword of OpenCL C");
        CHECK_THROWS_WITH_AS(codegen::intern_layout(named(name)), why.c_str(), ArgumentError);
    }
    CHECK_THROWS_WITH_AS(
        codegen::intern_layout(named("gemel_padding_0")),
        "struct Named: the field 'gemel_padding_0' is named like the padding between fields; rename it", ArgumentError);
    CHECK_NOTHROW(codegen::intern_layout(named("kernels")));
}

TEST_SUITE_END();
