/// What dlpack_python.py calls through ctypes: arrays of gemel as DLPack tensors, and the way back.
#include <gemel/arrays/dlpack.hpp>
#include <gemel/gemel.hpp>

#include <cstdio>
#include <map>
#include <string>

namespace {

using namespace gemel;
std::map<int, GPUArray<float>> arrays;
int next_array = 0;
std::string message;

template <class Function>
auto guarded(const Function& function) -> decltype(function()) {
    try {
        message.clear();
        return function();
    } catch (const std::exception& error) {
        message = error.what();
        return {};
    }
}

}  // namespace

#define GEMEL_TEST_EXPORT extern "C" __attribute__((visibility("default")))

GEMEL_TEST_EXPORT const char* last_error() { return message.c_str(); }
/// "cuda", or empty where there is no device.
GEMEL_TEST_EXPORT const char* backend_name() {
    static std::string name;
    name = guarded([] { return default_context().device().backend(); });
    return name.c_str();
}
/// 0, 1, 2, ... with this shape. Returns a number for the array, 0 after an error.
GEMEL_TEST_EXPORT int make_array(int rows, int columns) {
    return guarded([&] {
        const GPUArray<float> array(default_context(), {rows, columns});
        std::vector<float> values(array.size());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
        array.set(values);
        arrays[++next_array] = array;
        return next_array;
    });
}
GEMEL_TEST_EXPORT int transposed(int array) {
    return guarded([&] {
        arrays[++next_array] = arrays.at(array).transpose();
        return next_array;
    });
}
GEMEL_TEST_EXPORT void* give(int array, int versioned, int on_host) {
    return guarded([&]() -> void* {
        const auto& a = arrays.at(array);
        if (versioned) return on_host ? dlpack::to_dlpack_host_versioned(a) : dlpack::to_dlpack_versioned(a);
        return on_host ? dlpack::to_dlpack_host(a) : dlpack::to_dlpack(a);
    });
}
GEMEL_TEST_EXPORT int take(void* tensor, int versioned) {
    return guarded([&] {
        const Context context = default_context();
        arrays[++next_array] = GPUArray<float>(
            versioned ? dlpack::from_dlpack(context, static_cast<dlpack::DLManagedTensorVersioned*>(tensor))
                      : dlpack::from_dlpack(context, static_cast<dlpack::DLManagedTensor*>(tensor)));
        return next_array;
    });
}
GEMEL_TEST_EXPORT void drop(int array) { arrays.erase(array); }
GEMEL_TEST_EXPORT int fill(int array, float value) {
    return guarded([&] {
        arrays.at(array).fill(value);
        arrays.at(array).context().synchronize();
        return 1;
    });
}
/// In C order of the indices.
GEMEL_TEST_EXPORT float element(int array, int index) {
    return guarded([&] { return arrays.at(array).get().at(static_cast<std::size_t>(index)); });
}
GEMEL_TEST_EXPORT unsigned long long address(int array) {
    return guarded([&] {
        const auto& a = arrays.at(array);
        return static_cast<unsigned long long>(a.buffer().native_handle() + a.buffer().offset_bytes() +
                                               a.offset_bytes());
    });
}
