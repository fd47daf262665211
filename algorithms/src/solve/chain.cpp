#include "solve/chain.hpp"

#include "generated/argument_list.hpp"
#include "generated/kernel_family.hpp"

#include <gemel/core/launch.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <utility>

namespace gemel::solving {
namespace {

struct KnownChain {
    codegen::ChainRequest request;
    std::uint64_t id = KernelCache::new_generator();
};

const KnownChain& known_chain(ChainText text, DType dtype, bool has_double) {
    using Key = std::pair<std::uintptr_t, std::pair<int, bool>>;
    static auto& family = *new KernelFamily<Key, KnownChain>;
    const int type = static_cast<int>(dtype.kind()) * 256 + static_cast<int>(dtype.size_bytes());
    return family.find({reinterpret_cast<std::uintptr_t>(text), {type, has_double}},
                       [&] { return KnownChain{.request = text(dtype, has_double)}; });
}

std::shared_ptr<Variant> find_variant(const Context& context, const KnownChain& chain,
                                      const codegen::SparseLayout& layout) {
    const VariantKey<codegen::SparseLayout> key{chain.id, layout};
    return KernelCache::of(context).find<Variant>(key, [&] {
        const GeneratedText text{codegen::chain_source(chain.request, layout, 0, context.dialect())};
        const std::string& name = chain.request.step.name;
        const Module module = context.compile(text, CompileOptions{.name = name});
        auto variant = std::make_shared<Variant>();
        variant->kernel = module.kernel(name);
        variant->block = layout.block;
        return variant;
    });
}

/// The block for a device that guarantees one block per compute unit: as large as its shared memory allows.
std::uint32_t lone_block(const codegen::SparseLayout& layout, const codegen::ChainRequest& request,
                         const DeviceInfo& device) {
    const std::size_t real = device.has_double ? sizeof(double) : sizeof(float);
    std::size_t thread_bytes = real * (codegen::sparse_sum_count + request.step.sums.size());
    if (layout.form == codegen::SparseForm::stream) thread_bytes += layout.items * layout.value.size_bytes();
    if (layout.form == codegen::SparseForm::rows && !layout.warps) thread_bytes += layout.value.size_bytes();
    constexpr std::size_t others = 1024;  // the state and alignment
    std::uint32_t block = layout.block;
    while (!layout.packed_columns && 2 * block <= std::min(device.max_threads_per_block, 1024u) &&
           2 * block * thread_bytes + others <= device.shared_memory_per_block_bytes)
        block *= 2;
    return block;
}

}  // namespace

Chain::Chain(const Workspace& space, ChainText text, const sparse::MatrixState& matrix, bool is_scaled,
             const codegen::SweepTuning& given) {
    const DeviceInfo& device = KernelCache::of(space.context()).info();
    codegen::ChainWork work{.unknowns = space.n(),
                            .compute_units = device.compute_units,
                            .blocks_per_unit = given.blocks_per_unit,
                            .asked = space.tuning().chain};
    if (work.asked == codegen::SweepChain::never || space.has_wide_index()) return;
    if (work.asked == codegen::SweepChain::automatic && !device.has_cross_block_visibility) return;
    matrix_ = sparse::summing_part(matrix, is_scaled);
    codegen::SparseLayout& layout = matrix_.layout;
    const KnownChain& chain = known_chain(text, space.dtype(), device.has_double);
    if (device.has_cross_block_visibility && !device.max_threads_per_compute_unit)
        layout.block = lone_block(layout, chain.request, device);
    work.places = matrix_.slots;
    work.block = layout.block;
    work.rows_per_piece = layout.form == codegen::SparseForm::rows ? layout.block / layout.width : layout.block;
    // Systems that are too large even at full occupancy need no compilation.
    work.resident = device.compute_units * std::int64_t{2048} / layout.block;
    if (codegen::chain_blocks(work) == 0) return;
    variant_ = find_variant(space.context(), chain, layout);
    work.resident = variant_->kernel.max_cooperative_blocks(layout.block);
    blocks_ = codegen::chain_blocks(work);
    if (blocks_ == 0) return;
    const std::int64_t pack = codegen::sweep_pack(space.dtype(), {.dtype = space.dtype()});
    packs_ = static_cast<std::int32_t>((space.n() + pack - 1) / pack);
    const auto for_blocks = [&](std::size_t numbers) {
        return space.context().allocate(numbers * sizeof(double) * static_cast<std::size_t>(blocks_));
    };
    partials_ = for_blocks(Workspace::max_sums);
    sums_ = for_blocks(codegen::sparse_sum_count);
}

void Chain::operator()(const Workspace& space, std::initializer_list<const AnyArray*> arrays,
                       std::int64_t steps) const {
    ArgumentList list;
    for (const Argument& array : matrix_.arrays) list.add(array);
    for (const AnyArray* array : arrays) {
        Argument argument = array->argument();
        argument.dtype = {};
        list.add(argument);
    }
    for (const Buffer* buffer : {&space.states(), &partials_, &sums_}) list.add(as_argument(*buffer));
    for (const std::int64_t& size : matrix_.sizes) list.add(as_argument(size));
    const auto count = static_cast<std::int32_t>(steps);
    list.add(as_argument(count));
    list.add(as_argument(packs_));
    variant_->kernel.launch({.grid = {blocks_}, .block = {matrix_.layout.block}, .cooperative = true}, list.span());
}

}  // namespace gemel::solving
