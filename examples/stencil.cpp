/// A generator of one's own, made of public pieces: three-point stencils, one description for both backends.
#include <gemel/codegen/writer.hpp>
#include <gemel/gemel.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>

using namespace gemel;
namespace {

enum class Edges { zero, clamp, periodic };

struct StencilOptions {
    std::array<double, 3> coefficients{1, -2, 1};  ///< of the left neighbour, the element, the right one
    Edges edges = Edges::zero;
};

/// Runs `update` for every element; `stencil` in it is the weighted sum over the first array's element and its
/// neighbours.
class StencilKernel {
   public:
    StencilKernel(std::string_view arguments, std::string update, StencilOptions options = {})
        : parameters_(parse_declarations(arguments)), update_(std::move(update)), options_(options) {
        if (parameters_.size() < 2 || !parameters_[0].is_pointer ||
            !update_.use_of(parameters_[1].name).element_written)
            throw ArgumentError(
                "StencilKernel: the first argument is an array; the update writes the second one's [i]");
    }

    template <class... Values>
    void operator()(const AnyArray& in, const AnyArray& out, const Values&... values) const {
        if (in.size() != out.size() || !(in.dtype() == parameters_[0].dtype) || !(out.dtype() == parameters_[1].dtype))
            throw ArgumentError("StencilKernel: the arrays differ in length, or are not of the declared types");
        if (in.size() == 0) return;
        const Device device = in.context().device();
        const auto tuning = codegen::elementwise_tuning(device.info(), {.count = in.size(), .arrays = 2});
        kernel(in.context(), tuning)({.block = {tuning.block}, .threads = {in.size()}}, in, out, values...,
                                     static_cast<std::int32_t>(in.size()));
    }

    std::string source(const Dialect& dialect, const codegen::ElementwiseTuning& tuning) const {
        codegen::Writer writer(dialect);
        std::vector<std::string> parameters;
        for (const Parameter& p : parameters_)
            parameters.push_back((p.is_pointer ? writer.global_pointer(p.dtype.name(), p.is_const) : p.type + " ") +
                                 p.name);
        parameters.push_back("int n");
        const std::string type = parameters_[0].dtype.name(), x = parameters_[0].name;
        const auto beyond = [&](const std::string& wrapped) {
            return options_.edges == Edges::zero ? "0" : x + (options_.edges == Edges::clamp ? "[i]" : wrapped);
        };
        const auto& [a, b, c] = options_.coefficients;
        writer.open_kernel("stencil", parameters, tuning.block);
        writer.line("const int i = ", writer.block_id(), " * ", tuning.block, " + ", writer.thread_id(), ";");
        writer.line("if (i >= n) return;");
        writer.line("const ", type, " left = i == 0 ? ", beyond("[n - 1]"), " : ", x, "[i - 1];");
        writer.line("const ", type, " right = i == n - 1 ? ", beyond("[0]"), " : ", x, "[i + 1];");
        writer.line("const ", type, " stencil = ", a, " * left + ", b, " * ", x, "[i] + ", c, " * right;");
        return writer.lines(update_.text() + ";").close().take();
    }

   private:
    struct Request {  // what a context compiles: anything with source(dialect)
        const StencilKernel& stencil;
        codegen::ElementwiseTuning tuning;
        std::string source(const Dialect& dialect) const { return stencil.source(dialect, tuning); }
    };
    struct Kernels {  // lives as long as its context
        std::mutex mutex;
        std::map<std::pair<int, std::uint32_t>, Kernel> known;
    };
    Kernel kernel(const Context& context, const codegen::ElementwiseTuning& tuning) const {
        static const char tag = 0;
        const auto kernels = context.attached<Kernels>(&tag);
        const std::lock_guard lock(kernels->mutex);
        const std::pair key(id_, tuning.block);
        if (const auto found = kernels->known.find(key); found != kernels->known.end()) return found->second;
        return kernels->known.emplace(key, context.compile(Request{*this, tuning}).kernel("stencil")).first->second;
    }

    static inline std::atomic<int> count_ = 0;
    const int id_ = ++count_;
    std::vector<Parameter> parameters_;
    codegen::Snippet update_;
    StencilOptions options_;
};

}  // namespace

int main(int argc, char** argv) {
    const StencilKernel heat("const float *u, float *next, float k", "next[i] = u[i] + k * stencil",
                             {.edges = Edges::periodic});
    if (argc > 1) return std::fputs(heat.source(Dialect::find(argv[1]), {.block = 256}).c_str(), stdout) < 0;
    auto u = zeros<float>(Shape{1000}), next = zeros<float>(Shape{1000});
    u(0).fill(64.0f);
    for (int step = 0; step < 200; ++step, std::swap(u, next)) heat(u, next, 0.25f);
    double total = 0;  // heat goes round and none is lost
    for (const float value : u.get()) total += value;
    std::puts(std::abs(total - 64) < 1e-3 && u.get()[1] == u.get()[999] ? "ok" : "heat was lost");
}
