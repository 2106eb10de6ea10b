#pragma once
// The judge of exported C: programs are collected, written as one C file a batch, compiled by gcc,
// run in a process of their own, and compared with what the compiled program gave, bit for bit,
// also where the schedule reassociates.

#include "compiler/lower/program.h"
#include "compiler/run/buffer.h"
#include "core/base/result.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::fuzz {

struct ExportedPair {
    std::uint64_t seed = 0;
    lower::Program program; // after the passes for C
    std::map<std::string, Buffer> inputs;
    std::map<std::string, Buffer> expected; // windows of the outputs
};

struct ExportFailure {
    std::uint64_t seed = 0;
    std::string message;
};

// Is gcc there?
bool can_judge_c();
// Atomic steps on floats happen in any order: their results are nobody's.
bool has_one_result(const lower::Program& program);
// A batch; failures in the order of the pairs. A crash or an endless loop is the failure of its
// pair alone.
std::vector<ExportFailure> judge_c(const std::vector<ExportedPair>& batch);

} // namespace loopscope::fuzz
