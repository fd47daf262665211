/// Reductions and running sums along axes, a grid of shapes: one JSON line per cell. bench/axes_peers.py times other
/// libraries over the same cells, bench/grid_table.py joins both; scripts/grid runs all three.
///
///     axes_grid [--small] [--only TEXT] [--list]
///
/// --small: shapes for CPU devices; --only: cells whose name holds TEXT; --list: names the cells and runs nothing.
#include "axes_check.hpp"
#include "harness.hpp"

#include <map>
#include <memory>

namespace {

using namespace bench;

std::vector<Cell> chosen(const GridOptions& options) {
    std::vector<Cell> cells;
    for (const Cell& cell : options.small ? small_grid() : large_grid())
        if (name_of(cell).find(options.only) != std::string::npos) cells.push_back(cell);
    return cells;
}

void list(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells)
        std::printf(
            "{\"cell\": \"%s\", \"operation\": \"%s\", \"type\": \"%s\", \"shape\": [%s], \"stored\": [%s], \"axes\": "
            "[%s], "
            "\"operand\": \"%s\"}\n",
            name_of(cell).c_str(), cell.operation.c_str(), cell.type.c_str(), joined(cell.shape).c_str(),
            joined(stored(cell)).c_str(), joined(cell.axes).c_str(), operand_name(cell.operand).c_str());
}

gemel::DType dtype_named(const std::string& name) {
    if (name == "double") return gemel::dtype_of<double>();
    if (name == "half") return gemel::dtype_of<gemel::half>();
    if (name == "int8") return gemel::dtype_of<std::int8_t>();
    return gemel::dtype_of<float>();
}

/// Elements of one type, filled once, in which all operands of the type lie.
class Memory {
   public:
    Memory(const gemel::Context& context, gemel::DType dtype, std::int64_t elements)
        : all_(context, dtype, gemel::Shape{elements}) {
        const bool is_integral = dtype == gemel::dtype_of<std::int8_t>();
        const std::string hash =
            "uint32_t h = (uint32_t)i * 2654435761u + 1; h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; x[i] = ";
        const gemel::ElementwiseKernel fill(
            "T *x", hash + (is_integral ? "(int)(h >> 27) - 16" : "(2.0f * (float)(h >> 22) + 1.0f) * 0x1p-11f - 0.5f"),
            is_integral ? "fill_whole" : "fill_real");
        fill(all_);
        const std::size_t cache = context.device().info().l2_cache_bytes.value_or(32 << 20);
        away_from_cache_ = static_cast<std::int64_t>(2 * cache / dtype.size_bytes());
    }
    gemel::AnyArray at(std::int64_t from, const Extents& shape) const {
        return all_(gemel::slice(from, from + product(shape))).reshape(shape_of(shape));
    }
    /// Where the operands of call k begin, so that calls in turn find nothing in a cache. Call 0 begins at 0.
    std::int64_t begin(std::int64_t elements, int k) const {
        const std::int64_t step = (elements + 63) / 64 * 64, room = static_cast<std::int64_t>(all_.size()) - elements;
        const std::int64_t places =
            std::clamp(std::min(away_from_cache_ / step, room / step + 1), std::int64_t{1}, std::int64_t{64});
        return k % places * step;
    }
    std::size_t element_bytes() const { return all_.dtype().size_bytes(); }

   private:
    static gemel::Shape shape_of(const Extents& extents) {
        return gemel::Shape(std::span<const std::int64_t>(extents));
    }
    gemel::AnyArray all_;
    std::int64_t away_from_cache_ = 0;
};

/// A cell with its operands at hand.
class Call {
   public:
    Call(const Cell& cell, const Memory& memory) : cell_(cell), memory_(memory) {
        const std::int64_t n = product(stored(cell));
        for (int k = 0; k == 0 || memory.begin(n, k) != 0; ++k) operands_.push_back(operand(memory.begin(n, k)));
        if (cell.operation == "sum of x*row") row_ = memory.at(0, {cell.shape.back()});
    }
    gemel::AnyArray operator()(int k) const {
        const gemel::AnyArray& x = operands_[static_cast<std::size_t>(k) % operands_.size()];
        const gemel::ReductionAxes over(cell_.axes);
        if (cell_.operation == "sum") return gemel::sum(x, over);
        if (cell_.operation == "max") return gemel::max(x, over);
        if (cell_.operation == "argmax") return gemel::argmax(x, cell_.axes.front());
        if (cell_.operation == "var") return gemel::var(x, over);
        if (cell_.operation == "cumsum") return gemel::cumsum(x, cell_.axes.front());
        if (cell_.operation == "sum of exp(x)") return gemel::sum(exp(x), over);
        return gemel::sum(x * row_, over);
    }
    /// Compares some elements of the first result with the host's. @return what is wrong, or nothing
    std::string check() const {
        const gemel::AnyArray result = (*this)(0);
        HostResult host(cell_);
        const int count = host.length() > (1 << 22) ? 1 : 3;
        for (int k = 0; k < count; ++k) {
            Extents index;  // the last element, the first, one between
            for (const std::int64_t extent : cell_.shape)
                index.push_back(k == 0 ? extent - 1 : k == 1 ? 0 : extent * 2 / 3);
            std::vector<gemel::Index> kept;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                if (cell_.operation == "cumsum" ||
                    std::find(cell_.axes.begin(), cell_.axes.end(), static_cast<int>(axis)) == cell_.axes.end())
                    kept.emplace_back(index[axis]);
            double got = 0;
            result.view(kept).astype(gemel::dtype_of<double>()).get_bytes(&got);
            const double expected = host.at(index);
            if (!host.accepts(got, expected))
                return "result (" + joined(index) + ") is " + std::to_string(got) + ", the host found " +
                       std::to_string(expected);
        }
        return {};
    }

   private:
    gemel::AnyArray operand(std::int64_t from) const {
        const gemel::AnyArray x = memory_.at(from, stored(cell_));
        if (cell_.operand == Operand::transposed) return x.transpose();
        return cell_.operand == Operand::plain
                   ? x
                   : x.broadcast_to(gemel::Shape(std::span<const std::int64_t>(cell_.shape)));
    }

    const Cell& cell_;
    const Memory& memory_;
    std::vector<gemel::AnyArray> operands_;
    gemel::AnyArray row_;
};

double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

/// Microseconds of a call. On GPUs the median of device times by events; elsewhere the shortest time until a result is
/// complete: the threads of a CPU device may share a core for milliseconds, which is the operating system's choice.
double microseconds(const gemel::Stream& stream, const Call& call, bool by_events) {
    int next = 0;
    gemel::AnyArray result;
    const auto by_device = [&](int calls) {
        const gemel::Event start = stream.record();
        for (int k = 0; k < calls; ++k) result = call(next++);
        const gemel::Event stop = stream.record();
        return 1e3 * gemel::elapsed_milliseconds(start, stop) / calls;
    };
    const auto complete = [&] {
        const auto start = std::chrono::steady_clock::now();
        result = call(next++);
        stream.synchronize();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    };
    if (!by_events) {
        complete();
        double least = complete();
        double sum = least;
        for (int round = 1; round < 3 || (round < 30 && sum < 2e5); ++round) {
            const double time = complete();
            least = std::min(least, time);
            sum += time;
        }
        return least;
    }
    by_device(2);
    const int calls = static_cast<int>(std::clamp(1000 / std::max(by_device(3), 0.5), 2.0, 100.0));
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) times.push_back(by_device(calls));
    return median(std::move(times));
}

}  // namespace

int main(int argc, char** argv) try {
    const GridOptions options = grid_options(argc, argv);
    const std::vector<Cell> cells = chosen(options);
    if (options.list) {
        list(cells);
        return 0;
    }
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope context_scope(context);
    const gemel::Stream stream = context.create_stream();
    const gemel::StreamScope stream_scope(stream);
    const bool on_gpu = context.device().info().type == gemel::DeviceInfo::Type::gpu;
    std::map<std::string, std::int64_t> elements;
    for (const Cell& cell : cells) elements[cell.type] = std::max(elements[cell.type], product(stored(cell)));
    std::unique_ptr<Memory> memory;
    std::string type;
    int wrong = 0;
    for (const Cell& cell : cells) try {
            if (cell.type != type) {
                memory.reset();
                context.pool().trim();
                memory = std::make_unique<Memory>(context, dtype_named(cell.type), elements[cell.type]);
                type = cell.type;
            }
            const Call call(cell, *memory);
            if (const std::string mistake = call.check(); !mistake.empty()) throw gemel::Error(mistake);
            const double us = microseconds(stream, call, on_gpu);
            const double bytes =
                static_cast<double>(product(stored(cell))) * static_cast<double>(memory->element_bytes());
            std::printf("{\"cell\": \"%s\", \"device\": \"%s\", \"name\": \"%s\", \"us\": %.2f, \"gb_per_s\": %.1f}\n",
                        name_of(cell).c_str(), context.device().id().c_str(), context.device().name().c_str(), us,
                        bytes / us / 1e3);
            std::fflush(stdout);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "axes_grid: %s: %s\n", name_of(cell).c_str(), error.what());
            ++wrong;
        }
    return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
