/// One call of a generated kernel, its arguments checked against the declarations.
#pragma once

#include "generated/declared_arguments.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/call_argument.hpp>
#include <gemel/core/context.hpp>

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// A call after all checks. Lives on the stack during one call, refers to the caller's arrays, and does not change.
class BoundCall {
   public:
    struct Array {
        const AnyArray* array = nullptr;  ///< null for values
        bool is_element = false;          ///< accessed as x[i], or through its layout
        std::size_t offset_bytes = 0;     ///< from the start of the allocation
    };

    /// @throws ArgumentError, by `declared`
    BoundCall(const DeclaredArguments& declared, std::span<const CallArgument> arguments);

    const DeclaredArguments& declared() const { return declared_; }
    std::span<const CallArgument> arguments() const { return arguments_; }
    /// One per argument.
    std::span<const Array> arrays() const { return arrays_; }
    /// The first array, which determines the context. There is at least one.
    const AnyArray& leading() const { return *leading_; }
    Context context() const { return leading_->context(); }
    const Shape& shape() const { return *shape_; }
    std::size_t count() const { return count_; }
    /// Whether some array is accessed as x[i], and so has count() elements.
    bool has_elements() const { return array_count_ > 0; }
    /// The size of the largest element accessed as x[i].
    std::uint32_t item_bytes() const { return item_bytes_; }
    /// The number of arrays accessed as x[i].
    std::uint32_t array_count() const { return array_count_; }
    bool all_contiguous() const { return all_contiguous_; }
    /// Whether memory that is written through one argument is read through another.
    bool reads_what_it_writes() const { return reads_what_it_writes_; }

    /// The types of the open parameters, in their order.
    std::span<const DType> open_types() const { return open_types_; }
    /// The declarations with all types filled in; created only when a variant is compiled.
    std::vector<Parameter> parameters() const;
    /// The type in which the kernel takes a value.
    DType value_type(std::size_t i) const {
        const DType& declared = declared_.parameters[i].dtype;
        return declared.empty() ? open_dtype(i) : declared;
    }

   private:
    void check_argument(std::size_t i, const CallArgument& argument);
    /// Checks a texture or an image; its rank is checked at the launch.
    void check_sampled(std::size_t i, const CallArgument& argument) const;
    /// Whether the snippet assigns an argument's elements at [i], or takes their address for that.
    bool may_write(std::size_t i) const;
    DType open_dtype(std::size_t i) const;
    void check_shapes();
    void check_aliasing();
    const std::string& leading_name() const;

    const DeclaredArguments& declared_;
    std::span<const CallArgument> arguments_;
    boost::container::static_vector<Array, max_call_arguments> arrays_;
    boost::container::static_vector<DType, max_call_arguments> open_types_;
    const AnyArray* leading_ = nullptr;
    const Shape* shape_ = nullptr;
    std::size_t count_ = 0;
    std::uint32_t item_bytes_ = 1, array_count_ = 0;
    bool all_contiguous_ = true, reads_what_it_writes_ = false;
};

}  // namespace gemel
