/// The one exception family. A message says who, what, the figures, and the next step.
#pragma once

#include <gemel/core/export.hpp>

#include <stdexcept>
#include <string>

namespace gemel {

/// Root of everything that gemel throws.
class GEMEL_API Error : public std::runtime_error {
   public:
    explicit Error(const std::string& message);
    ~Error() override;
};

/// A backend or device that was asked for cannot be used here; the message lists what was tried and why each failed.
class GEMEL_API BackendUnavailable : public Error {
   public:
    explicit BackendUnavailable(const std::string& message);
    ~BackendUnavailable() override;
};

/// Kernel text did not compile. `what()` shows the numbered source lines around each complaint.
class GEMEL_API CompileError : public Error {
   public:
    CompileError(const std::string& message, std::string source, std::string log);
    ~CompileError() override;
    /// The complete text that the compiler saw, prelude included.
    const std::string& source() const noexcept { return source_; }
    /// The compiler's own words.
    const std::string& log() const noexcept { return log_; }

   private:
    std::string source_, log_;
};

/// What the caller gave cannot be right; nothing was launched, copied or changed.
class GEMEL_API ArgumentError : public Error {
   public:
    explicit ArgumentError(const std::string& message);
    ~ArgumentError() override;
};

/// Memory ran out, on the device or for page-locked host memory, after the pool had given back what it held.
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
    /// The driver's number for the failure, e.g. 700.
    int code() const noexcept { return code_; }
    /// The driver's name for it, e.g. "CUDA_ERROR_ILLEGAL_ADDRESS".
    const std::string& code_name() const noexcept { return code_name_; }

   private:
    std::string call_;
    int code_;
    std::string code_name_;
};

/// The context is unusable, as after a kernel that faulted; the message names the last launches.
/// Device memory is gone; `Context::reset()` gives a working context again.
class GEMEL_API DeviceLost : public DeviceError {
   public:
    DeviceLost(const std::string& message, std::string call, int code, std::string code_name);
    ~DeviceLost() override;
};

}  // namespace gemel
