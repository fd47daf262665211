/// Prints parts that occur several times in a long statement once.
#include "tree/printer.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::codegen {
namespace {

using Node = ExpressionNode;

/// Statements of at least this many characters share their parts; shorter ones are printed as written.
constexpr double longest_unshared = 4096;
/// Maximum characters of an expression.
constexpr double longest_text = 1 << 24;

/// Calls `f` once for each node below some expressions, operands before those that use them.
template <class F>
void each_node(const std::vector<const Expression*>& roots, const F& f) {
    std::unordered_map<const Node*, bool> seen;
    std::vector<std::pair<const Node*, std::size_t>> open;
    for (const Expression* root : roots) {
        if (!seen.emplace(&root->node(), true).second) continue;
        open.emplace_back(&root->node(), 0);
        while (!open.empty()) {
            auto& [node, next] = open.back();
            if (next == node->operands.size()) {
                f(*node);
                open.pop_back();
                continue;
            }
            const Node* const operand = &node->operands[next++].node();
            if (seen.emplace(operand, true).second) open.emplace_back(operand, 0);
        }
    }
}

/// Whether operand k is evaluated whenever the node is.
bool is_always_evaluated(const Node& node, std::size_t k) {
    const bool chooses = node.kind == Node::Kind::conditional ||
                         (node.kind == Node::Kind::binary && (node.text == "&&" || node.text == "||"));
    return k == 0 || !chooses;
}

/// Whether a node, apart from its operands, can be evaluated before the statement. Calls, which may have side effects,
/// and written places cannot.
bool may_be_shared(const Node& node) {
    switch (node.kind) {
        case Node::Kind::binary:
        case Node::Kind::cast:
        case Node::Kind::conditional: return !node.type.empty();
        case Node::Kind::unary: return !node.type.empty() && node.text != "&" && node.text != "*";
        default: return false;
    }
}
bool may_have_effects(const Node& node) { return node.kind == Node::Kind::call || node.kind == Node::Kind::raw; }

}  // namespace

double Printer::length(const std::vector<const Expression*>& roots) const {
    std::unordered_map<const Node*, double> lengths;
    each_node(roots, [&](const Node& node) {
        const auto named = names_.find(&node);
        double own = static_cast<double>(named == names_.end() ? node.text.size() + 4 : named->second.size());
        if (named == names_.end())
            for (const Expression& operand : node.operands) own += lengths[&operand.node()];
        lengths[&node] = own;
    });
    double all = 0;
    for (const Expression* root : roots) all += lengths[&root->node()];
    return all;
}

void Printer::check_length(const Expression& expression) const {
    const double characters = length({&expression});
    if (characters > longest_text)
        throw ArgumentError(text("to_source: an expression has about ", characters,
                                 " characters, because it repeats shared parts; at most ",
                                 static_cast<long>(longest_text),
                                 " are printed; declare() variables for parts that are used more than once"));
}

void Printer::share(const std::vector<const Expression*>& roots) {
    if (length(roots) <= longest_unshared) return;
    struct Use {
        std::size_t count = 0;
        bool always = false, has_effects = false;
    };
    std::unordered_map<const Node*, Use> uses;
    std::vector<const Node*> order;
    each_node(roots, [&](const Node& node) {
        order.push_back(&node);
        bool has_effects = may_have_effects(node);
        for (const Expression& operand : node.operands) {
            Use& below = uses[&operand.node()];
            ++below.count;
            has_effects |= below.has_effects;
        }
        uses[&node].has_effects = has_effects;
    });
    for (const Expression* root : roots) uses[&root->node()].always = true;
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        for (std::size_t k = 0; k < (*node)->operands.size(); ++k)
            if (uses[*node].always && is_always_evaluated(**node, k)) uses[&(*node)->operands[k].node()].always = true;
    std::unordered_map<const Node*, const Expression*> handles;
    for (const Node* node : order)
        for (const Expression& operand : node->operands) handles[&operand.node()] = &operand;
    for (const Node* node : order) {
        const Use& use = uses[node];
        if (use.count < 2 || !use.always || use.has_effects || !may_be_shared(*node)) continue;
        Type type = node->type;
        type.is_restrict = false;
        if (!type.is_pointer) type.is_const = true;
        const std::string name = text("gemel_part_", parts_++);
        line(declared(type, name) + " = " + expression(*handles[node], ExpressionNode::conditional_level) + ";");
        names_[node] = name;
    }
}

void Printer::share_all(const StatementNode& node) {
    std::vector<const Expression*> roots;
    for (const Expression& e : node.expressions) roots.push_back(&e);
    for (const Expression& e : node.values) roots.push_back(&e);
    share(roots);
}

}  // namespace gemel::codegen
