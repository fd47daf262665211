/// A compile request as a value: text, options, files, and the keys of its program in the caches.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/source.hpp>

#include "compile/includes.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

namespace plugin {
class Context;
}

/// The text that the compiler reads, and its name.
struct WholeText {
    std::string text;
    std::string shown_name;  ///< in compiler messages
    std::string kept;        ///< the file that contains it, for debuggers; may be empty
};

struct Request {
    /// @param marked     the text as given, possibly with a byte-order mark
    /// @param directory  the folder of the text, if it is a file
    /// @throws ArgumentError for texts and options that a compiler would misread
    Request(const plugin::Context& plugin, const std::string& marked, bool portable, const CompileOptions& given,
            const std::filesystem::path& directory);

    /// Identifies the program in this process.
    std::string memory_key() const;

    /// The required first lines, the portable words, then the user's lines numbered from 1. With `debug` the text is
    /// kept in a file.
    /// @param is_whole_program  no other units are linked with it
    WholeText whole_text(const Dialect& dialect, bool is_whole_program) const;

    /// Identifies the program in all processes.
    /// @param device       the device's name, for listings of the cache
    /// @param fingerprint  of the device, its driver and compiler
    std::string disk_key(const WholeText& whole, std::string_view device, std::string_view fingerprint) const;

    /// The program with all files that it includes, for finding kernels or words. Macros of included files come before
    /// their use.
    std::string with_includes(const std::string& program) const;

    /// The kernels' signatures. In native text, vectors whose size differs in CUDA's own language are unknown types.
    std::vector<KernelSignature> signatures() const;

    /// The source with gemel_kernel_begin, a word of the dialect's section "kernel_begin", in the bodies of all
    /// kernels; unchanged if there may be kernels whose bodies are not found.
    std::string begun_source() const;

    bool portable;
    CompileOptions options;  ///< including those of the environment; folders are absolute
    std::string source;      ///< without a byte-order mark
    Includes includes;
    std::vector<std::string> words;  ///< the options as passed to the compiler
};

}  // namespace gemel
