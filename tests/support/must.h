#pragma once
// For what must not fail where a test prepares its work: the value, or an exception with the
// diagnostics.

#include "core/base/result.h"

#include <stdexcept>
#include <utility>

namespace loopscope::test {

template <typename T> T must(Result<T> result) {
    if (!result)
        throw std::runtime_error(format(result.errors()));
    return std::move(result).value();
}

} // namespace loopscope::test
