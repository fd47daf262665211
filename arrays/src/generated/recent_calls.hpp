/// Recent calls of generated kernels: a call with the same arrays skips checks and choices.
#pragma once

#include "generated/argument_list.hpp"

#include <gemel/core/spin_lock.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gemel {

struct Variant;

/// A checked call. A new call must agree in all that matters; only values may differ.
class RecentCall {
   public:
    /// @param launched  the kernel's arguments, as ArgumentList::add(call, layout) gives them
    RecentCall(std::uint64_t generator, const BoundCall& call, bool wide_index, std::shared_ptr<Variant> variant,
               std::span<const Argument> launched);
    virtual ~RecentCall() = default;
    RecentCall(const RecentCall&) = delete;  // arguments point to its members
    RecentCall& operator=(const RecentCall&) = delete;

    /// Whether a call would have the same checks, layout and variant as this one.
    /// @param arguments  with at least one array
    bool is_like(std::uint64_t generator, std::span<const CallArgument> arguments) const;
    /// The kernel's arguments, with the values of this call. @throws ArgumentError for values that do not fit
    void marshal(const DeclaredArguments& declared, std::span<const CallArgument> arguments, ArgumentList& into) const;

    Variant& variant() const { return *variant_; }
    bool wide_index() const { return wide_index_; }

   private:
    /// Arrays are known by their device memory: a new array that has it from the pool is like the old one.
    struct Seen {
        std::uint64_t memory =
            0;  ///< the driver's handle; its alignment decides which accesses are possible; 0: a value
        std::size_t buffer_offset = 0, buffer_bytes = 0, offset = 0;
        DType dtype;       ///< for values: of the call
        DType value_type;  ///< what the kernel takes
        Shape shape;
        Strides strides;
        std::optional<Argument::Kind> sampled = {};  ///< of a texture or an image
    };
    std::uint64_t generator_;
    std::vector<Seen> seen_;
    std::shared_ptr<Variant> variant_;
    bool wide_index_;
    std::vector<Argument> launched_;
    std::vector<std::byte> layout_;  ///< an argument of launched_ points to it
};

/// A table of recent calls. Thread-safe; a call that was found stays valid when it is replaced.
class RecentCalls {
   public:
    /// A hash of the kernel and the arrays' addresses, which determines the table entry.
    static std::uint64_t hash(std::uint64_t generator, std::span<const CallArgument> arguments);
    std::shared_ptr<const RecentCall> find(std::uint64_t hash) const;
    /// Whether a call that was not found was made once before. Calls made only once are not remembered.
    bool is_second(std::uint64_t hash);
    void remember(std::uint64_t hash, std::shared_ptr<const RecentCall> call);

   private:
    struct Slot {
        std::uint64_t last_missed = 0;
        std::shared_ptr<const RecentCall> call;
    };
    mutable SpinLock lock_;
    std::array<Slot, 512> slots_;
};

}  // namespace gemel
