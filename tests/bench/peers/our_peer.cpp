// A bundled program of ours, compiled once and timed whenever it is asked to: the other side of
// halide_peer.cpp.
//
//     loopscope-peer P.loop S.sched THREADS INPUT=FILE.npy…
//
// Says "ready SECONDS", then answers each line that it reads: `time RUNS` by "WALL CPU" of each
// run, in seconds; `compare NAME FILE.npy` by how the output NAME of the last run differs from an
// array: elements, how many differ, how many by more than 1e-3 of the greatest magnitude, the
// greatest error, the greatest magnitude.
#include "compiler/codegen/host/host_info.h"
#include "compiler/run/compare.h"
#include "compiler/run/float_values.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/program.h"
#include "core/device/device.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/must.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>

using namespace loopscope;
using test::must;

namespace {

double now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void time_runs(const codegen::HostProgram& code, const worker::Execution& execution, int threads,
               int runs) {
    for (int i = 0; i < runs; ++i) {
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        must(code.run(execution.pointers(), threads));
        double cpu_end = now(CLOCK_PROCESS_CPUTIME_ID);
        std::cout << now(CLOCK_MONOTONIC) - wall << ' ' << cpu_end - cpu << ' ';
    }
}

void compare_with(const Buffer& ours, Buffer theirs) {
    theirs.type = ours.type; // bf16 is u16 in .npy files
    auto whole = compare(ours, theirs);
    double greatest = greatest_magnitude(ours);
    std::int64_t beyond = 0;
    for (std::int64_t i = 0; !whole.equal && i < ours.count(); ++i) {
        double a = element_value(ours, i), b = element_value(theirs, i);
        beyond +=
            !(std::abs(a - b) <= 1e-3 * greatest) && !(std::isnan(a) && std::isnan(b)) && a != b;
    }
    std::cout << ours.count() << ' ' << whole.differences << ' ' << beyond << ' '
              << (std::isfinite(whole.max_abs_error) ? whole.max_abs_error : -1) << ' ' << greatest;
}

} // namespace

int main(int argc, char** argv) try {
    if (argc < 4)
        throw std::runtime_error("usage: loopscope-peer P.loop S.sched THREADS INPUT=FILE.npy…");
    std::map<std::string, Buffer> inputs;
    for (int i = 4; i < argc; ++i) {
        std::string word = argv[i];
        auto equals = word.find('=');
        inputs.emplace(word.substr(0, equals), must(read_numpy(word.substr(equals + 1))));
    }
    double start = now(CLOCK_MONOTONIC);
    auto pipeline = must(load_pipeline_file(argv[1])).pipeline;
    auto schedule = must(parse_schedule_file(argv[2], pipeline.get()));
    // What `native` in the schedule stands for.
    device::Device device;
    device.vector_bits = codegen::host_info().vector_bits;
    auto tree = must(schedule_tree(pipeline, schedule, ApplyContext{&device}));
    auto compiled = must(worker::compile_program({pipeline, schedule, tree, device.vector_bits}));
    std::cout << "ready " << now(CLOCK_MONOTONIC) - start << std::endl;
    auto execution = must(worker::Execution::prepare(compiled.program, inputs));
    execution.poison();
    const int threads = std::stoi(argv[3]);
    std::string command, name, file;
    while (std::cin >> command) {
        if (command == "time") {
            int runs = 0;
            std::cin >> runs;
            time_runs(*compiled.code, execution, threads, runs);
        } else if (command == "compare") {
            std::cin >> name >> file;
            compare_with(must(execution.outputs(compiled.program)).at(name),
                         must(read_numpy(file)));
        }
        std::cout << std::endl;
    }
    return 0;
} catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
}
