#pragma once
// Checks a large result by parts of it: the reference evaluates what those need, and no more.
//
//     output C: [4096, 4096]
//         ->   stage C@w0[i, j] = C[i + 0, j + 0]          output C@w0: [32, 32]
//         and  stage C@w1[i, j] = C[i + 4064, j + 4064]    output C@w1: [32, 32]   …
//
// Each window is in a pipeline of its own: in one pipeline all elements of a stage between two
// windows would be computed. The first window lies at the least corner, the second at the greatest,
// where partial tiles are, others anywhere; windows of outputs of one shape lie at one place.

#include "compiler/run/buffer.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::worker {

struct OutputWindow {
    std::string output; // the stage
    std::string stage;  // "C@w1"
    std::vector<std::int64_t> offset, extents;
};

struct WindowedPipeline {
    std::vector<PipelinePtr> pipelines; // the outputs of each are windows: one of every output
    std::vector<OutputWindow> windows;  // of all

    // The windows' part of whole outputs, under the windows' names ("C@w1", "C@w1.0" of a tuple).
    // Errors: memory.
    Result<std::map<std::string, Buffer>> cut(const std::map<std::string, Buffer>& outputs) const;
    // "C[4064..4096, 0..32]" of "C@w1"; the name itself of what is no window.
    std::string text(const std::string& array) const;
    // The same of one of its elements: the whole's name ("C.1" of "C@w1.1") and the index there.
    std::pair<std::string, std::vector<std::int64_t>> place(const std::string& array,
                                                            std::vector<std::int64_t> index) const;
    // "8 windows of C, D, in all 8192 of 33554432 elements"
    std::string summary(const Pipeline& whole) const;
};

// Makes windows, four an output, as large as `most_work` of the reference allows for all together:
// so many FLOPs, or points where these are more. Where even the least windows need more, they are
// as large as takes hardly more than those. Errors: an index that cannot be bounded.
Result<WindowedPipeline> with_windows(const Pipeline& pipeline, std::uint64_t seed,
                                      double most_work);
// The same; nothing: the whole needs no more than `most_work`, or no more than its windows, as
// where each element is made of all others.
Result<std::optional<WindowedPipeline>> windows_of_large(const Pipeline& pipeline,
                                                         std::uint64_t seed, double most_work);

} // namespace loopscope::worker
