/// relative_library FOLDER: prints where plug-ins are looked for after another folder has become the current one.
#include <gemel/core/registry.hpp>

#include <unistd.h>
#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2 || ::chdir(argv[1]) != 0) return 2;
    for (const auto& folder : gemel::plugin_search_path()) std::puts(folder.c_str());
    return 0;
}
