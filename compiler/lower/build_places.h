#pragma once
// Where the memory of stages begins, for the loads and stores inside of it: indices of a definition
// -> indices of its buffer. Used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/schedule/tree.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

class Places {
public:
    // Enters the stage's memory, whose dimensions lie in the order `storage_order`.
    void enter(const TreeNode& storage, std::vector<std::size_t> storage_order);
    // The minima of a region: one without clamps is substituted from here on, so that indices
    // relative to it cancel; the others get names.
    void note_minima(const Region& region);
    // Names the region's minima around the body.
    StatementPtr with_minima(const TreeNode& node, StatementPtr body) const;

    // Replaces region variables that were substituted rather than named.
    ExprPtr resolved(const ExprPtr& e) const;
    // Replaces names of minima by what they stand for.
    ExprPtr spelled_out(const ExprPtr& e) const;
    // Turns indices of the stage's definition into indices of its buffer: relative to its first
    // element, in storage order, behind the slot of a pipelined stage.
    std::vector<ExprPtr> relative(const std::string& stage,
                                  const std::vector<ExprPtr>& indices) const;
    // Does the stage's memory hold several slots, of which each iteration takes the next?
    bool rotates(const std::string& stage) const { return rotations_.count(stage) > 0; }

private:
    struct Place {
        ExprPtr min;           // first coordinate of the buffer
        std::int64_t fold = 0; // circular: coordinates are taken modulo this; 0: they are not
    };
    std::map<std::string, std::vector<Place>> places_;       // stage -> per dimension
    std::map<std::string, std::vector<std::size_t>> orders_; // stage -> storage order
    std::map<std::string, ExprPtr> rotations_;               // stage -> which of its copies
    std::unordered_map<std::string, ExprPtr> plain_; // region variable -> substituted minimum
    // region variable -> minimum that it is the name of
    std::unordered_map<std::string, ExprPtr> named_;
};

} // namespace loopscope::lower
