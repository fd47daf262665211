/// Arrays as text. The expected texts are what NumPy 2.4 prints.
#include "array_support.hpp"

#include <array>
#include <cmath>
#include <sstream>

using namespace gemel;
using gemel::testing::counted;

namespace {

struct Particle {
    std::int32_t id;
    double mass;
    std::array<float, 3> at;
};
GEMEL_STRUCT(Particle, id, mass, at)

struct Cell {
    bool solid;
    std::array<bool, 2> open;
    std::array<std::int32_t, 2> place;
    half level;
    cfloat phase;
    std::array<Particle, 2> inside;
};
GEMEL_STRUCT(Cell, solid, open, place, level, phase, inside)

#define CHECK_PRINTS(array, expected) CHECK(to_string(array) == expected)

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("integers and flags print in columns of one width") {
    CHECK_PRINTS(to_gpu(std::vector<int>{1, -20, 300}), "[  1 -20 300]");
    CHECK_PRINTS(to_gpu(std::vector<bool>{true, false}), "[ True False]");
    CHECK_PRINTS(ones<bool>({2}), "[ True  True]");
}

TEST_CASE("floating-point numbers print with the digits and the exponents that NumPy chooses") {
    CHECK_PRINTS(to_gpu(std::vector<float>{0.1f, 2.5f, -3.f}), "[ 0.1  2.5 -3. ]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1e-5, 1}), "[1.e-05 1.e+00]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1, 1000, 1001}), "[1.000e+00 1.000e+03 1.001e+03]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1, 1000}), "[   1. 1000.]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1e8, 1e8 + 1}), "[1.00000000e+08 1.00000001e+08]");
    CHECK_PRINTS(to_gpu(std::vector<float>{1e6f, 2e6f}), "[1.e+06 2.e+06]");
    CHECK_PRINTS(to_gpu(std::vector<float>{0.1f, 1e-5f}), "[1.e-01 1.e-05]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1.0 / 3, 200.0 / 3}), "[ 0.33333333 66.66666667]");
    CHECK_PRINTS(to_gpu(std::vector<double>{1e100, -1e-300}), "[ 1.e+100 -1.e-300]");
    CHECK_PRINTS(to_gpu(std::vector<double>{NAN, 1, -INFINITY, INFINITY}), "[ nan   1. -inf  inf]");
    CHECK_PRINTS(to_gpu(std::vector<double>{NAN, NAN}), "[nan nan]");
    CHECK_PRINTS(to_gpu(std::vector<double>{-0.0, 0}), "[-0.  0.]");
    CHECK_PRINTS(to_gpu(std::vector<half>{half(0.1f), half(3.f)}), "[0.1 3. ]");
    CHECK_PRINTS(to_gpu(std::vector<half>{half(1000.f), half(3.f)}), "[1.e+03 3.e+00]");
}

TEST_CASE("complex numbers print with aligned parts") {
    CHECK_PRINTS(to_gpu(std::vector<cfloat>{{1, -2}, {0.5f, 10}}), "[1.  -2.j 0.5+10.j]");
    CHECK_PRINTS(to_gpu(std::vector<cdouble>{{NAN, 1}, {2, -INFINITY}}), "[nan +1.j  2.-infj]");
    CHECK_PRINTS(to_gpu(std::vector<cdouble>{{1, NAN}, {1, 0}}), "[1.+nanj 1. +0.j]");
}

TEST_CASE("arrays of rank 0 print as single numbers") {
    CHECK_PRINTS(full<bool>({}, true), "True");
    CHECK_PRINTS(full<double>({}, 0.1), "0.1");
    CHECK_PRINTS(full<double>({}, 1), "1.0");
    CHECK_PRINTS(full<double>({}, 1e16), "1e+16");
    CHECK_PRINTS(full<float>({}, 1e6f), "1e+06");
    CHECK_PRINTS(full<double>({}, 1e-5), "1e-05");
    CHECK_PRINTS(full<cdouble>({}, cdouble(1, -2)), "(1-2j)");
    CHECK_PRINTS(full<cdouble>({}, cdouble(0, 2)), "2j");
}

TEST_CASE("axes print as nested brackets") {
    CHECK_PRINTS(arange<std::int32_t>(6).reshape({2, 3}),
                 "[[0 1 2]\n"
                 " [3 4 5]]");
    CHECK_PRINTS(counted<std::int8_t>({3}).reshape({3, 1, 1}),
                 "[[[0]]\n"
                 "\n"
                 " [[1]]\n"
                 "\n"
                 " [[2]]]");
    CHECK_PRINTS(zeros<float>({0, 3}), "[]");
    CHECK_PRINTS(zeros<float>({3, 0}), "[]");
    CHECK_PRINTS(counted<std::int32_t>({2, 2, 2}).transpose(),
                 "[[[0 4]\n"
                 "  [2 6]]\n"
                 "\n"
                 " [[1 5]\n"
                 "  [3 7]]]");
}

TEST_CASE("long rows are broken and long axes are abridged") {
    CHECK_PRINTS(arange<std::int32_t>(40),
                 "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
                 " 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
    CHECK_PRINTS(arange<std::int32_t>(1000)(slice({}, {}, 50)),
                 "[  0  50 100 150 200 250 300 350 400 450 500 550 600 650 700 750 800 850\n"
                 " 900 950]");
    CHECK_PRINTS(arange<std::int32_t>(1001), "[   0    1    2 ...  998  999 1000]");
    CHECK_PRINTS(arange<std::int32_t>(1400).reshape({7, 200}),
                 "[[   0    1    2 ...  197  198  199]\n"
                 " [ 200  201  202 ...  397  398  399]\n"
                 " [ 400  401  402 ...  597  598  599]\n"
                 " ...\n"
                 " [ 800  801  802 ...  997  998  999]\n"
                 " [1000 1001 1002 ... 1197 1198 1199]\n"
                 " [1200 1201 1202 ... 1397 1398 1399]]");
    CHECK_PRINTS(arange<std::int32_t>(1200).reshape({6, 200}),
                 "[[   0    1    2 ...  197  198  199]\n"
                 " [ 200  201  202 ...  397  398  399]\n"
                 " [ 400  401  402 ...  597  598  599]\n"
                 " [ 600  601  602 ...  797  798  799]\n"
                 " [ 800  801  802 ...  997  998  999]\n"
                 " [1000 1001 1002 ... 1197 1198 1199]]");
    CHECK_PRINTS(arange<std::int32_t>(3000).reshape({2, 10, 150}).permute({1, 0, 2}),
                 "[[[   0    1    2 ...  147  148  149]\n"
                 "  [1500 1501 1502 ... 1647 1648 1649]]\n"
                 "\n"
                 " [[ 150  151  152 ...  297  298  299]\n"
                 "  [1650 1651 1652 ... 1797 1798 1799]]\n"
                 "\n"
                 " [[ 300  301  302 ...  447  448  449]\n"
                 "  [1800 1801 1802 ... 1947 1948 1949]]\n"
                 "\n"
                 " ...\n"
                 "\n"
                 " [[1050 1051 1052 ... 1197 1198 1199]\n"
                 "  [2550 2551 2552 ... 2697 2698 2699]]\n"
                 "\n"
                 " [[1200 1201 1202 ... 1347 1348 1349]\n"
                 "  [2700 2701 2702 ... 2847 2848 2849]]\n"
                 "\n"
                 " [[1350 1351 1352 ... 1497 1498 1499]\n"
                 "  [2850 2851 2852 ... 2997 2998 2999]]]");
    CHECK_PRINTS(linspace<double>(0, 1, 2000),
                 "[0.00000000e+00 5.00250125e-04 1.00050025e-03 ... 9.98999500e-01\n"
                 " 9.99499750e-01 1.00000000e+00]");
}

TEST_CASE("structs and vectors print as tuples") {
    CHECK_PRINTS(to_gpu(std::vector<Particle>{{1, 2.5, {1, 2, 3}}, {-10, 1e-9, {0, .5f, 1}}}),
                 "[(  1, 2.5e+00, [1. , 2. , 3. ]) (-10, 1.0e-09, [0. , 0.5, 1. ])]");
    CHECK_PRINTS(to_gpu(std::vector<int2>{{1, 20}, {-3, 4}}), "[( 1, 20) (-3,  4)]");
    CHECK_PRINTS(full<float2>({}, float2{1, 0.5f}), "(1., 0.5)");
}

TEST_CASE("a single struct has its floating-point fields as single numbers") {
    const Particle light{-10, 0.2917695882455664, {1, 22.5f, -8.1828354e-9f}}, heavy{7, 1e16, {0, 0, 1}};
    CHECK_PRINTS(to_gpu(std::vector<Particle>{light})(0), "(-10, 0.2917695882455664, [1.0, 22.5, -8.182836e-09])");
    const Cell cell{true, {true, false}, {1, -20}, half(1000.f), {1, -2.5f}, {light, heavy}};
    CHECK_PRINTS(to_gpu(std::vector<Cell>{cell})(0),
                 "(True, [ True, False], [  1, -20], 1e+03, 1.-2.5j, "
                 "[(-10, 0.2917695882455664, [1.0, 22.5, -8.182836e-09]), (  7, 1e+16, [0.0, 0.0, 1.0])])");
}

TEST_CASE("bfloat16 prints the digits that tell its values apart") {
    CHECK_PRINTS(to_gpu(std::vector<bfloat16>{bfloat16(0.1f), bfloat16(3.f)}), "[0.1 3. ]");
    CHECK_PRINTS(to_gpu(std::vector<bfloat16>{bfloat16(3.14159f)}), "[3.14]");
}

TEST_CASE("arrays are written to streams and the flags of the stream do not matter") {
    std::ostringstream out;
    out << std::hex << counted<std::int32_t>({2, 3}) << std::showpos << full<float>({2}, 0.5) << GPUArray<float>();
    CHECK(out.str() == "[[0 1 2]\n [3 4 5]][0.5 0.5](an empty array handle)");
}

TEST_CASE("a summary downloads only what it shows") {
    const auto a = zeros<double>({1000, 1000});
    const auto before = default_context().statistics();
    (void)to_string(a);
    CHECK(default_context().statistics().downloaded_bytes - before.downloaded_bytes == 36 * sizeof(double));
}
