#include "solve/sweep_texts.hpp"

#include "solve_kernels.hpp"

#include <gemel/core/text.hpp>

#include <array>
#include <cstring>
#include <string_view>

namespace gemel::solving {
namespace {

using codegen::SweepArray;
using codegen::SweepRequest;
using Access = SweepArray::Access;

constexpr std::size_t header_reals = 8, header_integers = 6, method_scalars = 5, method_reals = 14;

std::string preamble(DType dtype, bool has_double, std::string_view space = "GLOBAL_MEM") {
    return solve_kernels::preamble().render({{"real", has_double ? "double" : "float"},
                                             {"element", dtype},
                                             {"is_complex", is_complex(dtype)},
                                             {"part", dtype.size_bytes() == 16 ? "double" : "float"},
                                             {"scalar", has_double ? "cdouble" : "cfloat"},
                                             {"space", space}});
}

template <class R>
std::array<R, header_reals> reals_of(const ColumnState& s) {
    return {static_cast<R>(s.target), static_cast<R>(s.residual),  static_cast<R>(s.b_norm),   static_cast<R>(s.start),
            static_cast<R>(s.figure), static_cast<R>(s.tolerance), static_cast<R>(s.absolute), R{0}};
}

template <class R>
ColumnState state_of(const std::byte* from) {
    std::array<R, header_reals> r;
    std::array<std::int32_t, header_integers> i;
    std::memcpy(r.data(), from, sizeof(r));
    std::memcpy(i.data(), from + sizeof(r), sizeof(i));
    return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], i[0], i[1], i[2], i[3], i[4], i[5]};
}

}  // namespace

std::size_t state_bytes(DType dtype, bool has_double) {
    const std::size_t real = has_double ? sizeof(double) : sizeof(float);
    const std::size_t scalars = method_scalars * (is_complex(dtype) ? 2 : 1);
    return (header_reals + scalars + method_reals) * real + header_integers * sizeof(std::int32_t);
}

std::int64_t done_at(std::int64_t column, DType dtype, bool has_double) {
    const std::size_t reals = header_reals * (has_double ? sizeof(double) : sizeof(float));
    return (column * static_cast<std::int64_t>(state_bytes(dtype, has_double)) + static_cast<std::int64_t>(reals)) / 4;
}

ColumnState read_state(const std::byte* from, bool has_double) {
    return has_double ? state_of<double>(from) : state_of<float>(from);
}

void write_state(std::byte* to, const ColumnState& state, bool has_double) {
    const auto put = [&](const auto& reals) {
        const std::array<std::int32_t, header_integers> integers{state.done,  state.iterations, state.stop,
                                                                 state.limit, state.used,       state.last_stop};
        std::memcpy(to, reals.data(), sizeof(reals));
        std::memcpy(to + sizeof(reals), integers.data(), sizeof(integers));
    };
    if (has_double) return put(reals_of<double>(state));
    put(reals_of<float>(state));
}

void keep_state_in_blocks(SweepRequest& sweep, bool has_double) {
    sweep.preamble = preamble(sweep.dtype, has_double, "LOCAL_MEM_ARG");
}

SweepRequest new_sweep(const char* name, DType dtype, bool has_double) {
    SweepRequest sweep;
    sweep.name = name;
    sweep.dtype = dtype;
    sweep.preamble = preamble(dtype, has_double);
    sweep.skip = "state->done";
    return sweep;
}

void fill(SweepRequest& sweep, const codegen::Template& kernel, codegen::Values values) {
    const std::pair<const char*, std::string*> parts[]{{"joined", &sweep.joined},
                                                       {"prepare", &sweep.prepare},
                                                       {"loop", &sweep.loop.element},
                                                       {"element", &sweep.element},
                                                       {"finish", &sweep.finish}};
    for (const auto& [part, statements] : parts) {
        values["part"] = part;
        *statements = kernel.render(values);
        while (statements->ends_with('\n')) statements->pop_back();
    }
}

SweepArray reads(const char* name) { return {.name = name, .access = Access::read}; }
SweepArray writes(const char* name) { return {.name = name, .access = Access::write}; }
SweepArray updates(const char* name) { return {.name = name, .access = Access::update}; }
SweepArray shared(const char* name) { return {.name = name, .access = Access::read, .has_columns = false}; }

std::string add_dot(SweepRequest& sweep, const std::string& sum, const std::string& a, const std::string& b) {
    sweep.sums.push_back(sum + "_re");
    std::string statement = text(sum, "_re += dot_re(", a, ", ", b, ");");
    if (!is_complex(sweep.dtype)) return statement;
    sweep.sums.push_back(sum + "_im");
    return statement + text("\n", sum, "_im += dot_im(", a, ", ", b, ");");
}

std::string dot_of(const SweepRequest& sweep, const std::string& sum) {
    if (!is_complex(sweep.dtype)) return sum + "_re";
    return text(sweep.preamble.starts_with("typedef double") ? "cdouble" : "cfloat", "_new(", sum, "_re, ", sum,
                "_im)");
}

SweepRequest residual_sweep(DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep("solver_residual", dtype, has_double);
    sweep.skip = "";
    sweep.arrays = {reads("b"), reads("product"), writes("r")};
    sweep.sums = {"rr", "bb"};
    fill(sweep, solve_kernels::residual());
    static_assert(static_cast<int>(first_soft_stop) == 7);
    return sweep;
}

std::vector<SweepRequest> all_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all{residual_sweep(dtype, has_double)};
    for (const auto& sweeps : {cg_sweeps(dtype, has_double), bicgstab_sweeps(dtype, has_double),
                               minres_sweeps(dtype, has_double), gmres_sweeps(dtype, has_double)})
        all.insert(all.end(), sweeps.begin(), sweeps.end());
    return all;
}

}  // namespace gemel::solving
