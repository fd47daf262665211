/// Reads and writes arrays as .npy files.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "exchange/npy_format.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

namespace gemel::npy {

/// @throws ArgumentError for an empty handle, and for more axes than a file can have
void require_storable(std::string_view who, std::string_view what, const AnyArray& array);
std::vector<std::byte> to_bytes(const AnyArray& array);
/// @param expected  the required element type; null: the file's
AnyArray to_array(const Context& context, const Header& header, std::span<std::byte> data, const DType* expected);
AnyArray to_array(const Context& context, std::span<std::byte> file, const DType* expected);
/// @throws Error if a file of this size cannot hold what the header says
void check_size(const Header& header, std::uint64_t bytes);

class InputFile {
   public:
    explicit InputFile(const std::filesystem::path& path);
    std::uint64_t size_bytes() const { return size_; }
    /// @throws Error if the file is too short
    std::vector<std::byte> read(std::uint64_t offset, std::uint64_t bytes);

   private:
    std::ifstream stream_;
    std::uint64_t size_ = 0;
};

/// Adds the function and the file's name before the message of an exception.
template <class Function>
auto with_error_prefix(const char* who, const std::string& entry, const std::filesystem::path& path,
                       const Function& function) {
    const auto name = [&] {
        return entry.empty() ? text(who, ": '", path.string(), "': ")
                             : text(who, ": '", entry, "' in '", path.string(), "': ");
    };
    try {
        return function();
    } catch (const OutOfMemory&) {
        throw;
    } catch (const DeviceError&) {
        throw;
    } catch (const ArgumentError& error) {
        throw ArgumentError(name() + error.what());
    } catch (const Error& error) {
        throw Error(name() + error.what());
    }
}

}  // namespace gemel::npy
