#pragma once
// The lets inside of expressions. Their names are unique in a pipeline, so that one may be looked
// up wherever it stands.

#include "core/ir/expr.h"

#include <map>
#include <string>

namespace loopscope {

// Adds the values of the lets inside of `e`, which may be null, by name.
void collect_lets(const ExprPtr& e, std::map<std::string, ExprPtr>& lets);

} // namespace loopscope
