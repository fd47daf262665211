/// KernelText: fills kernel templates, translates the portable words to a dialect, and renames the kernel's names that
/// collide with users' text.
#pragma once

#include <gemel/codegen/template.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

/// The options of the library's own templates: a line with only a tag leaves no empty line.
inline constexpr TemplateOptions kernel_template_options{.trim_blocks = true, .lstrip_blocks = true};

/// Fills templates of kernels. They are written in the portable words of docs/kernel-language.md (KERNEL, GLOBAL_MEM,
/// LID_0, local_barrier() ...), with UNROLL on a line of its own before a loop; finish() translates these words to the
/// dialect. A value of several lines is indented like its placeholder; an empty value on a line of its own removes the
/// line.
class GEMEL_API KernelText {
   public:
    using IsTaken = std::function<bool(std::string_view word)>;

    explicit KernelText(const Dialect& dialect) : dialect_(dialect) {}
    /// For text with users' snippets: appends '_' to names of the templates for which `is_taken` is true, except
    /// `kept`.
    KernelText(const Dialect& dialect, IsTaken is_taken, std::set<std::string, std::less<>> kept);

    /// Marks text that finish() must not change: users' text, and text that is already in the dialect.
    std::string verbatim(std::string text);
    /// Fills a template. The result can be a value of another template.
    std::string fill(const Template& kernel, Values values);
    /// The final spelling of a name of the templates.
    std::string name(std::string_view word) const;
    /// Translates the text to the dialect.
    std::string finish(std::string_view filled) const;

   private:
    struct Part {
        std::string text;
        bool verbatim;
    };
    std::string mark(std::string text, bool verbatim);
    std::string expand(std::string_view text, bool verbatim) const;
    std::string spell(std::string_view text) const;

    const Dialect& dialect_;
    IsTaken is_taken_;
    std::set<std::string, std::less<>> kept_;
    std::vector<Part> parts_;
    mutable std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace gemel::codegen
