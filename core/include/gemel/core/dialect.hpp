/// Dialects: one table per kernel language for everything that is spelled differently.
///
/// The prelude (the portable words that hand-written kernels use) and every generator print from the same table.
/// A new language is one new table; nothing else in the tree asks which dialect it is printing.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// How one kernel language spells things. All members are text, in the order in which the prelude uses them.
struct GEMEL_API Dialect {
    std::string name = {};            ///< "cuda", "opencl": what a plug-in names and NativeSource holds
    std::string native = {};          ///< what NativeSource calls the language, if not by the dialect's name
    std::string file_extension = {};  ///< for kept sources: ".cu", ".cl"

    // Functions and memory spaces.
    std::string kernel = {};             ///< before a kernel's `void`
    std::string device_function = {};    ///< before a function that kernels call
    std::string extern_function = {};    ///< before such a function that other units of a linked program call
    std::string global_space = {};       ///< qualifier of a pointer to device memory
    std::string shared_space = {};       ///< qualifier of an array shared by a block
    std::string shared_pointer = {};     ///< qualifier of a pointer to such an array
    std::string constant_space = {};     ///< qualifier of a table initialised in the text
    std::string constant_pointer = {};   ///< qualifier of a pointer to a constant buffer
    std::string restrict_word = {};      ///< no-alias qualifier
    std::string required_block = {};     ///< macro body of REQD_WG_SIZE(X, Y, Z)
    std::string arena_parameter = {};    ///< what SHARED_ARENA becomes in a parameter list
    std::string arena_declaration = {};  ///< text at file scope that declares `shared_arena`, if any

    // Where a thread is. Each takes the axis by `#` (printed as 0, 1, 2) and `@` (printed as x, y, z).
    std::string thread_id = {}, block_id = {}, block_size = {}, grid_size = {}, global_id = {}, global_size = {};

    // Statements and literals.
    std::string barrier = {};
    std::string global_barrier = {};      ///< a barrier that orders device memory as well
    std::string infinity = {}, nan = {};  ///< float expressions
    std::string fp_contract_off = {};     ///< line at file scope that forbids fused multiply-add, if no option does
    std::string int64_type = {}, uint64_type = {};  ///< the 64-bit integer types
    std::string int64_suffix = {};                  ///< of a literal of that type: "LL"; "U" comes before it
    std::string bool_storage = {};                  ///< what an array of bool is made of
    std::string offset_of = {};                     ///< a constant: where member `#` of struct `@` lies
    std::string unroll = {};                        ///< line before a loop that the compiler should unroll, if any
    std::string vector_value = {};                  ///< a vector from its elements: `@` is the type, `#` the elements

    /// Text at the head of the prelude: typedefs, pragmas, whatever the macros above need.
    std::string preamble = {};
    /// Sections of the prelude that are printed only when a program uses one of their words.
    struct Section {
        std::string name = {};
        std::vector<std::string> words = {};
        std::string text = {};
        std::vector<std::string> needs = {};  ///< names of sections that must come before
    };
    std::vector<Section> sections = {};
    /// The language's own functions: a kernel of such a name is renamed in the text, and found by its name all the
    /// same.
    std::vector<std::string> own_functions = {};

    /// CUDA C++, as NVRTC compiles it.
    static const Dialect& cuda();
    /// OpenCL C 1.2.
    static const Dialect& opencl();
    /// The table of that name. @throws ArgumentError naming those that exist
    static const Dialect& find(std::string_view name);
    /// Makes a third language known (an out-of-tree plug-in calls this). A second table of the same name is refused.
    static void add(Dialect dialect);

    /// `thread_id` and its siblings for one axis, e.g. indexed(thread_id, 1).
    static std::string indexed(const std::string& pattern, int axis);
};

/// What stands before the name of a kernel that is renamed.
inline constexpr const char* renamed_kernel = "gemel_kernel_";

/// The portable words as text in this dialect: macros always, larger sections (atomics, half, complex) only when
/// `program` (a kernel's text, with the text of what it includes) uses one of their words.
/// Ends with a newline; the program's own lines follow.
GEMEL_API std::string prelude(const Dialect& dialect, std::string_view program);

/// The prelude with every section.
GEMEL_API std::string full_prelude(const Dialect& dialect);

}  // namespace gemel
