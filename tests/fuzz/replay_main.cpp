/// Feeds a fuzzer's function with the texts of folders, each whole and cut off at every eighth of its length, where
/// there is no libFuzzer: so that what fuzzers once found stays mended, under whichever sanitizer this is built with.
#include <gemel/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
    int texts = 0;
    for (int i = 1; i < argc; ++i)
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> whole{std::istreambuf_iterator<char>(file), {}};
            for (std::size_t eighth = 0; eighth <= 8; ++eighth) {
                // A copy of its own, so that a read behind the end is seen.
                const std::vector<std::uint8_t> text(
                    whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * eighth / 8));
                LLVMFuzzerTestOneInput(text.data(), text.size());
            }
            ++texts;
        }
    std::printf("%d texts\n", texts);
    return texts > 0 ? 0 : 1;
}
