/// One call of a generated kernel: arguments against declarations, layouts collapsed, a variant of the text chosen.
#pragma once

#include "generated/declared_arguments.hpp"

#include <gemel/arrays/call_argument.hpp>
#include <gemel/codegen/elementwise.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// What identifies a variant of a kernel, compared on every call: no allocation.
class CallKey {
   public:
    void add(std::uint64_t word) {
        if (count_ < words_.size()) words_[count_++] = word;
    }
    std::size_t hash() const {
        std::uint64_t h = 1469598103934665603u;
        for (std::size_t i = 0; i < count_; ++i) h = (h ^ words_[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 32;
        return h;
    }
    friend bool operator==(const CallKey& a, const CallKey& b) {
        return a.count_ == b.count_ &&
               std::memcmp(a.words_.data(), b.words_.data(), a.count_ * sizeof(std::uint64_t)) == 0;
    }

   private:
    std::array<std::uint64_t, 2 * most_call_arguments + 16> words_;  // open types take two each
    std::size_t count_ = 0;
};
struct CallKeyHash {
    std::size_t operator()(const CallKey& key) const { return key.hash(); }
};

/// Arguments of one launch, on the stack; those that are not added cost nothing.
class ArgumentList {
   public:
    void add(const Argument& argument) {
        if (count_ == most) throw Error("too many arguments for one kernel");
        new (memory_.data() + count_++ * sizeof(Argument)) Argument(argument);
    }
    /// Puts another argument in the place of one that was added.
    void replace(std::size_t i, const Argument& argument) {
        *std::launder(reinterpret_cast<Argument*>(memory_.data() + i * sizeof(Argument))) = argument;
    }
    std::size_t size() const { return count_; }
    std::span<const Argument> span() const {
        return {std::launder(reinterpret_cast<const Argument*>(memory_.data())), count_};
    }

   private:
    static constexpr std::size_t most = 2 * most_call_arguments + 8;
    alignas(Argument) std::array<std::byte, most * sizeof(Argument)> memory_;
    std::size_t count_ = 0;
};

/// A call after all checks. Lives on the stack of one call; refers to the caller's arrays.
class Call {
   public:
    Call(const DeclaredArguments& declared, std::span<const CallArgument> arguments);

    /// The first array, which gives the context. There is one.
    const AnyArray& leading() const { return *leading_; }
    Context context() const { return leading_->context(); }
    const Shape& shape() const { return *shape_; }
    std::size_t count() const { return count_; }
    /// Whether some array is touched as x[i], and so has count() elements.
    bool has_elements() const { return array_count_ > 0; }
    std::uint32_t item_bytes() const { return item_bytes_; }
    std::uint32_t array_count() const { return array_count_; }

    /// Chooses how each array is reached. @param sliced  indices are not 0, 1, 2, ... @param count  how many there are
    void choose_layout(const codegen::Tuning& tuning, bool sliced, bool linear_addresses, std::size_t count);
    /// After it, for kernels that can: blocks have tiles of the last two axes, where there are two and more.
    void choose_tile(const codegen::Tuning& tuning);
    /// For a reduction over some axes, one flag per axis of shape(): arrays are found by steps along reduced and kept
    /// axes. Returns whether neighbouring outputs lie nearer to each other than neighbouring elements of one.
    bool choose_reduction_layout(std::span<const bool> reduced, bool linear_addresses);
    int kept_rank() const { return kept_rank_; }
    bool has_index() const { return !index_strides_.empty(); }
    const DeclaredArguments& declared() const { return declared_; }
    /// An argument's array; null for values.
    const AnyArray* array(std::size_t argument) const { return arrays_[argument].array; }

    /// The same for the text; made only when a variant is compiled.
    codegen::KernelLayout layout() const;
    std::vector<Parameter> parameters() const;

    bool wide_index() const { return wide_; }
    void make_wide() { wide_ = true; }
    /// Before a layout is chosen: subscripts other than [i] are checked by the kernel.
    void make_checked() { checked_ = true; }
    bool packed() const { return packed_; }
    bool tiled() const { return tile_width_ > 0; }
    /// How many blocks have a tile each, along the grid's axes.
    const std::array<std::size_t, 3>& tiles() const { return tiles_; }
    int lanes() const { return lanes_; }
    std::size_t head() const { return head_; }
    /// Adds what the text depends on.
    void add_to(CallKey& key) const;
    /// The kernel's arguments in their order: those of the user, offsets, layout.
    void pack(ArgumentList& into);
    /// The type in which the kernel takes a value.
    DType value_type(std::size_t i) const {
        const DType& declared = declared_.parameters[i].dtype;
        return declared.empty() ? open_dtype(i) : declared;
    }
    /// An index as the kernel's index type.
    Argument index(std::int64_t value) const;

   private:
    struct Array {
        const AnyArray* array;
        codegen::Access access;
        bool offset;      ///< the kernel is told
        bool is_element;  ///< touched as x[i]
        codegen::LastStep last_step;
        std::size_t offset_bytes;  ///< from the start of the allocation
    };
    void check_argument(std::size_t i, const CallArgument& argument);
    /// Whether the snippet assigns an argument's elements at [i], or takes their address to do so.
    bool may_write(std::size_t i) const;
    DType open_dtype(std::size_t i) const;
    void check_shapes();
    void check_aliasing();
    const std::string& leading_name() const;
    bool any_order() const;
    void collapse();
    struct Axis {
        std::size_t axis;  ///< of the merged ones the fastest
        std::int64_t extent;
    };
    void collapse_group(std::span<const std::size_t> axes, std::pmr::vector<Axis>& merged) const;

    const DeclaredArguments& declared_;
    std::span<const CallArgument> arguments_;
    std::array<Array, most_call_arguments> arrays_;  // the first arguments_.size() are in use
    const AnyArray* leading_ = nullptr;
    const Shape* shape_ = nullptr;
    std::size_t count_ = 0;
    std::uint32_t item_bytes_ = 1, array_count_ = 0;
    bool all_contiguous_ = true;
    bool far_columns_ = false;     ///< some array's neighbours along the last axis are a cache line apart
    bool in_place_steps_ = false;  ///< what is written through one argument is read through another
    int rank_ = 0, kept_rank_ = 0;
    Strides index_strides_;
    std::array<std::int64_t, most_call_axes> extents_;
    bool wide_ = false, sliced_ = false, packed_ = false, checked_ = false;
    int lanes_ = 1, tile_width_ = 0, tile_rows_ = 0;
    bool tall_ = false;
    std::array<std::size_t, 3> tiles_{};
    std::size_t head_ = 0;
    // Layouts of the usual size need no allocation.
    std::array<std::byte, 3072> memory_;
    std::pmr::monotonic_buffer_resource resource_{memory_.data(), memory_.size()};
    std::pmr::vector<std::int64_t> strides_{
        &resource_};  ///< of element arrays, after collapsing: axes of the first, ...
    std::pmr::vector<std::int64_t> layout_values_{&resource_};
    std::pmr::vector<std::byte> layout_bytes_{&resource_};
};

}  // namespace gemel
