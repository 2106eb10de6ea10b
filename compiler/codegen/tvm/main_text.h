#pragma once
// The rest of an exported TVM program: functions that the schedule's lines call, and a main.

#include "compiler/codegen/foreign/foreign_program.h"

#include <map>

namespace loopscope::codegen {

const char* tvm_imports();
const char* tvm_schedule_helpers();
std::string tvm_main_text(const ForeignProgram& program, const std::string& function,
                          const std::map<std::string, std::vector<std::string>>& buffers);

} // namespace loopscope::codegen
