/// Asks the installed library what became of one backend: backends_test <check> <backend> <expected>...
///
///   lies-in <backend> <folder>       its plug-in was loaded from there
///   available <backend>              it has a device
///   refused <backend> <word>...      it is not available, and the reason holds every word
///   named-fails <backend> <word>...  default_context() throws BackendUnavailable with the name and every word
#include <gemel/gemel.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

bool holds_all(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        if (text.find(word) == std::string::npos)
            return std::printf("'%s' is missing in: %s\n", word.c_str(), text.c_str()), false;
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const std::string check = argv[1], name = argv[2];
    const std::vector<std::string> expected(argv + 3, argv + argc);

    if (check == "named-fails") {
        try {
            gemel::default_context();
        } catch (const gemel::BackendUnavailable& error) {
            std::puts(error.what());
            return holds_all(error.what(), {name}) && holds_all(error.what(), expected) ? 0 : 1;
        }
        std::puts("no exception");
        return 1;
    }

    for (const gemel::BackendStatus& status : gemel::backends()) {
        if (status.name != name) continue;
        std::printf("%s: %s %s\n", status.name.c_str(), status.path.c_str(),
                    status.available ? "available" : status.reason.c_str());
        if (check == "available") return status.available ? 0 : 1;
        if (check == "refused") return !status.available && holds_all(status.reason, expected) ? 0 : 1;
        namespace fs = std::filesystem;
        return check == "lies-in" && fs::canonical(status.path).parent_path() == fs::canonical(expected.at(0)) ? 0 : 1;
    }
    std::printf("no backend '%s'\n", name.c_str());
    return 1;
}
