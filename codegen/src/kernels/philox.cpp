/// Fills the templates of kernels that draw random numbers.
#include <gemel/codegen/philox.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <gemel/codegen/substitute.hpp>
#include <gemel/core/tokens.hpp>

#include "philox_kernels.hpp"
#include "philox_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

namespace gemel::codegen {

namespace {

bool is_wide(DType element) { return element.size_bytes() == 8; }

std::string storage(DType element, const Dialect& dialect) {
    return element.kind() == DType::Kind::boolean ? dialect.bool_storage : element.name();
}

/// The type of an element in registers and vectors.
std::string lane(DType element) {
    switch (element.size_bytes()) {
        case 1: return "uchar";
        case 2: return "ushort";
        case 4: return element.is_floating() ? "float" : "uint";
        default: return element.is_floating() ? "double" : "ulong";
    }
}

/// A count of type double as an element; if it is not a count, the same NaN on every device.
std::string counted(DType element, const std::string& k) {
    const std::uint32_t bytes = element.size_bytes();
    if (element.is_integer()) {
        const std::uint32_t bits = std::min(8 * bytes - (element.kind() == DType::Kind::signed_integer ? 1 : 0), 53u);
        return text("(", lane(element), ")gemel_count(", k, ", ((uint64_t)1 << ", bits, ") - 1)");
    }
    const bool is_bfloat = element.kind() == DType::Kind::bfloat;
    if (bytes == 8) return text(k, " < 0.0 ? as_double((uint64_t)0x7FF8 << 48) : ", k);
    if (bytes == 4) return text(k, " < 0.0 ? as_float(0x7FC00000u) : (float)", k);
    return text(k, " < 0.0 ? (ushort)", is_bfloat ? "0x7FC0" : "0x7E00", " : ",
                is_bfloat ? "store_bfloat16" : "store_float16", "((float)", k, ").bits");
}

/// The properties of a distribution. Placeholders in its texts: ${real} is the type of the computation and ${size} its
/// bits; ${unsigned} is the type of a word and ${bits} its bits; ${word} is the element's word, ${i} its number, ${z}
/// its normally distributed number. blanks() defines the others.
struct Row {
    Distribution distribution;
    const char* sections;    ///< sections of philox_functions.inc and random_distributions.inc
    const char* parameters;  ///< of the kernel
    const char* value;       ///< of one element
    bool in_pairs = false;   ///< normally distributed numbers are computed in pairs
    /// Statements before the value; they may use `i`, the number of v[0] in the array, and `count`.
    const char* before = "";
};

constexpr Row rows[] = {
    {Distribution::bits, "", "", "${word}"},
    {Distribution::unit, "${unit_section}", "", "gemel_${unit}(${word})"},
    {Distribution::uniform, "${unit_section} ${at_most}", "${real} low, ${real} width, ${real} largest",
     "gemel_at_most(fma(gemel_${unit}(${word}), width, low), largest)"},
    {Distribution::normal, "log${size} normal${size}", "${real} mean, ${real} sigma", "fma(${z}, sigma, mean)", true},
    {Distribution::log_normal, "exp${size} log${size} normal${size}", "${real} mean, ${real} sigma",
     "gemel_exp(fma(${z}, sigma, mean))", true},
    {Distribution::exponential, "log${size}", "${real} scale", "scale * -gemel_log_unit(${word})"},
    {Distribution::integers, "below${bits}", "${unsigned} low, ${unsigned} range, ${unsigned} least",
     "low + gemel_below(${word}, ${i}, range, least, at, substream, stream, key_low, key_high)"},
    {Distribution::bernoulli, "", "uint64_t threshold", "${upper_half} < threshold${as_element}"},
    {Distribution::poisson, "poisson", "GLOBAL_MEM const uint64_t *table, int32_t size, uint64_t low",
     "(${count})(low + (uint64_t)gemel_count_until(table, size, ${word}))"},
    {Distribution::poisson_means, "log64 exp64 poisson_means", "GLOBAL_MEM const ${means} *means, int64_t means_offset",
     "${counted}", false,
     "const double k${i} = gemel_poisson(i + ${i} >= 0 && i + ${i} < count ? (double)means[means_offset + i + ${i}] : "
     "0.0, ${word}, ${i}, at, substream, stream, key_low, key_high);"},
};

const Row& row_of(Distribution distribution) {
    return *std::find_if(std::begin(rows), std::end(rows),
                         [&](const Row& r) { return r.distribution == distribution; });
}

int values_per_counter(const PhiloxFill& fill) { return 4 / philox_words(fill.distribution, fill.element); }

std::string word(const PhiloxFill& fill, int i) {
    const bool wide = philox_words(fill.distribution, fill.element) == 2;
    return wide ? text("gemel_wide(x[", 2 * i, "], x[", 2 * i + 1, "])") : text("x[", i, "]");
}

/// The values of the placeholders in a row's texts, for element i of a counter.
std::map<std::string, std::string> blanks(const PhiloxFill& fill, int i) {
    const DType element = fill.element;
    const bool wide = philox_words(fill.distribution, element) == 2, is_double = is_wide(element);
    const std::string real = is_double ? "double" : "float", unsigned_type = wide ? "uint64_t" : "uint32_t";
    const std::string unit = element.kind() == DType::Kind::bfloat ? "unit_8"
                             : element.size_bytes() == 2           ? "unit_11"
                                                                   : "unit";
    return {{"real", real},
            {"size", is_double ? "64" : "32"},
            {"bits", wide ? "64" : "32"},
            {"unsigned", unsigned_type},
            {"word", word(fill, i)},
            {"i", std::to_string(i)},
            {"z", text("z[", i, "]")},
            {"unit", unit},
            {"unit_section", is_double ? "unit64" : unit},
            {"at_most", is_double ? "at_most64" : "at_most"},
            {"upper_half", wide ? text("(", word(fill, i), " >> 32)") : text("(uint64_t)", word(fill, i))},
            {"as_element", element.is_floating() ? " ? 1.0f : 0.0f" : ""},
            {"count", element.is_floating() ? real : "uint64_t"},
            {"means", fill.means.name()},
            {"counted", counted(element, text("k", i))}};
}

/// Converts a value to an element in a register.
std::string stored(const PhiloxFill& fill, const std::string& value) {
    const DType element = fill.element;
    if (fill.distribution == Distribution::poisson_means) return value;  // converted by counted()
    if (element.kind() == DType::Kind::bfloat) return text("store_bfloat16(", value, ").bits");
    if (element.is_floating() && element.size_bytes() == 2) return text("store_float16(", value, ").bits");
    return element.is_floating() ? value : text("(", lane(element), ")(", value, ")");
}

/// ", low, width" of ", float low, float width".
std::string names_of(const std::string& parameters) {
    std::string names;
    const std::vector<Token> tokens = tokenize(parameters);
    for (std::size_t t = 0; t < tokens.size(); ++t)
        if (t + 1 == tokens.size() || (t > 0 && tokens[t + 1].is(","))) names.append(", ").append(tokens[t].text);
    return names;
}

const char* cipher_name(RandomCipher cipher) { return cipher == RandomCipher::philox ? "philox" : "threefry"; }

/// gemel_words() calls the cipher.
std::string with_cipher(std::string all, RandomCipher cipher) {
    const std::string_view word = "gemel_words";
    const std::string own = text("gemel_", cipher_name(cipher));
    for (std::size_t at = 0; (at = all.find(word, at)) != std::string::npos; at += own.size())
        all.replace(at, word.size(), own);
    return all;
}

std::string sections(const PhiloxFill& fill) {
    const char* const cipher = cipher_name(fill.cipher);
    std::string functions = philox_section(cipher);
    if (philox_words(fill.distribution, fill.element) == 2) functions += philox_section("wide");
    std::istringstream names(substitute(row_of(fill.distribution).sections, blanks(fill, 0)));
    for (std::string name; names >> name;) functions += philox_section(name);
    if (fill.tuning.lanes) functions += philox_section(text(cipher, "_lanes"));
    return functions;
}

/// The values of the templates.
Values values(const PhiloxFill& fill, const Dialect& dialect) {
    const Row& row = row_of(fill.distribution);
    const PhiloxTuning& tuning = fill.tuning;
    const int n = values_per_counter(fill);
    const bool needs_index = row.before[0] != '\0';
    Value::List words, elements;
    for (int i = 0; i < n; ++i) {
        const auto given = blanks(fill, i);
        words.push_back(given.at("word"));
        elements.push_back(
            Values{{"before", substitute(row.before, given)}, {"value", stored(fill, substitute(row.value, given))}});
    }
    const std::string own = substitute(row.parameters, blanks(fill, 0)), parameters = own.empty() ? own : ", " + own;
    return {{"n", n},
            {"cipher", cipher_name(fill.cipher)},
            {"lane", lane(fill.element)},
            {"real", is_wide(fill.element) ? "double" : "float"},
            {"storage", storage(fill.element, dialect)},
            {"parameters", parameters},
            {"arguments", names_of(parameters) + (needs_index ? ", first, shift, count" : "")},
            {"needs_index", needs_index},
            {"in_pairs", row.in_pairs},
            {"words", words},
            {"elements", elements},
            {"unroll", dialect.unroll},
            {"block", tuning.block},
            {"turns", tuning.counters_per_thread},
            {"wide_stores", tuning.wide_stores},
            {"shift", tuning.wide_stores ? fill.shift : 0}};
}

}  // namespace

DType philox_element(DType dtype) {
    if (dtype.kind() == DType::Kind::complex) return DType(DType::Kind::floating, dtype.size_bytes() / 2);
    return dtype.lane();
}

int philox_words(Distribution distribution, DType element) {
    const bool is_count = distribution == Distribution::poisson || distribution == Distribution::poisson_means;
    return is_count || is_wide(element) ? 2 : 1;
}

PhiloxTuning philox_tuning(const DeviceInfo& info, Distribution distribution, DType) {
    if (info.type == DeviceInfo::Type::cpu)
        return {.block = 1, .counters_per_thread = 1, .wide_stores = false, .lanes = true};
    // Wide stores with a shift draw each number twice, which is too slow for these distributions.
    if (distribution == Distribution::poisson_means) return {.counters_per_thread = 1, .wide_stores = false};
    return {};
}

std::string PhiloxFill::source(const Dialect& dialect) const {
    const Values given = values(*this, dialect);
    const Template& body = tuning.lanes ? philox_kernels::lanes() : philox_kernels::counters();
    return with_cipher(sections(*this) + philox_kernels::values().render(given) + body.render(given), cipher);
}

std::string PhiloxPermutation::source(const Dialect& dialect) const {
    return philox_section("permutation") +
           philox_kernels::permutation().render({{"storage", storage(element, dialect)}, {"element", element.name()}});
}

}  // namespace gemel::codegen
