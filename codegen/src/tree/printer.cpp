/// Prints syntax trees.
#include "tree/printer.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

namespace {

using Node = ExpressionNode;
using Level = ExpressionNode::Precedence;

constexpr std::size_t widest_line = 110;

Level level_of(const Node& node, const Dialect& dialect) {
    switch (node.kind) {
        case Node::Kind::literal: return literal_text(node, dialect).second;
        case Node::Kind::name: return Level::primary;
        case Node::Kind::position: return Level::primary;
        case Node::Kind::unary:
        case Node::Kind::cast: return Level::prefix;
        case Node::Kind::binary: return precedence_of(node.text);
        case Node::Kind::conditional: return Level::conditional_level;
        case Node::Kind::index:
        case Node::Kind::member:
        case Node::Kind::call: return Level::postfix;
        case Node::Kind::vector: return dialect.vector_value.starts_with('(') ? Level::prefix : Level::postfix;
        case Node::Kind::raw: return Level::lowest;
    }
    return Level::lowest;
}

/// The lowest precedence of an operand without parentheses, which preserves the tree and avoids compiler warnings about
/// && in ||, sums in shifts, and bitwise operators and comparisons in each other.
int needed_level(const Node& parent, const Node& child, bool is_right) {
    const Level own = precedence_of(parent.text);
    const int strict = own + (is_right ? 1 : 0);
    if (child.kind != Node::Kind::binary) return strict;
    const Level inner = precedence_of(child.text);
    const auto is_bitwise = [](Level level) {
        return level == Level::bitwise_or || level == Level::bitwise_xor || level == Level::bitwise_and;
    };
    const auto compares = [](Level level) { return level == Level::equality || level == Level::relation; };
    const bool is_misread = (own == Level::logical_or && inner == Level::logical_and) ||
                            (own == Level::shift && inner > own) || (own == Level::shift && inner == own) ||
                            (is_bitwise(own) && (inner == Level::shift || compares(inner) || is_bitwise(inner)) &&
                             parent.text != child.text) ||
                            (is_bitwise(own) && (inner == Level::sum || inner == Level::product)) ||
                            (compares(own) && compares(inner));
    return is_misread ? Level::prefix : strict;
}

/// Does the first parenthesis close at the end?
bool is_enclosed(const std::string& text) {
    if (!text.starts_with('(')) return false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0) return i + 1 == text.size();
    }
    return false;
}

const std::string& position_pattern(const Dialect& dialect, const std::string& name) {
    if (name == "thread_id") return dialect.thread_id;
    if (name == "block_id") return dialect.block_id;
    if (name == "block_size") return dialect.block_size;
    if (name == "grid_size") return dialect.grid_size;
    return name == "global_id" ? dialect.global_id : dialect.global_size;
}

/// The body of the macro REQD_WG_SIZE(X, Y, Z) with numbers for its parameters.
std::string required_block(const Dialect& dialect, const std::array<std::uint32_t, 3>& block) {
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
    };
    const std::string& pattern = dialect.required_block;
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool stands_alone =
            (i == 0 || !is_word(pattern[i - 1])) && (i + 1 == pattern.size() || !is_word(pattern[i + 1]));
        if (stands_alone && pattern[i] >= 'X' && pattern[i] <= 'Z') {
            out += std::to_string(block[static_cast<std::size_t>(pattern[i] - 'X')]);
        } else {
            out += pattern[i];
        }
    }
    return out;
}

}  // namespace

bool continues_chain(const ExpressionNode& binary) {
    const ExpressionNode& left = binary.operands[0].node();
    return left.kind == Node::Kind::binary && precedence_of(left.text) >= needed_level(binary, left, false);
}

void collect_structs(const Type& type, std::vector<const StructLayout*>& found) {
    const StructLayout* layout = type.dtype.layout();
    if (!layout || std::find(found.begin(), found.end(), layout) != found.end()) return;
    for (const StructField& field : layout->fields) collect_structs(field.dtype, found);
    found.push_back(layout);
}

std::string Printer::declared(const Type& type, const std::string& name) {
    collect_structs(type, structs_);
    return declaration(type, name, dialect_);
}

std::string Printer::list(const std::vector<Expression>& expressions) {
    std::vector<std::string> parts;
    for (const Expression& e : expressions) parts.push_back(expression(e));
    return join(parts);
}

std::string Printer::unary(const ExpressionNode& node) {
    const std::string operand = expression(node.operands[0], Level::prefix);
    // "--x" is a different operator from "-(-x)".
    const bool would_merge = operand.front() == node.text.front();
    return node.text + (would_merge ? "(" + operand + ")" : operand);
}

std::string Printer::binary(const ExpressionNode& node) {
    // Long chains of one operator are printed without recursion.
    std::vector<const ExpressionNode*> chain{&node};
    while (continues_chain(*chain.back()) && !names_.contains(&chain.back()->operands[0].node()))
        chain.push_back(&chain.back()->operands[0].node());
    const ExpressionNode& innermost = *chain.back();
    std::string out = expression(innermost.operands[0], needed_level(innermost, innermost.operands[0].node(), false));
    for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
        const ExpressionNode& right = (*link)->operands[1].node();
        out += " " + (*link)->text + " " + expression((*link)->operands[1], needed_level(**link, right, true));
    }
    return out;
}

std::string Printer::expression(const Expression& expression, int at_least) {
    if (is_inside_) return printed(expression, at_least);
    check_length(expression);
    is_inside_ = true;
    std::string out = printed(expression, at_least);
    is_inside_ = false;
    return out;
}

std::string Printer::printed(const Expression& expression, int at_least) {
    const ExpressionNode& node = expression.node();
    if (const auto named = names_.find(&node); named != names_.end()) return named->second;
    const auto operand = [&](std::size_t i, int level) { return this->expression(node.operands[i], level); };
    std::string out;
    switch (node.kind) {
        case Node::Kind::literal: out = literal_text(node, dialect_).first; break;
        case Node::Kind::name:
        case Node::Kind::raw: out = node.text; break;
        case Node::Kind::position:
            out = Dialect::indexed(position_pattern(dialect_, node.text), node.axis);
            // Removes the parentheses of the table if nothing surrounds the expression.
            if (at_least <= Level::conditional_level && is_enclosed(out)) out = out.substr(1, out.size() - 2);
            break;
        case Node::Kind::unary: out = unary(node); break;
        case Node::Kind::binary: out = binary(node); break;
        case Node::Kind::conditional:
            out = operand(0, Level::logical_or) + " ? " + operand(1, Level::conditional_level + 1) + " : " +
                  operand(2, Level::conditional_level);
            break;
        case Node::Kind::index: out = operand(0, Level::postfix) + "[" + operand(1, Level::lowest) + "]"; break;
        case Node::Kind::member: out = operand(0, Level::postfix) + node.text; break;
        case Node::Kind::call: out = node.text + "(" + list(node.operands) + ")"; break;
        case Node::Kind::cast: out = "(" + declared(node.type, "") + ")" + operand(0, Level::prefix); break;
        case Node::Kind::vector:
            out = fill_pattern(dialect_.vector_value, declared(node.type, ""), list(node.operands));
            break;
    }
    return level_of(node, dialect_) < at_least ? "(" + out + ")" : out;
}

void Printer::line(const std::string& text) {
    if (!text.empty()) out_ += std::string(4 * static_cast<std::size_t>(depth_), ' ') + text;
    out_ += '\n';
}

void Printer::lines(const std::string& text) {
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        line(text.substr(from, end - from));
        from = end + 1;
    }
}

/// Without a semicolon.
std::string Printer::simple(const StatementNode& node) {
    switch (node.kind) {
        case StatementNode::Kind::expression: return expression(node.expressions[0]);
        case StatementNode::Kind::assignment:
            return expression(node.expressions[0], Level::prefix) + " " + node.text + " " +
                   expression(node.expressions[1], Level::conditional_level);
        case StatementNode::Kind::increment: return node.text + expression(node.expressions[0], Level::prefix);
        default: break;
    }
    std::string out = declared(node.type, node.name);
    if (node.is_shared && !dialect_.shared_space.empty()) out = dialect_.shared_space + " " + out;
    for (const std::size_t extent : node.extents) out += "[" + std::to_string(extent) + "]";
    if (node.extents.empty())
        return node.values.empty() ? out : out + " = " + expression(node.values[0], Level::conditional_level);
    return node.values.empty() ? out : out + " = {" + list(node.values) + "}";
}

void Printer::braces(const std::string& head, const Statements& body, const std::string& tail) {
    line(head.empty() ? "{" : head + " {");
    ++depth_;
    statements(body);
    --depth_;
    line("}" + tail);
}

void Printer::condition(const StatementNode& node, const std::string& before) {
    if (before.empty()) share({&node.expressions[0]});  // there is no position before an `else if`
    const std::string head = "if (" + expression(node.expressions[0]) + ") {";
    names_.clear();
    line(before + head);
    ++depth_;
    statements(node.body);
    --depth_;
    if (node.otherwise.empty()) {
        line("}");
    } else if (node.otherwise.size() == 1 && node.otherwise[0].node().kind == StatementNode::Kind::condition) {
        condition(node.otherwise[0].node(), "} else ");
    } else {
        braces("} else", node.otherwise, "");
    }
}

void Printer::statement(const Statement& statement) {
    using Kind = StatementNode::Kind;
    const StatementNode& node = statement.node();
    switch (node.kind) {
        case Kind::expression:
        case Kind::declaration:
        case Kind::assignment:
        case Kind::increment:
            share_all(node);
            line(simple(node) + ";");
            names_.clear();
            break;
        case Kind::condition: condition(node, ""); break;
        case Kind::for_loop:
            braces("for (" + simple(node.parts[0].node()) + "; " + expression(node.expressions[0]) + "; " +
                       simple(node.parts[1].node()) + ")",
                   node.body, "");
            break;
        case Kind::while_loop: braces("while (" + expression(node.expressions[0]) + ")", node.body, ""); break;
        case Kind::do_while_loop: braces("do", node.body, " while (" + expression(node.expressions[0]) + ");"); break;
        case Kind::jump:
            share_all(node);
            line(node.text + (node.expressions.empty() ? "" : " " + expression(node.expressions[0])) + ";");
            names_.clear();
            break;
        case Kind::barrier: line(dialect_.barrier + ";"); break;
        case Kind::global_barrier:
            line((dialect_.global_barrier.empty() ? dialect_.barrier : dialect_.global_barrier) + ";");
            break;
        case Kind::block: braces("", node.body, ""); break;
        case Kind::comment:
            for (std::size_t from = 0; from <= node.text.size();) {
                const std::size_t end = std::min(node.text.find('\n', from), node.text.size());
                std::string words = node.text.substr(from, end - from);
                if (words.ends_with('\\')) words += " .";  // otherwise the next line would be part of the comment
                line(words.empty() ? "//" : "// " + words);
                from = end + 1;
            }
            break;
        case Kind::raw: lines(node.text); break;
    }
}

void Printer::statements(const Statements& all) {
    for (const Statement& one : all) statement(one);
}

void Printer::function(const Function& function) {
    std::vector<std::string> parameters;
    for (const FunctionParameter& parameter : function.parameters) {
        const bool is_bool = !parameter.type.is_pointer && parameter.type.dtype.kind() == DType::Kind::boolean;
        if (parameter.is_arena) {
            parameters.push_back("SHARED_ARENA");
        } else if (is_bool && function.is_kernel) {
            parameters.push_back(dialect_.bool_storage + " " + parameter.name);  // the size of bool is not specified
        } else {
            parameters.push_back(declared(parameter.type, parameter.name));
        }
    }
    std::string head = function.is_kernel ? dialect_.kernel : dialect_.device_function;
    if (!head.empty()) head += ' ';
    if (function.required_block) head += required_block(dialect_, *function.required_block) + " ";
    head += function.is_kernel ? "void " + function.name : declared(function.result, function.name);
    head += '(';
    const std::string all = join(parameters);
    if (head.size() + all.size() + 1 <= widest_line) {
        line(head + all + ")");
    } else {
        const std::string margin(head.size() <= widest_line / 2 ? head.size() : 8, ' ');
        line(head + (head.size() <= widest_line / 2 ? "" : "\n" + margin) + join(parameters, ",\n" + margin) + ")");
    }
    braces("", function.body, "");
}

void Printer::structure(const std::string& name, const std::vector<StructMember>& members) {
    line("typedef struct {");
    ++depth_;
    for (const StructMember& member : members) {
        // In memory, a bool is a byte.
        Type type = member.type;
        std::string text = declared(type, member.name);
        if (type.dtype.kind() == DType::Kind::boolean && !type.is_pointer)
            text = dialect_.bool_storage + " " + member.name;
        line(text + (member.count > 1 ? "[" + std::to_string(member.count) + "]" : "") + ";");
    }
    --depth_;
    line("} " + name + ";");
}

void Printer::table(const Type& type, const std::string& name, const std::vector<Expression>& values) {
    std::string head = dialect_.constant_space.empty() ? "const " : dialect_.constant_space + " ";
    std::vector<std::string> shown;
    for (const Expression& value : values)
        shown.push_back(value.node().kind == Node::Kind::literal ? initializer_text(value.node(), dialect_)
                                                                 : expression(value));
    line(head + declared(type, name) + "[" + std::to_string(values.size()) + "] = {" + join(shown) + "};");
}

}  // namespace gemel::codegen
