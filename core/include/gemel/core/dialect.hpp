/// Dialects: one table per kernel language with everything that the languages spell differently.
///
/// The prelude (the portable words that hand-written kernels use) and every generator print from the same table.
/// A new language is one new table; no other code checks which dialect it prints.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The spellings of one kernel language, in the order in which the prelude uses them.
struct GEMEL_API Dialect {
    std::string name = {};            ///< "cuda", "opencl"; plug-ins and NativeSource use it
    std::string native = {};          ///< the language's name in NativeSource, if it differs from `name`
    std::string file_extension = {};  ///< of saved source files: ".cu", ".cl"

    // Functions and memory spaces.
    std::string kernel = {};             ///< before a kernel's `void`
    std::string device_function = {};    ///< before a function that kernels call
    std::string extern_function = {};    ///< before a device function that other units of a linked program call
    std::string global_space = {};       ///< qualifier of a pointer to device memory
    std::string shared_space = {};       ///< qualifier of an array shared by a block
    std::string aligned_shared = {};     ///< the same for one that begins at a multiple of 128 bytes, if it differs
    std::string shared_pointer = {};     ///< qualifier of a pointer to such an array
    std::string constant_space = {};     ///< qualifier of a table initialised in the text
    std::string constant_pointer = {};   ///< qualifier of a pointer to a constant buffer
    std::string restrict_word = {};      ///< no-alias qualifier
    std::string required_block = {};     ///< macro body of REQD_WG_SIZE(X, Y, Z)
    std::string arena_parameter = {};    ///< replaces SHARED_ARENA in a parameter list
    std::string arena_declaration = {};  ///< text at file scope that declares `shared_arena`, if any

    /// The language's own index of a thread begins at the launch's offset, so that native kernels need no LAUNCH_OFFSET.
    bool has_native_offset = false;

    // Thread indices. `#` stands for the axis as 0, 1, 2 and `@` for the axis as x, y, z.
    std::string thread_id = {}, block_id = {}, block_size = {}, grid_size = {}, global_id = {}, global_size = {};

    // Statements and literals.
    std::string barrier = {};
    std::string global_barrier = {};      ///< a barrier that orders device memory as well
    std::string infinity = {}, nan = {};  ///< float expressions
    std::string fp_contract_off =
        {};  ///< line at file scope that forbids fused multiply-add; empty if a compiler option does
    std::string int64_type = {}, uint64_type = {};  ///< the 64-bit integer types
    std::string int64_suffix = {};                  ///< of a 64-bit literal: "LL"; "U" precedes it
    std::string bool_storage = {};                  ///< element type of an array of bool
    std::string offset_of = {};                     ///< a constant: the offset of member `#` of struct `@`
    std::string unroll = {};                        ///< line before a loop that the compiler should unroll, if any
    std::string vector_value = {};                  ///< a vector from its elements: `@` is the type, `#` the elements

    /// Text at the head of the prelude: typedefs, pragmas and the like that the macros above need.
    std::string preamble = {};
    /// Sections of the prelude that are printed only when a program uses one of their words.
    struct Section {
        std::string name = {};
        std::vector<std::string> words = {};
        std::string text = {};
        std::vector<std::string> needs = {};  ///< names of sections that must come before
    };
    std::vector<Section> sections = {};
    /// The language's own functions. A kernel with one of these names is renamed in the text; Module::kernel() finds it
    /// by its original name.
    std::vector<std::string> own_functions = {};

    /// CUDA C++, as NVRTC compiles it.
    static const Dialect& cuda();
    /// OpenCL C 1.2.
    static const Dialect& opencl();
    /// The table of that name. @throws ArgumentError, listing the existing names, if there is none
    static const Dialect& find(std::string_view name);
    /// Adds a language; out-of-tree plug-ins call this. @throws ArgumentError if a table of that name exists
    static void add(Dialect dialect);

    /// `thread_id` and its siblings for one axis, e.g. indexed(thread_id, 1).
    static std::string indexed(const std::string& pattern, int axis);
};

namespace detail {
/// Prefix of renamed kernels.
inline constexpr const char* renamed_kernel = "gemel_kernel_";
}  // namespace detail

/// The portable words as text in this dialect: macros always, larger sections (atomics, half, complex) only when
/// `program` (a kernel's text, with the text of what it includes) uses one of their words.
/// Ends with a newline; the program's own lines follow.
GEMEL_API std::string prelude(const Dialect& dialect, std::string_view program);

/// The prelude with every section.
GEMEL_API std::string full_prelude(const Dialect& dialect);

}  // namespace gemel
