#include "solve/sweeps.hpp"

#include "generated/kernel_family.hpp"
#include "generated/spine.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gemel::solving {
namespace {

using codegen::SweepLayout;
using codegen::SweepTuning;

struct SweepVariant : Variant {
    Kernel finish{nullptr};
    bool has_elements = false, has_finish = false;
};

/// A request and its number in the kernel cache. There is one per SweepText, element type and precision of the sums.
struct KnownSweep {
    codegen::SweepRequest request;
    std::uint64_t id = KernelCache::new_generator();
};

const KnownSweep& known_sweep(SweepText text, DType dtype, bool has_double) {
    using Key = std::pair<std::uintptr_t, std::pair<int, bool>>;
    static auto& family = *new KernelFamily<Key, KnownSweep>;
    const int type = static_cast<int>(dtype.kind()) * 256 + static_cast<int>(dtype.size_bytes());
    return family.find({reinterpret_cast<std::uintptr_t>(text), {type, has_double}},
                       [&] { return KnownSweep{.request = text(dtype, has_double)}; });
}

std::shared_ptr<SweepVariant> find_variant(const Context& context, const KnownSweep& sweep, const SweepLayout& layout,
                                           const SweepTuning& tuning) {
    const VariantKey<SweepLayout, SweepTuning> key{sweep.id, layout, tuning, {}};
    return KernelCache::of(context).find<SweepVariant>(key, [&] {
        const codegen::SweepRequest& request = sweep.request;
        const GeneratedText text{codegen::sweep_source(request, layout, tuning, context.dialect())};
        const Module module = context.compile(text, CompileOptions{.name = request.name});
        auto variant = std::make_shared<SweepVariant>();
        variant->block = layout.serial ? 1 : tuning.block;
        variant->has_elements = request.has_elements();
        variant->has_finish = !request.finish.empty() && !(variant->has_elements && layout.last_block);
        if (variant->has_elements) variant->kernel = module.kernel(request.name);
        if (variant->has_finish) variant->finish = module.kernel(request.name + "_finish");
        return variant;
    });
}

}  // namespace

Workspace::Workspace(const Context& context, DType dtype, std::int64_t n, std::int64_t columns, std::size_t state_bytes,
                     bool is_viewed, std::int64_t max_sets, const SweepTuning& given)
    : context_(context), dtype_(dtype), n_(n), columns_(columns) {
    KernelCache& cache = KernelCache::of(context);
    const DeviceInfo& info = cache.info();
    const auto aligned = static_cast<std::int64_t>(info.base_alignment_bytes / dtype.size_bytes());
    const std::int64_t step = is_viewed ? std::max(aligned, codegen::sweep_padding) : codegen::sweep_padding;
    pitch_ = (n + step - 1) / step * step;
    tuning_ = choose_tuning(given, info, cache.tunings(context),
                            {.count = static_cast<std::size_t>(n),
                             .item_bytes = dtype.size_bytes(),
                             .outputs = static_cast<std::size_t>(columns)},
                            codegen::sweep_tuning);
    if (!info.has_cross_block_visibility || tuning_.finish == codegen::SweepFinish::automatic)
        tuning_.finish =
            info.has_cross_block_visibility ? codegen::SweepFinish::last_block : codegen::SweepFinish::launch;
    layout_ = {.dtype = dtype,
               .serial = tuning_.block == 1,
               .last_block = tuning_.finish == codegen::SweepFinish::last_block && tuning_.block > 1,
               .wide_index = pitch_ * columns >= (std::int64_t{1} << 31) - (std::int64_t{1} << 20)};
    const std::int64_t pack = codegen::sweep_pack(dtype, layout_);
    packs_ = (n + pack - 1) / pack;
    // Up to `most` blocks per column: one for 64 packs of 16 elements if serial, otherwise one for a pack per thread.
    const std::int64_t share = layout_.serial ? 64 : tuning_.block;
    const std::int64_t most =
        std::max<std::int64_t>(std::int64_t{info.compute_units} * std::max(tuning_.blocks_per_unit, 1u) / columns, 1);
    groups_ = std::clamp<std::int64_t>((packs_ + share - 1) / share, 1, most);
    states_ = context.allocate(state_bytes * static_cast<std::size_t>(columns));
    partials_ = context.allocate(max_sums * sizeof(double) * static_cast<std::size_t>(groups_ * columns * max_sets));
    // Sparse products also leave sums, one set per block; their grids have at most as many blocks as run concurrently.
    joined_capacity_ = std::max<std::int64_t>(std::int64_t{info.compute_units} * (layout_.serial ? 16 : 6), groups_);
    joined_ = context.allocate(max_joined * sizeof(double) * static_cast<std::size_t>(joined_capacity_ * columns));
    counters_ = context.allocate(sizeof(std::int32_t) * static_cast<std::size_t>(columns * max_sets));
    counters_.fill(std::uint32_t{0});
}

namespace {

AnyArray zeros_of(const Context& context, DType dtype, const Shape& shape) {
    const AnyArray array(context, dtype, shape);
    array.buffer().view(array.offset_bytes(), array.size_bytes()).fill(std::uint32_t{0});
    return array;
}

}  // namespace

AnyArray Workspace::vectors() const { return zeros_of(context_, dtype_, {columns_, pitch_}); }
AnyArray Workspace::vector() const { return zeros_of(context_, dtype_, {pitch_}); }

AnyArray Workspace::column(const AnyArray& vectors, std::int64_t which) const { return vectors(which, slice(0, n_)); }
AnyArray Workspace::matrix(const AnyArray& vectors) const { return vectors(slice(), slice(0, n_)).transpose(); }

Sweep::Sweep(const Workspace& space, SweepText text) {
    const bool has_double = KernelCache::of(space.context()).info().has_double;
    const KnownSweep& sweep = known_sweep(text, space.dtype(), has_double);
    SweepTuning tuning = space.tuning_;
    tuning.chain = codegen::SweepChain::automatic;  // the source does not depend on it
    variant_ = find_variant(space.context(), sweep, space.layout_, tuning);
    is_left_ = !sweep.request.sums.empty() && sweep.request.finish.empty();
    has_joins_ = !sweep.request.joins.empty();
    has_sets_ = sweep.request.has_sets;
}

void Sweep::operator()(const Workspace& space, std::span<const AnyArray* const> arrays,
                       std::span<const std::int32_t> numbers) const {
    const auto& variant = static_cast<const SweepVariant&>(*variant_);
    boost::container::static_vector<Argument, max_call_arguments> own;
    for (const AnyArray* array : arrays) {
        own.push_back(array->argument());
        own.back().dtype = {};
    }
    for (const Buffer* buffer : {&space.states_, is_left_ ? &space.joined_ : &space.partials_, &space.counters_})
        own.push_back(as_argument(*buffer));
    if (has_joins_) own.push_back(as_argument(space.joined_));
    for (const std::int32_t& number : numbers) own.push_back(as_argument(number));
    const std::int64_t parts = space.columns_ * (has_sets_ ? numbers.back() : 1);
    const std::array sizes{space.packs_, space.pitch_, space.groups_};
    ArgumentList none;
    const Stream current;
    const Launcher launcher(none, space.layout_.wide_index, current);
    if (variant.has_elements) launcher.alone(variant.kernel, {space.groups_ * parts}, variant.block, own, sizes);
    if (variant.has_finish)
        launcher.alone(variant.finish, {parts},
                       space.layout_.serial ? 1 : std::min(variant.block, codegen::sweep_finish_block), own, sizes);
}

}  // namespace gemel::solving
