#pragma once
// Questions of the C printer about vector statements.

#include "compiler/lower/program.h"

namespace loopscope::codegen {

int lanes_of(const lower::Statement& s); // of a store or atomic statement
// Do different lanes certainly touch different elements?
bool keeps_lanes_apart(const std::vector<ExprPtr>& indices);
// Does a store read, from the buffer that it writes, elements other than each lane's own?
bool reads_other_lanes(const lower::Statement& store);
// A loop as `merge_lanes` makes them: of scalars, each stored to an element of its own.
bool is_loop_of_elements(const lower::Statement& loop);
// May a vector be computed anew wherever it is used? Few operations, none of them reads memory.
bool is_cheap_in_lanes(const ExprPtr& e);

} // namespace loopscope::codegen
