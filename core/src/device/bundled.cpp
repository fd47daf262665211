/// Chooses the program of a bundle for a device, and records programs.
#include "device/bundled.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "compile/program_binary.hpp"

#include <limits>

namespace gemel {
namespace {

void add_field(std::string& key, std::string_view field) { (key += text(field.size(), ":")) += field; }

std::string target_of(const DriverContext& driver, const plugin::Context& plugin, const CompileOptions& options) {
    const std::string target = plugin.binary_target(options);
    return target.empty() ? driver.device->device->fingerprint() : target;
}

}  // namespace

std::string bundle_key(std::span<const Request> units, std::span<const WholeText> whole, const std::string& dialect) {
    std::string key = "gemel bundle, format 1\n";
    add_field(key, dialect);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const CompileOptions& options = units[i].options;
        add_field(key, whole[i].text);
        add_field(key, text(options.fp_contract, options.fast_math, options.debug));
        for (const std::string& word : options.extra) add_field(key, word);
        // The toolkit's own headers do not count: machines without a toolkit lack them.
        for (const auto& file : units[i].includes.files)
            add_field(key, text(file.path.filename().string(), "\n", file.text));
    }
    return digest(key);
}

std::optional<BundledProgram> fitting_program(DriverContext& driver, plugin::Context& plugin, const std::string& key,
                                              const std::string& dialect) {
    std::optional<BundledProgram> best;
    int best_fit = 0;
    const std::string own = driver.device->device->fingerprint();
    for (BundledProgram& program : find_bundled(key, dialect)) {
        const int fit = program.target == own ? std::numeric_limits<int>::max() : plugin.fit_of(program.target);
        if (fit <= best_fit) continue;
        best_fit = fit;
        best = std::move(program);
    }
    return best;
}

void record_for_bundle(DriverContext& driver, plugin::Context& plugin, const BundledProgram& program,
                       const CompileOptions& options, std::span<const plugin::BuildRequest> requests,
                       const std::vector<KernelSignature>& signatures) {
    BundledProgram own = program;
    if (own.target.empty()) own.target = target_of(driver, plugin, options);
    record_program(own);
    for (const std::string& architecture : recorded_architectures()) {
        CompileOptions other = options;
        other.architecture = architecture;
        try {
            own.target = target_of(driver, plugin, other);
            if (own.target == program.target) continue;
            if (requests.size() != 1) throw Error("it is linked of several units");
            std::string log;
            const std::vector<std::byte> binary =
                plugin.compile({requests.front().text, requests.front().name, plugin.compiler_options(other)}, log);
            own.program = pack_binary(signatures, log, binary);
            record_program(own);
        } catch (const DeviceLost&) {
            throw;
        } catch (const std::exception& error) {
            logging::write(logging::Level::warn, "bundle",
                           text("'", program.name, "' is not recorded for ", architecture, ": ", error.what()));
        }
    }
}

}  // namespace gemel
