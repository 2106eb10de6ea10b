#pragma once
// From a bad pair to a small one that is bad in the same way; pairs as files; judging in a process
// of its own.

#include "tests/fuzz/judge.h"

#include <functional>
#include <string>

namespace loopscope::fuzz {

using Judge = std::function<Verdict(const Pair&)>;

struct ShrinkLimits {
    int attempts = 6000;
    double seconds = 60;
};

// Drops directives (halves first, then one at a time), lines, stages and outputs; replaces
// expressions by their parts and by constants; lowers numbers and simplifies types, while the
// verdict keeps its outcome and its kind.
Pair shrink(Pair pair, const Judge& judge, const ShrinkLimits& limits = {});

// PATH.loop and PATH.sched; the latter ends with the seed of the inputs and, as comments, the
// message and the command that judges it again. Both throw where a file cannot be written or read.
void save_pair(const std::string& path, const Pair& pair, const Verdict& verdict);
Pair read_pair(const std::string& path);
std::string repeating_command(const std::string& path);

// The verdict as an exported C program gives it; an agreeing one where the pair is not judged in C.
Verdict judge_with_c(const Pair& pair, JudgeOptions options);

// By another process of this program, so that what ends it is a verdict too.
Verdict judge_apart(const Pair& pair);
// What that process does: Fuzz.SavedPair, with the pair's path in LOOPSCOPE_FUZZ_PAIR. Writes the
// verdict to the file that LOOPSCOPE_FUZZ_VERDICT names.
void write_verdict(const std::string& file, const Verdict& verdict);

} // namespace loopscope::fuzz
