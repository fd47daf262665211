/// Prints the portable words from a dialect's table.
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel {

namespace {

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

/// All words of a text, including those in comments and strings: an unneeded section does no harm, a missing one does.
std::set<std::string_view> words_of(std::string_view program) {
    std::set<std::string_view> words;
    for (std::size_t i = 0; i < program.size();) {
        if (!continues_word(program[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < program.size() && continues_word(program[i])) ++i;
        if (starts_word(program[begin])) words.insert(program.substr(begin, i - begin));
    }
    return words;
}

/// The sections of textures and images are large, so programs that cannot use them omit them.
bool is_of_images(const Dialect::Section& section) {
    const std::string_view word = section.words.empty() ? std::string_view() : section.words.front();
    return word.starts_with("TEXTURE") || word.starts_with("texture") || word.starts_with("image");
}

bool may_use_images(std::string_view program) {
    for (const char* const part : {"TEXTURE", "IMAGE", "texture", "image"})
        if (program.find(part) != std::string_view::npos) return true;
    return false;
}

class Printer {
   public:
    explicit Printer(const Dialect& dialect) : dialect_(dialect), printed_(dialect.sections.size()) {}

    void define(std::string_view word, std::string_view meaning) {
        out_.append("#define ").append(word);
        if (!meaning.empty()) out_.append(" ").append(meaning);
        out_ += '\n';
    }

    void define_if_absent(std::string_view word, std::string_view meaning) {
        if (meaning.empty() || meaning == word) return;
        out_.append("#ifndef ").append(word).append("\n");
        define(word, meaning);
        out_ += "#endif\n";
    }

    void define_axes(const std::string& word, const std::string& pattern) {
        for (int axis = 0; axis < 3; ++axis) define(word + std::to_string(axis), Dialect::indexed(pattern, axis));
    }

    void lines(std::string_view body) {
        out_ += body;
        if (!body.empty() && body.back() != '\n') out_ += '\n';
    }

    void macros() {
        const Dialect& d = dialect_;
        std::string name = d.native.empty() ? d.name : d.native;
        std::transform(name.begin(), name.end(), name.begin(), [](char c) {
            if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
            return continues_word(c) ? c : '_';
        });
        define("GEMEL_DIALECT_" + name, "1");
        lines(d.preamble);
        define("KERNEL", d.kernel);
        define("WITHIN_KERNEL", d.device_function);
        define("WITHIN_KERNEL_EXTERN", d.extern_function.empty() ? d.device_function : d.extern_function);
        define("GLOBAL_MEM", d.global_space);
        define("LOCAL_MEM", d.shared_space);
        define("LOCAL_MEM_ARG", d.shared_pointer);
        define("CONST_STATIC", d.constant_space);
        define("CONSTANT_MEM", d.constant_pointer);
        define("RESTRICT", d.restrict_word);
        define("REQD_WG_SIZE(X, Y, Z)", d.required_block);
        define_axes("LID_", d.thread_id);
        define_axes("GID_", d.block_id);
        define_axes("LDIM_", d.block_size);
        define_axes("GDIM_", d.grid_size);
        define_axes("GLOBAL_ID_", d.global_id);
        define_axes("GLOBAL_DIM_", d.global_size);
        define("local_barrier()", d.barrier);
        define_if_absent("INFINITY", d.infinity);
        define_if_absent("NAN", d.nan);
    }

    /// Renames kernels whose names are those of functions of the language.
    void rename_kernels(std::string_view program, const std::set<std::string_view>& used) {
        const auto& own = dialect_.own_functions;
        if (std::none_of(own.begin(), own.end(), [&](const std::string& name) { return used.contains(name); })) return;
        for (const KernelSignature& kernel : parse_kernels(program)) {
            if (std::find(own.begin(), own.end(), kernel.name) == own.end()) continue;
            out_.append("#undef ").append(kernel.name).append("\n");
            define(kernel.name, detail::renamed_kernel + kernel.name);
        }
    }

    void arena() {
        define("SHARED_ARENA", dialect_.arena_parameter);
        lines(dialect_.arena_declaration);
    }

    void section(std::size_t index) {
        if (printed_[index]) return;
        printed_[index] = true;
        const Dialect::Section& section = dialect_.sections[index];
        for (const std::string& need : section.needs) this->section(index_of(need, section));
        lines(section.text);
    }

    std::string take() { return std::move(out_); }

   private:
    std::size_t index_of(const std::string& need, const Dialect::Section& by) const {
        for (std::size_t i = 0; i < dialect_.sections.size(); ++i)
            if (dialect_.sections[i].name == need) return i;
        throw ArgumentError(text("dialect '", dialect_.name, "': section '", by.name, "' needs '", need,
                                 "', which is not among its sections"));
    }

    const Dialect& dialect_;
    std::vector<bool> printed_;
    std::string out_;
};

}  // namespace

std::string prelude(const Dialect& dialect, std::string_view program) {
    const std::set<std::string_view> used = words_of(program);
    Printer printer(dialect);
    if (program.find("##") != std::string_view::npos) {  // pasted words do not occur in the text
        const bool with_images = may_use_images(program);
        printer.macros();
        printer.arena();
        for (std::size_t i = 0; i < dialect.sections.size(); ++i)
            if (with_images || !is_of_images(dialect.sections[i])) printer.section(i);
        printer.rename_kernels(program, used);
        return printer.take();
    }
    printer.macros();
    if (used.contains("SHARED_ARENA") || used.contains("shared_arena")) printer.arena();
    for (std::size_t i = 0; i < dialect.sections.size(); ++i) {
        const std::vector<std::string>& words = dialect.sections[i].words;
        if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return used.contains(word); }))
            printer.section(i);
    }
    printer.rename_kernels(program, used);
    return printer.take();
}

std::string full_prelude(const Dialect& dialect) {
    Printer printer(dialect);
    printer.macros();
    printer.arena();
    for (std::size_t i = 0; i < dialect.sections.size(); ++i) printer.section(i);
    return printer.take();
}

}  // namespace gemel
