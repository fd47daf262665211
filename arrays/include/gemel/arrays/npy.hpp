/// Arrays in NumPy's files: .npy, and .npz with several by name.
///
/// All element types but bfloat16, which NumPy does not have: bool, integers, half, float, double, complex, and structs
/// with a GEMEL_STRUCT as structured types, field by field. Either byte order is read, the host's is written.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gemel {

/// Writes an array, in Fortran order if it has that, else in C order. Blocks. An existing file is replaced after the
/// new one is complete, and kept if writing fails.
/// @throws ArgumentError for an empty handle, for types that NumPy lacks and for more than its 64 axes; Error if the
///         file cannot be written
GEMEL_API void save_npy(const std::filesystem::path& path, const AnyArray& array);

/// Reads an array of the file's type. Blocks. Format versions 1.0 to 3.0.
/// @throws Error that names the file if it cannot be read, is damaged, or holds what gemel has no type for (objects,
/// strings, dates; structs, which load_npy<T> reads)
GEMEL_API AnyArray load_npy(const Context& context, const std::filesystem::path& path);
/// The same, where the file must hold this type. Of structs fields and their order must agree, but not where they lie:
/// NumPy packs them unless told `align=True`. @throws ArgumentError with both types
GEMEL_API AnyArray load_npy(const Context& context, const std::filesystem::path& path, DType dtype);
inline AnyArray load_npy(const std::filesystem::path& path) { return load_npy(current_context(), path); }
inline AnyArray load_npy(const std::filesystem::path& path, DType dtype) {
    return load_npy(current_context(), path, dtype);
}
template <ElementType T>
GPUArray<T> load_npy(const Context& context, const std::filesystem::path& path) {
    return GPUArray<T>(load_npy(context, path, dtype_of<T>()));
}
template <ElementType T>
GPUArray<T> load_npy(const std::filesystem::path& path) {
    return load_npy<T>(current_context(), path);
}

/// Writes arrays by name, uncompressed, as numpy.savez does; one after another, so that one of them at a time is in
/// host memory. An existing file is replaced when all is written. @throws ArgumentError for an empty name, and as
/// save_npy; Error if the file cannot be written
/// @param words  single strings besides, which become NumPy's bytes without axes
GEMEL_API void save_npz(const std::filesystem::path& path, const std::map<std::string, AnyArray>& arrays,
                        const std::map<std::string, std::string>& words = {});

/// An open .npz file, stored or deflated. Only the requested entries are read.
class GEMEL_API NpzFile {
   public:
    /// @throws Error if it cannot be read, is no such file, or has entries that overlap
    explicit NpzFile(const std::filesystem::path& path);

    /// The arrays' names without ".npy", in the order of the file. Entries whose names end otherwise are not listed.
    std::vector<std::string> names() const;
    bool contains(const std::string& name) const;
    /// @param name  of an array; or, in full, of another entry that is an .npy file all the same
    /// @throws Error if there is no such array (the message lists what there is), or as load_npy
    AnyArray load(const Context& context, const std::string& name) const;
    AnyArray load(const Context& context, const std::string& name, DType dtype) const;
    AnyArray load(const std::string& name) const { return load(current_context(), name); }
    AnyArray load(const std::string& name, DType dtype) const { return load(current_context(), name, dtype); }
    template <ElementType T>
    GPUArray<T> load(const Context& context, const std::string& name) const {
        return GPUArray<T>(load(context, name, dtype_of<T>()));
    }
    template <ElementType T>
    GPUArray<T> load(const std::string& name) const {
        return load<T>(current_context(), name);
    }

    /// A single string, of bytes or characters. @throws Error if there is no such entry, or it is no string
    std::string load_word(const std::string& name) const;

   private:
    struct Entry {
        std::string name;
        std::uint64_t offset = 0, packed_bytes = 0, bytes = 0;
        std::uint64_t end = 0;  ///< where the next entry or the directory begins
        std::uint32_t checksum = 0;
        std::uint16_t method = 0;
        bool is_array = false;  ///< its name ends in ".npy"
    };
    const Entry& find(const std::string& name) const;
    std::vector<std::byte> content(const Entry& entry) const;

    std::filesystem::path path_;
    std::vector<Entry> entries_;
};

/// All arrays of an .npz file by name, without structs. Other entries are ignored.
GEMEL_API std::map<std::string, AnyArray> load_npz(const Context& context, const std::filesystem::path& path);
inline std::map<std::string, AnyArray> load_npz(const std::filesystem::path& path) {
    return load_npz(current_context(), path);
}

}  // namespace gemel
