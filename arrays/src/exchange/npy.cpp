#include <gemel/arrays/npy.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "exchange/npy_file.hpp"
#include "exchange/npy_format.hpp"
#include "exchange/output_file.hpp"
#include "rearrange/moving.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace gemel {

namespace npy {

void require_storable(std::string_view who, std::string_view what, const AnyArray& array) {
    require_array(who, what, array);
    if (array.rank() > max_axes)
        throw ArgumentError(text(who, ": ", what, " has ", array.rank(), " axes, but NumPy reads at most ", max_axes,
                                 "; reshape() makes fewer"));
}

std::vector<std::byte> to_bytes(const AnyArray& array) {
    const bool fortran_order = !array.is_contiguous(Order::C) && array.is_contiguous(Order::F);
    const std::string header = make_header(array.dtype(), array.shape(), fortran_order);
    std::vector<std::byte> bytes(header.size() + array.size_bytes());
    std::memcpy(bytes.data(), header.data(), header.size());
    // An array in Fortran order has the memory of the transposed array in C order.
    if (array.size() > 0) (fortran_order ? array.transpose() : array).get_bytes(bytes.data() + header.size());
    return bytes;
}

AnyArray to_array(const Context& context, const Header& header, std::span<std::byte> data, const DType* expected) {
    if (expected && !matches(header.element, *expected))
        throw ArgumentError(text("it holds ", describe(header.element), ", not ", expected->name(), ", which is ",
                                 describe(*expected)));
    const DType dtype = expected ? *expected : known_dtype(header.element);
    const AnyArray array(context, dtype, header.shape, header.fortran_order ? Order::F : Order::C);
    if (array.size() == 0) return array;
    const std::size_t bytes = header.element.size_bytes;
    to_native(header.element, data.first(array.size() * bytes));
    std::vector<std::byte> laid_out;
    if (!lies_as(header.element, dtype)) {
        laid_out.resize(array.size_bytes());
        for (std::size_t i = 0; i < array.size(); ++i)
            lay_out(header.element, dtype, data.data() + i * bytes, laid_out.data() + i * dtype.size_bytes());
    }
    const std::byte* const elements = laid_out.empty() ? data.data() : laid_out.data();
    (header.fortran_order ? array.transpose() : array).set_bytes(elements);
    return array;
}

AnyArray to_array(const Context& context, std::span<std::byte> file, const DType* expected) {
    const Header header = parse_header(file);
    check_size(header, file.size());
    return to_array(context, header, file.subspan(header.data_offset), expected);
}

void check_size(const Header& header, std::uint64_t bytes) {
    const std::uint64_t needed = header.shape.count() * header.element.size_bytes;
    if (bytes - header.data_offset < needed)
        throw Error(text("it is cut off: shape ", to_string(header.shape), " of ", describe(header.element), " needs ",
                         needed, " bytes after the header, but the file has ", bytes - header.data_offset));
}

InputFile::InputFile(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    const int failure = errno;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw Error("it cannot be opened: it is a folder");
    if (!stream_) throw Error(text("it cannot be opened: ", std::generic_category().message(failure)));
    stream_.seekg(0, std::ios::end);
    const auto end = stream_.tellg();
    if (!stream_ || end < 0) throw Error("it cannot be read");
    size_ = static_cast<std::uint64_t>(end);
}

std::vector<std::byte> InputFile::read(std::uint64_t offset, std::uint64_t bytes) {
    if (offset > size_ || bytes > size_ - offset)
        throw Error(text("it is cut off: ", bytes, " bytes at ", offset, " are missing from a file of ", size_));
    std::vector<std::byte> data(bytes);
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
    if (!stream_) throw Error(text("reading ", bytes, " bytes at ", offset, " failed"));
    return data;
}

}  // namespace npy

namespace {

AnyArray load(const Context& context, const std::filesystem::path& path, const DType* expected) {
    return npy::with_error_prefix("load_npy", "", path, [&] {
        npy::InputFile file(path);
        const std::uint64_t first = std::min<std::uint64_t>(file.size_bytes(), npy::prologue_bytes);
        const std::size_t length = npy::header_bytes(file.read(0, first));
        const npy::Header header = npy::parse_header(file.read(0, std::min<std::uint64_t>(length, file.size_bytes())));
        npy::check_size(header, file.size_bytes());
        std::vector<std::byte> data = file.read(header.data_offset, header.shape.count() * header.element.size_bytes);
        return npy::to_array(context, header, data, expected);
    });
}

}  // namespace

void save_npy(const std::filesystem::path& path, const AnyArray& array) {
    npy::require_storable("save_npy", "the array", array);
    const std::vector<std::byte> bytes = npy::to_bytes(array);
    npy::OutputFile file(path);
    file.write(bytes.data(), bytes.size());
    file.close();
}

AnyArray load_npy(const Context& context, const std::filesystem::path& path) { return load(context, path, nullptr); }

AnyArray load_npy(const Context& context, const std::filesystem::path& path, DType dtype) {
    return load(context, path, &dtype);
}

}  // namespace gemel
