#pragma once
// Exporting a program to C, compiling it with the compilers of this machine, and running it on
// arrays.

#include "compiler/codegen/c/c_source.h"
#include "compiler/run/buffer.h"
#include "core/device/device.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace loopscope::test {

struct Compiler {
    std::string command; // with all flags: what it says is an error
    std::string label;
};
// gcc with and without -march=native and OpenMP, and clang-19 where it is installed, with OpenMP
// where that is.
const std::vector<Compiler>& compilers();
bool has_clang();

const std::filesystem::path& scratch(); // a folder, removed at the end

// Compiles C to a shared object. Empty, with a failure of the test, if the compiler has anything to
// say.
std::string shared_object(const std::string& source, const Compiler& compiler);
struct CompileJob {
    const std::string* source;
    const Compiler* compiler;
};
std::vector<std::string> shared_objects(const std::vector<CompileJob>& jobs); // two at a time
std::vector<std::string> shared_objects(const std::string& source);           // by all compilers
// Runs a command; its exit status, and what it printed.
int run_command(const std::string& command, std::string& output);

// What a test needs beside an exported file to call its functions: void call_FUNCTION(void *const
// *buffers).
std::string call_wrapper(const lower::Program& program, const std::string& function);
// Calls a function of a shared object on inputs; windows of the outputs by name.
Buffers run_object(const std::string& object, const std::string& function,
                   const lower::Program& program, const Buffers& inputs);
Buffers run_jit(const lower::Program& program, const Buffers& inputs);

// A schedule's text (empty: the default one) for a pipeline, and the tree of a pipeline's text
// under it. They throw.
Schedule schedule_of(const Pipeline& pipeline, const std::string& text);
// The GPU that a script's `target` line names, else nothing in particular; with vectors as this
// processor's.
device::Device target_of(const Schedule& schedule);
ScheduleTreePtr tree_of(const std::string& pipeline, const std::string& schedule,
                        const std::map<std::string, std::int64_t>& params = {});
lower::Program lowered_for_c(const ScheduleTree& tree);
lower::Program lowered_for_jit(const ScheduleTree& tree);
Buffers random_inputs_of(const Pipeline& pipeline, std::uint64_t seed);

void expect_equal(const Buffers& actual, const Buffers& expected, const std::string& what);

} // namespace loopscope::test
