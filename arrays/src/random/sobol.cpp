#include <gemel/arrays/sobol.hpp>

#include <gemel/codegen/sobol.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include "generated/kernel_cache.hpp"
#include "random/random_fill.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace gemel::random {

/// A sequence: its tables, its position, and its vectors on the device once they are needed.
struct SobolState {
    codegen::SobolTable table;
    std::mutex mutex;
    std::uint64_t position = 0;
    struct Vectors {
        Buffer directions, shifts;
    };
    std::optional<Vectors> narrow, wide;

    SobolState(std::int64_t dimensions, std::optional<Scramble> scramble)
        : table(codegen::sobol_table(dimensions, scramble ? std::optional(scramble->seed) : std::nullopt)) {}
};

namespace {

constexpr std::uint64_t max_points = std::uint64_t{1} << 63;

/// Returns the position of the points, and advances it past them.
std::uint64_t reserve_points(std::uint64_t& position, std::uint64_t count, std::uint64_t most) {
    if (count > most || position > most - count)
        throw Error(text("Sobol: a sequence has 2^", most == max_points ? 63 : 32, " points",
                         most == max_points ? "" : " of 32 bits", ": ", count, " more do not fit after position ",
                         position,
                         most == max_points ? "; start another sequence" : "; double and uint64_t have 2^63"));
    return std::exchange(position, position + count);
}

std::uint64_t max_points_of(DType dtype) {
    return codegen::sobol_bits(dtype) == 64 ? max_points : std::uint64_t{1} << 32;
}

template <class Word>
SobolState::Vectors uploaded(const Context& context, const codegen::SobolTable& table) {
    constexpr int bits = 8 * sizeof(Word);
    const auto cut = [](std::uint64_t x) { return static_cast<Word>(x >> (64 - bits)); };
    const auto width = static_cast<std::size_t>(table.dimensions);
    std::vector<Word> directions((bits + 1) * width), shifts(width);  // the last row stays zero
    std::transform(table.directions.begin(), table.directions.begin() + static_cast<std::ptrdiff_t>(bits * width),
                   directions.begin(), cut);
    std::transform(table.shifts.begin(), table.shifts.end(), shifts.begin(), cut);
    SobolState::Vectors vectors{context.allocate(directions.size() * sizeof(Word)),
                                context.allocate(shifts.size() * sizeof(Word))};
    vectors.directions.upload(directions);
    vectors.shifts.upload(shifts);
    return vectors;
}

Kernel kernel_of(const Context& context, const codegen::SobolFill& fill) {
    static const std::uint64_t id = KernelCache::new_generator();
    const auto variant = KernelCache::of(context).find<Variant>(VariantKey<codegen::SobolFill>{id, fill}, [&] {
        auto fresh = std::make_shared<Variant>();
        fresh->kernel = context.compile(fill, {.name = "sobol"}).kernel("sobol");
        return fresh;
    });
    return variant->kernel;
}

/// The array must be contiguous.
void launch(const AnyArray& out, const SobolState::Vectors& vectors, std::uint64_t first) {
    const Context context = out.context();
    const DeviceInfo& info = KernelCache::of(context).info();
    const DType dtype = out.dtype();
    const Buffer& buffer = out.buffer();
    codegen::SobolFill fill{.element = dtype, .tuning = codegen::sobol_tuning(info, dtype)};
    const std::int64_t per_thread = fill.tuning.per_thread, store_bytes = per_thread * dtype.size_bytes();
    // The handle is an address, or a pointer to a driver object; in the second case, allocations are aligned.
    if ((buffer.native_handle() + buffer.offset_bytes() + out.offset_bytes()) % store_bytes != 0)
        fill.tuning.wide_stores = false;

    // The threads of a GPU's block write one range of memory; a CPU's thread keeps its ranges as close as possible.
    const bool is_cpu = info.type == DeviceInfo::Type::cpu;
    const std::int64_t dimensions = out.shape()[1], count = static_cast<std::int64_t>(out.size());
    std::int32_t k = 0;
    while ((dimensions << k) % per_thread != 0 || (!is_cpu && (dimensions << k) < per_thread * fill.tuning.block)) ++k;
    const std::int64_t tile = dimensions << k, tiles = (count + tile - 1) / tile, threads = tile / per_thread;
    // Turns amortise the first point of a thread; enough threads remain to occupy the device.
    const std::int64_t wanted = (is_cpu ? 16 : 1024) * std::max<std::int64_t>(1, info.compute_units);
    const std::int64_t turns = std::clamp<std::int64_t>(tiles * threads / wanted, 1, is_cpu ? 4096 : 64);
    const std::int64_t parts = (tiles + turns - 1) / turns;

    const Kernel kernel = kernel_of(context, fill);
    const Dim3 block{fill.tuning.block};
    const std::int64_t offset = static_cast<std::int64_t>(out.offset_bytes() / dtype.size_bytes());
    const auto run = [&](auto number) {
        kernel({.block = block, .threads = {parts * threads}}, buffer, offset, count, vectors.directions,
               vectors.shifts, number, static_cast<std::int32_t>(dimensions), k, static_cast<std::int32_t>(turns));
    };
    codegen::sobol_bits(dtype) == 64 ? run(first) : run(static_cast<std::uint32_t>(first));
}

}  // namespace

Sobol::Sobol(const Context& context, Integer dimensions, std::optional<Scramble> scramble)
    : context_(context), state_(std::make_shared<SobolState>(std::int64_t{dimensions}, scramble)) {}
Sobol::Sobol(Integer dimensions, std::optional<Scramble> scramble) : Sobol(current_context(), dimensions, scramble) {}

std::int64_t Sobol::dimensions() const { return state_->table.dimensions; }

std::uint64_t Sobol::position() const {
    std::lock_guard lock(state_->mutex);
    return state_->position;
}

void Sobol::skip(std::uint64_t points) const {
    std::lock_guard lock(state_->mutex);
    reserve_points(state_->position, points, max_points);
}

void Sobol::fill(const AnyArray& out) const {
    check_target("Sobol::fill", context_, out);
    const DType dtype = out.dtype();
    const bool is_wide = codegen::sobol_bits(dtype) == 64;
    if (out.rank() != 2 || out.shape()[1] != dimensions())
        throw ArgumentError(text("Sobol::fill: expected an array of shape (n, ", dimensions(),
                                 "), a row for each point, got ", to_string(out.shape())));
    SobolState::Vectors vectors;
    std::uint64_t first = 0;
    {
        std::lock_guard lock(state_->mutex);
        std::uint64_t position = state_->position;
        first = reserve_points(position, static_cast<std::uint64_t>(out.shape()[0]), max_points_of(dtype));
        if (out.size() == 0) return;
        std::optional<SobolState::Vectors>& own = is_wide ? state_->wide : state_->narrow;
        if (!own) {
            const RecordingPause pause;  // the tables outlive the graph that is being recorded
            own = is_wide ? uploaded<std::uint64_t>(context_, state_->table)
                          : uploaded<std::uint32_t>(context_, state_->table);
        }
        vectors = *own;
        state_->position = position;
    }
    if (out.is_contiguous()) return launch(out, vectors, first);
    const AnyArray contiguous(context_, dtype, out.shape());
    launch(contiguous, vectors, first);
    out.assign(contiguous);
}

HostSobol::HostSobol(Integer dimensions, std::optional<Scramble> scramble)
    : state_(std::make_shared<const SobolState>(std::int64_t{dimensions}, scramble)) {}

std::int64_t HostSobol::dimensions() const { return state_->table.dimensions; }

void HostSobol::skip(std::uint64_t points) { reserve_points(position_, points, max_points); }

void HostSobol::fill(void* out, DType dtype, std::size_t count) {
    const std::uint64_t first = reserve_points(position_, count, max_points_of(dtype));
    codegen::sobol_fill(dtype, state_->table, first, count, out);
}

}  // namespace gemel::random
