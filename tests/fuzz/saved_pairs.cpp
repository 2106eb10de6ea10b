// Pairs as files, and judging them elsewhere.

#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/shrink.h"
#include "tests/fuzz/simpler_text.h"
#include "tests/support/support.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace loopscope::fuzz {

namespace {

constexpr const char* kSeed = "# seed of the inputs: ";
constexpr const char* kOnDevice = "# for a GPU";
constexpr int kSecondsApart = 120;

void write(const std::string& path, const std::string& text) {
    std::ofstream out(path);
    out << text;
    if (!out.flush())
        throw std::runtime_error("cannot write " + path);
}

} // namespace

std::string repeating_command(const std::string& path) {
    return "LOOPSCOPE_FUZZ_PAIR=" + path + " build/bin/test_fuzz --gtest_filter=Fuzz.SavedPair";
}

void save_pair(const std::string& path, const Pair& pair, const Verdict& verdict) {
    write(path + ".loop", pair.pipeline);
    auto schedule =
        pair.schedule + kSeed + std::to_string(pair.seed) + "\n# " + repeating_command(path) + "\n";
    if (pair.on_device)
        schedule += std::string(kOnDevice) + "\n";
    for (const auto& line : lines_of(verdict.message))
        schedule += "# " + line + "\n";
    write(path + ".sched", schedule);
}

Pair read_pair(const std::string& path) {
    Pair pair{test::read_file(path + ".loop"), "", 1};
    for (const auto& line : lines_of(test::read_file(path + ".sched"))) {
        if (line.starts_with(kSeed))
            pair.seed = std::stoull(line.substr(std::string(kSeed).size()));
        pair.on_device = pair.on_device || line == kOnDevice;
        if (!line.starts_with("#"))
            pair.schedule += line + "\n";
    }
    return pair;
}

Verdict judge_with_c(const Pair& pair, JudgeOptions options) {
    std::vector<ExportedPair> batch;
    options.exported = [&](ExportedPair exported) { batch.push_back(std::move(exported)); };
    auto verdict = judge(pair, options);
    if (verdict.bad() || batch.empty())
        return verdict;
    auto failures = judge_c(batch);
    if (failures.empty())
        return verdict;
    const auto& message = failures[0].message;
    return {Outcome::Mismatch, message, message.substr(0, message.find(':'))};
}

void write_verdict(const std::string& file, const Verdict& verdict) {
    write(file, std::to_string(static_cast<int>(verdict.outcome)) + "\n" + verdict.kind + "\n" +
                    verdict.message);
}

Verdict judge_apart(const Pair& pair) {
    static const std::string folder = test::scratch_folder();
    const auto path = folder + "/apart", answer = folder + "/verdict";
    std::remove(answer.c_str());
    save_pair(path, pair, {});
    const auto command = "LOOPSCOPE_FUZZ_PAIR=" + path + " LOOPSCOPE_FUZZ_VERDICT=" + answer +
                         " timeout " + std::to_string(kSecondsApart) + " /proc/" +
                         std::to_string(getpid()) +
                         "/exe --gtest_filter=Fuzz.SavedPair > /dev/null 2>&1";
    const int status = std::system(command.c_str());
    std::ifstream in(answer);
    std::string outcome, kind, message;
    if (!std::getline(in, outcome) || !std::getline(in, kind)) {
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        const auto what = code == 124
                              ? "it does not end within " + std::to_string(kSecondsApart) + " s"
                              : "the process ends with status " + std::to_string(code);
        return {Outcome::Crash, what, what};
    }
    for (std::string line; std::getline(in, line);)
        message += (message.empty() ? "" : "\n") + line;
    return {static_cast<Outcome>(std::stoi(outcome)), message, kind};
}

} // namespace loopscope::fuzz
