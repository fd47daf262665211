/// The file format of bundles: the first line, then a record for each program. A record is a line with the SHA-1 and
/// the length of the rest, then the fields, each preceded by its length. Of several records for one program the last
/// one counts, so that files can be appended to.
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "compile/bundle_state.hpp"

#include <charconv>
#include <system_error>

namespace gemel {
namespace {

void add_field(std::string& to, std::string_view field) { (to += text(field.size(), "\n")) += field; }

/// Reads from the front of a range of bytes.
class Reader {
   public:
    Reader(std::string_view rest, const std::string& file) : rest_(rest), file_(file) {}
    bool at_end() const { return rest_.empty(); }
    std::string_view line() {
        const auto end = rest_.find('\n');
        if (end == std::string_view::npos) refuse();
        return take(end + 1).substr(0, end);
    }
    std::size_t number(std::string_view digits) const {
        std::size_t value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (failure != std::errc() || end != digits.data() + digits.size()) refuse();
        return value;
    }
    std::string_view take(std::size_t bytes) {
        if (bytes > rest_.size()) refuse();
        const std::string_view taken = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return taken;
    }
    std::string_view field() { return take(number(line())); }
    [[noreturn]] void refuse() const {
        throw Error(text("KernelBundle: ", file_, " is damaged or cut short; record it again"));
    }

   private:
    std::string_view rest_;
    const std::string& file_;
};

}  // namespace

std::string bundle_record(const BundledProgram& program) {
    std::string body;
    for (const std::string* field : {&program.key, &program.name, &program.dialect, &program.target})
        add_field(body, *field);
    add_field(body, {reinterpret_cast<const char*>(program.program.data()), program.program.size()});
    return text(digest(body), " ", body.size(), "\n", body);
}

namespace {

/// The next record without its head.
std::string_view next_record(Reader& all) {
    const std::string_view head = all.line();
    const auto blank = head.find(' ');
    if (blank == std::string_view::npos) all.refuse();
    const std::string_view body = all.take(all.number(head.substr(blank + 1)));
    if (digest(body) != head.substr(0, blank)) all.refuse();
    return body;
}

}  // namespace

std::size_t whole_records(std::string_view bytes, const std::string& file) {
    Reader all(bytes.substr(bundle_magic.size()), file);
    std::size_t whole = bundle_magic.size();
    try {
        while (!all.at_end()) {
            const std::string_view body = next_record(all);
            whole = static_cast<std::size_t>(body.data() - bytes.data()) + body.size();
        }
    } catch (const Error&) {}
    return whole;
}

void read_bundle(BundleState& bundle, std::string_view bytes, const std::string& file) {
    if (!bytes.starts_with(bundle_magic))
        throw Error(text("KernelBundle: ", file, " is not a bundle of this version of gemel; record it again"));
    Reader all(bytes.substr(bundle_magic.size()), file);
    while (!all.at_end()) {
        Reader fields(next_record(all), file);
        BundledProgram program;
        for (std::string* field : {&program.key, &program.name, &program.dialect, &program.target})
            *field = fields.field();
        const std::string_view binary = fields.field();
        const auto* begin = reinterpret_cast<const std::byte*>(binary.data());
        program.program.assign(begin, begin + binary.size());
        bundle.add(std::move(program));
    }
}

}  // namespace gemel
