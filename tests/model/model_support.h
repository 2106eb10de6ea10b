#pragma once
// Trees from text, a machine with round figures, and counts of the loop-program interpreter, for
// tests of models.

#include "core/device/device.h"
#include "tuner/model/analysis.h"
#include "tuner/model/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace loopscope::test {

// A pipeline's text under a schedule's lines (no header needed); failures fail the test and give
// null.
ScheduleTreePtr tree_of(const std::string& pipeline, const std::string& lines = "",
                        const std::map<std::string, std::int64_t>& params = {});
// A bundled program under its shipped CPU schedule, or the default one.
ScheduleTreePtr bundled_tree(const std::string& name, bool shipped,
                             const std::map<std::string, std::int64_t>& params);

// 4 cores of 8 f32 lanes; a slot is half a nanosecond. L1 32 KiB at 64 GB/s, L2 256 KiB at 32 GB/s,
// L3 4 MiB for all four at 16 GB/s each and 48 GB/s together, memory 8 GB/s and 16 GB/s. Starting a
// parallel loop takes 10 µs.
device::Device machine();

// Compares count() with what the interpreter of loop programs counts on the lowered program: equal
// where the counts say that they are exact, not below where they are bounds. Footprints of loops:
// never below.
void expect_counts_hold(const ScheduleTree& tree);

const model::Term* find_term(const model::Estimate& estimate, const std::string& name);

extern const char* const kMatmul; // params M, N, K
extern const char* const kBlur;   // params H, W; blur_x, out: u16
extern const char* const kScale;  // out[y, x] = img[y, x] * 2.0: one f32 stage; params H, W

} // namespace loopscope::test
