/// Syntax trees: programs built by C++ expressions and printed as readable source in any dialect.
#pragma once

#include <gemel/codegen/expression.hpp>
#include <gemel/codegen/function.hpp>
#include <gemel/codegen/statement.hpp>
#include <gemel/codegen/type.hpp>
