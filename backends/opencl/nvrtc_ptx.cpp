#include "nvrtc_ptx.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace gemel::plugin::opencl {
namespace {

constexpr std::string_view entry = ".entry ", param = ".param ";

/// One kernel of a program: positions in the PTX.
struct Entry {
    std::string name;
    std::size_t open, close;  ///< its parameter list, from `(` to `)`
};

/// The next kernel after `from`; if its name is empty, there is none.
Entry next_entry(std::string_view ptx, std::size_t from) {
    const std::size_t at = ptx.find(entry, from);
    if (at == std::string_view::npos) return {};
    const std::size_t name = at + entry.size(), end = ptx.find_first_of("( \n\t", name), open = ptx.find('(', name),
                      close = ptx.find(')', name);
    if (end == std::string_view::npos || open == std::string_view::npos || close == std::string_view::npos) return {};
    return {std::string(ptx.substr(name, end - name)), open, close};
}

/// The declarations between `(` and `)`, each beginning with `.param`.
std::vector<std::string> declarations(std::string_view list) {
    std::vector<std::string> all;
    for (std::size_t at = list.find(param); at != std::string_view::npos;) {
        const std::size_t next = list.find(param, at + 1);
        all.emplace_back(list.substr(at, next == std::string_view::npos ? next : next - at));
        at = next;
    }
    return all;
}

/// The PTX attributes of a parameter that OpenCL needs: ".ptr .global .align 4 ", or nothing for a value.
std::string memory_of(const Parameter& parameter, const std::string& kernel) {
    using Space = Parameter::Space;
    if (parameter.space == Space::arena) return ".ptr .shared .align 16 ";
    if (parameter.space > Space::arena)
        throw Error(text("kernel '", kernel, "' has the texture or image '", parameter.name,
                         "', which are for the driver's own compiler; leave GEMEL_OPENCL_COMPILER=nvrtc out"));
    if (!parameter.is_pointer && parameter.space != Space::barrier) return {};
    const std::uint32_t bytes = parameter.dtype.empty() ? 1 : parameter.dtype.size_bytes();
    // The alignment of the element: the largest power of two that divides its size.
    return text(".ptr .global .align ", std::min<std::uint32_t>(bytes & ~(bytes - 1), 16), " ");
}

/// The same for a kernel whose parameters could not be read: a parameter is a pointer if the text uses it as an
/// address.
std::string memory_by_use(std::string_view body, const std::string& parameter) {
    const std::size_t at = body.find(text("[", parameter, "]"));
    const std::size_t line = at == std::string_view::npos ? at : body.rfind("ld.param.u64", at);
    if (line == std::string_view::npos || body.substr(line, at - line).find(';') != std::string_view::npos) return {};
    const std::size_t word = body.find('%', line);
    const std::string value(body.substr(word, body.find(',', word) - word));
    for (std::size_t use = body.find("cvta.to.global.u64"); use != std::string_view::npos;
         use = body.find("cvta.to.global.u64", use + 1)) {
        const std::string_view statement = body.substr(use, body.find(';', use) - use);
        if (statement.ends_with(" " + value)) return ".ptr .global .align 1 ";
    }
    return {};
}

const KernelSignature* signature_of(std::span<const KernelSignature> signatures, const std::string& kernel) {
    const auto found = std::ranges::find(signatures, kernel, &KernelSignature::name);
    return found == signatures.end() ? nullptr : &*found;
}

std::string declared_list(std::string_view list, std::string_view body, const std::string& kernel,
                          const KernelSignature* signature) {
    std::string result = "(\n";
    std::vector<std::string> all = declarations(list);
    if (signature && signature->parameters.size() != all.size())
        throw Error(text("kernel '", kernel, "' has ", all.size(), " parameters in the PTX that NVRTC made of it, and ",
                         signature->parameters.size(), " in its text: ", signature->text()));
    constexpr std::string_view word = ".param .u64 ";
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_word = all[i].starts_with(word);
        const std::string memory = signature ? memory_of(signature->parameters[i], kernel)
                                   : is_word ? memory_by_use(body, text(kernel, "_param_", i))
                                             : std::string();
        if (!memory.empty() && !is_word)
            throw Error(text("parameter ", i + 1, " of kernel '", kernel, "' (", signature->parameters[i].text(),
                             ") is no pointer in the PTX that NVRTC made of it"));
        if (is_word) all[i].insert(word.size(), memory);
        result += "\t" + all[i];
    }
    return result;
}

}  // namespace

std::string ptx_for_opencl(std::string_view ptx, std::span<const KernelSignature> signatures) {
    const std::size_t target = ptx.find(".target ");
    std::size_t done = target == std::string_view::npos ? 0 : std::min(ptx.find('\n', target), ptx.size());
    std::string result(ptx.substr(0, done));
    if (done > 0 && result.find("texmode_independent", target) == std::string::npos) result += ", texmode_independent";
    for (Entry next = next_entry(ptx, 0); !next.name.empty(); next = next_entry(ptx, done)) {
        const KernelSignature* const signature = signature_of(signatures, next.name);
        const std::size_t end = std::min(ptx.find(entry, next.close), ptx.size()), body = ptx.find('{', next.close);
        result += ptx.substr(done, next.open - done);
        result += declared_list(ptx.substr(next.open, next.close - next.open), ptx.substr(next.close, end - next.close),
                                next.name, signature);
        done = next.close;
        const std::size_t largest = ptx.find(".maxntid", done);
        if (!signature || !signature->required_block || largest > body) continue;
        const auto& block = *signature->required_block;
        result += ptx.substr(done, largest - done);
        result += text(".reqntid ", block[0], ", ", block[1], ", ", block[2]);
        done = ptx.find('\n', largest);
    }
    result += ptx.substr(done);
    return result;
}

std::optional<std::size_t> largest_block_in_ptx(std::string_view ptx, std::string_view kernel) {
    for (Entry next = next_entry(ptx, 0); !next.name.empty(); next = next_entry(ptx, next.close)) {
        if (next.name != kernel) continue;
        const std::string_view head = ptx.substr(next.close, ptx.find('{', next.close) - next.close);
        for (const std::string_view word : {".maxntid", ".reqntid"}) {
            std::size_t at = head.find(word);
            if (at == std::string_view::npos) continue;
            std::size_t threads = 1;
            const std::string numbers(head.substr(at + word.size(), head.find('\n', at) - at - word.size()));
            for (at = 0; at != std::string::npos; at = numbers.find(',', at + 1))
                threads *= static_cast<std::size_t>(std::atoi(&numbers[at == 0 ? 0 : at + 1]));
            return threads;
        }
    }
    return std::nullopt;
}

std::vector<std::size_t> parameter_bytes_in_ptx(std::string_view ptx, std::string_view kernel) {
    std::vector<std::size_t> bytes;
    for (Entry next = next_entry(ptx, 0); !next.name.empty(); next = next_entry(ptx, next.close)) {
        if (next.name != kernel) continue;
        for (const std::string& one : declarations(ptx.substr(next.open, next.close - next.open))) {
            // ".param .align 8 .b8 name[24]" and ".param .u64 .ptr .global .align 4 name"
            const std::size_t count = one.find('[');
            std::size_t type = one.find_first_not_of(' ', param.size());
            if (one.compare(type, 6, ".align") == 0) type = one.find('.', type + 1);
            const std::size_t bits = static_cast<std::size_t>(std::atoi(one.c_str() + type + 2));
            bytes.push_back(bits / 8 *
                            (count == std::string::npos ? 1 : static_cast<std::size_t>(std::atoi(&one[count + 1]))));
        }
    }
    return bytes;
}

}  // namespace gemel::plugin::opencl
