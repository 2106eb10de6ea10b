#pragma once
// Pipelines as large as people bring them, as text.

#include <string>

namespace loopscope::test {

// `blocks` iterations of a loop, five stages each, with reads that skip ahead as in a network: 5*blocks + 2 nodes.
std::string network_text(int blocks);

} // namespace loopscope::test
