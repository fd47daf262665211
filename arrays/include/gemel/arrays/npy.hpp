/// Arrays in NumPy's files: .npy holds one array, .npz several named arrays.
///
/// Supports all element types except bfloat16, which NumPy lacks: bool, integers, half, float, double, complex, and
/// structs with a GEMEL_STRUCT, which become structured types. Reads either byte order and writes the host's.
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

/// Writes an array, in Fortran order if it is in Fortran order, else in C order. Blocks. An existing file is replaced
/// only when the new one is complete; it is kept if writing fails.
/// @throws ArgumentError for an empty handle, for types that NumPy lacks and for more than its 64 axes; Error if the
///         file cannot be written
GEMEL_API void save_npy(const std::filesystem::path& path, const AnyArray& array);

/// Reads an array of the file's type. Blocks. Format versions 1.0 to 3.0.
/// @throws Error that names the file if it cannot be read, is damaged, or has an element type that gemel lacks
/// (objects, strings, dates) or that only load_npy<T> reads (structs)
GEMEL_API AnyArray load_npy(const Context& context, const std::filesystem::path& path);
/// The same for a file that must hold this type. For structs, names, order and types of the fields must match; offsets
/// may differ, because NumPy packs fields unless told `align=True`. @throws ArgumentError with both types
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

/// Writes named arrays, uncompressed, as numpy.savez does. Arrays are written one at a time, so that host memory holds
/// only one of them. An existing file is replaced when all is written. @throws ArgumentError for an empty name, and as
/// save_npy; Error if the file cannot be written
/// @param words  additional strings, stored as NumPy bytes of rank 0
GEMEL_API void save_npz(const std::filesystem::path& path, const std::map<std::string, AnyArray>& arrays,
                        const std::map<std::string, std::string>& words = {});

/// An open .npz file, compressed or not. Only the requested entries are read.
class GEMEL_API NpzFile {
   public:
    /// @throws Error if the file cannot be read, is no .npz file, or has overlapping entries
    explicit NpzFile(const std::filesystem::path& path);

    /// The arrays' names without ".npy", in the order of the file. Entries with other names are not listed.
    std::vector<std::string> names() const;
    bool contains(const std::string& name) const;
    /// @param name  an array's name, or the full name of any other entry in .npy format
    /// @throws Error if there is no such array (the message lists the arrays), and as load_npy
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

    /// A single string, of bytes or characters. @throws Error if there is no such entry, or if it is not a string
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
