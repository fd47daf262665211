#include <gemel/codegen/tuning_value.hpp>

#include <charconv>
#include <optional>

namespace gemel::tune {
namespace {

/// The number that a whole word is.
template <class T>
std::optional<T> whole_number(const std::string& word) {
    T value{};
    const char* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(word.data(), end, value);
    return failure == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

codegen::Value value_of_word(const std::string& word) {
    if (word == "true") return true;
    if (word == "false") return false;
    if (word.find_first_not_of("0123456789", word.starts_with('-') ? 1 : 0) == std::string::npos) {
        if (const auto integer = whole_number<std::int64_t>(word)) return *integer;
        if (const auto integer = whole_number<std::uint64_t>(word)) return *integer;
        return word;
    }
    // Not "inf" and "nan", which also are numbers to from_chars.
    const char first = word[word.starts_with('-') ? 1 : 0];
    if (first != '.' && (first < '0' || first > '9')) return word;
    if (const auto floating = whole_number<double>(word)) return *floating;
    return word;
}

}  // namespace gemel::tune
