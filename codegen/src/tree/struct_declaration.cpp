/// Prints device declarations of structs.
#include <gemel/codegen/struct_declaration.hpp>

#include <gemel/codegen/type.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include "tree/syntax_nodes.hpp"

namespace gemel::codegen {

namespace {

bool same(const StructLayout& a, const StructLayout& b) {
    const auto same_field = [](const StructField& x, const StructField& y) {
        return x.name == y.name && x.dtype == y.dtype && x.offset_bytes == y.offset_bytes && x.count == y.count;
    };
    return a.name == b.name && a.size_bytes == b.size_bytes && a.alignment_bytes == b.alignment_bytes &&
           std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same_field);
}

/// The alignment of a type in kernels, by which compilers place a field; 0 if it depends on the language.
std::size_t natural_alignment(DType dtype) {
    if (const StructLayout* layout = dtype.layout()) {
        std::size_t greatest = 1;
        for (const StructField& field : layout->fields) {
            const std::size_t own = natural_alignment(field.dtype);
            if (own == 0) return 0;
            greatest = std::max(greatest, own);
        }
        return greatest;
    }
    if (dtype.kind() == DType::Kind::complex || dtype.lanes() > 1) return 0;
    return dtype.size_bytes();
}

class Declarations {
   public:
    explicit Declarations(const Dialect& dialect) : dialect_(dialect) {}

    void add(const StructLayout& layout) {
        const auto [known, is_new] = by_name_.try_emplace(layout.name, &layout);
        if (!is_new) {
            if (known->second == &layout || same(*known->second, layout)) return;
            throw ArgumentError(text("struct_declaration: two different structs are named '", layout.name, "' (",
                                     known->second->size_bytes, " and ", layout.size_bytes, " bytes); rename one"));
        }
        for (const StructField& field : layout.fields)
            if (const StructLayout* inner = field.dtype.layout()) add(*inner);
        print(layout);
    }

    std::string take() { return std::move(out_); }

   private:
    void print(const StructLayout& layout) {
        out_ += "typedef struct {\n";
        std::size_t end = 0;
        int paddings = 0;
        const auto pad_to = [&](std::size_t offset) {
            if (offset > end) out_ += text("    unsigned char gemel_padding_", paddings++, "[", offset - end, "];\n");
        };
        for (const StructField& field : layout.fields) {
            // Padding that the compiler makes itself is no member: initialisers without names would reach it.
            const std::size_t alignment = natural_alignment(field.dtype);
            const bool is_natural =
                alignment > 0 && (end + alignment - 1) / alignment * alignment == field.offset_bytes;
            if (!is_natural) pad_to(field.offset_bytes);
            end = field.offset_bytes + field.dtype.size_bytes() * field.count;
            const bool is_bool = field.dtype.kind() == DType::Kind::boolean;
            const std::string type = is_bool ? dialect_.bool_storage : declaration(field.dtype, "", dialect_);
            out_ += text("    ", type, " ", field.name);
            if (field.count > 1) out_ += text("[", field.count, "]");
            out_ += ";\n";
        }
        pad_to(layout.size_bytes);
        out_ += text("} ", layout.name, ";\n");
        // A failed check is an array of negative size: C has no static_assert before C11.
        const auto check = [&](const std::string& what, const std::string& condition) {
            out_ += text("typedef char ", layout.name, "_", what, "_as_on_the_host[", condition, " ? 1 : -1];\n");
        };
        check("has_size", text("sizeof(", layout.name, ") == ", layout.size_bytes));
        if (dialect_.offset_of.empty()) return;
        for (const StructField& field : layout.fields)
            check("has_" + field.name,
                  text(fill_pattern(dialect_.offset_of, layout.name, field.name), " == ", field.offset_bytes));
    }

    const Dialect& dialect_;
    std::map<std::string, const StructLayout*> by_name_;
    std::string out_;
};

}  // namespace

std::string struct_declaration(const StructLayout& layout, const Dialect& dialect) {
    Declarations declarations(dialect);
    declarations.add(layout);
    return declarations.take();
}

std::string struct_declarations(const std::vector<DType>& dtypes, const Dialect& dialect) {
    Declarations declarations(dialect);
    for (const DType& dtype : dtypes)
        if (dtype.layout()) declarations.add(*dtype.layout());
    return declarations.take();
}

const StructLayout& intern_layout(StructLayout layout) {
    check_identifier(layout.name, "a struct");
    std::size_t end = 0;
    for (const StructField& field : layout.fields) {
        check_identifier(field.name, "a field of struct " + layout.name);
        if (field.name.starts_with("gemel_padding_"))
            throw ArgumentError(text("struct ", layout.name, ": the field '", field.name,
                                     "' is named like the padding between fields; rename it"));
        if (field.offset_bytes < end || field.count == 0)
            throw ArgumentError(
                text("struct ", layout.name, ": the field ", field.name, " is empty or overlaps the previous one"));
        end = field.offset_bytes + field.dtype.size_bytes() * field.count;
    }
    if (end > layout.size_bytes)
        throw ArgumentError(
            text("struct ", layout.name, ": the fields need ", end, " bytes, but its size is ", layout.size_bytes));

    struct Known {
        std::mutex mutex;
        std::list<StructLayout> layouts;  // a list, so that references stay valid
    };
    static Known& known = *new Known;
    const std::lock_guard lock(known.mutex);
    for (const StructLayout& other : known.layouts)
        if (same(other, layout)) return other;
    return known.layouts.emplace_back(std::move(layout));
}

}  // namespace gemel::codegen
