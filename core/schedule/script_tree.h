#pragma once
// The tree of a whole script. What only the tree shows, such as lanes of a loop that a later line
// makes longer, is told at the line that brings it about.

#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <vector>

namespace loopscope {

// `states`: of the default schedule, and after each of the directives. An error without a place
// gets that of a directive before which the script does not have this error, and after which it
// has. Builds some trees more, as many as the number of directives has digits in base two, where
// there is an error.
Result<ScheduleTreePtr> build_script_tree(const std::vector<ScheduleState>& states,
                                          const std::vector<DirectivePtr>& directives);

} // namespace loopscope
