/// The source of grid_barrier() and of launch offsets, from each language's own words.
#include "language/grid_sections.hpp"

#include <string>
#include <string_view>

namespace gemel {
namespace {

// The last block of a turn releases the others. Afterwards the words have their old values except the number of the
// turn, so that a launch finds them as the previous one left them.
const char* const barrier = R"(#define GRID_BARRIER(name) SPACE unsigned int *name
GEMEL_FUNCTION void grid_barrier(SPACE unsigned int *words) {
    BLOCK_BARRIER;
    if (LID_0 == 0 && LID_1 == 0 && LID_2 == 0) {
        volatile SPACE unsigned int *turns = words + 1;
        const unsigned int turn = *turns;
        device_fence();
        if (INCREMENT(words) == (unsigned int)GDIM_0 * (unsigned int)GDIM_1 * (unsigned int)GDIM_2 - 1u) {
            *(volatile SPACE unsigned int *)words = 0;
            device_fence();
            (void)INCREMENT(turns);
        } else {
            while (*turns == turn);
        }
        device_fence();
    }
    BLOCK_BARRIER;
}
)";

const char* const offset = R"(typedef struct { INT64 at[3]; } gemel_offset;
#define LAUNCH_OFFSET const gemel_offset gemel_offset_
#define OFFSET_0 (gemel_offset_.at[0])
#define OFFSET_1 (gemel_offset_.at[1])
#define OFFSET_2 (gemel_offset_.at[2])
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace

std::vector<Dialect::Section> grid_sections(const GridSpelling& spelling) {
    std::string text = replaced(barrier, "BLOCK_BARRIER", spelling.block_barrier);
    for (const char* word : {"words", "turns"})
        text = replaced(text, std::string("INCREMENT(") + word + ")", replaced(spelling.increment, "%", word));
    text = replaced(text, "SPACE ", spelling.global_space);
    return {{.name = "grid_barrier", .words = {"GRID_BARRIER", "grid_barrier"}, .text = text, .needs = {"visibility"}},
            {.name = "launch_offset",
             .words = {"LAUNCH_OFFSET", "OFFSET_0", "OFFSET_1", "OFFSET_2"},
             .text = replaced(offset, "INT64", spelling.int64_type)}};
}

}  // namespace gemel
