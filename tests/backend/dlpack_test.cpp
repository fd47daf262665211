/// Tensors given away and taken back by DLPack. tests/interop/dlpack_python.py exchanges with NumPy, CuPy and PyTorch.
#include <gemel/arrays/dlpack.hpp>
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <limits>

using namespace gemel;
using namespace gemel::testing;
using namespace gemel::dlpack;

namespace {

/// A tensor in host memory that counts how often it is given back.
struct HostTensor {
    std::vector<float> values;
    std::vector<std::int64_t> shape, strides;
    int returned = 0;

    DLManagedTensor* managed(bool with_strides = true) {
        auto* const tensor = new DLManagedTensor{};
        tensor->dl_tensor = {.data = values.data(),
                             .device = {kDLCPU, 0},
                             .ndim = static_cast<std::int32_t>(shape.size()),
                             .dtype = {kDLFloat, 32, 1},
                             .shape = shape.data(),
                             .strides = with_strides ? strides.data() : nullptr,
                             .byte_offset = 0};
        tensor->manager_ctx = this;
        tensor->deleter = [](DLManagedTensor* self) {
            ++static_cast<HostTensor*>(self->manager_ctx)->returned;
            delete self;
        };
        return tensor;
    }
};

GPUArray<float> six(const Context& context) {
    const GPUArray<float> a(context, {2, 3});
    a.set(counting<float>(6));
    return a;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a tensor that comes back shares the memory") {
    const Context context = default_context();
    const GPUArray<float> a = six(context);
    DLManagedTensor* const tensor = to_dlpack(a);
    CHECK(tensor->dl_tensor.ndim == 2);
    CHECK(tensor->dl_tensor.shape[0] == 2);
    CHECK(tensor->dl_tensor.strides[0] == 3);
    CHECK(tensor->dl_tensor.dtype.code == kDLFloat);
    CHECK(tensor->dl_tensor.dtype.bits == 32);
    CHECK(tensor->dl_tensor.dtype.lanes == 1);
    CHECK(tensor->dl_tensor.device.device_type == (context.addresses_are_linear() ? kDLCUDA : kDLOpenCL));
    const auto back = from_dlpack<float>(context, tensor);
    CHECK(back.shape() == Shape(2, 3));
    back.fill(7);
    CHECK(a.get() == std::vector<float>(6, 7));
}

TEST_CASE("views keep their strides and places") {
    const Context context = default_context();
    const GPUArray<float> a = six(context);
    for (const GPUArray<float>& view :
         {a.transpose(), a(slice({}, {}, -1), slice(1, {})), a(1, slice({}, {}, -2)), a(1, 2)}) {
        const auto back = from_dlpack<float>(context, to_dlpack(view));
        CHECK(back.shape() == view.shape());
        CHECK(back.strides() == view.strides());
        CHECK(back.get() == view.get());
        const auto versioned = from_dlpack<float>(context, to_dlpack_versioned(view));
        CHECK(versioned.get() == view.get());
        const auto host = from_dlpack<float>(context, to_dlpack_host(view));
        CHECK(host.get() == view.get());
    }
}

TEST_CASE("the memory lives until the deleter is called") {
    const Context context = default_context();
    GPUArray<float> a = six(context);
    DLManagedTensor* const tensor = to_dlpack(a);
    a = GPUArray<float>();
    GPUArray<float> back = from_dlpack<float>(context, tensor);
    const GPUArray<float> part = back(1);
    back = GPUArray<float>();
    CHECK(part.get() == std::vector<float>{3, 4, 5});
    DLManagedTensor* const untouched = to_dlpack(part);
    untouched->deleter(untouched);
    CHECK(part.get() == std::vector<float>{3, 4, 5});
}

TEST_CASE("tensors in host memory are copied and given back at once") {
    const Context context = default_context();
    HostTensor host{{0, 1, 2, 3, 4, 5}, {2, 3}, {3, 1}};
    CHECK(from_dlpack<float>(context, host.managed()).get() == counting<float>(6));
    CHECK(from_dlpack<float>(context, host.managed(false)).get() == counting<float>(6));
    host.shape = {3, 2}, host.strides = {1, 3};
    CHECK(from_dlpack<float>(context, host.managed()).get() == std::vector<float>{0, 3, 1, 4, 2, 5});
    host.shape = {3, 0};
    CHECK(from_dlpack<float>(context, host.managed()).shape() == Shape(3, 0));
    CHECK(host.returned == 4);
}

TEST_CASE("tensors that do not suit are refused and given back") {
    const Context context = default_context();
    HostTensor host{{0, 1, 2, 3, 4, 5}, {6}, {1}};
    const auto refuses = [&](const auto& change, std::initializer_list<std::string_view> words) {
        const int before = host.returned;
        DLManagedTensor* const tensor = host.managed();
        change(tensor->dl_tensor);
        const std::string message = message_of<ArgumentError>([&] { from_dlpack<float>(context, tensor); });
        INFO(message);
        CHECK(mentions(message, words));
        CHECK(host.returned == before + 1);
    };
    refuses([](DLTensor& t) { t.dtype = {kDLFloat, 128, 1}; }, {"128 bits"});
    refuses([](DLTensor& t) { t.dtype = {17, 8, 1}; }, {"code 17"});
    refuses([](DLTensor& t) { t.dtype = {kDLInt, 32, 3}; }, {"3 lanes"});
    refuses([](DLTensor& t) { t.dtype = {kDLComplex, 64, 2}; }, {"code 5", "2 lanes"});
    refuses([](DLTensor& t) { t.dtype = {kDLFloat, 16, 2}; }, {"16 bits", "2 lanes"});
    refuses([](DLTensor& t) { t.dtype = {kDLBfloat, 16, 4}; }, {"code 4", "4 lanes"});
    refuses([](DLTensor& t) { t.dtype = {kDLBool, 8, 4}; }, {"code 6", "4 lanes"});
    refuses([](DLTensor& t) { t.dtype = {kDLInt, 32, 1}; }, {"int32_t", "float"});
    refuses([](DLTensor& t) { t.data = nullptr; }, {"(6,)", "no memory"});
    refuses([](DLTensor& t) { t.ndim = -1; }, {"0 axes or more", "got -1"});
    refuses([](DLTensor& t) { t.device = {static_cast<DLDeviceType>(10), 0}; }, {"(10, 0)"});
    refuses([](DLTensor& t) { t.device = {kDLCUDA, 77}; }, {"77"});
    CHECK_THROWS_AS(from_dlpack(context, static_cast<DLManagedTensor*>(nullptr)), ArgumentError);
    DLManagedTensorVersioned* const later = to_dlpack_versioned(six(context));
    later->version = {2, 0};
    CHECK_THROWS_MENTIONING(ArgumentError, from_dlpack(context, later), "version 2.0");
    CHECK_THROWS_AS(to_dlpack(GPUArray<float>()), ArgumentError);
}

TEST_CASE("a tensor whose elements lie misaligned on the device is refused") {
    const Context context = default_context();
    DLManagedTensor* const tensor = to_dlpack(six(context));
    tensor->dl_tensor.byte_offset += 2;
    tensor->dl_tensor.shape[0] = 1;
    CHECK_THROWS_MENTIONING(ArgumentError, from_dlpack(context, tensor), "float", "multiples of 4");
}

TEST_CASE("tensors whose extents and steps lie are refused and given back") {
    const Context context = default_context();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                           least = std::numeric_limits<std::int64_t>::min();
    using List = std::vector<std::int64_t>;
    const auto refuses = [&](const List& shape, const List& strides) {
        HostTensor lying{{1, 2, 3, 4}, shape, strides};
        CHECK_THROWS_AS(from_dlpack(context, lying.managed(!strides.empty())), ArgumentError);
        CHECK(lying.returned == 1);
        // The same as memory of the device, with a real one behind it.
        DLManagedTensor* const tensor = to_dlpack(six(context));
        List extents = shape, steps = strides;
        tensor->dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
        tensor->dl_tensor.shape = extents.data();
        tensor->dl_tensor.strides = strides.empty() ? nullptr : steps.data();
        CHECK_THROWS_AS(from_dlpack(context, tensor), ArgumentError);
    };
    refuses({most, most}, {});
    refuses({std::int64_t{1} << 32, std::int64_t{1} << 32}, {});
    refuses({0, most, most}, {});
    refuses({2, 2}, {most, 1});
    refuses({2, 2}, {least, 1});
    refuses({2, 2, 2, 2}, {most, most, most, most});
    refuses({3, 3}, {least, most});
    refuses({2}, {most / 2});
    refuses({most / 2}, {4});
    refuses({-1}, {1});
    CHECK(default_context().statistics().allocations > 0);  // and the context works
    HostTensor fine{{1, 2, 3, 4}, {1, 4}, {most, 1}};
    CHECK(from_dlpack<float>(context, fine.managed()).get() == std::vector<float>{1, 2, 3, 4});
    DLManagedTensor* const tensor = to_dlpack(six(context));
    tensor->dl_tensor.shape = nullptr;
    CHECK_THROWS_AS(from_dlpack(context, tensor), ArgumentError);
    // One row of the device's memory, by a step that nobody makes.
    DLManagedTensor* const row = to_dlpack(six(context)(slice(0, 1)));
    row->dl_tensor.strides[0] = least;
    const auto back = from_dlpack<float>(context, row);
    CHECK(back.get() == std::vector<float>{0, 1, 2});
    CHECK(back.copy().transpose().get() == back.get());
    CHECK(back(0, slice({}, {}, -1)).get() == std::vector<float>{2, 1, 0});
    CHECK(back.diagonal().get() == std::vector<float>{0});
    // Of no elements the steps say nothing.
    const GPUArray<float> none(six(context).buffer(), Shape{0, 4}, Strides{most, least});
    CHECK(none.copy().shape() == Shape{0, 4});
    CHECK(empty_like(none).size() == 0);
    CHECK(none.reshape({4, 0}).transpose().size() == 0);
}

TEST_CASE("what repeats its elements is given away to be read only") {
    const Context context = default_context();
    const GPUArray<float> a = six(context);
    const auto flags_of = [](DLManagedTensorVersioned* tensor) {
        const std::uint64_t flags = tensor->flags;
        tensor->deleter(tensor);
        return flags;
    };
    CHECK(flags_of(to_dlpack_versioned(a)) == 0);
    CHECK(flags_of(to_dlpack_versioned(a.broadcast_to({2, 2, 3}))) == read_only_flag);
    CHECK(flags_of(to_dlpack_host_versioned(a.broadcast_to({2, 2, 3}))) == is_copied_flag);
}

TEST_CASE("what may only be read is copied") {
    const Context context = default_context();
    const GPUArray<float> a = six(context);
    DLManagedTensorVersioned* const tensor = to_dlpack_versioned(a);
    tensor->flags |= read_only_flag;
    const auto copy = from_dlpack<float>(context, tensor);
    copy.fill(7);
    CHECK(a.get() == counting<float>(6));
}

TEST_CASE("types have DLPack's codes") {
    const Context context = default_context();
    const auto check = [&]<class T>(T, int code, int bits) {
        DLManagedTensor* const tensor = to_dlpack(GPUArray<T>(context, {2}));
        CHECK(tensor->dl_tensor.dtype.code == code);
        CHECK(tensor->dl_tensor.dtype.bits == bits);
        CHECK(from_dlpack<T>(context, tensor).shape() == Shape(2));
    };
    check(std::int8_t{}, kDLInt, 8);
    check(std::uint64_t{}, kDLUInt, 64);
    check(half{}, kDLFloat, 16);
    check(bfloat16{}, kDLBfloat, 16);
    check(cfloat{}, kDLComplex, 64);
    check(bool{}, kDLBool, 8);
}

TEST_SUITE_END();
