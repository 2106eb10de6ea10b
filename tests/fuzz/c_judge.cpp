#include "tests/fuzz/c_judge.h"

#include "compiler/codegen/c/c_source.h"
#include "compiler/lower/statements.h"
#include "compiler/run/buffer_text.h"
#include "compiler/run/compare.h"
#include "compiler/worker/execution.h"
#include "tests/support/support.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace loopscope::fuzz {

namespace {

// Limits of a batch: processor time of all its threads, and time in all, which is much more where
// the machine does other things as well.
constexpr int kProcessorSeconds = 240, kSecondsToRun = 1800;
// As shells tell them: `timeout` ended it, or the limit on processor time.
bool ran_out(int status) {
    return status == 124 || status == 128 + SIGXCPU || status == 128 + SIGKILL;
}

std::size_t buffer_bytes(const lower::Argument& a) {
    std::int64_t count = bytes(a.type);
    for (const auto& extent : a.extents)
        count *= extent.hint();
    return static_cast<std::size_t>(count);
}

// Reads each pair's buffers from one file, and after each call appends the outputs to another.
constexpr const char* kRunner = R"(
#include <stdio.h>
#include <stdlib.h>
struct _pair { void (*call)(void *const *); int count; const size_t *bytes; const char *is_output; };
)";

constexpr const char* kMain = R"(
int main(int argc, char **argv) {
    FILE *in = fopen(argv[argc - 2], "rb"), *out = fopen(argv[argc - 1], "wb");
    for (const struct _pair *p = _pairs; p->call; p++) {
        void *buffers[256];
        for (int i = 0; i < p->count; i++) {
            buffers[i] = aligned_alloc(64, (p->bytes[i] + 127) / 64 * 64);
            if (fread(buffers[i], 1, p->bytes[i], in) != p->bytes[i])
                return 3;
        }
        p->call(buffers);
        for (int i = 0; i < p->count; i++) {
            if (p->is_output[i] && fwrite(buffers[i], 1, p->bytes[i], out) != p->bytes[i])
                return 3;
            free(buffers[i]);
        }
        fflush(out);
    }
    return 0;
}
)";

int run_command(const std::string& command, const std::string& folder, std::string& said) {
    auto log = folder + "/said";
    int status = std::system((command + " > " + log + " 2>&1").c_str());
    said = test::read_file(log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

class Batch {
public:
    explicit Batch(const std::vector<ExportedPair>& pairs)
        : pairs_(pairs), folder_(test::scratch_folder()) {}

    std::vector<ExportFailure> judge() {
        for (std::size_t begin = 0; begin < pairs_.size();)
            begin = judge_from(begin);
        return std::move(failures_);
    }

private:
    void fail(std::size_t pair, const std::string& message) {
        failures_.push_back({pairs_[pair].seed, message});
    }

    // Judges pairs from `begin` on; where to go on: behind the last, or behind one that ended the
    // process.
    std::size_t judge_from(std::size_t begin) {
        std::string said;
        if (!compile(begin, pairs_.size(), said)) {
            find_uncompiled(begin);
            return pairs_.size();
        }
        write_buffers(begin);
        // Empty: of a program that never begins there is nothing, and nothing of the one before.
        std::ofstream(folder_ + "/out");
        // Threads that wait for their next loop would take the processor from other processes of
        // the run.
        int status =
            run_command("ulimit -t " + std::to_string(kProcessorSeconds) +
                            "; OMP_WAIT_POLICY=passive timeout " + std::to_string(kSecondsToRun) +
                            " " + folder_ + "/batch " + folder_ + "/in " + folder_ + "/out",
                        folder_, said);
        auto output = test::read_file(folder_ + "/out");
        std::size_t at = 0;
        for (auto pair = begin; pair < pairs_.size(); ++pair) {
            std::size_t size = 0;
            for (const auto& a : pairs_[pair].program.arguments)
                size += a.role == lower::Role::Output ? buffer_bytes(a) : 0;
            if (at + size > output.size() ||
                (at + size == output.size() && status != 0 && size == 0)) {
                fail(pair, ran_out(status)
                               ? "the exported C does not end"
                               : "the exported C ends the process, status " +
                                     std::to_string(status) + ": " + said.substr(0, 2000));
                return pair + 1;
            }
            compare_outputs(pair, output.data() + at);
            at += size;
        }
        return pairs_.size();
    }

    bool compile(std::size_t begin, std::size_t end, std::string& said) {
        std::vector<lower::Program> programs;
        for (auto i = begin; i < end; ++i)
            programs.push_back(pairs_[i].program);
        std::vector<std::string> functions;
        auto source = codegen::c_source_of_all(programs, functions);
        if (!source) {
            said = format(source.errors());
            return false;
        }
        std::ofstream(folder_ + "/batch.c") << *source << runner(begin, functions);
        const char* more = std::getenv("LOOPSCOPE_FUZZ_CFLAGS");
        return run_command("gcc -std=c11 -O1 -w -fopenmp " + std::string(more ? more : "") +
                               " -o " + folder_ + "/batch " + folder_ + "/batch.c -lm",
                           folder_, said) == 0;
    }

    std::string runner(std::size_t begin, const std::vector<std::string>& functions) const {
        std::string text = kRunner, table = "static const struct _pair _pairs[] = {\n";
        for (std::size_t i = 0; i < functions.size(); ++i) {
            auto n = std::to_string(i);
            std::string call, sizes, outputs;
            for (const auto& a : pairs_[begin + i].program.arguments) {
                call += (call.empty() ? "" : ", ") +
                        ("b[" + std::to_string(std::count(sizes.begin(), sizes.end(), ',')) + "]");
                sizes += std::to_string(buffer_bytes(a)) + ", ";
                outputs += a.role == lower::Role::Output ? "1, " : "0, ";
            }
            auto count = std::to_string(pairs_[begin + i].program.arguments.size());
            text += "static void _pair_call_" + n + "(void *const *b) { " + functions[i] + "(" +
                    call + "); }\n";
            text += "static const size_t _pair_bytes_" + n + "[] = {" + sizes + "};\n";
            text += "static const char _pair_outputs_" + n + "[] = {" + outputs + "};\n";
            table += "    {_pair_call_" + n + ", " + count + ", _pair_bytes_" + n +
                     ", _pair_outputs_" + n + "},\n";
        }
        return text + table + "    {0}};\n" + kMain;
    }

    // One program at a time: which of them does not compile?
    void find_uncompiled(std::size_t begin) {
        for (auto pair = begin; pair < pairs_.size(); ++pair) {
            std::string said;
            if (!compile(pair, pair + 1, said))
                fail(pair, "the exported C does not compile:\n" + said.substr(0, 2000));
        }
    }

    void write_buffers(std::size_t begin) const {
        std::ofstream out(folder_ + "/in", std::ios::binary);
        for (auto i = begin; i < pairs_.size(); ++i)
            for (const auto& a : pairs_[i].program.arguments) {
                auto input = pairs_[i].inputs.find(a.buffer);
                if (a.role == lower::Role::Input && input != pairs_[i].inputs.end())
                    out.write(reinterpret_cast<const char*>(input->second.data.data()),
                              static_cast<std::streamsize>(buffer_bytes(a)));
                else // what a run leaves out must not look right by chance
                    out << std::string(buffer_bytes(a), '\xa5');
            }
    }

    void compare_outputs(std::size_t pair, const char* data) {
        const auto& p = pairs_[pair];
        auto execution = worker::Execution::prepare(p.program, p.inputs);
        if (!execution)
            return fail(pair, format(execution.errors()));
        for (std::size_t i = 0; i < p.program.arguments.size(); ++i) {
            const auto& a = p.program.arguments[i];
            if (a.role != lower::Role::Output)
                continue;
            std::memcpy(execution->pointers()[i], data, buffer_bytes(a));
            data += buffer_bytes(a);
        }
        auto outputs = execution->outputs(p.program);
        if (!outputs)
            return fail(pair, format(outputs.errors()));
        for (const auto& [name, expected] : p.expected)
            if (auto difference = compare(outputs->at(name), expected); !difference.equal)
                return fail(pair, "exported C: " + name +
                                      index_text(expected, difference.first_difference) + " is " +
                                      element_text(outputs->at(name), difference.first_difference) +
                                      ", the compiled program has " +
                                      element_text(expected, difference.first_difference) + "; " +
                                      std::to_string(difference.differences) + " elements differ");
    }

    const std::vector<ExportedPair>& pairs_;
    std::string folder_;
    std::vector<ExportFailure> failures_;
};

} // namespace

bool can_judge_c() {
    static const bool found = [] {
        std::string said;
        return run_command("gcc --version", test::scratch_folder(), said) == 0;
    }();
    return found;
}

bool has_one_result(const lower::Program& program) {
    bool found = true;
    for (const auto& launch : program.launches)
        lower::visit_statements(launch.body, [&](const lower::Statement& s) {
            found = found && !(s.kind == lower::StatementKind::Atomic && is_float(s.value->type) &&
                               (s.access->op == Op::Add || s.access->op == Op::Multiply));
            return found;
        });
    return found;
}

std::vector<ExportFailure> judge_c(const std::vector<ExportedPair>& batch) {
    return Batch(batch).judge();
}

} // namespace loopscope::fuzz
