/// Arguments of a launch in the form that plug-ins take.
#pragma once

#include "device/state.hpp"

#include <gemel/core/argument.hpp>

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gemel {

inline constexpr std::size_t inline_arguments = plugin::most_arguments;

/// Memory that an argument names.
struct Use {
    Block* block;
    bool writes;
};

/// Lives on the stack of one launch; what is not used is not written.
struct Marshalled {
    std::array<plugin::ArgumentView, inline_arguments> views;
    std::array<std::uint64_t, inline_arguments> handles;
    boost::container::static_vector<Use, inline_arguments> uses;
    std::size_t count = 0;
};

/// Temporary device memory around In, Out and InOut.
struct HostArguments {
    struct One {
        std::shared_ptr<Block> block;
        const Argument* argument;
    };
    std::vector<One> all;
};

inline bool is_host_range(const Argument& argument) {
    return argument.kind >= Argument::Kind::copy_in && argument.kind <= Argument::Kind::copy_both;
}

/// @param index, slot  of the argument, without and with the arena
void marshal_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument,
                 Marshalled& marshalled);
void marshal(KernelState& kernel, std::span<const Argument> arguments, Marshalled& marshalled, HostArguments& host,
             const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& core);
/// What a kernel takes for memory at an offset.
std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes);

}  // namespace gemel
