/// Any text whatever as declarations, as a program with kernels, as a type and as stored signatures: an answer or a
/// gemel::Error, and what was read is stored and read back as it is.
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        for (const gemel::Parameter& parameter : gemel::parse_declarations(text)) (void)parameter.text();
    } catch (const gemel::Error&) {}
    try {
        (void)gemel::detail::deserialize_signatures(text);
    } catch (const gemel::Error&) {}
    (void)gemel::parse_type(text).name();
    const auto kernels = gemel::parse_kernels(text);
    for (const gemel::KernelSignature& kernel : kernels) (void)kernel.text();
    if (gemel::detail::deserialize_signatures(gemel::detail::serialize(kernels)) != kernels) std::abort();
    return 0;
}
