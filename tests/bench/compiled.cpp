#include "tests/bench/compiled.h"

#include "compiler/codegen/host/host_info.h"

#include <stdexcept>
#include <thread>

namespace loopscope::bench {

Compiled::Compiled(const std::string& program, const test::Params& params, bool shipped)
    : program_(test::load_bundled(program, params, shipped)),
      inputs_(test::random_inputs(*program_.pipeline, 1)) {
    auto compiled = worker::compile_program(
        {program_.pipeline, {}, program_.tree, codegen::host_info().vector_bits});
    if (!compiled)
        throw std::runtime_error(format(compiled.errors()));
    compiled_ = std::move(*compiled);
    auto execution = worker::Execution::prepare(compiled_.program, inputs_);
    if (!execution)
        throw std::runtime_error(format(execution.errors()));
    execution_ = std::make_unique<worker::Execution>(std::move(*execution));
}

void Compiled::run(int threads) const {
    if (auto status = compiled_.code->run(execution_->pointers(), threads); !status)
        throw std::runtime_error(format(status.errors()));
}

double Compiled::compulsory_bytes() const {
    double total = 0;
    for (const auto& argument : compiled_.program.arguments) {
        double size = bytes(argument.type);
        for (const auto& e : argument.window)
            size *= static_cast<double>(e.hint());
        total += size;
    }
    return total;
}

int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

} // namespace loopscope::bench
