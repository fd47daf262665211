/// Names of element types.
#include <gemel/core/dtype.hpp>
#include <gemel/core/signature.hpp>

#include <doctest/doctest.h>

using namespace gemel;

TEST_SUITE_BEGIN("core");

TEST_CASE("element types have the names of the kernel language") {
    CHECK(dtype_of<bool>().name() == "bool");
    CHECK(dtype_of<std::int8_t>().name() == "int8_t");
    CHECK(dtype_of<unsigned long long>().name() == "uint64_t");
    CHECK(dtype_of<half>().name() == "float16_t");
    CHECK(dtype_of<bfloat16>().name() == "bfloat16_t");
    CHECK(dtype_of<float>().name() == "float");
    CHECK(dtype_of<double>().name() == "double");
    CHECK(dtype_of<cfloat>().name() == "cfloat");
    CHECK(dtype_of<cdouble>().name() == "cdouble");
    CHECK(DType(DType::Kind::floating, 16, 4).name() == "float4");
    CHECK(DType(DType::Kind::unsigned_integer, 2, 2).name() == "uchar2");
    CHECK(DType(DType::Kind::signed_integer, 16, 2).name() == "long2");
    CHECK(DType().name() == "(no type)");
    StructLayout layout;
    layout.name = "Particle";
    CHECK(DType(&layout, 40).name() == "Particle");
}

TEST_CASE("the name of an element type denotes it") {
    using Kind = DType::Kind;
    std::vector<DType> all{dtype_of<bool>(), dtype_of<half>(), dtype_of<bfloat16>(), dtype_of<cfloat>(),
                           dtype_of<cdouble>()};
    for (const Kind kind : {Kind::signed_integer, Kind::unsigned_integer})
        for (const std::uint32_t size : {1u, 2u, 4u, 8u})
            for (const std::uint8_t lanes : {1, 2, 4}) all.emplace_back(kind, size * lanes, lanes);
    for (const std::uint32_t size : {4u, 8u})
        for (const std::uint8_t lanes : {1, 2, 4}) all.emplace_back(Kind::floating, size * lanes, lanes);
    for (const DType dtype : all) CHECK_MESSAGE(parse_type(dtype.name()) == dtype, dtype.name());
}

TEST_CASE("const C++ types have the element type of the plain ones") {
    CHECK(dtype_of<const float>() == dtype_of<float>());
    CHECK(dtype_of<long>() == dtype_of<long long>());
    static_assert(HasDType<const std::complex<double>>);
    struct Unknown {};
    static_assert(!HasDType<Unknown>);
}

TEST_SUITE_END();
