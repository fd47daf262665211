/// Kernel text from templates: filled, spelled in a dialect, its names kept apart from those of users' text.
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

/// How the library's own templates treat lines that hold nothing but a tag: they leave no line behind.
inline constexpr TemplateOptions kernel_template_options{.trim_blocks = true, .lstrip_blocks = true};

/// Fills templates of kernels. They are written in the portable words of docs/kernel-language.md (KERNEL, GLOBAL_MEM,
/// LID_0, local_barrier() ...), with UNROLL on a line of its own before a loop; finish() spells these words in the
/// dialect. A value of several lines is indented to where its blank stands, and an empty one on a line of its own
/// takes the line away.
class GEMEL_API KernelText {
   public:
    using IsTaken = std::function<bool(std::string_view word)>;

    explicit KernelText(const Dialect& dialect) : dialect_(dialect) {}
    /// With users' text in it: names of the templates that `is_taken` knows get a '_' behind them, but for `kept`.
    KernelText(const Dialect& dialect, IsTaken is_taken, std::set<std::string, std::less<>> kept);

    /// A value that finish() leaves as it is: users' text, and what has its final spelling.
    std::string verbatim(std::string text);
    /// A value or a whole text; it may stand in the values of another template.
    std::string fill(const Template& kernel, Values values);
    /// How a name of the templates is spelled in the end.
    std::string name(std::string_view word) const;
    /// The text in the dialect's words.
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
