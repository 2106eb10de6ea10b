#pragma once
// Runs a compiled program on inputs where its target says: as code of this processor, or in the interpreter of SIMT programs.

#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "compiler/worker/context.h"
#include "compiler/worker/program.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::worker {

class Runner {
public:
    // What it is given must outlive it. `seed`: of the order in which threads take their turns.
    Runner(const LoadedProgram& loaded, const CompiledProgram& compiled, int threads,
           std::uint64_t seed, const Context& context)
        : loaded_(loaded), compiled_(compiled), threads_(threads), seed_(seed), context_(context) {}

    // The windows of the outputs. What the program does not write holds a pattern, so that it cannot look right by chance.
    Result<std::map<std::string, Buffer>> run(const std::map<std::string, Buffer>& inputs);

    double seconds() const { return seconds_; } // of all runs
    // What the interpreter found wrong in any run.
    const std::vector<SimtFinding>& findings() const { return findings_; }
    // Of a device: "findings" and "launches", of the last run.
    void report(nlohmann::json& answer) const;

private:
    template <typename Run> auto timed(Run run);
    Result<std::map<std::string, Buffer>> run_on_host(const std::map<std::string, Buffer>& inputs);
    Result<std::map<std::string, Buffer>> interpret(const std::map<std::string, Buffer>& inputs);

    const LoadedProgram& loaded_;
    const CompiledProgram& compiled_;
    int threads_;
    std::uint64_t seed_;
    const Context& context_;
    double seconds_ = 0;
    std::vector<SimtFinding> findings_;
    std::vector<SimtLaunchRun> launches_;
};

} // namespace loopscope::worker
