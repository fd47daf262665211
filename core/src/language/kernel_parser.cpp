/// Finds the kernels defined in a program: parse_kernels().
#include "language/declaration.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace gemel {

namespace {

template <std::size_t N>
bool among(const std::string_view (&words)[N], std::string_view word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view markers[] = {"KERNEL", "__global__", "__kernel", "kernel"};
/// Words in a kernel's head that take a group in parentheses.
constexpr std::string_view attributes[] = {
    "REQD_WG_SIZE",      "RESIDENT_BLOCKS",  "GEMEL_CLUSTER_BLOCKS", "__attribute__", "__attribute",
    "__launch_bounds__", "__cluster_dims__", "__block_size__",       "__maxnreg__",   "__declspec"};
/// The portable words of parameter lists keep their meaning in a text that includes its prelude.
constexpr std::string_view vocabulary[] = {"GLOBAL_MEM",   "LOCAL_MEM",     "LOCAL_MEM_ARG",
                                           "CONSTANT_MEM", "RESTRICT",      "SHARED_ARENA",
                                           "GRID_BARRIER", "LAUNCH_OFFSET", "GEMEL_TENSOR_MAP"};
/// TEXTURE_2D, IMAGE_2D_WRITE and similar words.
bool is_image_word(std::string_view word) {
    const std::size_t rank = word.starts_with("TEXTURE_") ? 8 : word.starts_with("IMAGE_") ? 6 : word.size();
    const std::string_view rest = word.substr(rank);
    return rest.size() >= 2 && rest[0] >= '1' && rest[0] <= '3' && rest[1] == 'D';
}

/// The effect of the program's own macros and typedefs on parameter lists.
class Definitions {
   public:
    explicit Definitions(std::span<const Token> tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].kind == Token::Kind::directive) {
                directive(tokens[i].text);
            } else if (tokens[i].is("typedef") || tokens[i].is("using")) {
                type_alias(tokens, i + 1, tokens[i].is("using"));
            }
        }
    }

    /// Replaces macros by their bodies. Empty if one of the words is unreliable: it takes arguments, is defined
    /// differently several times or only under a condition, or hides a pointer.
    std::optional<std::vector<Token>> expand(std::span<const Token> tokens) const {
        std::vector<Token> result;
        for (const Token& token : tokens)
            if (!expand_into(result, token, 0)) return std::nullopt;
        return result;
    }

   private:
    static constexpr std::size_t max_tokens = 4096;
    static constexpr int deepest = 16;

    bool expand_into(std::vector<Token>& result, const Token& token, int depth) const {
        if (result.size() > max_tokens || depth > deepest) return false;
        if (!token.is_word() || among(vocabulary, token.text) || is_image_word(token.text)) {
            result.push_back(token);
            return true;
        }
        if (opaque_.contains(token.text)) return false;
        const auto macro = macros_.find(token.text);
        if (macro == macros_.end()) {
            result.push_back(token);
            return true;
        }
        for (Token part : macro->second) {
            part.position = token.position;
            if (!expand_into(result, part, depth + 1)) return false;
        }
        return true;
    }

    void directive(std::string_view line) {
        const std::vector<Token> tokens = tokenize(line.substr(1));
        if (tokens.empty()) return;
        const std::string_view what = tokens[0].text;
        if (what == "if" || what == "ifdef" || what == "ifndef") ++conditions_;
        if (what == "endif") conditions_ = std::max(conditions_ - 1, 0);
        if ((what != "define" && what != "undef") || tokens.size() < 2 || !tokens[1].is_word()) return;
        const Token& name = tokens[1];
        const bool takes_arguments =
            tokens.size() > 2 && tokens[2].is("(") && tokens[2].position == name.position + name.text.size();
        std::vector<Token> body(tokens.begin() + 2, tokens.end());
        const bool is_plain = what == "define" && conditions_ == 0 && !takes_arguments;
        const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
        const auto [known, is_new] = macros_.try_emplace(name.text, body);
        if (!is_plain ||
            (!is_new && !std::equal(known->second.begin(), known->second.end(), body.begin(), body.end(), same)))
            opaque_.insert(name.text);
    }

    /// Names of types that hide a pointer.
    void type_alias(std::span<const Token> tokens, std::size_t begin, bool is_using) {
        std::size_t end = begin;
        int depth = 0;
        bool has_pointer = false;
        std::set<std::string_view> names;
        for (; end < tokens.size(); ++end) {
            const Token& token = tokens[end];
            if (token.is(";") && depth == 0) break;
            if (token.is("typedef") || token.is("using")) break;  // parsed separately
            // Neither a struct's members nor an array's size define the name.
            if (token.is("{") || token.is("[")) ++depth;
            if ((token.is("}") || token.is("]")) && --depth < 0) return;
            if (depth > 0) continue;
            if (token.is("*") || token.is("(")) has_pointer = true;
            const bool is_last = end + 1 < tokens.size() && (tokens[end + 1].is(";") || tokens[end + 1].is(",") ||
                                                             tokens[end + 1].is(")") || tokens[end + 1].is("["));
            if (token.is_word() && (is_using ? end == begin : is_last)) names.insert(token.text);
        }
        if (has_pointer) opaque_.merge(names);
    }

    std::map<std::string_view, std::vector<Token>> macros_;
    std::set<std::string_view> opaque_;
    int conditions_ = 0;
};

/// REQD_WG_SIZE(16, 16, 1) or reqd_work_group_size(16, 1, 1), from the tokens of the word on.
std::optional<std::array<std::uint32_t, 3>> three_numbers(std::span<const Token> tokens) {
    if (tokens.size() < 8) return std::nullopt;
    std::array<std::uint32_t, 3> extents{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string_view digits = tokens[2 + 2 * i].text;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extents[i]);
        const std::string_view suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
        const bool is_plain = suffix.empty() || suffix == "u" || suffix == "U";
        if (error != std::errc() || !is_plain || extents[i] == 0) return std::nullopt;
        if (!tokens[1 + 2 * i].is(i == 0 ? "(" : ",")) return std::nullopt;
    }
    if (!tokens[7].is(")")) return std::nullopt;
    return extents;
}

/// A declaration with a kernel marker, from its first token on.
class Head {
   public:
    Head(std::span<const Token> tokens, std::size_t begin, std::size_t marker, const Definitions& definitions)
        : tokens_(tokens), at_(begin), marker_(marker), definitions_(definitions) {}

    /// The signature, if this is the definition of a kernel that can be parsed.
    std::optional<KernelSignature> read() {
        if (!find_name()) return std::nullopt;
        name_ = tokens_[at_].text;
        KernelSignature signature{.name = name_};
        const std::size_t open = at_ + 1;
        const std::optional<std::size_t> behind = behind_group(tokens_, open);
        if (!behind || !read_parameters(tokens_.subspan(open + 1, *behind - open - 2), signature.parameters))
            return std::nullopt;
        at_ = *behind;
        if (!is_definition()) return std::nullopt;
        signature.required_block = required_block_;
        return signature;
    }

    /// After read(): the position behind the brace that opens the kernel's body.
    std::size_t body() const { return tokens_[at_].position + 1; }

    /// The name of a kernel that cannot be parsed and has a body.
    const std::string& unreadable_name() const { return name_; }

   private:
    /// Advances to the kernel's name.
    bool find_name() {
        bool is_void = false;
        while (at_ < tokens_.size()) {
            const Token& token = tokens_[at_];
            const bool has_group = at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(");
            const bool is_before = at_ < marker_;
            if (token.kind == Token::Kind::directive) {
                if (!is_before) return false;  // the head depends on a condition
                ++at_;
            } else if (token.is("[")) {
                if (!skip_group()) return false;
            } else if (!token.is_word()) {
                if (!is_before && token.kind != Token::Kind::literal) return false;
                ++at_;
            } else if (token.is("template")) {
                return false;
            } else if (among(attributes, token.text) && has_group) {
                if (!attribute()) return false;
            } else if (has_group && is_void && !is_before && at_ != marker_) {
                return true;
            } else if (has_group) {
                if (!is_before) return false;
                ++at_;
                if (!skip_group()) return false;
            } else {
                is_void = is_void || token.is("void");
                ++at_;
            }
        }
        return false;
    }

    bool read_parameters(std::span<const Token> tokens, std::vector<Parameter>& parameters) const {
        for (const Token& token : tokens)
            if (token.kind == Token::Kind::directive) return false;
        const std::optional<std::vector<Token>> expanded = definitions_.expand(tokens);
        if (!expanded) return false;
        if (expanded->empty() || (expanded->size() == 1 && expanded->front().is("void"))) return true;
        std::set<std::string> names;
        for (const std::span<const Token> part : split_at_commas(*expanded)) {
            Unreadable why{};
            std::optional<Parameter> parameter = read_parameter(part, 0, why);
            if (!parameter) return false;
            // A single unknown word may be a macro from another file for several parameters.
            if (parameter->name.empty() && !parameter->is_pointer && parameter->dtype.empty()) return false;
            if (!parameter->name.empty() && !names.insert(parameter->name).second) return false;
            const Parameter& added = parameters.emplace_back(std::move(*parameter));
            if (added.space != Parameter::Space::texture) continue;
            const std::string base = added.name;
            for (const char* part : {"_facts", "_image", "_sampler"})
                parameters.push_back({.name = base + part, .type = "texture", .space = Parameter::Space::part});
        }
        return true;
    }

    /// The parameters must be followed by a body.
    bool is_definition() {
        while (at_ < tokens_.size() && !tokens_[at_].is("{")) {
            if (tokens_[at_].is(";")) name_.clear();
            if (tokens_[at_].is("(") || tokens_[at_].is("[")) {
                if (!skip_group()) return false;
            } else if (among(attributes, tokens_[at_].text) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(")) {
                if (!attribute()) return false;
            } else if (!tokens_[at_].is_word()) {
                return false;
            } else {
                ++at_;
            }
        }
        return at_ < tokens_.size();
    }

    /// Skips an attribute, and records the block size that it may require.
    bool attribute() {
        const std::size_t begin = at_++;
        if (!skip_group()) return false;
        for (std::size_t i = begin; i < at_; ++i) {
            if (!tokens_[i].is("REQD_WG_SIZE") && !tokens_[i].is("reqd_work_group_size") &&
                !tokens_[i].is("__reqd_work_group_size__"))
                continue;
            const std::optional<std::vector<Token>> expanded = definitions_.expand(tokens_.subspan(i, at_ - i));
            const auto block = expanded ? three_numbers(*expanded) : std::nullopt;
            // Two different ones must be under conditions.
            required_block_ = seen_block_ && block != required_block_ ? std::nullopt : block;
            seen_block_ = true;
        }
        return true;
    }

    bool skip_group() {
        const std::optional<std::size_t> behind = behind_group(tokens_, at_);
        if (behind) at_ = *behind;
        return behind.has_value();
    }

    std::span<const Token> tokens_;
    std::size_t at_, marker_;
    const Definitions& definitions_;
    std::optional<std::array<std::uint32_t, 3>> required_block_;
    bool seen_block_ = false;
    std::string name_;
};

}  // namespace

namespace {

/// Calls visit(head, signature) for each declaration that has a kernel's marker; the signature is empty if it is not
/// the definition of a kernel that can be read.
template <class Visit>
void visit_heads(std::span<const Token> tokens, Visit&& visit) {
    const Definitions definitions(tokens);
    std::size_t begin = 0;
    bool is_tried = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is(";") || tokens[i].is("{") || tokens[i].is("}")) {
            begin = i + 1;
            is_tried = false;
            continue;
        }
        if (is_tried || !tokens[i].is_word() || !among(markers, tokens[i].text)) continue;
        is_tried = true;
        Head head(tokens, begin, i, definitions);
        const std::optional<KernelSignature> found = head.read();
        visit(head, found);
    }
}

}  // namespace

std::vector<KernelSignature> parse_kernels(std::string_view program) {
    const std::vector<Token> tokens = tokenize(program);
    std::vector<KernelSignature> kernels;
    std::set<std::string> ambiguous;
    visit_heads(tokens, [&](const Head& head, const std::optional<KernelSignature>& found) {
        if (!found) {
            ambiguous.insert(head.unreadable_name());
            return;
        }
        const auto same_name = [&](const KernelSignature& other) { return other.name == found->name; };
        const auto other = std::find_if(kernels.begin(), kernels.end(), same_name);
        if (other == kernels.end()) {
            kernels.push_back(*found);
        } else if (*other != *found) {
            ambiguous.insert(found->name);
        }
    });
    std::erase_if(kernels, [&](const KernelSignature& kernel) { return ambiguous.contains(kernel.name); });
    return kernels;
}

std::vector<std::size_t> kernel_bodies(std::string_view program) {
    const std::vector<Token> tokens = tokenize(program);
    std::vector<std::size_t> bodies;
    bool reads_all = true;
    for (const Token& token : tokens)  // a macro may define kernels
        if (token.kind == Token::Kind::directive && mentions_kernel(token.text)) reads_all = false;
    visit_heads(tokens, [&](const Head& head, const std::optional<KernelSignature>& found) {
        if (found)
            bodies.push_back(head.body());
        else
            reads_all = false;
    });
    if (!reads_all) bodies.clear();
    return bodies;
}

bool mentions_kernel(std::string_view text) {
    return text.find("KERNEL") != text.npos || text.find("__global__") != text.npos;
}

}  // namespace gemel
