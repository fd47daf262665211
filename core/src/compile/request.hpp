/// A compile request as a value: text, options, files, and the keys under which its program is cached.
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
    std::string shown_name;  ///< in the compiler's messages
    std::string kept;        ///< the file that holds it, for debuggers; empty where there is none
};

struct Request {
    /// @param marked     the text as given, perhaps with a mark of its encoding
    /// @param directory  where the text lies, if it is a file
    /// @throws ArgumentError for texts and options that would reach a compiler as something else than was meant
    Request(const plugin::Context& plugin, const std::string& marked, bool portable, const CompileOptions& given,
            const std::filesystem::path& directory);

    /// Which program of this process it is.
    std::string memory_key() const;

    /// What must come first, the portable words, then the user's lines numbered from 1. With `debug` it is kept as a
    /// file.
    /// @param is_whole_program  no other units are linked with it
    WholeText whole_text(const Dialect& dialect, bool is_whole_program) const;

    /// Which program of any process it is.
    /// @param device       the device's name, for people who list the cache
    /// @param fingerprint  of the device, its driver and compiler
    std::string disk_key(const WholeText& whole, std::string_view device, std::string_view fingerprint) const;

    /// The program with all that it includes, for whoever reads kernels or words out of it. Macros of included files
    /// come before their use.
    std::string with_includes(const std::string& program) const;

    /// Of its kernels. Vectors whose size is another in CUDA's own language are unknown types in native text.
    std::vector<KernelSignature> signatures() const;

    /// The source with gemel_kernel_begin, a word of the dialect's section "kernel_begin", in the bodies of all
    /// kernels; unchanged if there may be kernels whose bodies are not found.
    std::string begun_source() const;

    bool portable;
    CompileOptions options;  ///< with the environment's; folders are absolute
    std::string source;      ///< without the mark
    Includes includes;
    std::vector<std::string> words;  ///< the options as the compiler takes them
};

}  // namespace gemel
