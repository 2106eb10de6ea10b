#pragma once
// Sharing of equal parts of an expression. A stage that reads the one before it twice, inlined n
// times over, is read 2^n times, most often at few places: the read at one place has one value, and
// is computed once.

#include "core/ir/expr.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

class SharedExpressions {
public:
    // The expression as a graph in which equal parts are one node. Lets are gone, for sharing
    // replaces them, constants that are added one after the other are summed, and clamps of what is
    // clamped so already are dropped: a read at (x - 1) + 1 is a read at x.
    ExprPtr shared(const ExprPtr& e);
    // Different nodes so far.
    std::size_t size() const { return nodes_; }

private:
    ExprPtr make(const ExprPtr& e);
    ExprPtr in_let(const Expr& let);
    ExprPtr the_one(ExprPtr e); // of those equal to it

    std::unordered_map<Hash, std::vector<ExprPtr>> ones_;
    std::size_t nodes_ = 0;                      // in those
    std::unordered_map<ExprPtr, ExprPtr> known_; // by what was asked for, which is held
    std::unordered_map<std::string, ExprPtr> lets_;
};

// Such a graph as an expression of the same length: a let for each part that stands in several
// places, all of them outermost. Indices stay as they are, but for what they read. Names are
// `prefix` and a number from `number` on.
ExprPtr with_lets(const ExprPtr& graph, const std::string& prefix, int& number);

} // namespace loopscope
