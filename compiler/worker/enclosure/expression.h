#pragma once
// The enclosure of an expression of a definition: the operations of arithmetic.h and functions.h on
// the enclosures of what it reads.

#include "compiler/worker/enclosure/arithmetic.h"

#include <map>
#include <string>

namespace loopscope::worker {

// What encloses a stage's values: component c has its ends in the components 2c and 2c + 1 of
// another stage, in the reference's bits both of them where it is exact.
struct StageEnclosure {
    std::string stage;
    std::vector<bool> exact; // by component
};
using StageEnclosures = std::map<std::string, StageEnclosure>; // by the stage that they enclose

// Encloses the expressions of one definition.
class EnclosingExpressions {
public:
    struct Reads {
        StageEnclosures others;
        std::string own; // the stage that the definition belongs to; what it reads of itself is in:
        StageEnclosure before;
    };
    // `approximated`: all calls are by approximations.
    EnclosingExpressions(Reads reads, bool approximated)
        : reads_(std::move(reads)), approximated_(approximated) {}

    Enclosure enclose(const ExprPtr& e);

private:
    Enclosure of(const ExprPtr& e);
    Enclosure of_load(const Expr& e);
    ExprPtr read_index(const ExprPtr& e);

    const Reads reads_;
    const bool approximated_;
    std::map<const Expr*, Enclosure> known_;
    std::map<const Expr*, ExprPtr> indices_;
    std::map<std::string, ExprPtr> lets_; // their names are unique in a pipeline
    std::vector<ExprPtr> alive_;          // of known_ and indices_
};

} // namespace loopscope::worker
