#pragma once
// Exporting to Python for TVM, and the Python that may have it.

#include "compiler/codegen/tvm/tvm_source.h"
#include "tests/export_foreign/foreign_support.h"

#include <string>

namespace loopscope::test {

// As `emit` writes it on this machine.
codegen::ForeignSource tvm_source_of(const ScheduleTreePtr& tree, const std::string& script);

std::string python(); // LOOPSCOPE_PYTHON, else python3
bool has_tvm();
std::string no_tvm(); // why a test is skipped

// What an exported program says on random inputs, its outputs being right; one that fails, or gives
// wrong outputs, throws.
std::string said_by(const codegen::ForeignSource& program, const ScheduleTreePtr& tree,
                    unsigned seed);

} // namespace loopscope::test
