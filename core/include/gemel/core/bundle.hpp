/// Compiled programs in one file, for machines without a compiler: what a run has compiled is recorded, and loaded
/// there.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gemel {

struct BundleState;

/// Programs by their text and options. A program is found again whatever compiler made it, or none is there; its target
/// decides whether it fits a device: a cubin runs on its architecture and newer ones of the same first digit, PTX on
/// all newer ones, an OpenCL binary where device and driver are the same.
class GEMEL_API KernelBundle {
   public:
    /// Empty.
    KernelBundle();
    /// @throws Error if the file cannot be read, is no bundle or is damaged
    static KernelBundle load(const std::filesystem::path& file);
    /// Writes beside and renames. @throws Error if that cannot be done
    void save(const std::filesystem::path& file) const;
    /// Adds the programs of another; of equal ones the other's stays.
    void merge(const KernelBundle& other);

    /// From now on every context of the process looks for programs here first: before its cache, and before it
    /// compiles. Several bundles may be in use; the latest comes first. GEMEL_BUNDLE=<file> does so for a program that
    /// says nothing.
    void use() const;

    struct Entry {
        std::string name;     ///< what messages call the program
        std::string dialect;  ///< "cuda", "opencl"
        std::string target;   ///< "sm_90", "compute_75", or what identifies an OpenCL device and its driver
        std::size_t bytes = 0;
    };
    /// What there is, by name and target.
    std::vector<Entry> entries() const;

   private:
    friend class BundleRecorder;
    std::shared_ptr<BundleState> state_;
};

/// Records every program that the process compiles or loads from its cache, as long as it lives: hand-written kernels,
/// generated ones, expressions. GEMEL_BUNDLE_RECORD=<file> does so for a program that says nothing, and adds to the
/// file.
class GEMEL_API BundleRecorder {
   public:
    /// @param architectures  further ones for which CUDA programs are compiled as well: "sm_80", "compute_75". Programs
    ///                       that are linked of several units are recorded for the device's own alone.
    explicit BundleRecorder(std::vector<std::string> architectures = {});
    ~BundleRecorder();
    BundleRecorder(const BundleRecorder&) = delete;
    BundleRecorder& operator=(const BundleRecorder&) = delete;

    /// What has been recorded so far; goes on growing.
    const KernelBundle& bundle() const { return bundle_; }

   private:
    KernelBundle bundle_;
};

}  // namespace gemel
