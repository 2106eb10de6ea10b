#pragma once
// Shared by the tests of the exporters to other scheduling languages: exporting as `emit` does, and
// judging what an exported program gave.

#include "compiler/codegen/foreign/foreign_program.h"
#include "tests/export_c/export_support.h"

namespace loopscope::test {

// By codegen::halide_source or codegen::tvm_source, for this machine. Throws what cannot be
// exported.
using Exporter = Result<codegen::ForeignSource> (*)(const codegen::ForeignInput&);
codegen::ForeignSource foreign_source_of(Exporter exporter, const ScheduleTreePtr& tree,
                                         const std::string& schedule);

// Arrays as files beside `stem`, by the arguments of an exported program: " a=STEM_in_a.npy", "
// S=STEM_out_S.npy" (a tuple's components " S.0=…"). They throw.
std::string written_inputs(const std::string& stem, const Buffers& inputs);
std::string output_arguments(const std::string& stem, const Pipeline& pipeline);
Buffers read_outputs(const std::string& stem, const Pipeline& pipeline);

// What is wrong with the outputs that an exported program gave; empty: nothing. They must have the
// compiled program's bits, or, where the schedule reassociates, lie between the ends of `check`
// (compiler/worker/tolerance.h), which hold for sums in any order: the other language may have one
// of its own.
std::string wrong_in(const ScheduleTree& tree, const Buffers& inputs, const Buffers& outputs);

} // namespace loopscope::test
