/// Values of parameters that are written as words, in kernel files and in the store of tunings.
#pragma once

#include <gemel/codegen/value.hpp>
#include <gemel/core/export.hpp>

#include <string>

namespace gemel::tune {

/// The value of a word: true and false are bools, "16" and "-1" integers, "0.5" and "1e-3" floating-point numbers. All
/// other words are strings, also "inf", "16x" and integers beyond 64 bits.
GEMEL_API codegen::Value value_of_word(const std::string& word);

}  // namespace gemel::tune
