#pragma once
// Pipelines as large as people bring them, as text.

#include <string>

namespace loopscope::test {

// `blocks` iterations of a loop, five stages each, with reads that skip ahead as in a network:
// 5*blocks + 2 nodes.
std::string network_text(int blocks);

// `steps` steps of Jacobi's iteration, which all read one right-hand side: a chain of stages, and
// an edge to each of them.
std::string iteration_text(int steps);

// A chain of 100 stages of ten loops and more each.
struct ScheduledText {
    std::string pipeline, schedule;
};
ScheduledText chain_of_a_thousand_loops();

} // namespace loopscope::test
