#pragma once
// The values that each axis of a definition takes over the loops that an instruction is to replace:
// the second part of tensorize's proof. An instruction counts each of its axes from 0 on, so that
// an axis must be base + 0, 1, …, each value once.

#include "core/schedule/region.h"
#include "core/schedule/state.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct AxisSpan {
    std::string axis;
    bool reduction = false;
    LinearForm value; // over the variables of all loops
    LinearForm base;  // with those inside at 0
    std::int64_t extent = 1;
};

// The loops of a nest from one on, by their variables.
class InnerLoops {
public:
    // `from`: position in the nest.
    InnerLoops(const DefinitionState& nest, const NestLayout& layout, std::size_t from);

    // The form with loops of one iteration at 0.
    LinearForm plain(const LinearForm& form) const;
    LinearForm base(const LinearForm& form) const; // with all of them at 0
    bool moves(const LinearForm& form) const;      // does its value change inside?
    // By how much the form moves with each of the variables on which it depends. Nothing: not by
    // the same everywhere.
    std::optional<std::map<std::string, std::int64_t>> steps(const LinearForm& form) const;
    std::int64_t extent(const std::string& variable) const { return extents_.at(variable); }
    // How many values 0, 1, … the loops count together, each once, when one step of each moves by
    // so much: the innermost by 1, each other by what those inside of it count. 0: they leave
    // values out, or take some twice.
    std::int64_t counted(const std::map<std::string, std::int64_t>& steps) const;

private:
    std::map<std::string, std::int64_t> extents_;
};

// The spans of all axes, in the nest's order. Errors: an axis that is not base + 0, 1, …: fused
// loops, loops that step over values. `name`, of the definition, and `here`, the outermost loop
// inside, are for messages.
Result<std::vector<AxisSpan>> axis_spans(const DefinitionState& nest, const NestLayout& layout,
                                         const InnerLoops& inside, const std::string& name,
                                         const std::string& here);

} // namespace loopscope
