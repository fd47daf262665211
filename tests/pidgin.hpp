/// A made-up third dialect: what a new language needs is one table.
#pragma once

#include <gemel/core/dialect.hpp>

/// A language that nobody has: nothing in the generators may depend on the two that there are.
inline const gemel::Dialect& pidgin() {
    static const gemel::Dialect& dialect = *new gemel::Dialect{.name = "pidgin",
                                                               .kernel = "entry",
                                                               .device_function = "helper",
                                                               .global_space = "far",
                                                               .shared_space = "near",
                                                               .shared_pointer = "near",
                                                               .constant_space = "fixed",
                                                               .constant_pointer = "fixed",
                                                               .restrict_word = "alone",
                                                               .required_block = "[X by Y by Z]",
                                                               .thread_id = "lane(#)",
                                                               .block_id = "team(@)",
                                                               .block_size = "lanes(#)",
                                                               .grid_size = "teams(#)",
                                                               .global_id = "place(#)",
                                                               .global_size = "places(#)",
                                                               .barrier = "meet()",
                                                               .infinity = "endless",
                                                               .nan = "nothing",
                                                               .int64_type = "wide",
                                                               .uint64_type = "unsigned wide",
                                                               .int64_suffix = "W",
                                                               .bool_storage = "byte",
                                                               .vector_value = "@{#}"};
    return dialect;
}
