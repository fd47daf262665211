/// The arguments of one launch, on the stack.
#pragma once

#include "generated/bound_call.hpp"
#include "generated/call_layout.hpp"

#include <gemel/core/argument.hpp>
#include <gemel/core/error.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// A number in the kernel's index type.
inline Argument index_argument(bool wide, std::int64_t value) {
    return wide ? as_argument(value) : as_argument(static_cast<std::int32_t>(value));
}

/// The memory of an array; another argument tells the kernel the offset of the first element.
inline Argument whole_memory(const AnyArray& array) {
    Argument argument = as_argument(array.buffer());
    argument.offset_bytes = 0;
    return argument;
}

class ArgumentList {
   public:
    void add(const Argument& argument) {
        if (arguments_.size() == arguments_.capacity())
            throw Error(
                "launch: a generated kernel has more arguments than a launch can pass; use fewer arrays or results");
        arguments_.push_back(argument);
    }
    /// The call's arguments in the kernel's order: those of the user, offsets, layout.
    void add(const BoundCall& call, const CallLayout& layout);
    /// Removes all but the first `count`.
    void cut(std::size_t count) { arguments_.resize(count); }
    std::size_t size() const { return arguments_.size(); }
    std::span<const Argument> span() const { return arguments_; }

   private:
    boost::container::static_vector<Argument, 3 * max_call_arguments + 16> arguments_;
    boost::container::small_vector<std::byte, 384> layout_;  ///< an argument points to it
};

}  // namespace gemel
