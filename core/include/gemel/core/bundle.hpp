/// Kernel bundles: a run records its compiled programs in one file, and machines without a compiler load them.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gemel {

struct BundleState;

/// Compiled programs, looked up by text and options, independent of the compiler. The target decides whether a program
/// fits a device: a cubin runs on its architecture and on newer ones of the same major version, PTX on its architecture
/// and all newer ones, an OpenCL binary only on the same device with the same driver.
class GEMEL_API KernelBundle {
   public:
    /// Makes an empty bundle.
    KernelBundle();
    /// @throws Error if the file cannot be read, is not a bundle or is damaged
    static KernelBundle load(const std::filesystem::path& file);
    /// Writes a temporary file and renames it. @throws Error if the file cannot be written
    void save(const std::filesystem::path& file) const;
    /// Adds the programs of another bundle; they replace programs with equal text, options and target.
    void merge(const KernelBundle& other);

    /// Makes every context of the process search this bundle before its cache and before it compiles. Several bundles
    /// may be in use; the latest is searched first. GEMEL_BUNDLE=<file> does the same without a call.
    void use() const;

    struct Entry {
        std::string name;     ///< the program's name in messages
        std::string dialect;  ///< "cuda", "opencl"
        std::string target;   ///< "sm_90", "compute_75", or the identity of an OpenCL device and its driver
        std::size_t bytes = 0;
    };
    /// The bundle's programs, sorted by name and target.
    std::vector<Entry> entries() const;

   private:
    friend class BundleRecorder;
    std::shared_ptr<BundleState> state_;
};

/// While it lives, records every program that the process compiles or loads from its cache: hand-written kernels,
/// generated kernels, expressions. GEMEL_BUNDLE_RECORD=<file> does the same without a call and adds to the file.
class GEMEL_API BundleRecorder {
   public:
    /// @param architectures  additional architectures for which CUDA programs are compiled: "sm_80", "compute_75".
    ///                       Programs linked from several units are recorded only for the device's own architecture.
    explicit BundleRecorder(std::vector<std::string> architectures = {});
    ~BundleRecorder();
    BundleRecorder(const BundleRecorder&) = delete;
    BundleRecorder& operator=(const BundleRecorder&) = delete;

    /// The programs recorded so far. Recording continues.
    const KernelBundle& bundle() const { return bundle_; }

   private:
    KernelBundle bundle_;
};

}  // namespace gemel
