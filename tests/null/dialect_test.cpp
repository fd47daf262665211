/// The tables of the kernel languages.
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/source.hpp>

#include "../codegen_programs.hpp"
#include "language/complex_section.hpp"
#include "scratch.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cmath>
#include <complex>
#include <thread>
#include <vector>

using namespace gemel;

namespace {

/// A third language that runs: C++ of the host, which calls a kernel once for every thread.
Dialect host_language() {
    return {
        .name = "host C++",
        .file_extension = ".cpp",
        .kernel = "extern \"C\"",
        .device_function = "inline",
        .shared_space = "static",
        .constant_space = "const",
        .restrict_word = "__restrict__",
        .thread_id = "(gemel_thread[#])",
        .block_id = "(gemel_block[#])",
        .block_size = "(gemel_block_size[#])",
        .grid_size = "(gemel_grid_size[#])",
        .global_id = "((int64_t)gemel_block[#] * gemel_block_size[#] + gemel_thread[#])",
        .global_size = "((int64_t)gemel_grid_size[#] * gemel_block_size[#])",
        .infinity = "__builtin_inff()",
        .nan = "__builtin_nanf(\"\")",
        .int64_type = "int64_t",
        .uint64_type = "uint64_t",
        .int64_suffix = "LL",
        .bool_storage = "unsigned char",
        .preamble = R"(#include <cmath>
#include <cstdint>
using namespace std;
#define GEMEL_FUNCTION inline
extern "C" { int gemel_thread[3], gemel_block[3], gemel_block_size[3] = {1, 1, 1}, gemel_grid_size[3] = {1, 1, 1}; }
)",
        .sections = complex_sections(""),
    };
}

/// A program of that language as the compiler makes it, called like a kernel along one axis.
class HostModule {
   public:
    explicit HostModule(const std::string& text) {
        gemel::testing::write_file(folder_ / "program.cpp", text);
        const std::string file = (folder_ / "program").string();
        const std::string command =
            GEMEL_CXX " -std=c++17 -O1 -Wall -Werror -shared -fPIC -o '" + file + ".so' '" + file + ".cpp'";
        REQUIRE(std::system(command.c_str()) == 0);
        library_ = dlopen((file + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }
    ~HostModule() {
        if (library_) dlclose(library_);
    }
    HostModule(const HostModule&) = delete;
    HostModule& operator=(const HostModule&) = delete;

    template <class... Arguments>
    void launch(const char* kernel, int grid, int block, Arguments... arguments) {
        const auto function = reinterpret_cast<void (*)(Arguments...)>(dlsym(library_, kernel));
        REQUIRE((function != nullptr));
        at("gemel_grid_size") = grid;
        at("gemel_block_size") = block;
        for (at("gemel_block") = 0; at("gemel_block") < grid; ++at("gemel_block"))
            for (at("gemel_thread") = 0; at("gemel_thread") < block; ++at("gemel_thread")) function(arguments...);
    }

   private:
    int& at(const char* name) { return *static_cast<int*>(dlsym(library_, name)); }

    gemel::testing::ScratchFolder folder_;
    void* library_ = nullptr;
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("dialects are found by name") {
    CHECK(&Dialect::find("cuda") == &Dialect::cuda());
    CHECK(&Dialect::find("opencl") == &Dialect::opencl());
    CHECK(Dialect::cuda().file_extension == ".cu");
    CHECK(Dialect::opencl().file_extension == ".cl");
}

TEST_CASE("an unknown dialect is refused with the names of those that exist") {
    try {
        Dialect::find("metal");
        FAIL("found");
    } catch (const ArgumentError& error) {
        const std::string message = error.what();
        for (const char* word : {"'metal'", "cuda", "opencl"}) CHECK(message.find(word) != std::string::npos);
    }
}

TEST_CASE("a third dialect becomes known once and its address stays") {
    Dialect::add({.name = "third of the dialect test", .kernel = "kernel"});
    const Dialect& found = Dialect::find("third of the dialect test");
    CHECK(found.kernel == "kernel");
    Dialect::add({.name = "fourth of the dialect test"});
    CHECK(&Dialect::find("third of the dialect test") == &found);
    CHECK_THROWS_AS(Dialect::add({.name = "third of the dialect test"}), ArgumentError);
    CHECK_THROWS_AS(Dialect::add({.name = "cuda"}), ArgumentError);
    CHECK_THROWS_AS(Dialect::add({}), ArgumentError);
}

TEST_CASE("a third dialect runs portable kernels and syntax trees from its table alone") {
    Dialect::add(host_language());
    const Dialect& host = Dialect::find("host C++");

    const std::string portable = R"(
CONST_STATIC float shift[2] = {1, 2};
WITHIN_KERNEL cfloat moved(cfloat z, int i) { return c_add(z, shift[i % 2]); }
KERNEL void roots(GLOBAL_MEM cfloat *RESTRICT out, GLOBAL_MEM const cfloat *RESTRICT in, int64_t n)
{
    int64_t i = GLOBAL_ID_0;
    if (i < n && i < GLOBAL_DIM_0 && LID_0 < LDIM_0 && GID_0 < GDIM_0) out[i] = c_sqrt(moved(in[i], (int)i));
})";
    HostModule module(prelude(host, portable) + portable);
    std::vector<std::complex<float>> in{{3, 0}, {-6, 0}, {0, 0}, {2, -4}, {9, 9}}, out(5);
    module.launch("roots", 2, 4, out.data(), static_cast<const std::complex<float>*>(in.data()), std::int64_t{4});
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(out[i] * out[i] - in[i] - (i % 2 ? 2.0f : 1.0f)) < 1e-5f);
    CHECK(out[4] == std::complex<float>());

    const std::string tree = codegen_programs::unrolled_add(dtype_of<double>(), 2, 4).source(host);
    HostModule added(prelude(host, tree) + tree);
    std::vector<double> a(16), b(16), sum(16);
    for (int i = 0; i < 16; ++i) b[i] = 2 * (a[i] = i);
    added.launch("add", 2, 4, sum.data(), static_cast<const double*>(a.data()), static_cast<const double*>(b.data()));
    for (int i = 0; i < 16; ++i) CHECK(sum[i] == 3 * i);
}

TEST_CASE("a dialect of another one's language takes its native text and its name in conditions") {
    Dialect own = Dialect::cuda();
    own.name = "cuda of the dialect test";
    own.native = "cuda";
    const NativeSource both{.cuda = "// CUDA C++", .opencl = "// OpenCL C"};
    CHECK(both.text(own) == "// CUDA C++");
    CHECK(prelude(own, "").find("#define GEMEL_DIALECT_CUDA 1") != std::string::npos);
    own.native.clear();
    CHECK_THROWS_WITH_AS(both.text(own), doctest::Contains("cuda of the dialect test"), ArgumentError);
}

TEST_CASE("dialects are added and found from several threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            for (int i = 0; i < 50; ++i) {
                const std::string name = "dialect " + std::to_string(t) + " " + std::to_string(i);
                Dialect::add({.name = name});
                Dialect::find(name);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(Dialect::find("dialect 3 49").name == "dialect 3 49");
}

TEST_CASE("patterns take the axis as a digit or as a letter") {
    CHECK(Dialect::indexed("id(#)", 2) == "id(2)");
    CHECK(Dialect::indexed("a.@ * b.@ + #", 1) == "a.y * b.y + 1");
    CHECK(Dialect::indexed(Dialect::cuda().thread_id, 0) == "((int)threadIdx.x)");
    CHECK(Dialect::indexed(Dialect::opencl().block_id, 1) == "((int)get_group_id(1))");
    CHECK_THROWS_AS(Dialect::indexed("#", 3), ArgumentError);
    CHECK_THROWS_AS(Dialect::indexed("#", -1), ArgumentError);
}

TEST_SUITE_END();
