#pragma once
// The reference interpreter: the judge. It evaluates a pipeline straight from its definitions,
// stage by stage over the required boxes, in the order that the language defines, with exactly the
// arithmetic of languages.md ("Semantics that every back end shares, to the bit"). It never sees a
// schedule and shares no code with lowering or with the interpreters of loop programs. How a
// contracted definition is evaluated: contraction.h.

#include "compiler/run/buffer.h"
#include "core/base/result.h"
#include "core/ir/pipeline.h"

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace loopscope {

struct ReferenceOptions {
    // (stage, index of the definition) of those that the schedule contracts: 0 is the first, 1 its
    // update(0).
    std::set<std::pair<std::string, int>> contracted;
    const std::atomic<bool>* cancel = nullptr;          // set by another thread to stop
    std::int64_t memory_limit = std::int64_t{16} << 30; // bytes of all stages alive at once
};

// The outputs by name, each of the output's extents from 0 (a tuple's parts as "S.0", "S.1");
// symbols at their hints. Errors: an input that is missing or of another type or shape; an index
// that cannot be bounded; memory beyond the limit (code "memory-limit"); "cancelled". An index
// outside its array is an internal error (code "read-outside"): the front end refuses such
// pipelines.
Result<std::map<std::string, Buffer>> evaluate(const Pipeline& pipeline,
                                               const std::map<std::string, Buffer>& inputs,
                                               const ReferenceOptions& options = {});

} // namespace loopscope
