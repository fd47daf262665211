/// The texts of the element-wise, reduction and scan generators, in each dialect and in one that nobody has.
#include "../generator_programs.hpp"
#include "../golden.hpp"
#include "../pidgin.hpp"

#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

using namespace gemel;
using namespace generator_programs;

TEST_SUITE_BEGIN("codegen");

TEST_CASE("generated kernels are printed as agreed") {
    for (const auto& [name, text] : all(Dialect::cuda())) golden::check("generated_" + name + ".cu", text);
    for (const auto& [name, text] : all(Dialect::opencl())) golden::check("generated_" + name + ".cl", text);
}

TEST_CASE("a third dialect needs nothing but its table") {
    const Programs programs = all(pidgin());
    for (const auto& [name, text] : programs) {
        for (const char* foreign : {"__global", "__kernel", "__local", "__shared__", "threadIdx", "blockIdx",
                                    "get_local_id", "get_group_id", " barrier(", "__syncthreads", "#pragma"})
            CHECK_MESSAGE(text.find(foreign) == std::string::npos, name, " says ", foreign, ":\n", text);
        CHECK_MESSAGE(text.find("entry") != std::string::npos, text);
    }
    golden::check("generated_dot_one_launch.pidgin", reduction_programs(pidgin()).front().second);
}

TEST_CASE("a snippet tells how it touches its arrays") {
    const auto use = [](const char* text) { return cg::Snippet(text).use_of("x"); };
    CHECK(use("y[i] = x[i]").element);
    CHECK(use("y[i] = x[i]").element_read);
    CHECK(!use("y[i] = x[i]").element_written);
    CHECK(!use("y[i] = x[i]").elsewhere);
    CHECK(use("x[i] = 1").element_written);
    CHECK(!use("x[i] = 1").element_read);
    CHECK(!use("float t = 2; x[i] = t; y[i] = x[i]").element_read);
    CHECK(use("x[i] = x[i] + 1").element_read);
    CHECK(use("x[i] += 1").element_read);
    CHECK(use("++x[i]").element_written);
    CHECK(use("x[i]++").element_written);
    CHECK(use("x[i] <<= 1").element_written);
    CHECK(!use("if (x[i] == 1) y[i] = 2").element_written);
    CHECK(!use("if (x[i] <= 1) y[i] = 2").element_written);
    CHECK(use("if (y[i]) x[i] = 1").element_read);
    CHECK(use("if (y[i]) continue; x[i] = 1").element_read);
    CHECK(use("for (int k = 0; k < 3; ++k) x[i] = k").element_read);
    CHECK(use("for (int k = 0; k < y[i]; x[i] = k, ++k) ;").element_read);
    CHECK(!use("for (int k = 0; k < y[i]; ++k) ; x[i] = 1").element_read);
    CHECK(use("x[i].a = 1").element_written);
    CHECK(use("x[i].a = 1").element_read);
    CHECK(use("p(&x[i])").element_address);
    CHECK(!use("y[i] = a &x[i]").element_address);
    CHECK(!use("y[i] = a && x[i]").element_address);
    CHECK(use("y[i] = x[i-1]").elsewhere);
    CHECK(use("x[n - 1 - i] = 3").elsewhere_written);
    CHECK(use("f(x, i)").bare);
    CHECK(use("*x = 3").bare);
    CHECK(!use("q.x[i] = 1; q->x = 2").element);
    CHECK(!use("// x[i] = 1\n\"x[i]\"").element);
    CHECK(use("y[idx[x[i]]] = 1").element_read);
}

TEST_CASE("an address is told from an and behind an operand") {
    const auto address = [](const std::string& text) { return cg::Snippet(text).use_of("x").element_address; };
    for (const char* taken :
         {"(int *)&x[i]", "(GLOBAL_MEM int *) & x[i]", "(float)(int *)&x[i]", "(uintptr_t)&x[i]", "(size_t) & x[i]",
          "(std::uintptr_t)&x[i]", "(GLOBAL_MEM ip)&x[i]", "(int *const)&x[i]", "(T *RESTRICT)&x[i]",
          "(float (*)[4])&x[i]", "(vec<int, 3> *)&x[i]", "(void*)(&x[i])", "(int *)&(x[i])", "return (int *)&x[i]",
          "return &x[i]", "a && &x[i]", "p = &x[i]", "f(a, &x[i])"})
        CHECK_MESSAGE(address(taken), taken);
    for (const char* read : {"(a) & x[i]", "(a)&x[i]", "f(a) & x[i]", "f(int_a *b) & x[i]", "(a * b) & x[i]",
                             "(a[1]) & x[i]", "v[1] & x[i]", "3 & x[i]", "a++ & x[i]", "(not a) & x[i]",
                             "sizeof(int) & x[i]", "static_cast<int>(a) & x[i]", "(int)a & x[i]", "(a) && x[i]"})
        CHECK_MESSAGE(!address(read), read);
    CHECK(cg::Snippet("atomic_add((GLOBAL_MEM int *)&x[0], 1)").use_of("x").elsewhere_written);

    const auto request = elementwise("f", "const int *v, float *z", "atomic_max((GLOBAL_MEM int *)&z[i], v[i])");
    const std::string text = cg::elementwise_source(request, Dialect::cuda());
    CHECK_MESSAGE(text.find("z_i") == std::string::npos, text);
    CHECK_MESSAGE(text.find("&z[i], v_i)") != std::string::npos, text);
}

TEST_CASE("a snippet tells which variables it declares") {
    for (const char* declared :
         {"int i = 0;", "for (int i = 0; i < 3; ++i) s += x[i]", "float *i;", "const T &i = a;", "float s = 0, i;",
          "for (int k = f(a, 2), i = 1; ;) ;", "unsigned int i[3];", "T i, j;", "size_t const i{3};",
          "int *const i = p", "[](float i) { return i; }", "for (auto i : v) ;"})
        CHECK_MESSAGE(cg::Snippet(declared).declares("i"), declared);
    for (const char* used : {"p.i = 1; q->i = 2;",    "a = (int)i;",    "unsigned(i);",     "return i;",
                             "if (a) b = 1; else i;", "case i: a = b;", "a * i;",           "f(a, i);",
                             "f((int)a, i);",         "b = a * i, c",   "goto i;",          "int k = i;",
                             "int k = 1; f(k), i;",   "a = c ? b : i;", "int k = f(a, i);", "sizeof i;",
                             "// int i = 0;",         "a < i;",         "x[i] = i",         "if (int(a) == i) ;"})
        CHECK_MESSAGE(!cg::Snippet(used).declares("i"), used);
}

TEST_CASE("a comment at the end of a snippet or an expression swallows nothing") {
    CHECK(cg::Snippet("x[i] = 1 // one\n").text() == "x[i] = 1");
    CHECK(cg::Snippet("#if A\nx[i] = 1;\n#endif // A").text() == "#if A\nx[i] = 1;\n#endif // A\n");
    CHECK(cg::Snippet(" /* nothing */ ").text().empty());
    auto hooks = elementwise("hooks", "float *z", "z[i] = s // each\n");
    const auto plain = cg::elementwise_source(elementwise("hooks", "float *z", "z[i] = s"), Dialect::cuda());
    CHECK(cg::elementwise_source(hooks, Dialect::cuda()) == plain);
    hooks.loop_prep = "float s = 1 // one";
    CHECK(cg::elementwise_source(hooks, Dialect::cuda()).find("float s = 1;\n") != std::string::npos);

    const auto sum = [](const char* neutral, const char* map, const char* reduce, const char* replace) {
        return cg::reduction_source({.arguments = gemel::parse_declarations("const float *x"),
                                     .values = {{.dtype = dtype_of<float>(),
                                                 .accumulator = {},
                                                 .neutral = neutral,
                                                 .map_expr = cg::Snippet(map),
                                                 .reduce_expr = reduce,
                                                 .replace_if = replace}}},
                                    Dialect::opencl());
    };
    CHECK(sum("0 // zero", "x[i] // each", "a+b // sum", "b < a // less") == sum("0", "x[i]", "a+b", "b < a"));
    const auto scan = [](const char* input, const char* combine, const char* neutral, const char* output,
                         const char* starts) {
        return cg::scan_source({.arguments = gemel::parse_declarations("const float *x, float *y"),
                                .dtype = dtype_of<float>(),
                                .input = cg::Snippet(input),
                                .scan_expr = combine,
                                .neutral = neutral,
                                .output = cg::Snippet(output),
                                .segment_start = cg::Snippet(starts)},
                               Dialect::opencl());
    };
    CHECK(scan("x[i] // each", "a+b // sum", "0 // zero", "y[i] = prev_item // so far", "i % 9 == 0 // nine") ==
          scan("x[i]", "a+b", "0", "y[i] = prev_item", "i % 9 == 0"));
    CHECK_THROWS_AS(sum("0", "x[i]", "// sum", ""), ArgumentError);
    CHECK_THROWS_AS(scan("x[i]", "// sum", "0", "y[i] = item", ""), ArgumentError);
}

TEST_CASE("a scan that selects counts elements of one of its arguments") {
    const auto message = [](bool counts, const char* selected) {
        try {
            cg::check_request({.arguments = gemel::parse_declarations("const float *x, float *y"),
                               .dtype = dtype_of<std::int32_t>(),
                               .input = cg::Snippet("x[i] > 0"),
                               .scan_expr = "a + b",
                               .neutral = "0",
                               .output = cg::Snippet("y[item] = x[i]"),
                               .counts = counts,
                               .staged_type = "float",
                               .selected = selected});
        } catch (const ArgumentError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message(true, "x").empty());
    CHECK(message(false, "x").find("give counts") != std::string::npos);
    CHECK(message(true, "z").find("selected names 'z', which is no argument") != std::string::npos);
}

TEST_CASE("what runs before and after the elements touches arrays as the snippet does") {
    using enum cg::Access;
    auto request = elementwise("f", "const half *x, bool *b, float *z", "z[i] = s; b[i] = 1");
    request.loop_prep = "float s = x[1] + N;";
    request.after_loop = "b[2] = 5;";
    for (const Dialect& dialect : {Dialect::cuda(), Dialect::opencl()}) {
        const std::string text =
            cg::elementwise_source(request, layout({as(strided), as(strided), as(strided)}, 2), {.block = 64}, dialect);
        CHECK_MESSAGE(text.find("b[f_b_at(layout, 2)] = (5) != 0;") != std::string::npos, text);
        CHECK_MESSAGE(text.find("(x[f_x_at(layout, 1)]) + N;") != std::string::npos, text);
        CHECK_MESSAGE(text.find("const int N = n;") != std::string::npos, text);
    }
    request.loop_prep = "float s = x[i];";
    CHECK_THROWS_AS(cg::elementwise_source(request, Dialect::cuda()), ArgumentError);
}

TEST_CASE("neighbours of an element come from its pack where they are in it") {
    using enum cg::Access;
    const auto source = [](const char* arguments, const char* operation, cg::Access access) {
        return cg::elementwise_source(elementwise("f", arguments, operation),
                                      layout({as(access), as(access)}, access == strided ? 2 : 0),
                                      {.block = 64, .access_bytes = 16}, Dialect::cuda());
    };
    const std::string sum = source("const half *x, float *z", "z[i] = x[i - 1] + x[i] + x[i+1]", packed);
    CHECK_MESSAGE(
        sum.find("load_float16((lane != 0 ? pack_float16_t_x4_lane(x_pack[u].parts[(lane != 0 ? lane - 1 : 0) / 2], "
                 "(lane != 0 ? lane - 1 : 0) % 2) : x[i - 1]))") != std::string::npos,
        sum);
    CHECK_MESSAGE(sum.find("(lane != 3 ? pack_float16_t_x4_lane(x_pack[u].parts[(lane != 3 ? lane + 1 : 0) / 2], "
                           "(lane != 3 ? lane + 1 : 0) % 2) : x[i+1])") != std::string::npos,
                  sum);
    const auto reads_pack = [&](const char* arguments, const char* operation, cg::Access access) {
        return source(arguments, operation, access).find("lane !=") != std::string::npos;
    };
    CHECK(reads_pack("const float *x, float *z", "z[i] = x[i-1] + x[i]", packed));
    CHECK(!reads_pack("const float *x, float *z", "z[i] = x[i-2] + x[i]", packed));
    CHECK(!reads_pack("const float *x, float *z", "z[i] = x[i-1]", packed));  // has no pack
    CHECK(!reads_pack("const float *x, float *z", "z[i] = x[i-1] + x[i]", strided));
    // Elements before this one may have been written since.
    CHECK(!reads_pack("float *x, float *z", "z[i] = x[i-1] + x[i]", packed));
    const std::string rises = cg::reduction_source({.name = "rises",
                                                    .arguments = gemel::parse_declarations("const float *x"),
                                                    .values = {{.dtype = dtype_of<int>(),
                                                                .accumulator = {},
                                                                .neutral = "0",
                                                                .map_expr = cg::Snippet("i > 0 && x[i] > x[i - 1]"),
                                                                .reduce_expr = "a + b"}}},
                                                   {.elements = layout({as(packed)}), .result_offsets = {false}},
                                                   {.block = 64, .access_bytes = 16, .unroll = 2}, Dialect::cuda());
    CHECK_MESSAGE(rises.find("(lane != 0 ? x_pack[u].value[lane != 0 ? lane - 1 : 0] : x[i - 1])") != std::string::npos,
                  rises);
}

TEST_CASE("replacing reaches into subscripts and leaves the rest alone") {
    const cg::Snippet snippet("x[i] = y[x[i - 1] + z.x[i]]; /* x[i] */ w[i]++");
    const std::string text =
        snippet.replaced({"x", "y", "w"}, [](std::string_view name, const std::string& at, bool written) {
            return std::string(written ? "W_" : "R_") + std::string(name) + "(" + at + ")";
        });
    CHECK(text == "W_x() = R_y(R_x(i - 1) + z.x[i]); /* x[i] */ W_w()++");
}

TEST_CASE("values that statements assign at other subscripts are handed over for storing") {
    const auto stored = [](const std::string& text) {
        return cg::Snippet(text).replaced(
            {"x", "y"},
            [](std::string_view name, const std::string& at, bool written) {
                return std::string(written ? "W_" : "R_") + std::string(name) + "(" + at + ")";
            },
            [](std::string_view name, const std::string& value) {
                return "as_" + std::string(name) + "(" + value + ")";
            });
    };
    CHECK(stored("x[i+1] = f(y[i], 2) ; y[0]=x[i]") == "W_x(i+1) = as_x(f(R_y(), 2)) ; W_y(0) = as_y(R_x())");
    CHECK(stored("if (i) { x[y[i]] = 1; } x[i] = 2") == "if (i) { W_x(R_y()) = as_x(1); } W_x() = 2");
    CHECK(stored("x[0] += 1; x[1]") == "W_x(0) += 1; R_x(1)");
    CHECK(stored("x[0] =") == "W_x(0) =");
    // One statement stays one, so that what it stands behind still decides about it.
    CHECK(stored("if (a) x[1] = b; else x[2] = c;") == "if (a) W_x(1) = as_x(b); else W_x(2) = as_x(c);");
    CHECK(stored("for (;;) while (f(1)) x[1] = b") == "for (;;) while (f(1)) W_x(1) = as_x(b)");
    CHECK(stored("do x[1] = b; while (0)") == "do W_x(1) = as_x(b); while (0)");
    CHECK(stored("switch (a) { case 1: x[1] = b; default: x[2] = c; }") ==
          "switch (a) { case 1: W_x(1) = as_x(b); default: W_x(2) = as_x(c); }");
    CHECK(stored("x[1] = f(a, b), y[2] = c") == "W_x(1) = as_x(f(a, b)), W_y(2) = as_y(c)");
    CHECK(stored("a = (x[1] = b); f(a, x[2] = c)") == "a = (W_x(1) = b); f(a, W_x(2) = c)");
    CHECK(stored("a ? b : x[1] = c") == "a ? b : W_x(1) = c");
    const auto updates = [](const std::string& text) { return cg::Snippet(text).use_of("x").elsewhere_updated; };
    CHECK(!updates("if (a) x[1] = b; x[i] += 1; y = x[2] + x[3]; f(&x[1])"));
    for (const char* text :
         {"x[1] += 1", "x[1]++", "--x[1]", "a = x[1] = 2", "(x[1]) = 2", "f(x[1] = 2)", "x[1] <<= 2"})
        CHECK_MESSAGE(updates(text), text);
}

TEST_CASE("generated names keep out of the way of the user's") {
    const auto request = elementwise("f", "float *p, float *u, float *lane, int head, float *x_i",
                                     "p[i] = u[i] + lane[i] + head + x_i[i]");
    const std::string text = cg::elementwise_source(request, Dialect::opencl());
    CHECK(text.find("head_") != std::string::npos);
    CHECK(text.find("int lane_ = 0") != std::string::npos);
}

TEST_CASE("tunings are printed and read") {
    const cg::ScanTuning tuning{.block = 128, .access_bytes = 16, .strategy = cg::ScanStrategy::three_passes};
    CHECK(cg::to_string(tuning) == "block=128 access_bytes=16 strategy=three_passes");
    CHECK(cg::parse_tuning<cg::ScanTuning>(cg::to_string(tuning)) == tuning);
    CHECK(cg::merge(cg::ScanTuning{.block = 64}, tuning).block == 64);
    CHECK(cg::merge(cg::ScanTuning{.block = 64}, tuning).access_bytes == 16);
    CHECK_THROWS_AS(cg::parse_tuning<cg::ScanTuning>("blocks=3"), ArgumentError);
    CHECK_THROWS_AS(cg::parse_tuning<cg::ScanTuning>("block=many"), ArgumentError);
}

TEST_CASE("tuning depends on the device and the work alone") {
    DeviceInfo gpu, cpu;
    gpu.type = DeviceInfo::Type::gpu;
    gpu.compute_units = 132;
    gpu.max_threads_per_block = 1024;
    gpu.max_block = {1024, 1024, 64};
    gpu.has_cross_block_visibility = true;
    cpu.type = DeviceInfo::Type::cpu;
    cpu.compute_units = 2;
    cpu.max_threads_per_block = 4096;
    cpu.max_block = {4096, 4096, 4096};
    const cg::Workload large{.count = 1 << 28, .item_bytes = 4, .arrays = 3};
    CHECK(cg::elementwise_tuning(gpu, large).access_bytes == 16);
    CHECK(cg::elementwise_tuning(cpu, large).access_bytes == 0);
    CHECK(cg::elementwise_tuning(gpu, large) == cg::elementwise_tuning(gpu, large));
    CHECK(cg::scan_tuning(gpu, large).strategy == cg::ScanStrategy::look_back);
    gpu.has_cross_block_visibility = false;
    CHECK(cg::scan_tuning(gpu, large).strategy == cg::ScanStrategy::three_passes);
    CHECK(cg::scan_tuning(cpu, large).strategy == cg::ScanStrategy::chunks);
    // Behind a kernel that still runs, long reductions have more accesses in flight.
    const auto unroll_of = [&](std::size_t count, std::uint32_t bytes, std::uint32_t arrays) {
        return cg::reduction_tuning(gpu, {.count = count, .item_bytes = bytes, .arrays = arrays}).unroll;
    };
    CHECK(unroll_of(1 << 20, 4, 1) == 4);
    gpu.has_kernel_overlap = true;
    CHECK(unroll_of(1 << 20, 4, 1) == 8);
    CHECK(unroll_of((1 << 20) - 1, 4, 2) == 4);
    CHECK(unroll_of(1 << 28, 2, 1) == 4);
    CHECK(unroll_of(1 << 28, 4, 3) == 2);
    gpu.max_threads_per_block = 100;
    CHECK(cg::elementwise_tuning(gpu, large).block <= 100);
}

TEST_CASE("what cannot become a kernel is refused with its reason") {
    const auto refused = [](const cg::ElementwiseRequest& request, const char* word) {
        try {
            cg::elementwise_source(request, Dialect::opencl());
        } catch (const ArgumentError& error) {
            return std::string(error.what()).find(word) != std::string::npos;
        }
        return false;
    };
    CHECK(refused(elementwise("f", "float a", "a = 1"), "array"));
    CHECK(refused(elementwise("f", "half *o, float *x", "o[n - 1 - i] += x[i]"), "o[j] = o[j] + value"));
    CHECK(refused(elementwise("f", "bfloat16_t *o, int *j", "o[j[i]]++"), "bfloat16"));
    CHECK(!refused(elementwise("f", "float *o, int *j", "o[j[i]]++"), ""));
    CHECK(refused(elementwise("f", "float *x", ""), "empty"));
    CHECK(refused(elementwise("f", "float *x", "return"), "continue"));
    CHECK(refused(elementwise("f", "float *x, int i", "x[i] = 1"), "index"));
}

TEST_SUITE_END();
