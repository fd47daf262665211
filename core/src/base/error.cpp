/// Exceptions have their destructors here, so that each type's vtable and type information exist once, in libgemel.so.
#include <gemel/core/error.hpp>

#include <utility>

namespace gemel {

Error::Error(const std::string& message) : std::runtime_error(message) {}
Error::~Error() = default;

BackendUnavailable::BackendUnavailable(const std::string& message) : Error(message) {}
BackendUnavailable::~BackendUnavailable() = default;

CompileError::CompileError(const std::string& message, std::string source, std::string log)
    : Error(message), source_(std::move(source)), log_(std::move(log)) {}
CompileError::~CompileError() = default;

ArgumentError::ArgumentError(const std::string& message) : Error(message) {}
ArgumentError::~ArgumentError() = default;

OutOfMemory::OutOfMemory(const std::string& message) : Error(message) {}
OutOfMemory::~OutOfMemory() = default;

DeviceError::DeviceError(const std::string& message, std::string call, int code, std::string code_name)
    : Error(message), call_(std::move(call)), code_(code), code_name_(std::move(code_name)) {}
DeviceError::~DeviceError() = default;

DeviceLost::DeviceLost(const std::string& message, std::string call, int code, std::string code_name)
    : DeviceError(message, std::move(call), code, std::move(code_name)) {}
DeviceLost::~DeviceLost() = default;

}  // namespace gemel
