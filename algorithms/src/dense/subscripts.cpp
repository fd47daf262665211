#include "dense/subscripts.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>

namespace gemel::dense {
namespace {

constexpr char ellipsis_mark = '.';  ///< stands for "..." in a term

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Parses subscripts for one call.
class Reader {
   public:
    Reader(const char* who, std::string_view subscripts, std::span<const Shape> shapes)
        : who_(who), subscripts_(subscripts), shapes_(shapes) {}

    Contraction read() {
        split();
        if (terms_.size() != shapes_.size())
            refuse(text("describe ", terms_.size(), terms_.size() == 1 ? " operand" : " operands", ", got ",
                        shapes_.size(), "; subscripts of operands have a ',' between them"));
        for (std::size_t k = 0; k < shapes_.size(); ++k) count_axes(k);
        name_labels();
        for (std::size_t k = 0; k < shapes_.size(); ++k) add_operand(k);
        if (!is_explicit_) imply_output();
        add_output();
        return std::move(result_);
    }

   private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw ArgumentError(text(who_, ": subscripts \"", subscripts_, "\" ", why));
    }
    std::string operand_name(std::size_t k) const {
        return text("operand ", k + 1, " of shape ", to_string(shapes_[k]));
    }

    /// Terms of letters and ellipsis marks.
    void split() {
        terms_.emplace_back();
        for (std::size_t at = 0; at < subscripts_.size(); ++at) {
            const char c = subscripts_[at];
            const std::string_view rest = subscripts_.substr(at);
            std::string& term = is_explicit_ ? output_ : terms_.back();
            if (c == ' ') continue;
            if (is_letter(c)) {
                term += c;
            } else if (rest.starts_with("...")) {
                if (term.find(ellipsis_mark) != std::string::npos)
                    refuse(text("have a second '...' in a term, at position ", at + 1, "; one stands for all axes"));
                term += ellipsis_mark;
                at += 2;
            } else if (c == ',' && !is_explicit_) {
                terms_.emplace_back();
            } else if (rest.starts_with("->") && !is_explicit_) {
                is_explicit_ = true;
                ++at;
            } else {
                refuse(
                    text("have ",
                         c > ' ' && c < 127 ? text("'", c, "'") : text("the byte ", int{static_cast<unsigned char>(c)}),
                         " at position ", at + 1, "; expected letters, ',', '...' and one '->'"));
            }
        }
    }

    void count_axes(std::size_t k) {
        const std::string& term = terms_[k];
        const bool has_ellipsis = term.find(ellipsis_mark) != std::string::npos;
        const std::size_t named = term.size() - has_ellipsis, rank = shapes_[k].rank();
        if (rank < named || (rank > named && !has_ellipsis))
            refuse(text("name ", named, named == 1 ? " axis of " : " axes of ", operand_name(k),
                        rank > named ? "; '...' stands for axes without a name" : "; it has fewer"));
        unnamed_.push_back(rank - named);
        max_unnamed_ = std::max(max_unnamed_, rank - named);
    }

    /// Letters first, in alphabetical order; then the axes of "...", under unused letters.
    void name_labels() {
        std::string letters;
        for (const std::string& term : terms_)
            for (const char c : term)
                if (c != ellipsis_mark) letters += c;
        std::sort(letters.begin(), letters.end());
        letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
        for (std::size_t n = 0; n < letters.size(); ++n) label_of_[letters[n]] = static_cast<int>(n);
        first_unnamed_ = static_cast<int>(letters.size());
        if (letters.size() + max_unnamed_ > max_labels)
            refuse(text("have ", letters.size() + max_unnamed_, " labels with those of '...', of at most ", max_labels,
                        "; join axes by reshape()"));
        for (char c = 'A'; letters.size() < static_cast<std::size_t>(first_unnamed_) + max_unnamed_;
             c = c == 'Z' ? 'a' : static_cast<char>(c + 1))
            if (!label_of_.contains(c)) letters += c;
        result_.letters = letters;
        result_.extents.assign(letters.size(), 1);
        found_in_.assign(letters.size(), 0);
    }

    /// The labels of a term whose "..." stands for `unnamed` axes: the last ones of the unnamed labels.
    Labels labels_of(const std::string& term, std::size_t unnamed) const {
        Labels labels;
        for (const char c : term) {
            if (c != ellipsis_mark) {
                labels.push_back(label_of_.at(c));
                continue;
            }
            for (std::size_t n = max_unnamed_ - unnamed; n < max_unnamed_; ++n)
                labels.push_back(first_unnamed_ + static_cast<int>(n));
        }
        return labels;
    }

    std::string label_name(int label) const {
        if (label < first_unnamed_) return text("label '", result_.letters[static_cast<std::size_t>(label)], "'");
        return text("axis ", label - first_unnamed_ - static_cast<int>(max_unnamed_), " of '...'");
    }

    void add_operand(std::size_t k) {
        const Labels labels = labels_of(terms_[k], unnamed_[k]);
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            const std::int64_t extent = shapes_[k][axis];
            const auto before =
                std::find(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(axis), labels[axis]) -
                labels.begin();
            if (shapes_[k][static_cast<std::size_t>(before)] != extent)
                refuse(text("name ", label_name(labels[axis]), " twice in ", operand_name(k), ", of extents ",
                            shapes_[k][static_cast<std::size_t>(before)], " and ", extent,
                            "; a diagonal has equal ones"));
            const auto label = static_cast<std::size_t>(labels[axis]);
            std::int64_t& known = result_.extents[label];
            if (known != 1 && extent != 1 && known != extent)
                refuse(text("give ", label_name(labels[axis]), " the extent ", known, " in operand ",
                            found_in_[label] + 1, " and ", extent, " in ", operand_name(k),
                            "; extents are equal, or one is 1"));
            if (extent == 1) continue;
            known = extent;
            found_in_[label] = k;
        }
        result_.operands.push_back(labels);
    }

    /// The labels of "...", then the labels that occur once.
    void imply_output() {
        std::map<char, int> times;
        for (const std::string& term : terms_)
            for (const char c : term) ++times[c];
        output_ = std::string(1, ellipsis_mark);
        for (const auto& [c, count] : times)
            if (c != ellipsis_mark && count == 1) output_ += c;
    }

    void add_output() {
        if (max_unnamed_ > 0 && output_.find(ellipsis_mark) == std::string::npos)
            refuse(text("have no '...' after '->', although operands have ", max_unnamed_,
                        max_unnamed_ == 1 ? " axis" : " axes", " of that kind; name axes that are to be summed"));
        for (std::size_t n = 0; n < output_.size(); ++n) {
            const char c = output_[n];
            if (c == ellipsis_mark) continue;
            if (!label_of_.contains(c)) refuse(text("name the label '", c, "' after '->', which no operand has"));
            if (output_.find(c) != n) refuse(text("name the label '", c, "' twice after '->'; name each axis once"));
        }
        result_.output = labels_of(output_, max_unnamed_);
    }

    const char* who_;
    std::string_view subscripts_;
    std::span<const Shape> shapes_;
    std::vector<std::string> terms_;
    std::string output_;
    bool is_explicit_ = false;
    std::vector<std::size_t> unnamed_;  ///< per operand, the axes of "..."
    std::size_t max_unnamed_ = 0;
    std::map<char, int> label_of_;
    int first_unnamed_ = 0;
    std::vector<std::size_t> found_in_;  ///< per label, the operand that gave its extent
    Contraction result_;
};

}  // namespace

Contraction read_subscripts(const char* who, std::string_view subscripts, std::span<const Shape> shapes) {
    if (shapes.empty() || shapes.size() > max_operands)
        throw ArgumentError(text(who, ": expected 1 to ", max_operands, " operands, got ", shapes.size(),
                                 "; contract some of them first"));
    return Reader(who, subscripts, shapes).read();
}

}  // namespace gemel::dense
