/// Calls of generated kernels as they were launched: what a call with the same arrays need not find out again.
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

/// One call after all checks. What it depends on is compared; the values are each call's own.
class RecentCall {
   public:
    /// @param launched  the kernel's arguments, as ArgumentList::add(call, layout) gives them
    RecentCall(std::uint64_t generator, const BoundCall& call, bool wide_index, std::shared_ptr<Variant> variant,
               std::span<const Argument> launched);
    virtual ~RecentCall() = default;
    RecentCall(const RecentCall&) = delete;  // arguments point into it
    RecentCall& operator=(const RecentCall&) = delete;

    /// Whether checks, layout and variant of a call would come out as they did for this one.
    bool is_like(std::uint64_t generator, std::span<const CallArgument> arguments) const;
    /// The kernel's arguments, with the values of this call. @throws ArgumentError for values that do not fit
    void marshal(const DeclaredArguments& declared, std::span<const CallArgument> arguments, ArgumentList& into) const;

    Variant& variant() const { return *variant_; }
    bool wide_index() const { return wide_index_; }

   private:
    struct Seen {
        const Block* block = nullptr;  ///< compared, never followed; null for values
        std::uint64_t address = 0;     ///< its alignment decides which accesses are possible
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
    std::vector<std::byte> layout_;  ///< that an argument of launched_ refers to
};

/// A table of them. Thread-safe; a call that is found stays valid when another takes its place.
class RecentCalls {
   public:
    /// Of the kernel and the places of the arrays: what decides where in the table a call may be.
    static std::uint64_t hash(std::uint64_t generator, std::span<const CallArgument> arguments);
    std::shared_ptr<const RecentCall> find(std::uint64_t hash) const;
    /// Whether a call that was not found has been made once before: those that are made only once are not remembered.
    bool is_second(std::uint64_t hash);
    void remember(std::uint64_t hash, std::shared_ptr<const RecentCall> call);

   private:
    struct Place {
        std::uint64_t last_missed = 0;
        std::shared_ptr<const RecentCall> call;
    };
    mutable SpinLock lock_;
    std::array<Place, 512> places_;
};

}  // namespace gemel
