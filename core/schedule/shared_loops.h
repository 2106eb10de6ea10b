#pragma once
// Loops that several definitions share (merging.h), by the identities that the tree gives them. One
// definition's loop stands for those of all: the others' have no node of their own.

#include "core/schedule/reads.h"
#include "core/schedule/tree.h"

#include <vector>

namespace loopscope {

// The node that stands for an identity: itself, or the loop that runs in place of a shared one. An
// identity that the tree does not know otherwise stays what it is.
NodeId shown_loop(const ScheduleTree& tree, const NodeId& id);
// The loops that a definition shares but another one gives, outermost first. Empty: all of its
// loops are its own.
std::vector<NodeId> borrowed_loops(const ScheduleTree& tree, const std::string& stage,
                                   int definition);
// The definitions that share this loop, in the order in which they run in it; empty: it is one
// definition's.
std::vector<DefinitionKey> sharers(const ScheduleTree& tree, const NodeId& loop);

} // namespace loopscope
