#include "sparse/product_variant.hpp"

#include "sparse/product_checks.hpp"

#include <algorithm>

namespace gemel::sparse {

std::shared_ptr<ProductVariant> find_variant(const Context& context, const codegen::SparseLayout& layout) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<ProductVariant>(VariantKey<codegen::SparseLayout>{id, layout}, [&] {
        const GeneratedText text{codegen::sparse_source(layout, context.dialect())};
        const Module module = context.compile(text, CompileOptions{.name = "sparse_product"});
        auto variant = std::make_shared<ProductVariant>();
        variant->kernel = module.kernel("sparse_product");
        if (layout.form == codegen::SparseForm::merge || layout.form == codegen::SparseForm::binned)
            variant->carries = module.kernel("sparse_carries");
        variant->block = layout.serial ? 1 : layout.block;
        return variant;
    });
}

Argument element_argument(DType dtype, const AnyNumber& number) {
    Argument argument;
    const auto bytes = gemel::detail::element_bytes(product_name, dtype, number);
    std::copy(bytes.begin(), bytes.end(), argument.value);
    argument.dtype = dtype;
    argument.bytes = dtype.size_bytes();
    return argument;
}

}  // namespace gemel::sparse
