/// Functions, kernels and programs.
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "tree/operators.hpp"
#include "tree/printer.hpp"

#include <algorithm>
#include <set>

namespace gemel::codegen {

namespace {

bool is_void(const Type& type) { return !type.is_pointer && type.name == void_type().name; }

void check(const std::string& name, const std::vector<FunctionParameter>& parameters) {
    check_identifier(name, "a function");
    std::set<std::string> names;
    for (const FunctionParameter& parameter : parameters) {
        if (parameter.is_arena) continue;
        check_identifier(parameter.name, "a parameter");
        if (parameter.type.empty())
            throw ArgumentError(text(name, ": the parameter '", parameter.name,
                                     "' has no type; value() and global_pointer() take one"));
        if (is_void(parameter.type))
            throw ArgumentError(
                text(name, ": the parameter '", parameter.name, "' has the type void; expected a type with values"));
        if (!names.insert(parameter.name).second)
            throw ArgumentError(text(name, ": two parameters are named '", parameter.name, "'; rename one"));
    }
}

/// Checks the returned values and where shared arrays are declared.
/// @param result  null for a kernel, which returns nothing
void check(const std::string& name, const Type* result, const Statements& body, bool is_inside = false) {
    for (const Statement& statement : body) {
        const StatementNode& node = statement.node();
        if (node.is_shared && !result && is_inside)
            throw ArgumentError(text(name, ": the shared array '", node.name,
                                     "' is declared inside another statement; ",
                                     "declare it at the top of the kernel"));
        if (node.is_shared && result)
            throw ArgumentError(text(name, ": the shared array '", node.name, "' is declared in a device function; ",
                                     "declare it in the kernel and pass a shared_pointer"));
        if (node.kind == StatementNode::Kind::jump && node.text == "return") {
            const bool has_value = !node.expressions.empty();
            if (!result && has_value)
                throw ArgumentError(text(name, ": a kernel returns nothing; write through a global_pointer"));
            if (result && !has_value && !is_void(*result))
                throw ArgumentError(text(name, ": expected return_value(), got return_nothing()"));
            if (result && has_value && is_void(*result) && !node.expressions[0].type().empty())
                throw ArgumentError(text(
                    name, ": expected return_nothing(), got return_value(); change the result type or the statement"));
        }
        for (const Statements* inside : {&node.parts, &node.body, &node.otherwise}) check(name, result, *inside, true);
    }
}

}  // namespace

FunctionParameter global_pointer(const Type& type, const std::string& name) {
    return {pointer(type, Space::global), name};
}
FunctionParameter shared_pointer(const Type& type, const std::string& name) {
    return {pointer(type, Space::shared), name};
}
FunctionParameter constant_pointer(const Type& type, const std::string& name) {
    return {pointer(constant(type), Space::constant), name};
}
FunctionParameter thread_pointer(const Type& type, const std::string& name) {
    return {pointer(type, Space::thread), name};
}
FunctionParameter value(const Type& type, const std::string& name) { return {type, name}; }
FunctionParameter restricted(FunctionParameter parameter) {
    parameter.type = restricted(parameter.type);
    return parameter;
}
FunctionParameter shared_arena() { return {.name = "shared_arena", .is_arena = true}; }

Function kernel(const std::string& name, std::vector<FunctionParameter> parameters, Statements body,
                std::optional<std::array<std::uint32_t, 3>> required_block) {
    check(name, parameters);
    for (const FunctionParameter& parameter : parameters)
        if (parameter.type.is_pointer && parameter.type.space == Space::thread)
            throw ArgumentError(text(
                name, ": the parameter '", parameter.name,
                "' points to private memory, which cannot be passed to a kernel; use global_pointer() or value()"));
    check(name, nullptr, body);
    if (required_block && std::find(required_block->begin(), required_block->end(), 0U) != required_block->end())
        throw ArgumentError(text(name, ": the required block of ", (*required_block)[0], " x ", (*required_block)[1],
                                 " x ", (*required_block)[2], " threads is empty; use 1 for unused axes"));
    return {.name = name,
            .parameters = std::move(parameters),
            .body = std::move(body),
            .is_kernel = true,
            .required_block = required_block};
}

Function device_function(const Type& result, const std::string& name, std::vector<FunctionParameter> parameters,
                         Statements body) {
    check(name, parameters);
    if (result.empty())
        throw ArgumentError(
            text(name, ": the return type is unknown; use void_type() for a function without a result"));
    check(name, &result, body);
    return {.name = name, .parameters = std::move(parameters), .body = std::move(body), .result = result};
}

Program& Program::add(const Function& function) {
    items_.push_back(std::make_shared<const Item>(Item{.kind = Item::Kind::function, .function = function}));
    return *this;
}

Program& Program::add_struct(const std::string& name, const std::vector<StructMember>& members) {
    check_identifier(name, "a struct");
    for (const StructMember& member : members) check_identifier(member.name, "a member");
    if (members.empty())
        throw ArgumentError(text("add_struct: the struct ", name, " has no members; give at least one"));
    items_.push_back(
        std::make_shared<const Item>(Item{.kind = Item::Kind::structure, .name = name, .members = members}));
    return *this;
}

Program& Program::add_table(const Type& type, const std::string& name, const std::vector<Expression>& values) {
    check_identifier(name, "a table");
    if (values.empty()) throw ArgumentError(text("add_table: the table ", name, " has no values; give at least one"));
    if (type.empty() || is_void(type))
        throw ArgumentError(text("add_table: the table ", name, " has no element type; give one"));
    for (const Expression& value : values) check_assigned(text("the table '", name, "'"), type, value);
    items_.push_back(
        std::make_shared<const Item>(Item{.kind = Item::Kind::table, .name = name, .type = type, .values = values}));
    return *this;
}

Program& Program::add_text(const std::string& text) {
    items_.push_back(std::make_shared<const Item>(Item{.kind = Item::Kind::text, .text = text}));
    return *this;
}

std::string Program::source(const Dialect& dialect) const {
    Printer printer(dialect);
    for (const std::shared_ptr<const Item>& item : items_) {
        if (item != items_.front()) printer.blank_line();
        switch (item->kind) {
            case Item::Kind::function: printer.function(item->function); break;
            case Item::Kind::structure: printer.structure(item->name, item->members); break;
            case Item::Kind::table: printer.table(item->type, item->name, item->values); break;
            case Item::Kind::text: printer.lines(item->text); break;
        }
    }
    std::vector<DType> structs;
    for (const StructLayout* layout : printer.structs())
        structs.push_back(DType(layout, static_cast<std::uint32_t>(layout->size_bytes)));
    const std::string declarations = struct_declarations(structs, dialect);
    return declarations.empty() ? printer.take() : declarations + "\n" + printer.take();
}

std::string Function::source(const Dialect& dialect) const { return Program().add(*this).source(dialect); }

std::string to_source(const Expression& expression, const Dialect& dialect) {
    return Printer(dialect).expression(expression);
}

std::string to_source(const Statement& statement, const Dialect& dialect) {
    Printer printer(dialect);
    printer.statement(statement);
    return printer.take();
}

std::string to_source(const Function& function, const Dialect& dialect) { return function.source(dialect); }
std::string to_source(const Program& program, const Dialect& dialect) { return program.source(dialect); }

}  // namespace gemel::codegen
