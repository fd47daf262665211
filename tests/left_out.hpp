/// What the check leaves out of tests of many combinations.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace gemel::testing {

/// Whether this is the check of a push (GEMEL_TEST_SHORT=1) and not the long one.
inline bool is_check() {
    static const bool answer = [] {
        const char* const chosen = std::getenv("GEMEL_TEST_SHORT");
        return chosen && std::string_view(chosen) == "1";
    }();
    return answer;
}

/// Whether a combination of choices is left out: never, but in the check (GEMEL_TEST_SHORT=1), which takes those whose
/// numbers add up to a multiple of n. Any two values of two choices still meet where a third has n values or more.
inline bool is_left_out(std::size_t n, std::size_t sum_of_choices) { return is_check() && sum_of_choices % n != 0; }

}  // namespace gemel::testing
