// What libFuzzer found or grew from is kept in corpus/FORMAT/, and is judged again; for some
// seconds more, what comes of it by random changes. Under sanitizers, which end the program.
#include "tests/fuzz_formats/corpus.h"
#include "tests/fuzz_formats/mutation.h"
#include "tests/support/random_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

// Whatever a sanitizer finds ends the program by a signal.
extern "C" const char* __asan_default_options() {
    return "abort_on_error=1:detect_stack_use_after_return=1:strict_string_checks=1";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace loopscope::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostSeconds = 30; // for one input, on a slow machine under sanitizers

// The input at hand, which whatever ends the program leaves in a file.
std::string at_hand;

void leave_input() {
    const auto path = "finding-" + std::to_string(::getpid());
    if (auto* file = std::fopen(path.c_str(), "wb")) {
        std::fwrite(at_hand.data(), 1, at_hand.size(), file);
        std::fclose(file);
        std::fprintf(stderr, "the input is in %s/%s\n", fs::current_path().c_str(), path.c_str());
    }
}

[[noreturn]] void end(int signal) {
    if (signal == SIGALRM)
        std::fprintf(stderr, "one input takes more than %u s\n", kMostSeconds);
    leave_input();
    remove_files();
    ::_exit(1);
}

void watch() {
    std::signal(SIGALRM, end);
    std::signal(SIGABRT, end);
}

// False: the judge found something.
bool judge(const Format& format, std::string bytes, const std::string& what) {
    at_hand = std::move(bytes);
    ::alarm(kMostSeconds);
    try {
        format.judge(at_hand);
    } catch (const std::exception& wrong) { // Wrong, or what no reader may throw
        ADD_FAILURE() << format.name << ", " << what << ": " << wrong.what();
        leave_input();
    }
    ::alarm(0);
    return !testing::Test::HasFailure();
}

class FuzzFormats : public testing::TestWithParam<Format> {};

TEST_P(FuzzFormats, TheCorpusIsJudgedClean) {
    watch();
    const auto files = corpus(GetParam());
    ASSERT_GE(files.size(), 3u) << "tests/fuzz_formats/corpus/" << GetParam().name;
    for (const auto& [name, bytes] : files)
        judge(GetParam(), bytes, name);
    judge(GetParam(), "", "nothing");
}

TEST_P(FuzzFormats, AnyBytesAreReadOrRefused) {
    watch();
    Material material;
    for (const auto& [name, bytes] : corpus(GetParam()))
        material.corpus.push_back(bytes);
    if (const auto words = source_of(std::string(GetParam().name) + ".dict"); fs::exists(words))
        material.words = dictionary_words(bytes_in(words));
    const test::RandomRun::Limits limits{.seconds = 2, .least = 20};
    const auto what = std::string("changed inputs of ") + GetParam().name;
    for (test::RandomRun run(what, "LOOPSCOPE_FUZZ_INPUTS", limits); run.more(); run.advance()) {
        std::mt19937_64 random(run.seed());
        if (!judge(GetParam(), changed_input(material, random),
                   "seed " + std::to_string(run.seed())))
            return;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, FuzzFormats, testing::ValuesIn(formats()),
                         [](const auto& one) { return std::string(one.param.name); });

} // namespace
} // namespace loopscope::fuzz
