#include "generated/recent_calls.hpp"

#include "generated/convert_value.hpp"
#include "generated/kernel_cache.hpp"

#include <mutex>
#include <utility>

namespace gemel {

namespace {

/// Textures and images have no dtype that would distinguish them from values.
std::optional<Argument::Kind> sampled_kind(const Argument& argument) {
    const bool is_sampled = argument.kind == Argument::Kind::texture || argument.kind == Argument::Kind::image;
    return is_sampled ? std::optional(argument.kind) : std::nullopt;
}

}  // namespace

RecentCall::RecentCall(std::uint64_t generator, const BoundCall& call, bool wide_index,
                       std::shared_ptr<Variant> variant, std::span<const Argument> launched)
    : generator_(generator),
      variant_(std::move(variant)),
      wide_index_(wide_index),
      launched_(launched.begin(), launched.end()) {
    const auto arguments = call.arguments();
    seen_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        Seen& seen = seen_[i];
        if (!arguments[i].array) {
            seen.dtype = arguments[i].value.dtype;
            seen.sampled = sampled_kind(arguments[i].value);
            seen.value_type = call.value_type(i);
            continue;
        }
        const AnyArray& array = *arguments[i].array;
        const Buffer& buffer = array.buffer();
        seen = {buffer.handle_if_any(), buffer.offset_bytes(), buffer.size_bytes(),
                array.offset_bytes(),   array.dtype(),         {},
                array.shape(),          array.strides()};
    }
    for (std::size_t i = arguments.size(); i < launched_.size(); ++i)
        if (launched_[i].kind == Argument::Kind::structure) {
            const auto* bytes = static_cast<const std::byte*>(launched_[i].data);
            layout_.assign(bytes, bytes + launched_[i].bytes);
            launched_[i].data = layout_.data();
        }
}

bool RecentCall::is_like(std::uint64_t generator, std::span<const CallArgument> arguments) const {
    if (generator != generator_ || arguments.size() != seen_.size()) return false;
    std::uint64_t context = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Seen& seen = seen_[i];
        const AnyArray* array = arguments[i].array;
        if (!array) {
            if (seen.memory || !(arguments[i].value.dtype == seen.dtype) ||
                arguments[i].value.kind == Argument::Kind::memory || sampled_kind(arguments[i].value) != seen.sampled)
                return false;
            continue;
        }
        const Buffer& buffer = array->buffer();
        if (buffer.handle_if_any() != seen.memory || !seen.memory || array->offset_bytes() != seen.offset ||
            buffer.offset_bytes() != seen.buffer_offset || buffer.size_bytes() != seen.buffer_bytes ||
            !(array->dtype() == seen.dtype) || !(array->shape() == seen.shape) || !(array->strides() == seen.strides))
            return false;
        // Handles are those of one driver's context; another may have the same.
        const std::uint64_t own = buffer.context_id();
        if (context != 0 && own != context) return false;
        context = own;
    }
    return true;
}

void RecentCall::marshal(const DeclaredArguments& declared, std::span<const CallArgument> arguments,
                         ArgumentList& into) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!seen_[i].memory) {
            into.add(convert_value(declared, i, seen_[i].value_type, arguments[i]));
            continue;
        }
        Argument memory = launched_[i];
        memory.block = arguments[i].array->buffer().block().get();
        into.add(memory);
    }
    for (std::size_t i = arguments.size(); i < launched_.size(); ++i) into.add(launched_[i]);
}

std::uint64_t RecentCalls::hash(std::uint64_t generator, std::span<const CallArgument> arguments) {
    std::uint64_t h = generator;
    for (const CallArgument& argument : arguments) {
        if (!argument.array) continue;
        h ^= argument.array->buffer().handle_if_any() >> 4;
        h = (h + argument.array->offset_bytes()) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return h;
}

std::shared_ptr<const RecentCall> RecentCalls::find(std::uint64_t hash) const {
    std::lock_guard lock(lock_);
    return slots_[hash % slots_.size()].call;
}

bool RecentCalls::is_second(std::uint64_t hash) {
    std::lock_guard lock(lock_);
    return std::exchange(slots_[hash % slots_.size()].last_missed, hash) == hash;
}

void RecentCalls::remember(std::uint64_t hash, std::shared_ptr<const RecentCall> call) {
    std::lock_guard lock(lock_);
    slots_[hash % slots_.size()].call.swap(call);
}

}  // namespace gemel
