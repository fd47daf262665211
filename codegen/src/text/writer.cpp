#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

Writer& Writer::add_line(const std::string& text) {
    out_.append(static_cast<std::size_t>(4 * depth_), ' ').append(text) += '\n';
    return *this;
}

Writer& Writer::open_braces() {
    add_line("{");
    ++depth_;
    return *this;
}

Writer& Writer::close(std::string_view tail) {
    --depth_;
    return add_line(gemel::text("}", tail));
}

Writer& Writer::blank() {
    out_ += '\n';
    return *this;
}

Writer& Writer::lines(std::string_view text) {
    // Removes the common indentation of all lines.
    const auto indent_of = [](std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); };
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::size_t common = std::string_view::npos;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (indent_of(all[i]) < all[i].size() && (i > 0 || indent_of(all[i]) > 0 || all.size() == 1))
            common = std::min(common, indent_of(all[i]));
    for (std::string_view line : all) {
        line.remove_prefix(std::min(common, indent_of(line)));
        if (line.starts_with('#')) {
            out_.append(line) += '\n';
        } else if (line.empty()) {
            out_ += '\n';
        } else {
            add_line(std::string(line));
        }
    }
    return *this;
}

Writer& Writer::unroll() {
    if (!dialect_.unroll.empty()) out_.append(dialect_.unroll) += '\n';
    return *this;
}

Writer& Writer::barrier() { return add_line(dialect_.barrier + ";"); }

Writer& Writer::open_kernel(const std::string& name, const std::vector<std::string>& parameters, std::uint32_t block) {
    std::string head = dialect_.kernel;
    if (block && !dialect_.required_block.empty()) {
        std::string required = dialect_.required_block;
        const auto replace = [&](const std::string& from, const std::string& to) {
            for (std::size_t at = 0; (at = required.find(from, at)) != std::string::npos; at += to.size())
                required.replace(at, from.size(), to);
        };
        replace("(X) * (Y) * (Z)", std::to_string(block));
        replace("X, Y, Z", std::to_string(block) + ", 1, 1");
        head.append(" ").append(required);
    }
    head.append(" void ").append(name).append("(");
    // One parameter per line if they do not fit into one line.
    const std::string one_line = head + join(parameters) + ")";
    if (one_line.size() <= 120) {
        add_line(one_line);
    } else {
        add_line(head);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            add_line(gemel::text("        ", parameters[i], i + 1 < parameters.size() ? "," : ")"));
    }
    add_line("{");
    ++depth_;
    return *this;
}

Writer& Writer::open_function(const std::string& result, const std::string& name,
                              const std::vector<std::string>& parameters) {
    return open(dialect_.device_function, dialect_.device_function.empty() ? "" : " ", result, " ", name, "(",
                join(parameters), ")");
}

Writer& Writer::shared_array(const std::string& type, const std::string& name, std::size_t count) {
    return add_line(gemel::text(dialect_.shared_space, " ", type, " ", name, "[", count, "];"));
}

std::string Writer::global_pointer(const std::string& type, bool is_const) const {
    return dialect_.global_space + (dialect_.global_space.empty() ? "" : " ") + (is_const ? "const " : "") + type +
           " *";
}

std::string Writer::shared_pointer(const std::string& type) const {
    return dialect_.shared_pointer + (dialect_.shared_pointer.empty() ? "" : " ") + type + " *";
}

std::string storage_type(const DType& dtype, const Dialect& dialect) {
    return dtype.kind() == DType::Kind::boolean ? dialect.bool_storage : dtype.name();
}

std::string value_type(const DType& dtype) { return dtype.is_16_bit_float() ? "float" : dtype.name(); }

std::string wrapping_cast(const DType& dtype) {
    const bool is_unsigned = dtype.kind() == DType::Kind::unsigned_integer;
    if (!dtype.is_integer() || dtype.lanes() != 1 || (is_unsigned && dtype.size_bytes() >= 4)) return {};
    return dtype.size_bytes() == 8 ? "(uint64_t)" : "(uint32_t)";
}

std::string load_text(const DType& dtype, const std::string& stored) {
    if (dtype.kind() == DType::Kind::bfloat) return gemel::text("load_bfloat16(", stored, ")");
    return dtype.is_16_bit_float() ? gemel::text("load_float16(", stored, ")") : stored;
}

std::string store_text(const DType& dtype, const std::string& value) {
    if (dtype.kind() == DType::Kind::bfloat) return gemel::text("store_bfloat16(", value, ")");
    return dtype.is_16_bit_float() ? gemel::text("store_float16(", value, ")") : value;
}

}  // namespace gemel::codegen
