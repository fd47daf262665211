#include "nvrtc.hpp"

#include "nvrtc_ptx.hpp"
#include "objects.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

namespace gemel::plugin::opencl {

bool wants_nvrtc() { return env::get("GEMEL_OPENCL_COMPILER").value_or("driver") == "nvrtc"; }

namespace {

std::vector<std::string> double_words() {
    std::vector<std::string> words{"double", "cdouble"};
    for (const int n : {2, 3, 4, 8, 16}) words.push_back(text("double", n));
    return words;
}

/// The last lines before the program: for NVRTC every GPU has double, so that GEMEL_DOUBLE=off needs another error.
std::string no_double() {
    std::string lines;
    for (const std::string& word : double_words())
        lines += text("#define ", word, " gemel_this_device_has_no_double\n");
    return lines;
}

const Dialect& make_dialect() {
    Dialect own = Dialect::cuda();
    own.name = "cuda_on_opencl";
    own.native = Dialect::cuda().name;
    // OpenCL starts each kernel after the one before has ended.
    std::erase_if(own.sections, [](const Dialect::Section& section) { return section.name == "kernel_begin"; });
    if (!env::flag("GEMEL_DOUBLE", true))
        own.sections.push_back({.name = "no_double", .words = double_words(), .text = no_double()});
    own.arena_parameter = "const unsigned long long gemel_arena_";
    own.arena_declaration = "#define shared_arena ((unsigned char *)__cvta_shared_to_generic(gemel_arena_))";
    Dialect::add(own);
    return Dialect::find(own.name);
}

}  // namespace

const Dialect& nvrtc_dialect() {
    static const Dialect& dialect = make_dialect();
    return dialect;
}

std::string nvrtc_version() {
    for (const BackendStatus& backend : backends())
        for (const Library& library : backend.libraries)
            if (library.name == "NVRTC") return library.version;
    return {};
}

std::vector<std::string> nvrtc_options(const CompileOptions& options, const Shared& shared) {
    // Warp groups are for sm_90a alone.
    const char* const all = shared.info->has_warp_groups ? "a" : "";
    std::vector<std::string> words{"nvrtc", text("compute_", shared.info->architecture.substr(3), all)};
    if (options.fast_math) words.push_back("--use_fast_math");
    if (!options.fp_contract) words.insert(words.end(), {"--fmad=false", "--prec-div=true", "--prec-sqrt=true"});
    if (options.debug) words.push_back("--generate-line-info");
    for (const auto& folder : options.include_directories) words.push_back("--include-path=" + folder.string());
    words.insert(words.end(), options.extra.begin(), options.extra.end());
    return words;
}

BuildResult OpenClContext::build_by_nvrtc(const BuildRequest& request) {
    CompileOptions options;
    options.name = request.name;
    options.extra.assign(request.options.begin() + 2, request.options.end());
    // The empty line ends a comment of the text that would continue.
    const std::string whole = text(request.text, "\n\nextern \"C\" __global__ void ", filler_kernel, "(void) {}\n");
    std::vector<std::byte> ptx;
    try {
        ptx = compile_offline("cuda", whole, request.options.at(1), options);
    } catch (const CompileError& refused) {
        throw BuildFailure(refused.log());
    } catch (const BackendUnavailable& missing) {
        throw BackendUnavailable(text("GEMEL_OPENCL_COMPILER=nvrtc: ", missing.what()));
    }
    std::string_view made(reinterpret_cast<const char*>(ptx.data()), ptx.size());
    made = made.substr(0, made.find('\0'));
    const std::string prepared = ptx_for_opencl(made, request.signatures);
    return load_with(std::as_bytes(std::span(prepared)), request.jit);
}

}  // namespace gemel::plugin::opencl
