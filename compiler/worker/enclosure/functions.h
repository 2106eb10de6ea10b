#pragma once
// The enclosure of a function of the prelude on values of an interval.
//
// exp, log, tanh, erf, rsqrt and pow are monotone in each argument, so that their true values lie
// between those at the ends; sin and cos change no more than their argument does. A computed value
// is off its true value by the declared error (prelude_error_ulp), here and at the ends, and need
// not be monotone itself: twice that error is added. Where a schedule approximates, the one error
// is the prelude's and the other the approximation's; beyond the arguments for which that is
// declared (core/ir/functions.h) anything may come out.

#include "compiler/worker/enclosure/arithmetic.h"

#include <string>

namespace loopscope::worker {

// `approximated`: the schedule puts the approximation in the function's place.
Enclosure enclose_call(const std::string& function, bool approximated,
                       const std::vector<Enclosure>& arguments);

} // namespace loopscope::worker
