#include "tests/export_halide/halide_support.h"
#include "tests/support/two_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHalide = "/usr/include/halide14";

std::string compile_command(const std::string& more) {
    return "g++ -std=c++17 -O0 -Wall -Wextra -Wno-unused-parameter -Werror -I" +
           (scratch() / "halide").string() + " -isystem " + kHalide + " " + more;
}

// The header takes most of a compilation: it is compiled once.
std::string prepare() {
    if (!fs::exists(fs::path(kHalide) / "Halide.h"))
        return "Halide 14 is not installed (libhalide14-0-dev)";
    fs::create_directories(scratch() / "halide");
    // What a second #include of the header finds, where programs are joined: all of it is there.
    std::ofstream(scratch() / "halide/Halide.h") << "// The compiled header beside this file.\n";
    std::string said;
    int status = run_command("g++ -std=c++17 -O0 -x c++-header " + std::string(kHalide) +
                                 "/Halide.h -o " + (scratch() / "halide/Halide.h.gch").string(),
                             said);
    return status == 0 ? "" : "Halide's header does not compile: " + said.substr(0, 400);
}

constexpr std::size_t kCompiledAtOnce = 8;
constexpr int kMostSeconds = 300; // of a program, with Halide's compiler in it

// Programs as one: each has a namespace, and runs where the first argument is its number. To read
// the header again for each would take longer than all that is theirs.
std::string joined_source(const std::vector<std::string>& files) {
    std::string text = "#include \"Halide.h\"\n";
    for (const char* header : {"algorithm", "chrono", "cmath", "cstdio", "cstdlib", "cstring",
                               "fstream", "limits", "map", "stdexcept", "string", "vector"})
        text += std::string("#include <") + header + ">\n";
    std::string choices;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto name = "program_" + std::to_string(i);
        text += "namespace " + name + " {\n#define main run\n#include \"" + files[i] +
                "\"\n#undef main\n#undef EXACT\n#undef CONSTANT_SIZES\n}\n";
        choices +=
            "    case " + std::to_string(i) + ": return " + name + "::run(argc - 1, argv + 1);\n";
    }
    return text + "int main(int argc, char **argv) {\n    switch (std::atoi(argv[1])) {\n" +
           choices + "    }\n    return 99;\n}\n";
}

// The outputs of the program that `command` begins.
void run_one(const HalideJob& job, const std::string& stem, const std::string& program,
             HalideRun& run) {
    run.built = true;
    const auto& pipeline = *job.tree->pipeline;
    auto command = program + " " + job.arguments + written_inputs(stem, job.inputs) +
                   output_arguments(stem, pipeline);
    const auto limit = std::to_string(kMostSeconds);
    const int status = run_command("HL_NUM_THREADS=2 timeout " + limit + " " + command, run.said);
    if (status == 0)
        run.outputs = read_outputs(stem, pipeline);
    if (status == 124) // as `timeout` says it
        run.said += "not done in " + limit + " seconds";
}

// A part of the jobs: compiled as one program or, where the compiler has something to say, one by
// one, so that it is known of which.
void run_some(const HalideJob* jobs, std::size_t count, int number, HalideRun* runs) {
    std::vector<std::string> stems, files;
    for (std::size_t j = 0; j < count; ++j) {
        stems.push_back(
            (scratch() / ("halide_" + std::to_string(number) + "_" + std::to_string(j))).string());
        files.push_back(stems.back() + ".cpp");
        std::ofstream(files.back()) << jobs[j].source;
    }
    const auto whole = (scratch() / ("halide_" + std::to_string(number))).string();
    std::ofstream(whole + ".cpp") << joined_source(files);
    std::string said;
    const bool joined =
        run_command(compile_command(whole + ".cpp -lHalide14 -o " + whole), said) == 0;
    for (std::size_t j = 0; j < count; ++j) {
        const bool built =
            joined || run_command(compile_command(files[j] + " -lHalide14 -o " + stems[j]),
                                  runs[j].said) == 0;
        if (built)
            run_one(jobs[j], stems[j], joined ? whole + " " + std::to_string(j) : stems[j],
                    runs[j]);
        fs::remove(stems[j]);
    }
    fs::remove(whole);
}

} // namespace

const std::string& without_halide() {
    static const std::string reason = prepare();
    return reason;
}

codegen::ForeignSource halide_source_of(const ScheduleTreePtr& tree, const std::string& schedule) {
    return foreign_source_of(codegen::halide_source, tree, schedule);
}

codegen::ForeignSource halide_source_of(const HalideCase& one) {
    return halide_source_of(tree_of(one.pipeline, one.schedule, one.params), one.schedule);
}

std::vector<HalideRun> run_halide(const std::vector<HalideJob>& jobs) {
    static std::atomic<int> number = 0;
    std::vector<HalideRun> runs(jobs.size());
    // Small parts of few jobs, so that both threads have some.
    const auto part = std::clamp<std::size_t>((jobs.size() + 1) / 2, 1, kCompiledAtOnce);
    on_two_threads((jobs.size() + part - 1) / part, [&](std::size_t p) {
        const auto first = p * part, count = std::min(part, jobs.size() - first);
        try {
            run_some(&jobs[first], count, number++, &runs[first]);
        } catch (const std::exception& failure) {
            for (std::size_t j = first; j < first + count; ++j)
                runs[j].said = failure.what();
        }
    });
    return runs;
}

void expect_right(const std::vector<HalideCase>& cases) {
    std::vector<HalideJob> jobs;
    for (const auto& one : cases)
        try {
            auto tree = tree_of(one.pipeline, one.schedule, one.params);
            jobs.push_back({one.label, halide_source_of(tree, one.schedule).text, tree,
                            random_inputs_of(*tree->pipeline, 5)});
        } catch (const std::exception& reason) {
            ADD_FAILURE() << one.label << ": " << reason.what();
        }
    auto runs = run_halide(jobs);
    on_two_threads(jobs.size(), [&](std::size_t j) {
        const auto& job = jobs[j];
        if (runs[j].built && !runs[j].outputs.empty()) {
            EXPECT_EQ(wrong_in(*job.tree, job.inputs, runs[j].outputs), "")
                << job.label << " by Halide";
            return;
        }
        ADD_FAILURE() << job.label << " by Halide: " << runs[j].said.substr(0, 3000) << "\nof\n"
                      << job.source.substr(job.source.find("struct Program"), 6000);
    });
}

} // namespace loopscope::test
