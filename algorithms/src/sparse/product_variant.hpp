/// The compiled kernels of products with vectors, and arguments for them.
#pragma once

#include "generated/kernel_cache.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/module.hpp>

#include <memory>

namespace gemel::sparse {

struct ProductVariant : Variant {
    Kernel carries{nullptr};
};
std::shared_ptr<ProductVariant> find_variant(const Context& context, const codegen::SparseLayout& layout);

/// A number as a kernel argument of an element type. @throws ArgumentError if the type cannot hold it
Argument element_argument(DType dtype, const AnyNumber& number);

}  // namespace gemel::sparse
