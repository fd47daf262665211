/// The arguments of a launch in the form of the plug-in interface.
#pragma once

#include "device/state.hpp"

#include <gemel/core/argument.hpp>
#include <gemel/core/tensor_map.hpp>

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gemel {

inline constexpr std::size_t inline_arguments = plugin::max_arguments;
/// A texture's memory, facts, image and sampler.
inline constexpr std::size_t texture_slots = 4;

/// Memory that an argument refers to.
struct Use {
    Block* block;
    bool writes;
};

/// Lives on the stack during one launch; unused elements are not initialised.
struct Marshalled {
    std::array<plugin::ArgumentView, inline_arguments> views;
    std::array<std::uint64_t, inline_arguments> handles;
    boost::container::static_vector<Use, inline_arguments> uses;
    std::array<std::int64_t, 3> offset;  ///< for LAUNCH_OFFSET
    boost::container::static_vector<plugin::TensorMap, 2> tensor_maps;
    std::size_t count = 0;
};

/// Temporary device memory for In, Out and InOut.
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

/// The number of the driver's parameters for an argument.
inline std::size_t slots_of(const Argument& argument) {
    return argument.kind == Argument::Kind::texture ? texture_slots : 1;
}
/// The first of the driver's parameters for the caller's argument; beyond the last argument, their number.
std::size_t slot_of(const KernelState& kernel, std::size_t index);

/// @param index, slot  of the argument, as the caller and the driver count
void marshal_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument,
                 Marshalled& marshalled);
/// Fills the slots of the library's own parameters. @returns the next slot of the caller's arguments
std::size_t marshal_hidden(KernelState& kernel, std::size_t slot, const plugin::LaunchShape& shape,
                           Marshalled& marshalled);
void marshal(KernelState& kernel, const plugin::LaunchShape& shape, std::span<const Argument> arguments,
             Marshalled& marshalled, HostArguments& host, const std::shared_ptr<DriverContext>& driver,
             const std::shared_ptr<StreamCore>& core);
/// The kernel's handle or address of memory at an offset.
std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes);

}  // namespace gemel
