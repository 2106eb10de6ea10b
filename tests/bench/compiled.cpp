#include "tests/bench/compiled.h"

#include "compiler/measure/requests.h"
#include "compiler/worker/work_count.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <nlohmann/json.hpp>

#include <thread>

namespace loopscope::bench {

namespace {

using test::must;

// As the worker loads it: `native` stands for this processor's vectors.
worker::LoadedProgram load(const std::string& program, const test::Params& params, bool shipped) {
    measure::ProgramText text;
    text.name = program + ".loop";
    text.text = test::read_file(test::source_path("resources/pipelines/" + text.name));
    text.params = params;
    text.has_schedule = shipped;
    text.schedule_name = program + ".cpu.sched";
    if (shipped)
        text.schedule =
            test::read_file(test::source_path("resources/pipelines/" + text.schedule_name));
    return must(worker::load_program(measure::program_json(text)));
}

} // namespace

Compiled::Compiled(const std::string& program, const test::Params& params, bool shipped)
    : program_(load(program, params, shipped)),
      inputs_(test::random_inputs(*program_.pipeline, 1)),
      compiled_(must(worker::compile_program(program_))),
      execution_(std::make_unique<worker::Execution>(
          must(worker::Execution::prepare(compiled_.program, inputs_)))) {}

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

double Compiled::flops() const { return must(worker::count_work(*program_.pipeline)).flops; }

int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

} // namespace loopscope::bench
