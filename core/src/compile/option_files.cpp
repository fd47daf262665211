#include "compile/option_files.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>

namespace gemel {
namespace {

constexpr std::array<std::string_view, 5> folder_flags{"--include-path", "-isystem", "-iquote", "-idirafter", "-I"};
constexpr std::array<std::string_view, 3> file_flags{"--pre-include", "-include", "-imacros"};
/// Options that make a program depend on files that are not followed.
constexpr std::array<std::string_view, 15> unknown_flags{
    "@",    "-include-pch", "--include", "--config",          "--sysroot", "-Xclang",        "-Xpreprocessor",
    "-Wp,", "-fmo",         "-fplugin",  "-fprebuilt-module", "-fprofile", "--options-file", "-optf",
    "-F"};
constexpr std::array<std::string_view, 5> unknown_words{"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_include",
                                                        "-pch"};

class Reader {
   public:
    void read(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string* const next = i + 1 < words.size() ? &words[i + 1] : nullptr;
            if (const auto value = value_of(words[i], next, folder_flags)) {
                add(found_.folders, *value);
            } else if (const auto file = file_value(words[i], next)) {
                add(found_.included, *file);
            } else {
                check(words[i]);
            }
        }
    }
    void refuse(const std::string& word) {
        if (found_.why_not.empty()) found_.why_not = text("the option ", word, " may name files");
    }
    OptionFiles take() { return std::move(found_); }

   private:
    static std::optional<std::string> file_value(const std::string& word, const std::string* next) {
        return word.starts_with("-include-pch") ? std::nullopt : value_of(word, next, file_flags);
    }

    /// The value of a flag, in the same word or the next one.
    template <std::size_t n>
    static std::optional<std::string> value_of(std::string_view word, const std::string* next,
                                               const std::array<std::string_view, n>& flags) {
        for (const std::string_view flag : flags) {
            if (!word.starts_with(flag)) continue;
            std::string_view rest = word.substr(flag.size());
            if (rest.starts_with('=')) rest.remove_prefix(1);
            if (rest.empty()) return next ? std::optional(*next) : std::nullopt;
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
            return std::string(rest);
        }
        return std::nullopt;
    }

    void check(const std::string& word) {
        const auto begins = [&](std::string_view flag) { return word.starts_with(flag); };
        const auto holds = [&](std::string_view part) { return word.find(part) != std::string::npos; };
        if (begins("-i") || std::any_of(unknown_flags.begin(), unknown_flags.end(), begins) ||
            std::any_of(unknown_words.begin(), unknown_words.end(), holds))
            refuse(word);
    }

    template <class T>
    void add(std::vector<T>& list, const std::string& value) {
        if (value.find_first_of("\"'\\") != std::string::npos) refuse(value);  // who would remove them?
        if (!value.empty() && std::find(list.begin(), list.end(), value) == list.end()) list.emplace_back(value);
    }

    OptionFiles found_;
};

}  // namespace

OptionFiles files_of_options(const std::vector<std::string>& words) {
    Reader reader;
    reader.read(words);
    // OpenCL takes a single string, in which a word with a blank is two words.
    std::vector<std::string> pieces;
    for (const std::string& word : words) {
        std::istringstream line(word);
        for (std::string piece; line >> piece;) pieces.push_back(piece);
    }
    reader.read(pieces);
    return reader.take();
}

}  // namespace gemel
