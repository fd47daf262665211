/// Signatures of kernels and of generators: parsing and printing.
#include <gemel/core/signature.hpp>

#include "language/declaration.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>

namespace gemel {

namespace {

using Space = Parameter::Space;

class Writer {
   public:
    void number(std::uint64_t value) { (out_ += std::to_string(value)) += ' '; }
    void string(const std::string& value) {
        number(value.size());
        (out_ += value) += ' ';
    }
    std::string take() { return std::move(out_); }

   private:
    std::string out_;
};

class StorageReader {
   public:
    explicit StorageReader(std::string_view rest) : rest_(rest) {}

    std::uint64_t number(std::uint64_t limit) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc() || value > limit) damaged();
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        blank();
        return value;
    }
    std::string string() {
        const std::size_t size = number(rest_.size());
        if (size > rest_.size()) damaged();
        std::string value(rest_.substr(0, size));
        rest_.remove_prefix(size);
        blank();
        return value;
    }
    std::size_t left() const { return rest_.size(); }
    [[noreturn]] static void damaged() {
        throw Error("deserialize_signatures: the stored kernel signatures are damaged; compile the program again");
    }

   private:
    void blank() {
        if (rest_.empty() || rest_[0] != ' ') damaged();
        rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

constexpr std::string_view storage_format = "signatures-4";
constexpr std::uint64_t any_number = UINT32_MAX;

}  // namespace

std::string Parameter::text() const {
    if (space == Space::arena) return "SHARED_ARENA";
    if (space == Space::offset) return "LAUNCH_OFFSET";
    if (space > Space::arena || space == Space::barrier || space == Space::tensor_map)
        return gemel::text(type, "(", name, ")");
    std::string result;
    if (space == Space::shared) result += "LOCAL_MEM_ARG ";
    if (space == Space::constant) result += "CONSTANT_MEM ";
    if (is_const) result += "const ";
    result += type;
    if (is_pointer) result += result.ends_with('*') ? "*" : " *";
    if (!is_pointer && !name.empty()) result += ' ';
    return result + name;
}

std::size_t KernelSignature::argument_count() const {
    return static_cast<std::size_t>(
        std::count_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.is_supplied(); }));
}

bool KernelSignature::uses_images() const {
    return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.space > Space::arena; });
}

std::string KernelSignature::text() const {
    std::vector<std::string> parts;
    for (const Parameter& parameter : parameters)
        if (parameter.space != Space::part) parts.push_back(parameter.text());
    return name + "(" + join(parts) + ")";
}

std::vector<Parameter> parse_declarations(std::string_view declarations) {
    const auto refuse = [&](std::size_t position, const std::string& what) {
        throw ArgumentError(text("arguments \"", declarations, "\", character ", position + 1, ": ", what));
    };
    const std::vector<Token> tokens = tokenize(declarations);
    std::vector<Parameter> parameters;
    for (const std::span<const Token> part : split_at_commas(tokens)) {
        for (const Token& token : part)
            if (token.is("=")) refuse(token.position, "found '=', but arguments have no defaults; each call gives all");
        const auto behind = static_cast<std::size_t>(part.data() + part.size() - tokens.data());
        const std::size_t end = behind < tokens.size() ? tokens[behind].position : declarations.size();
        const std::string found = behind < tokens.size() ? "','" : "the end";
        Unreadable why{};
        const std::optional<Parameter> parameter = read_parameter(part, end, why);
        if (!parameter) {
            const auto at = std::find_if(part.begin(), part.end(),
                                         [&](const Token& token) { return token.position == why.position; });
            refuse(why.position,
                   text("expected ", why.expected, ", found ", at == part.end() ? found : text("'", at->text, "'")));
        }
        if ((!parameter->is_supplied() && parameter->space != Space::arena) || parameter->space == Space::tensor_map)
            refuse(part.front().position,
                   text("found '", parameter->text(), "', which only kernels of one's own have; leave it out"));
        if (parameter->name.empty())
            refuse(end, text("expected a name for the '", parameter->type, "', found ", found));
        for (const Parameter& other : parameters)
            if (other.name == parameter->name)
                refuse(part.front().position, text("the name '", other.name, "' is taken already"));
        parameters.push_back(*parameter);
    }
    return parameters;
}

std::string detail::serialize(const std::vector<KernelSignature>& signatures) {
    Writer writer;
    writer.string(std::string(storage_format));
    writer.number(signatures.size());
    for (const KernelSignature& signature : signatures) {
        writer.string(signature.name);
        writer.number(signature.required_block.has_value());
        for (const std::uint32_t extent : signature.required_block.value_or(std::array<std::uint32_t, 3>{}))
            writer.number(extent);
        writer.number(signature.parameters.size());
        for (const Parameter& p : signature.parameters) {
            writer.string(p.name);
            writer.string(p.type);
            // A layout is an address, which means nothing to another process; the type's name is stored.
            const DType dtype = p.dtype.layout() ? DType() : p.dtype;
            writer.number(static_cast<std::uint64_t>(dtype.kind()));
            writer.number(dtype.size_bytes());
            writer.number(dtype.lanes());
            writer.number(static_cast<std::uint64_t>(p.space));
            writer.number(p.is_pointer);
            writer.number(p.is_const);
            writer.number(p.dimensions);
            writer.number(p.is_layered);
        }
    }
    return writer.take();
}

std::vector<KernelSignature> detail::deserialize_signatures(std::string_view stored) {
    StorageReader reader(stored);
    if (reader.string() != storage_format) StorageReader::damaged();
    std::vector<KernelSignature> signatures(reader.number(reader.left()));
    for (KernelSignature& signature : signatures) {
        signature.name = reader.string();
        const bool has_block = reader.number(1) != 0;
        std::array<std::uint32_t, 3> block{};
        for (std::uint32_t& extent : block) extent = static_cast<std::uint32_t>(reader.number(any_number));
        if (has_block) signature.required_block = block;
        signature.parameters.resize(reader.number(reader.left()));
        for (Parameter& p : signature.parameters) {
            p.name = reader.string();
            p.type = reader.string();
            const auto kind = static_cast<DType::Kind>(reader.number(static_cast<unsigned>(DType::Kind::structure)));
            const auto size_bytes = static_cast<std::uint32_t>(reader.number(any_number));
            p.dtype = DType(kind, size_bytes, static_cast<std::uint8_t>(reader.number(255)));
            p.space = static_cast<Space>(reader.number(static_cast<unsigned>(Space::part)));
            p.is_pointer = reader.number(1) != 0;
            p.is_const = reader.number(1) != 0;
            p.dimensions = static_cast<std::uint8_t>(reader.number(3));
            p.is_layered = reader.number(1) != 0;
        }
    }
    if (reader.left() != 0) StorageReader::damaged();
    return signatures;
}

}  // namespace gemel
