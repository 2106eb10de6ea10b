// A Halide program that `emit --as halide` wrote, compiled once and timed whenever it is asked to,
// so that the other side of a comparison can take turns with it. halide.py compiles it with
// -DPROGRAM='"FILE.cpp"'; without, as tools see it that read all sources, it is empty.
//
//     halide_peer --threads N NAME=FILE.npy… [--autoschedule PLUGIN=NAME]
//
// Says "ready SECONDS" (what scheduling and compiling took), then answers each line that it reads:
// `time RUNS` by "WALL CPU" of each run, in seconds, the latter of all threads of the process;
// `write` by writing the outputs. The auto-scheduler plans for N threads; HL_NUM_THREADS says how
// many run.
#ifdef PROGRAM
#define main exported_main
#include PROGRAM
#undef main

#include <ctime>
#include <iostream>
#include <unistd.h>

namespace {

double now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

} // namespace

int main(int argc, char** argv) try {
    Program program;
    std::vector<ArrayFile> arguments = program.arguments();
    std::map<std::string, std::string> files;
    std::string scheduler;
    int threads = 1;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        size_t equals = word.find('=');
        if (word == "--autoschedule" && i + 1 < argc)
            scheduler = argv[++i];
        else if (word == "--threads" && i + 1 < argc)
            threads = std::atoi(argv[++i]);
        else if (equals != std::string::npos)
            files[word.substr(0, equals)] = word.substr(equals + 1);
    }
    std::vector<Halide::Buffer<>> outputs;
    for (ArrayFile& a : arguments) {
        a.path = files.at(a.name);
        a.data = Halide::Buffer<>(a.type, std::vector<int>(a.extents.rbegin(), a.extents.rend()));
        a.data.set_min(std::vector<int>(a.mins.rbegin(), a.mins.rend()));
        if (a.input) {
            npy::read(a.path, a.npy_type, a.window, a.type.bytes(), (char*)a.data.data());
            a.input->set(a.data);
        } else {
            outputs.push_back(a.data);
        }
    }
    double start = now(CLOCK_MONOTONIC);
    program.define();
    Halide::Target target = Halide::get_jit_target_from_environment();
    target.set_feature(Halide::Target::AVX512_SapphireRapids,
                       false); // as the exported main: its 16-bit floats may be missing
    Halide::Pipeline pipeline = program.pipeline();
    if (scheduler.empty()) {
        program.schedule();
    } else {
        size_t equals = scheduler.find('=');
        Halide::load_plugin(scheduler.substr(0, equals));
        program.estimates();
        // What a miss of the last cache costs is Halide's own figure for processors.
        long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
        Halide::MachineParams machine(threads, uint64_t(cache > 0 ? cache : 16 << 20), 40);
        pipeline.auto_schedule(scheduler.substr(equals + 1), target, machine);
    }
    pipeline.compile_jit(target);
    std::cout << "ready " << now(CLOCK_MONOTONIC) - start << std::endl;
    Halide::Realization results(outputs);
    std::string command;
    while (std::cin >> command) {
        if (command == "time") {
            int runs = 0;
            std::cin >> runs;
            for (int i = 0; i < runs; i++) {
                double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
                pipeline.realize(results, target);
                double cpu_end = now(CLOCK_PROCESS_CPUTIME_ID);
                std::cout << now(CLOCK_MONOTONIC) - wall << ' ' << cpu_end - cpu << ' ';
            }
        } else if (command == "write") {
            for (const ArrayFile& a : arguments)
                if (!a.input)
                    npy::write(a.path, a.npy_type, a.window, a.mins, a.extents, a.type.bytes(),
                               (const char*)a.data.data());
        }
        std::cout << std::endl;
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
#endif
