#pragma once
// The lines behind S.reverse_compute_at(P, a). S gets outer loops as those of P down to `a` are,
// made by the same splits and fusions of those of its variables at which it reads P, in the same
// order and kinds. Then
//
// - where S's definition alone reads P, P.compute_at(S, a): of P no more than a tile is in memory.
//   P's own loops down to `a` are left with one iteration each, and are serial;
// - else, or where P is an output, S.compute_with(P, a): P is in memory as a whole, and the loops
//   are P's.

#include "core/schedule/directive.h"

#include <vector>

namespace loopscope {

// Errors: S does not read P; not element by element along what the loops run over; a loop among
// them runs over a reduction axis of P. `loop` is P's; `where`: the place of the line that they
// stand for.
Result<std::vector<DirectivePtr>> consumer_loop_lines(const ScheduleState& state,
                                                      const DefinitionRef& consumer,
                                                      const LoopRef& loop,
                                                      const SourceRange& where);

} // namespace loopscope
