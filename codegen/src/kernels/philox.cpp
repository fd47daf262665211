/// Prints the kernels that draw random numbers.
#include <gemel/codegen/philox.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "philox_text.hpp"

#include <algorithm>
#include <string_view>

namespace gemel::codegen {

namespace {

std::string section(std::string_view name) {
    const std::string_view all = philox_text;
    const std::string head = text("//@ ", name, "\n");
    const std::size_t begin = all.find(head);
    if (begin == std::string_view::npos) throw Error(text("there is no text called '", name, "' for random numbers"));
    const std::size_t first = begin + head.size();
    return std::string(all.substr(first, all.find("//@ ", first) - first));
}

bool is_wide(DType element) { return element.size_bytes() == 8; }

std::string storage(DType element, const Dialect& dialect) {
    return element.kind() == DType::Kind::boolean ? dialect.bool_storage : element.name();
}

/// What one element is while it lies in a register, and vectors are made of.
std::string lane(DType element) {
    switch (element.size_bytes()) {
        case 1: return "uchar";
        case 2: return "ushort";
        case 4: return element.is_floating() ? "float" : "uint";
        default: return element.is_floating() ? "double" : "ulong";
    }
}

/// A count of type double as an element, the same NaN on every device for what is no count.
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

/// How a kernel of one distribution and type is put together.
struct Plan {
    std::string functions;   ///< sections
    std::string parameters;  ///< of the distribution, each with a comma before it
    std::string arguments;
    bool needs_index = false;             ///< its statements use the number i of v[0] in the array, and `count`
    std::vector<std::string> statements;  ///< from the words x[0..3] to the elements v[...]
};

Plan plan(const PhiloxFill& fill) {
    const DType element = fill.element;
    const int words = philox_words(fill.distribution, element), count = 4 / words;
    const bool wide = words == 2, real_is_double = is_wide(element);
    const std::string real = real_is_double ? "double" : "float", size = real_is_double ? "64" : "32";
    const std::string type = lane(element);
    Plan plan;
    plan.functions = section("philox");
    if (wide) plan.functions += section("wide");
    const auto word = [&](int i) {
        return wide ? text("gemel_wide(x[", 2 * i, "], x[", 2 * i + 1, "])") : text("x[", i, "]");
    };
    const auto stored = [&](const std::string& value) {
        if (element.kind() == DType::Kind::bfloat) return text("store_bfloat16(", value, ").bits");
        if (element.is_floating() && element.size_bytes() == 2) return text("store_float16(", value, ").bits");
        return element.is_floating() ? value : text("(", type, ")(", value, ")");
    };
    const auto each = [&](const auto& value) {
        for (int i = 0; i < count; ++i) plan.statements.push_back(text("v[", i, "] = ", stored(value(i)), ";"));
    };
    const auto pairs = [&](const auto& value) {  // of normal numbers
        plan.functions += section("log" + size) + section("normal" + size);
        plan.statements.push_back(text(real, " z[", count, "];"));
        for (int i = 0; i < count; i += 2)
            plan.statements.push_back(text("gemel_normal_pair(", word(i), ", ", word(i + 1), ", z",
                                           i > 0 ? text(" + ", i) : std::string(), ");"));
        each([&](int i) { return value(text("fma(z[", i, "], sigma, mean)")); });
    };
    switch (fill.distribution) {
        case Distribution::bits: each([&](int i) { return word(i); }); break;
        case Distribution::unit:
        case Distribution::uniform: {
            const std::string unit = element.kind() == DType::Kind::bfloat ? "unit_8"
                                     : element.size_bytes() == 2           ? "unit_11"
                                                                           : "unit";
            plan.functions += section(real_is_double ? "unit64" : unit);
            const bool is_unit = fill.distribution == Distribution::unit;
            if (!is_unit) {
                plan.functions += section(real_is_double ? "at_most64" : "at_most");
                plan.parameters = text(", ", real, " low, ", real, " width, ", real, " largest");
                plan.arguments = ", low, width, largest";
            }
            each([&](int i) {
                return is_unit ? text("gemel_", unit, "(", word(i), ")")
                               : text("gemel_at_most(fma(gemel_", unit, "(", word(i), "), width, low), largest)");
            });
            break;
        }
        case Distribution::normal:
        case Distribution::log_normal:
            plan.parameters = text(", ", real, " mean, ", real, " sigma");
            plan.arguments = ", mean, sigma";
            if (fill.distribution == Distribution::log_normal) plan.functions += section("exp" + size);
            pairs([&](const std::string& z) {
                return fill.distribution == Distribution::normal ? z : text("gemel_exp(", z, ")");
            });
            break;
        case Distribution::exponential:
            plan.functions += section("log" + size);
            plan.parameters = text(", ", real, " scale");
            plan.arguments = ", scale";
            each([&](int i) { return text("scale * -gemel_log_unit(", word(i), ")"); });
            break;
        case Distribution::integers: {
            const std::string unsigned_type = wide ? "uint64_t" : "uint32_t";
            plan.functions += section(wide ? "below64" : "below32");
            plan.parameters = text(", ", unsigned_type, " low, ", unsigned_type, " range, ", unsigned_type, " least");
            plan.arguments = ", low, range, least";
            each([&](int i) {
                return text("low + gemel_below(", word(i), ", ", i,
                            ", range, least, at, substream, stream, key_low, key_high)");
            });
            break;
        }
        case Distribution::bernoulli:
            plan.parameters = ", uint64_t threshold";
            plan.arguments = ", threshold";
            each([&](int i) {
                const std::string upper = wide ? text("(", word(i), " >> 32)") : text("(uint64_t)", word(i));
                const std::string is_one = text(upper, " < threshold");
                return element.is_floating() ? text(is_one, " ? 1.0f : 0.0f") : is_one;
            });
            break;
        case Distribution::poisson:
            plan.functions += section("poisson");
            plan.parameters = ", GLOBAL_MEM const uint64_t *table, int32_t size, uint64_t low";
            plan.arguments = ", table, size, low";
            each([&](int i) {
                return text("(", element.is_floating() ? real : "uint64_t",
                            ")(low + (uint64_t)gemel_count_until(table, size, ", word(i), "))");
            });
            break;
        case Distribution::poisson_means:
            plan.functions += section("log64") + section("exp64") + section("poisson_means");
            plan.parameters = text(", GLOBAL_MEM const ", fill.means.name(), " *means, int64_t means_offset");
            plan.arguments = ", means, means_offset";
            plan.needs_index = true;
            for (int i = 0; i < count; ++i) {
                plan.statements.push_back(text("const double k", i, " = gemel_poisson(i + ", i, " >= 0 && i + ", i,
                                               " < count ? (double)means[means_offset + i + ", i, "] : 0.0, ", word(i),
                                               ", ", i, ", at, substream, stream, key_low, key_high);"));
                plan.statements.push_back(text("v[", i, "] = ", counted(element, text("k", i)), ";"));
            }
            break;
    }
    return plan;
}

constexpr const char* position_parameters =
    "uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high";
constexpr const char* position_arguments = "substream, stream, key_low, key_high";
/// What the kernel has under these names.
constexpr const char* index_parameters = ", uint64_t first, int32_t shift, int64_t count";
constexpr const char* index_arguments = ", first, shift, count";

/// From the words of one counter to its elements.
std::string values_function(const PhiloxFill& fill, const Plan& plan) {
    std::string out = text("WITHIN_KERNEL void gemel_values(const uint32_t *x, ", position_parameters, plan.parameters,
                           plan.needs_index ? index_parameters : "", ", ", lane(fill.element), " *v)\n{\n");
    if (plan.needs_index)
        out += text("    const int64_t i = ", 4 / philox_words(fill.distribution, fill.element),
                    " * (int64_t)(at - first) - shift;\n");
    for (const std::string& statement : plan.statements) out += text("    ", statement, "\n");
    return out + "}\n";
}

/// "v[1], v[2]"
std::string listed(int first, int count) {
    std::vector<std::string> parts;
    for (int i = first; i < first + count; ++i) parts.push_back(text("v[", i, "]"));
    return join(parts);
}

/// One counter at a time: neighbouring threads take neighbouring counters. Blocks whose elements are all wanted store
/// without asking. Were the two ways mixed for each thread, NVRTC (13.0) would tear wide stores apart to share their
/// pieces.
std::string body(const PhiloxFill& fill, const Plan& plan, const Dialect& dialect) {
    const PhiloxTuning& tuning = fill.tuning;
    const int n = 4 / philox_words(fill.distribution, fill.element), shift = tuning.wide_stores ? fill.shift : 0;
    const int turns = tuning.counters_per_thread, block = tuning.block;
    const std::string type = lane(fill.element), vector = text(type, n);
    std::string out, indent = "    ";
    const auto line = [&](const auto&... parts) { out += text(indent, parts..., "\n"); };
    const auto unroll = [&] {
        if (!dialect.unroll.empty()) line(dialect.unroll);
    };
    const auto draw = [&] {
        const auto one = [&](const char* more, const std::string& to) {
            line("gemel_philox(at", more, ", ", position_arguments, ", x);");
            line("gemel_values(x, at", more, ", ", position_arguments, plan.arguments,
                 plan.needs_index ? index_arguments : "", ", ", to, ");");
        };
        line("const uint64_t at = first + (uint64_t)t;");
        line("uint32_t x[4];");
        line(type, " v[", shift > 0 ? 2 * n : n, "];");
        one("", "v");
        if (shift > 0) one(" + 1", text("v + ", n));
    };
    line("const int64_t begin = (int64_t)GID_0 * ", block * turns, ";");
    if (tuning.wide_stores) {
        line("if (", n, " * (begin + ", block * turns, ") <= count) {");
        indent = "        ";
        unroll();
        line("for (int turn = 0; turn < ", turns, "; ++turn) {");
        indent = "            ";
        line("const int64_t t = begin + turn * ", block, " + LID_0;");
        draw();
        line("((GLOBAL_MEM ", vector, " *)to)[t] = make_", vector, "(", listed(shift, n), ");");
        out += "        }\n        return;\n    }\n";
        indent = "    ";
    }
    line("for (int turn = 0; turn < ", turns, "; ++turn) {");
    indent = "        ";
    line("const int64_t t = begin + turn * ", block, " + LID_0, i = ", n, " * t", tuning.wide_stores ? "" : " - shift",
         ";");
    line("if (i >= count) return;");
    draw();
    for (int e = 0; e < n; ++e)
        line("if (", tuning.wide_stores ? "" : text("i + ", e, " >= 0 && "), "i + ", e, " < count) to[i + ", e,
             "] = v[", shift + e, "];");
    return out + "    }\n";
}

/// A run of counters per thread, 32 at a time.
std::string lanes_body(const PhiloxFill& fill, const Plan& plan) {
    const int n = 4 / philox_words(fill.distribution, fill.element);
    return text(R"(    const int64_t begin = GLOBAL_ID_0 * run;
    for (int64_t t = begin; t < begin + run && )",
                n, R"( * t - shift < count; t += 32) {
        const int64_t i = )",
                n, R"( * t - shift;
        const uint64_t at = first + (uint64_t)t;
        uint32_t x[128];
        )",
                lane(fill.element), " v[", 32 * n, R"(];
        gemel_philox_lanes(at, )",
                position_arguments, R"(, x);
        for (int k = 0; k < 32; ++k)
            gemel_values(x + 4 * k, at + (uint64_t)k, )",
                position_arguments, plan.arguments, plan.needs_index ? index_arguments : "", ", v + ", n, R"( * k);
        if (i >= 0 && i + )",
                32 * n, R"( <= count) {
            for (int k = 0; k < )",
                32 * n, R"(; ++k) to[i + k] = v[k];
        } else {
            for (int k = 0; k < )",
                32 * n, R"(; ++k)
                if (i + k >= 0 && i + k < count) to[i + k] = v[k];
        }
    }
)");
}

}  // namespace

DType philox_element(DType dtype) {
    if (dtype.kind() == DType::Kind::complex) return DType(DType::Kind::floating, dtype.size_bytes() / 2);
    if (dtype.lanes() > 1) return DType(dtype.kind(), dtype.size_bytes() / dtype.lanes());
    return dtype;
}

int philox_words(Distribution distribution, DType element) {
    const bool is_count = distribution == Distribution::poisson || distribution == Distribution::poisson_means;
    return is_count || is_wide(element) ? 2 : 1;
}

PhiloxTuning philox_tuning(const DeviceInfo& info, Distribution distribution, DType) {
    if (info.type == DeviceInfo::Type::cpu)
        return {.block = 1, .counters_per_thread = 1, .wide_stores = false, .lanes = true};
    // Wide stores from within a counter draw each number twice, which these are too slow for.
    if (distribution == Distribution::poisson_means) return {.counters_per_thread = 1, .wide_stores = false};
    return {};
}

std::string PhiloxFill::source(const Dialect& dialect) const {
    const Plan plan = codegen::plan(*this);
    return plan.functions + (tuning.lanes ? section("philox_lanes") : std::string()) + values_function(*this, plan) +
           text("KERNEL void philox(GLOBAL_MEM ", storage(element, dialect),
                " *out, int64_t offset, int64_t count, uint64_t first, uint32_t substream,\n"
                "                   uint32_t stream, uint32_t key_low, uint32_t key_high, int32_t shift, int32_t run",
                plan.parameters, ")\n{\n    GLOBAL_MEM ", lane(element), " *to = (GLOBAL_MEM ", lane(element),
                " *)out + offset;\n") +
           (tuning.lanes ? lanes_body(*this, plan) : body(*this, plan, dialect)) + "}\n";
}

std::string PhiloxPermutation::source(const Dialect& dialect) const {
    return section("permutation") +
           text("KERNEL void philox_permutation(GLOBAL_MEM ", storage(element, dialect),
                " *out, int64_t offset, int64_t count, int32_t left_bits, int32_t right_bits,\n"
                "                               gemel_permutation_keys keys)\n{\n"
                "    const int64_t i = GLOBAL_ID_0;\n"
                "    if (i < count)\n"
                "        out[offset + i] = (",
                element.name(), ")gemel_permuted((uint64_t)i, (uint64_t)count, left_bits, right_bits, &keys);\n}\n");
}

}  // namespace gemel::codegen
