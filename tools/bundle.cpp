/// `gemel bundle ls|merge|record`: compiled programs in one file, for machines without a compiler.
#include "commands.hpp"
#include "table.hpp"

#include <gemel/core/bundle.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gemel::tools {

int bundle_list(const std::string& file) {
    Table table(0);
    constexpr std::size_t shown = 48;  // OpenCL devices have long identifiers
    for (const KernelBundle::Entry& entry : KernelBundle::load(file).entries()) {
        const std::string& target = entry.target;
        table.row({entry.dialect, target.size() > shown ? target.substr(0, shown) + "..." : target,
                   readable_bytes(entry.bytes), entry.name});
    }
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

int bundle_merge(const std::string& output, const std::vector<std::string>& inputs) {
    KernelBundle all;
    for (const std::string& input : inputs) all.merge(KernelBundle::load(input));
    all.save(output);
    std::printf("%s in %s\n", counted(all.entries().size(), "program", "programs").c_str(), output.c_str());
    return 0;
}

int bundle_record(const std::string& file, const std::string& architectures, const std::vector<std::string>& command) {
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(file, failure);
    if (failure) throw Error(text("bundle record: cannot name ", file, ": ", failure.message()));
    ::setenv("GEMEL_BUNDLE_RECORD", absolute.c_str(), 1);
    if (!architectures.empty()) ::setenv("GEMEL_BUNDLE_ARCHITECTURES", architectures.c_str(), 1);
    std::vector<std::string> words = command;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execvp(pointers.front(), pointers.data());
    throw Error(text("bundle record: cannot run ", command.front(), ": ", std::strerror(errno)));
}

}  // namespace gemel::tools
