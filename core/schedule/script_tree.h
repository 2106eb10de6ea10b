#pragma once
// The tree of a whole script. An error that only the tree shows, such as too many lanes of a loop
// that a later line makes longer, is told at the line that brings it about.

#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace loopscope {

// `states`: of the default schedule, and after each of the directives. The number of the directive
// that brings an error of the last state's tree about: the script does not have the error before
// it, and has it after. None: the default schedule has it. Builds some more trees, as many as the
// number of directives has digits in base two.
std::optional<std::size_t> directive_behind(const Diagnostic& error,
                                            const std::vector<ScheduleState>& states);

// An error without a place gets that of the directive that brings it about. `known`: as of
// build_tree().
Result<ScheduleTreePtr> build_script_tree(const std::vector<ScheduleState>& states,
                                          const std::vector<DirectivePtr>& directives,
                                          const ScheduleTree* known = nullptr);

} // namespace loopscope
