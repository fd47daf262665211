/// gemel's exceptions. A message names the function, says what was expected and what was given, and ends with the next
/// step.
#pragma once

#include <gemel/core/export.hpp>

#include <stdexcept>
#include <string>

namespace gemel {

/// Base class of all exceptions that gemel throws.
class GEMEL_API Error : public std::runtime_error {
   public:
    explicit Error(const std::string& message);
    ~Error() override;
};

/// The selected backend or device cannot be used; the message lists what was tried and why each attempt failed.
class GEMEL_API BackendUnavailable : public Error {
   public:
    explicit BackendUnavailable(const std::string& message);
    ~BackendUnavailable() override;
};

/// Kernel text did not compile. `what()` shows the numbered source lines around each error.
class GEMEL_API CompileError : public Error {
   public:
    CompileError(const std::string& message, std::string source, std::string log);
    ~CompileError() override;
    /// The complete text that was compiled, including the prelude.
    const std::string& source() const noexcept { return source_; }
    /// The compiler's log.
    const std::string& log() const noexcept { return log_; }

   private:
    std::string source_, log_;
};

/// An argument is invalid. Nothing was launched, copied or changed.
class GEMEL_API ArgumentError : public Error {
   public:
    explicit ArgumentError(const std::string& message);
    ~ArgumentError() override;
};

/// Device memory or page-locked host memory ran out, after the pool had released all held blocks.
class GEMEL_API OutOfMemory : public Error {
   public:
    explicit OutOfMemory(const std::string& message);
    ~OutOfMemory() override;
};

/// A driver call failed.
class GEMEL_API DeviceError : public Error {
   public:
    DeviceError(const std::string& message, std::string call, int code, std::string code_name);
    ~DeviceError() override;
    /// The driver function, e.g. "cuMemcpyHtoDAsync".
    const std::string& call() const noexcept { return call_; }
    /// The driver's error code, e.g. 700.
    int code() const noexcept { return code_; }
    /// The driver's name of the error code, e.g. "CUDA_ERROR_ILLEGAL_ADDRESS".
    const std::string& code_name() const noexcept { return code_name_; }

   private:
    std::string call_;
    int code_;
    std::string code_name_;
};

/// The context is unusable, for example after a kernel faulted; the message names the last launches.
/// Its device memory is lost. `Context::reset()` makes the context usable again.
class GEMEL_API DeviceLost : public DeviceError {
   public:
    DeviceLost(const std::string& message, std::string call, int code, std::string code_name);
    ~DeviceLost() override;
};

}  // namespace gemel
