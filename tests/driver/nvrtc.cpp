/// A stand-in for NVRTC: the host's compiler makes a shared object of a program's text, which the stand-in for the
/// driver runs. For tests of kernels where there is no GPU: their logic, not the order in which a GPU sees memory.
#include <nvrtc.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

struct _nvrtcProgram {
    std::string text, name, log, binary;
};

namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// The text as the host's compiler takes it, with a function for each kernel that takes the arguments of a launch.
std::string translated(std::string text) {
    replace_all(text, R"(asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));)", "f = gemel_load_float16(h.bits);");
    replace_all(text, R"(asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));)", "h.bits = gemel_store_float16(f);");
    // As much as an sm_90 has, for every launch.
    replace_all(text, "extern __shared__ __align__(16) unsigned char shared_arena[];",
                "alignas(16) static thread_local unsigned char shared_arena[227 << 10];");
    static const std::regex offset(R"(__INTADDR__\(&\(\((\w+) \*\)0\)->(\w+)\))");
    text = std::regex_replace(text, offset, "__builtin_offsetof($1, $2)");
    // Blocks that wait for others give the processor away.
    static const std::regex wait(R"(while \(([^;\n]*!= epoch|[^;\n]*!= expected|[^;\n]*== turn|torn)\);)");
    text = std::regex_replace(text, wait, "while (($1) && gemel_runtime->yield());");
    static const std::regex kernel(
        R"((?:\bKERNEL\b|\b__global__\b)\s*(?:(?:__launch_bounds__|REQD_WG_SIZE|RESIDENT_BLOCKS|GEMEL_CLUSTER_BLOCKS)\s*\([^)]*\)\s*)*void\s+(\w+)\s*\()");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at) names.insert((*at)[1]);
    text = "namespace gemel_program {\n#line 1\n" + text + "\n}\n";
    for (const std::string& name : names)
        text += "extern \"C\" void gemel_run_" + name + "(void** arguments) { gemel_call(gemel_program::" + name +
                ", arguments); }\nextern \"C\" gemel_size gemel_bytes_" + name +
                "(gemel_size index) { return gemel_bytes(gemel_program::" + name + ", index); }\n";
    return text;
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return *count = 1, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetSupportedArchs(int* architectures) { return *architectures = 90, NVRTC_SUCCESS; }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char* name, int, const char* const*,
                               const char* const*) {
    return *program = new _nvrtcProgram{text, name ? name : "kernel", {}, {}}, NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    delete *program;
    return *program = nullptr, NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
    // The process has all libraries that a kernel calls.
    std::string more, form = " -shared -nostdlib -Wl,-Bsymbolic";
    for (int k = 0; k < count; ++k) {
        const std::string option = options[k];
        if (option.starts_with("-D")) more += " '" + option + "'";
        if (option == "--relocatable-device-code=true") form = " -c";
    }
    char folder[] = "/tmp/gemel-emulated-XXXXXX";
    if (!::mkdtemp(folder)) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    const fs::path in = folder;
    std::ofstream(in / "text.cpp") << translated(program->text);
    const std::string command = GEMEL_EMULATION_COMPILER + form + " -include " + GEMEL_EMULATION_HEADER + more + " " +
                                (in / "text.cpp").string() + " -o " + (in / "program.so").string() + " 2>" +
                                (in / "log").string();
    const int status = std::system(command.c_str());
    program->log = content(in / "log");
    program->binary = content(in / "program.so");
    std::error_code ignored;
    fs::remove_all(in, ignored);
    return status == 0 ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes) {
    return *bytes = program->log.size() + 1, NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
    return *bytes = program->binary.size(), NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* binary) {
    std::memcpy(binary, program->binary.data(), program->binary.size());
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t* bytes) { return *bytes = 0, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) { return NVRTC_SUCCESS; }
const char* nvrtcGetErrorString(nvrtcResult) { return "an error of the stand-in for NVRTC"; }

}  // extern "C"
