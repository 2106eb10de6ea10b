#pragma once
// Identities of the nodes of a schedule tree: (stage, definition, axis name) or (stage, role). They
// are the same in every process and in JSON; no change of a factor, a binding or another stage
// alters one. Selections, foldings, pins, loop-program origins and measurements refer to nodes by
// these.

#include "core/base/hash.h"

#include <compare>
#include <string>

namespace loopscope {

struct NodeId {
    std::string stage; // empty: the root of the tree
    // 0: the first definition, n+1: update(n); -1: the stage as a whole (storage)
    int definition = -1;
    std::string name; // an axis name, or a role: "@compute", "@init", "@storage", "@stage"

    auto operator<=>(const NodeId&) const = default;
    std::string text() const; // "C/io", "H.update(0)/r", "C/@storage", "" for the root
    static bool parse(const std::string& text, NodeId& out);
    Hash hash() const;
};

// "C" for definition 0, "C.update(1)" for definition 2: how scripts name a definition.
std::string definition_name(const std::string& stage, int definition);

} // namespace loopscope
