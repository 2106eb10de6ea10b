#pragma once
// A bundled program compiled and bound to random inputs, ready to be run again and again.

#include "compiler/worker/execution.h"
#include "compiler/worker/program.h"
#include "tests/programs/program_fixture.h"

namespace loopscope::bench {

class Compiled {
public:
    Compiled(const std::string& program, const test::Params& params, bool shipped);
    void run(int threads) const;
    const Buffers& inputs() const { return inputs_; }
    double compulsory_bytes() const; // inputs read and outputs written, once
    double flops() const;            // of the definitions as written

private:
    worker::LoadedProgram program_;
    Buffers inputs_;
    worker::CompiledProgram compiled_;
    std::unique_ptr<worker::Execution> execution_;
};

int all_threads();

} // namespace loopscope::bench
