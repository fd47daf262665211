/// How often each word of a text occurs, by sorting: words are hashed, hashes sorted with the words' numbers, and those
/// of one hash counted.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Words of one to four syllables, the simpler ones more often.
static std::string some_text(int words) {
    const char* const syllables[] = {"ba", "ko", "lu", "mi", "ne", "ra", "su", "ti", "vo", "ze"};
    std::mt19937 random(5);
    std::string text;
    for (int k = 0; k < words; ++k) {
        const unsigned parts = 1 + random() % 2 + random() % 2 + random() % 2;
        for (unsigned part = 0; part < parts; ++part) text += syllables[random() % 10 * (random() % 10) / 10];
        text += k % 12 == 11 ? ".\n" : " ";
    }
    return text;
}

int main() {
    const std::string text = some_text(200000);
    const gemel::GPUArray<std::uint8_t> letters = gemel::to_gpu(std::vector<std::uint8_t>(text.begin(), text.end()));
    const auto length = static_cast<std::int64_t>(text.size());

    // A word begins at a letter behind a character that is none.
    const auto before = gemel::concatenate({gemel::zeros<std::uint8_t>({1}), letters(gemel::slice(0, -1))});
    const gemel::GPUArray<std::int64_t> begins = gemel::flatnonzero((letters >= 'a') & (before < 'a'));
    const gemel::GPUArray<std::uint64_t> hashes(gemel::current_context(), begins.shape());
    const gemel::ElementwiseKernel hash(
        "const uint8_t *letters, const int64_t *begins, uint64_t *hashes, int64_t length",
        R"(
        uint64_t h = ((uint64_t)0xcbf29ce4u << 32) | 0x84222325u;
        for (int64_t k = begins[i]; k < length && letters[k] >= 'a'; ++k) h = (h ^ letters[k]) * (((uint64_t)0x100u << 32) | 0x1b3u);
        hashes[i] = h)",
        "hash_words");
    hash(letters, begins, hashes, length);

    // Equal words lie side by side, in their order: the first is where the text has it first.
    const auto [sorted, words] = gemel::sort_by_key(hashes, begins);
    const auto counts = gemel::reduce_by_key(sorted, gemel::ones_like(words));
    const auto places = gemel::reduce_by_key(sorted, words, {.reduce_expr = "a"});
    const auto [often, which] = gemel::max_k(counts.values(), 10);
    const std::vector<std::int64_t> firsts = gemel::take(places.values(), which).get(), top = often.get();

    std::map<std::string_view, std::int64_t> on_host;
    const auto word_at = [&](std::size_t begin) {
        const std::size_t end = text.find_first_of(" .\n", begin);
        return std::string_view(text).substr(begin, end - begin);
    };
    for (std::size_t begin = 0; begin < text.size();
         begin = text.find_first_not_of(" .\n", begin + word_at(begin).size()))
        ++on_host[word_at(begin)];
    bool good = on_host.size() == counts.values().size();
    std::printf("%8s  word\n", "times");
    for (std::size_t k = 0; k < top.size(); ++k) {
        const std::string_view word = word_at(static_cast<std::size_t>(firsts[k]));
        std::printf("%8lld  %s\n", static_cast<long long>(top[k]), std::string(word).c_str());
        good = good && on_host[word] == top[k];
    }
    std::printf("%s: %zu words, %zu different ones\n", good ? "ok" : "wrong", begins.size(), on_host.size());
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
