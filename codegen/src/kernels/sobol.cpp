/// Prints the kernel that computes Sobol' sequences.
#include <gemel/codegen/sobol.hpp>
#include <gemel/codegen/writer.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::codegen {

namespace {

/// The vector types that elements are stored in.
std::string lane(DType element) {
    if (element.size_bytes() == 2) return "ushort";
    if (element.is_integer()) return element.size_bytes() == 4 ? "uint" : "ulong";
    return element.name();
}

/// From the bits of a point to an element: truncated, so that 1 is never reached and no point leaves its interval.
std::string converted(DType element, const std::string& x) {
    if (element.is_integer()) return x;
    if (element.kind() == DType::Kind::bfloat) return text("store_bfloat16((float)(", x, " >> 24) * 3.90625e-3f).bits");
    switch (element.size_bytes()) {
        case 2: return text("store_float16((float)(", x, " >> 21) * 4.8828125e-4f).bits");
        case 4: return text("(float)(", x, " >> 8) * 5.9604644775390625e-8f");
        default: return text("(double)(", x, " >> 11) * 1.1102230246251565e-16");
    }
}

}  // namespace

int sobol_bits(DType element) {
    const std::uint32_t bytes = element.size_bytes();
    const bool is_real = element.is_floating() && bytes <= 8;
    if (element.lanes() > 1 || !(is_real || (element.kind() == DType::Kind::unsigned_integer && bytes >= 4)))
        throw ArgumentError(
            text("points of a Sobol' sequence are of type half, bfloat16, float, double, uint32_t or "
                 "uint64_t, not ",
                 element.name()));
    return bytes == 8 ? 64 : 32;
}

SobolTuning sobol_tuning(const DeviceInfo& info, DType element) {
    if (info.type == DeviceInfo::Type::cpu) return {.block = 1, .per_thread = 32, .wide_stores = false};
    return {.per_thread = element.size_bytes() == 8 ? 2 : 4};
}

std::string SobolFill::source(const Dialect& dialect) const {
    const int n = tuning.per_thread, bits = sobol_bits(element);
    const std::string type = lane(element), word = text("uint", bits, "_t"),
                      each = text("for (int e = 0; e < ", n, "; ++e)");
    Writer out(dialect);
    const auto open_each = [&] {
        if (tuning.wide_stores) out.unroll();
        out.open(each);
    };
    out.line("/* The place of the lowest 1; ", bits, " for 0. */");
    out.open_function("int32_t", "gemel_lowest", {word + " x"});
    out.line("return (int32_t)popcount((", word, ")((x & (~x + 1u)) - 1u));");
    out.close().blank();
    out.line(
        "/* Points of a Sobol' sequence in the order of Antonov and Saleev, 1979. What 2^k points add to a point's "
        "Gray code");
    out.line("   are two bits, so that a thread goes on by 2^k points with two exclusive ors. */");
    const std::string words = out.global_pointer(word, true);
    out.open_kernel("sobol", {text(out.global_pointer(element.name(), false), "out"), "int64_t offset", "int64_t count",
                              words + "directions", words + "shifts", word + " first", "int32_t dimensions",
                              "int32_t k", "int32_t turns"});
    const std::string pointer = out.global_pointer(type, false);
    out.line(pointer, "to = (", pointer, ")out + offset;");
    out.line("const int32_t tile = dimensions << k, threads = tile / ", n, ";");
    out.line("const int64_t part = GLOBAL_ID_0 / threads;");
    out.line("const int32_t begin = (int32_t)(GLOBAL_ID_0 - part * threads) * ", n, ";");
    out.line("int64_t at = part * turns * tile + begin;");
    out.line(word, " x[", n, "], number[", n, "], gray[", n, "], step[", n, "], bits = 0;");
    out.line("int32_t dimension[", n, "];");
    out.line("if (at >= count) return;");
    open_each();
    out.line("const int32_t row = (begin + e) / dimensions;");
    out.line("dimension[e] = begin + e - row * dimensions;");
    out.line("number[e] = first + ((", word, ")(part * turns) << k) + (", word, ")row;");
    out.line("gray[e] = number[e] ^ number[e] >> 1;");
    out.line("bits |= gray[e];");
    out.line("step[e] = k > 0 ? directions[(k - 1) * dimensions + dimension[e]] : 0u;");
    out.line("x[e] = shifts[dimension[e]];");
    out.close();
    out.open("for (int32_t bit = 0; bits != 0; ++bit, bits >>= 1)");
    open_each();
    out.line("x[e] ^= (0u - (gray[e] >> bit & 1u)) & directions[bit * dimensions + dimension[e]];");
    out.close().close();
    const auto advance = [&] {
        out.line("at += tile;");
        open_each();
        out.line("number[e] += (", word, ")1 << k;");
        out.line("x[e] ^= step[e] ^ directions[gemel_lowest(number[e] >> k << k) * dimensions + dimension[e]];");
        out.close();
    };
    out.line("int32_t turn = 0;");
    out.open("for (; turn < turns && at + ", n, " <= count; ++turn)");
    if (tuning.wide_stores) {
        std::vector<std::string> values;
        for (int e = 0; e < n; ++e) values.push_back(converted(element, text("x[", e, "]")));
        const std::string vector = text(type, n), to = out.global_pointer(vector, false);
        out.line("*(", to, ")(to + at) = make_", vector, "(", join(values), ");");
    } else {
        out.line(each, " to[at + e] = ", converted(element, "x[e]"), ";");
    }
    advance();
    out.close();
    out.open("if (turn < turns)");
    open_each();
    out.line("if (at + e < count) to[at + e] = ", converted(element, "x[e]"), ";");
    out.close().close().close();
    return out.take();
}

}  // namespace gemel::codegen
