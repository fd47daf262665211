/// Sparse matrices: products in csr and in the format that `automatic` takes, iterations of conjugate gradients,
/// conversions, products of matrices. One JSON line per cell; on CUDA, where the build has them, a line for cuSPARSE
/// (and cuBLAS) of the same run; bench/sparse_peers.py times SciPy over the same cells.
///
///     sparse_grid [--small] [--only TEXT] [--list]
///
/// --small: matrices for CPU devices; --only: cells whose name holds TEXT; --list: names the cells and runs nothing.
#include "harness.hpp"
#include "sparse_matrices.hpp"
#include "sparse_peers.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace bench;
using gemel::GPUArray;
using gemel::sparse::Format;

struct Cell {
    std::string operation, type, kind;
    std::int64_t size;
    std::string matrix() const {
        const std::string extent = std::to_string(size);
        return kind + " " + (kind == "laplacian" ? extent + " x " + extent : extent);
    }
    std::string name() const { return operation + ", " + type + " " + matrix(); }
};

std::vector<Cell> grid(bool small, const std::string& only) {
    struct Sized {
        const char* kind;
        std::int64_t size;
    };
    const std::vector<Sized> large{{"laplacian", 2048}, {"laplacian", 512},      {"power law", 1 << 21},
                                   {"banded", 1 << 20}, {"short rows", 1 << 21}, {"long rows", 1 << 13}},
        moderate{{"laplacian", 1024}, {"laplacian", 512},      {"power law", 1 << 18},
                 {"banded", 1 << 17}, {"short rows", 1 << 18}, {"long rows", 1 << 11}};
    std::vector<Cell> cells;
    for (const char* type : {"float", "double"})
        for (const auto& [kind, size] : small ? moderate : large) {
            const bool is_laplacian = std::string(kind) == "laplacian";
            for (const char* operation : {"csr product", "automatic product"})
                cells.push_back({operation, type, kind, size});
            if (is_laplacian)
                for (const char* operation : {"cg iteration", "cg iteration in a graph"})
                    cells.push_back({operation, type, kind, size});
            if (std::string(type) == "double" || size == 512) continue;
            for (const char* operation : {"csr to coo", "csr to sell", "from triples", "transpose"})
                cells.push_back({operation, type, kind, size});
            if (is_laplacian || kind[0] == 'b')
                for (const char* operation : {"csr to ell", "csr to dia"})
                    cells.push_back({operation, type, kind, size});
            if (kind[0] == 'p') cells.push_back({"csr to binned", type, kind, size});
            if (is_laplacian || kind[0] == 's') cells.push_back({"times itself", type, kind, size});
        }
    std::erase_if(cells, [&](const Cell& cell) { return cell.name().find(only) == std::string::npos; });
    return cells;
}

/// One contestant, and what its line is called.
struct Contestant {
    std::string name;  ///< empty: gemel
    std::function<void()> call;
    std::vector<double> times = {};
};

/// Microseconds per call, in turns: by events on GPUs, on CPUs by the clock.
class Timer {
   public:
    explicit Timer(const gemel::Context& context)
        : stream_(context.default_stream()), on_gpu_(context.device().info().type == gemel::DeviceInfo::Type::gpu) {}

    void run(std::vector<Contestant>& contestants) const {
        for (int round = 0; round < 3; ++round)
            for (Contestant& c : contestants) time(c.call, 1);
        const int rounds = 11;
        std::vector<int> calls;
        for (Contestant& c : contestants)
            calls.push_back(static_cast<int>(std::clamp(3000.0 / std::max(time(c.call, 3), 0.5), 1.0, 200.0)));
        for (int round = 0; round < rounds; ++round)
            for (std::size_t k = 0; k < contestants.size(); ++k)
                contestants[k].times.push_back(time(contestants[k].call, calls[k]));
    }
    /// Of calls that wait for the device by themselves.
    static double clock(const std::function<void()>& call) {
        const auto start = std::chrono::steady_clock::now();
        call();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    }

   private:
    double time(const std::function<void()>& call, int calls) const {
        stream_.synchronize();
        const auto start = std::chrono::steady_clock::now();
        const gemel::Event begin = stream_.record();
        for (int k = 0; k < calls; ++k) call();
        const gemel::Event end = stream_.record();
        end.wait();
        const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
        return (on_gpu_ ? 1e3 * gemel::elapsed_milliseconds(begin, end) : passed.count()) / calls;
    }
    gemel::Stream stream_;
    bool on_gpu_;
};

double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

void* address(const gemel::AnyArray& array) {
    return reinterpret_cast<void*>(array.buffer().native_handle() + array.offset_bytes());
}

/// One matrix, and the cells that are measured with it.
template <class T>
class Subject {
   public:
    Subject(const gemel::Context& context, const Cell& cell)
        : context_(context), timer_(context), triples_(triples_of(cell.kind, cell.size)), n_(triples_.extent) {
        rows_ = gemel::to_gpu(context, triples_.rows), columns_ = gemel::to_gpu(context, triples_.columns);
        values_ = gemel::to_gpu(context, std::vector<T>(triples_.values.begin(), triples_.values.end()));
        csr_ = gemel::sparse::coo<T>({n_, n_}, rows_, columns_, values_);
        automatic_ = csr_.to(Format::automatic);
        std::vector<T> numbers(static_cast<std::size_t>(n_));
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(fraction(mixed(i)) - 0.5);
        x_ = gemel::to_gpu(context, numbers);
        y_ = gemel::zeros_like(x_), theirs_ = gemel::zeros_like(x_);
        starts_ = csr_.row_starts(), numbers_ = csr_.column_indices();
        if (context.device().backend() == "cuda")
            peer_ = make_sparse_peer({.rows = n_,
                                      .columns = n_,
                                      .entries = csr_.nonzeros(),
                                      .starts = address(starts_),
                                      .numbers = address(numbers_),
                                      .values = address(csr_.values()),
                                      .is_double = sizeof(T) == 8},
                                     reinterpret_cast<void*>(context.default_stream().native_handle()));
    }

    void measure(const Cell& cell) {
        const std::string& what = cell.operation;
        if (what == "csr product") return product(cell, csr_);
        if (what == "automatic product") return product(cell, automatic_);
        if (what == "cg iteration" || what == "cg iteration in a graph") return iteration(cell, what != "cg iteration");
        if (what == "csr to ell") return conversion(cell, [&] { (void)csr_.to(Format::ell); });
        if (what == "csr to sell") return conversion(cell, [&] { (void)csr_.to(Format::sell); });
        if (what == "csr to binned") return conversion(cell, [&] { (void)csr_.to(Format::binned); });
        if (what == "csr to dia") return conversion(cell, [&] { (void)csr_.to(Format::dia); });
        const GPUArray<std::int32_t> out_rows(context_, {csr_.nonzeros()}), starts(context_, {n_ + 1});
        const GPUArray<T> out_values(context_, {csr_.nonzeros()});
        if (what == "csr to coo")
            return conversion(cell, [&] { (void)csr_.to(Format::coo); }, [&] { peer_->to_coo(address(out_rows)); });
        if (what == "transpose")
            return conversion(
                cell, [&] { (void)csr_.transpose(); },
                [&] { peer_->transpose(address(starts), address(out_rows), address(out_values)); });
        if (what == "from triples") return from_triples(cell, out_rows, starts, out_values);
        if (what == "times itself") return times_itself(cell);
        throw gemel::ArgumentError("sparse_grid: there is no operation '" + what + "'");
    }

   private:
    /// @param bytes  that must pass through memory
    void report(const Cell& cell, const std::vector<Contestant>& contestants, double bytes,
                const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
        const gemel::Device device = context_.device();
        for (const Contestant& c : contestants) {
            const double us = median(c.times);
            nlohmann::ordered_json line = {{"cell", cell.name()}};
            if (!c.name.empty()) {
                line["peer"] = c.name;
            } else {
                line["device"] = device.id();
                line["name"] = device.name();
            }
            line["us"] = rounded(us, 2);
            line["gb_per_s"] = rounded(bytes / us / 1e3, 1);
            if (c.name.empty()) line.update(more);
            print_line(line);
        }
    }

    double csr_bytes() const {
        return static_cast<double>(csr_.nonzeros()) * (sizeof(T) + 4.0) + static_cast<double>(n_) * 4.0;
    }

    void product(const Cell& cell, const gemel::sparse::Matrix<T>& a) {
        std::vector<Contestant> contestants{{"", [&] { a.multiply_into(y_, x_); }}};
        if (peer_) {
            contestants.push_back({"cuSPARSE", [&] { peer_->multiply(address(x_), address(theirs_), true); }});
            contestants.push_back(
                {"cuSPARSE, unprepared", [&] { peer_->multiply(address(x_), address(theirs_), false); }});
        }
        timer_.run(contestants);
        nlohmann::ordered_json more{{"format", to_string(a.format())}, {"error", error_of(y_)}};
        if (peer_) more["peer_error"] = error_of(theirs_);
        report(cell, contestants, csr_bytes() + 2.0 * sizeof(T) * static_cast<double>(n_), more);
    }

    /// The largest |y - A x| by rows, in units of the rounding that a row of so many products may have.
    double error_of(const GPUArray<T>& y) {
        if (exact_.empty()) {
            const std::vector<std::int32_t> starts = starts_.get<std::int32_t>(),
                                            numbers = numbers_.get<std::int32_t>();
            const std::vector<T> values = csr_.values().get(), x = x_.get();
            for (std::int64_t i = 0; i < n_; ++i) {
                double sum = 0, size = 0;
                const auto first = static_cast<std::size_t>(starts[i]), last = static_cast<std::size_t>(starts[i + 1]);
                for (std::size_t k = first; k < last; ++k) {
                    const double term = static_cast<double>(values[k]) * x[static_cast<std::size_t>(numbers[k])];
                    sum += term, size += std::abs(term);
                }
                exact_.push_back(sum);
                bound_.push_back(size * static_cast<double>(last - first + 1) * std::numeric_limits<T>::epsilon());
            }
        }
        const std::vector<T> got = y.get();
        double largest = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double error = std::abs(got[i] - exact_[i]);
            if (error > 0) largest = std::max(largest, error / std::max(bound_[i], 1e-300));
        }
        if (!(largest <= 1)) throw gemel::Error("sparse_grid: a product is wrong: " + std::to_string(largest));
        return rounded(largest, 4);
    }

    /// From the times of solves of different lengths: what comes before and after them is not an iteration's.
    void iteration(const Cell& cell, bool graph) {
        const std::int64_t few = 20, many = 220;
        const auto ours = [&](std::int64_t iterations) {
            y_ = gemel::solve::cg(
                     automatic_, x_,
                     {.tolerance = 0, .max_iterations = iterations, .throw_if_not_converged = false, .graph = graph})
                     .x;
        };
        const auto their_solve = [&](std::int64_t iterations) {
            peer_->conjugate_gradients(address(x_), address(theirs_), static_cast<int>(iterations), graph);
        };
        std::vector<Contestant> contestants{{"", {}}};
        if (peer_) contestants.push_back({"cuSPARSE", {}});
        for (int round = -1; round < 9; ++round)
            for (Contestant& c : contestants) {
                const auto solve = [&](std::int64_t n) { c.name.empty() ? ours(n) : their_solve(n); };
                const double before = Timer::clock([&] { solve(few); }), after = Timer::clock([&] { solve(many); });
                if (round >= 0) c.times.push_back((after - before) / static_cast<double>(many - few));
            }
        nlohmann::ordered_json more{{"format", to_string(automatic_.format())}};
        const double ours_left = residual_of(y_);
        more["residual"] = ours_left;
        if (peer_) {
            const double left = residual_of(theirs_);
            more["peer_residual"] = left;
            if (!(ours_left <= 2 * left + 1e-3))
                throw gemel::Error("sparse_grid: cg is further from the solution than its peer");
        }
        report(cell, contestants, csr_bytes() + 11.0 * sizeof(T) * static_cast<double>(n_), more);
    }
    double residual_of(const GPUArray<T>& x) const {
        const GPUArray<T> r = csr_ * x - x_;
        return static_cast<double>(gemel::norm(r).item()) / static_cast<double>(gemel::norm(x_).item());
    }

    void conversion(const Cell& cell, std::function<void()> ours, std::function<void()> theirs = {}) {
        std::vector<Contestant> contestants{{"", std::move(ours)}};
        if (peer_ && theirs) contestants.push_back({"cuSPARSE", std::move(theirs)});
        timer_.run(contestants);
        report(cell, contestants, csr_bytes());
    }

    void from_triples(const Cell& cell, const GPUArray<std::int32_t>& numbers, const GPUArray<std::int32_t>& starts,
                      const GPUArray<T>& values) {
        // In no order; cuSPARSE, which does not add up, gets each place once.
        const GPUArray<std::int64_t> order(gemel::random::Philox(7).permutation<std::int64_t>(csr_.nonzeros()));
        const GPUArray<std::int32_t> rows(gemel::take(gemel::AnyArray(csr_.row_indices()), order)),
            columns(gemel::take(gemel::AnyArray(numbers_), order));
        const GPUArray<T> shuffled(gemel::take(gemel::AnyArray(csr_.values()), order));
        conversion(
            cell, [&] { (void)gemel::sparse::coo<T>({n_, n_}, rows, columns, shuffled); },
            [&] {
                peer_->from_triples(address(rows), address(columns), address(shuffled), address(starts),
                                    address(numbers), address(values));
            });
    }

    void times_itself(const Cell& cell) {
        std::int64_t ours = 0, theirs = 0;
        std::vector<Contestant> contestants{{"", [&] { ours = (csr_ * csr_).nonzeros(); }}};
        if (peer_) contestants.push_back({"cuSPARSE", [&] { theirs = peer_->times_itself(); }});
        timer_.run(contestants);
        if (peer_ && ours != theirs)
            throw gemel::Error("sparse_grid: a product of matrices has other entries than its peer");
        report(cell, contestants, csr_bytes(), {{"entries", ours}});
    }

    gemel::Context context_;
    Timer timer_;
    Triples triples_;
    std::int64_t n_;
    GPUArray<std::int32_t> rows_, columns_;
    GPUArray<T> values_, x_, y_, theirs_;
    gemel::AnyArray starts_, numbers_;
    gemel::sparse::Matrix<T> csr_, automatic_;
    std::vector<double> exact_, bound_;
    std::unique_ptr<SparsePeer> peer_;
};

template <class T>
void measure_all(const gemel::Context& context, const std::vector<Cell>& cells) {
    std::unique_ptr<Subject<T>> subject;
    std::string made;
    for (const Cell& cell : cells) {
        if (cell.type != (sizeof(T) == 8 ? "double" : "float")) continue;
        if (made != cell.matrix()) {
            subject.reset();
            context.pool().trim();
            subject = std::make_unique<Subject<T>>(context, cell);
            made = cell.matrix();
        }
        subject->measure(cell);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const GridOptions options = grid_options(argc, argv);
    const std::vector<Cell> cells = grid(options.small, options.only);
    if (options.list) {
        for (const Cell& cell : cells)
            print_line({{"cell", cell.name()},
                        {"operation", cell.operation},
                        {"type", cell.type},
                        {"kind", cell.kind},
                        {"size", cell.size}});
        return 0;
    }
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    measure_all<float>(context, cells);
    measure_all<double>(context, cells);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
