#include "expression/split_expression.hpp"

#include "expression/expression_node.hpp"

#include <unordered_map>
#include <vector>

namespace gemel {
namespace {

bool fits(const AnyExpr& expression) {
    detail::ExpressionOperands operands;
    const detail::ExpressionView view = expression.view();
    view.collect(view.expression, operands);
    return operands.fits_elements();
}

/// Works from the leaves up. Parts that are used several times are evaluated once.
class Splitting {
   public:
    AnyExpr fitting(const AnyExpr& expression) {
        const detail::ExpressionNode& node = expression.node();
        if (node.operands.empty() || fits(expression)) return expression;
        if (const auto known = fitting_.find(&node); known != fitting_.end()) return known->second;
        std::vector<AnyExpr> operands;
        for (const AnyExpr& operand : node.operands) operands.push_back(fitting(operand));
        const auto whole = [&] {
            const ExpressionStructure& own = *node.structure;
            return own.function ? detail::call_of(*own.function, operands)
                                : AnyExpr(*own.operation, operands, own.dtype);
        };
        AnyExpr result = whole();
        while (!fits(result)) {
            AnyExpr* largest = &operands[0];
            for (AnyExpr& operand : operands)
                if (operand.node().leaves > largest->node().leaves ||
                    (operand.node().leaves == largest->node().leaves && operand.node().depth > largest->node().depth))
                    largest = &operand;
            *largest = evaluated(*largest);
            result = whole();
        }
        fitting_.emplace(&node, result);
        return result;
    }

   private:
    AnyExpr evaluated(const AnyExpr& expression) {
        const auto [known, is_new] = evaluated_.try_emplace(&expression.node(), expression, expression);
        if (is_new) known->second.second = AnyExpr(expression.eval());
        return known->second.second;
    }
    std::unordered_map<const detail::ExpressionNode*, AnyExpr> fitting_;
    std::unordered_map<const detail::ExpressionNode*, std::pair<AnyExpr, AnyExpr>>
        evaluated_;  ///< the first of each pair keeps its key alive
};

}  // namespace

AnyExpr split(const AnyExpr& expression) { return Splitting().fitting(expression); }

}  // namespace gemel
