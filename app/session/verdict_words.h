#pragma once
// What a check found, in words for people who know neither units of roundoff nor how the check
// works: what was allowed, what was seen, and which element is wrong.

#include "compiler/measure/requests.h"

#include <QString>

namespace loopscope::session {

// "The schedule combines numbers in another order … C may then differ from the reference by up to
// 1.4e-05; the greatest difference seen is 3e-06."
QString verdict_words(const measure::CheckResult& check);
// "C[3, 5] is 9 and should be 6, bit for bit. …" of a wrong result; of a right one nothing.
QString difference_words(const measure::CheckResult& check);

} // namespace loopscope::session
