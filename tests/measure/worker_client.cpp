// What becomes of requests whose worker hangs, crashes, aborts, exhausts memory, leaves, or talks
// nonsense.
#include "compiler/protocol/worker_client.h"

#include "core/base/memory_limit.h"
#include "core/base/sanitized.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>

namespace loopscope::measure {
namespace {

using nlohmann::json;
using testing::HasSubstr;

WorkerOptions planted(std::int64_t memory = 0) {
    WorkerOptions options;
    options.program = test::program_path("loopscope-worker");
    options.environment = {"LOOPSCOPE_WORKER_PLANTED=1"};
    options.memory_bytes = memory;
    return options;
}

// The request after a failure is served: by the same worker, or by the next.
void expect_alive(WorkerClient& client) {
    auto answer = client.request("planted-echo", {{"number", 42}});
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(answer->at("number"), 42);
}

const Diagnostic& first_error(const Result<json>& result) {
    static const Diagnostic none;
    return result ? none : result.errors().front();
}

// What a planted verb is refused with; the request after it is served.
Diagnostic refusal(WorkerClient& client, const char* verb) {
    const auto answer = client.request(verb, json::object());
    EXPECT_FALSE(answer);
    expect_alive(client);
    return first_error(answer);
}

TEST(WorkerClient, AnswersReportsProgressAndKeepsStrayPrintsOut) {
    WorkerClient client(planted());
    std::vector<Progress> seen;
    RequestOptions options;
    options.on_progress = [&](const Progress& progress) { seen.push_back(progress); };
    json sent{{"text", "blür\n"}, {"list", {1, 2, 3}}};
    auto answer = client.request("planted-echo", sent, options);
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(*answer, sent);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].stage, "echo");
    EXPECT_EQ(seen[0].fraction, 0.5);
    auto pid = client.process_id();
    expect_alive(client);
    EXPECT_EQ(client.process_id(), pid) << "the worker is kept warm";
}

TEST(WorkerClient, AHangEndsAtTheTimeout) {
    WorkerClient client(planted());
    auto pid = client.process_id();
    RequestOptions options;
    options.timeout_seconds = 0.3;
    auto answer = client.request("planted-hang", json::object(), options);
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeTimeout);
    EXPECT_THAT(first_error(answer).message,
                HasSubstr("`planted-hang` did not finish within 0.3 s"));
    EXPECT_GT(client.process_id(), 0) << "the next worker is started at once";
    EXPECT_NE(client.process_id(), pid);
    EXPECT_EQ(::kill(pid, 0), -1) << "the old one is gone";
    expect_alive(client);
}

TEST(WorkerClient, ACrashNamesItsSignalAndLastWords) {
    WorkerClient client(planted());
    const auto refused = refusal(client, "planted-crash");
    EXPECT_EQ(refused.code, kCodeCrash);
    EXPECT_THAT(refused.message, HasSubstr("SIGSEGV"));
    EXPECT_THAT(refused.message, HasSubstr("about to crash"));
}

TEST(WorkerClient, AnAbortNamesItsReason) {
    WorkerClient client(planted());
    const auto refused = refusal(client, "planted-abort");
    EXPECT_EQ(refused.code, kCodeCrash);
    EXPECT_THAT(refused.message, HasSubstr("SIGABRT"));
    EXPECT_THAT(refused.message, HasSubstr("LLVM ERROR: planted"));
}

TEST(WorkerClient, AnExitWithoutAnswerIsSaid) {
    WorkerClient client(planted());
    const auto refused = refusal(client, "planted-exit");
    EXPECT_EQ(refused.code, kCodeCrash);
    EXPECT_THAT(refused.message, HasSubstr("ended with status 7"));
}

TEST(WorkerClient, OutOfMemoryIsAMessage) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP()
        << "sanitizers reserve terabytes of addresses, so the worker has no limit under them";
#endif
    WorkerClient client(planted(std::int64_t(1) << 30));
    const auto refused = refusal(client, "planted-memory");
    EXPECT_EQ(refused.code, kCodeOutOfMemory);
    EXPECT_THAT(refused.message,
                testing::EndsWith("ran out of memory: its worker may use 1024 MiB"))
        << "which is our limit, and follows from nothing";
}

TEST(WorkerClient, WhoseMemoryItIsIsSaid) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP()
        << "sanitizers reserve terabytes of addresses, so the worker has no limit under them";
#endif
    const auto limit = memory_limit();
    WorkerClient client(planted());
    const auto refused = refusal(client, "planted-memory");
    EXPECT_THAT(refused.message, testing::EndsWith("its worker may use " +
                                                   std::to_string(limit.bytes / 10 * 9 >> 20) +
                                                   " MiB, for " + limit.text()));
}

TEST(WorkerClient, AKillNamesTheMemoryThatThereIs) {
    WorkerClient client(planted());
    const auto refused = refusal(client, "planted-kill");
    EXPECT_EQ(refused.code, kCodeCrash);
    EXPECT_THAT(refused.message,
                HasSubstr("as the system does where memory is short: " + memory_limit().text()));
}

TEST(WorkerClient, AnExceptionIsABugAndDoesNotEndTheWorker) {
    WorkerClient client(planted());
    auto pid = client.process_id();
    const auto refused = refusal(client, "planted-throw");
    EXPECT_EQ(refused.code, kCodeInternal);
    EXPECT_THAT(refused.message, HasSubstr("planted bug"));
    EXPECT_EQ(client.process_id(), pid);
}

TEST(WorkerClient, NonsenseOnTheStreamIsNotTakenForAnAnswer) {
    WorkerClient client(planted());
    expect_alive(client);
    const auto refused = refusal(client, "planted-nonsense");
    EXPECT_EQ(refused.code, kCodeProtocol);
}

TEST(WorkerClient, UnknownVerbsAndBadArgumentsAreRefused) {
    WorkerClient client(planted());
    auto unknown = client.request("chek", json::object());
    ASSERT_FALSE(unknown);
    EXPECT_THAT(format(unknown.errors()), HasSubstr("no verb `chek`; did you mean `check`?"));
    auto bad = client.request("check", {{"pipeline", 5}});
    ASSERT_FALSE(bad);
    EXPECT_EQ(first_error(bad).code, kCodeProtocol);
    expect_alive(client);
}

TEST(WorkerClient, PlantedVerbsAreNotThereByDefault) {
    WorkerOptions options = planted();
    options.environment = {"LOOPSCOPE_WORKER_PLANTED="};
    WorkerClient client(options);
    EXPECT_FALSE(client.request("planted-echo", json::object()));
}

TEST(WorkerClient, CancelIsTakenPolitelyAndKeepsTheWorker) {
    WorkerClient client(planted());
    auto pid = client.process_id();
    std::atomic<bool> cancel = false;
    RequestOptions options;
    options.cancel = &cancel;
    options.on_progress = [&](const Progress&) { cancel = true; };
    auto answer = client.request("planted-wait", json::object(), options);
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeCancelled);
    expect_alive(client);
    EXPECT_EQ(client.process_id(), pid);
}

TEST(WorkerClient, CancelEndsAnEndlessLoop) {
    WorkerClient client(planted());
    auto pid = client.process_id();
    std::atomic<bool> cancel = false;
    RequestOptions options;
    options.cancel = &cancel;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancel = true;
    });
    auto answer = client.request("planted-hang", json::object(), options);
    later.join();
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeCancelled);
    expect_alive(client);
    EXPECT_NE(client.process_id(), pid);
}

TEST(WorkerClient, AWorkerThatDiesWhileIdleIsReplaced) {
    WorkerClient client(planted());
    expect_alive(client);
    ::kill(client.process_id(), SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    expect_alive(client);
    ::kill(client.process_id(),
           SIGKILL); // at once: the request may even be written before the end is seen
    auto answer = client.request("planted-echo", json::object());
    EXPECT_TRUE(answer || first_error(answer).code == kCodeCrash);
    expect_alive(client);
}

TEST(WorkerClient, RequestsOfSeveralThreadsWaitTheirTurn) {
    WorkerClient client(planted());
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                auto answer = client.request("planted-echo", {{"t", t}, {"i", i}});
                right += answer && answer->at("t") == t && answer->at("i") == i;
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(right, 40);
}

TEST(WorkerClient, AMissingProgramIsSaid) {
    WorkerOptions options;
    options.program = "/nowhere/loopscope-worker";
    WorkerClient client(options);
    EXPECT_EQ(client.process_id(), -1);
    auto answer = client.request("info", json::object());
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeMissing);
    EXPECT_THAT(first_error(answer).message, HasSubstr("/nowhere/loopscope-worker: No such file"));
}

std::string script(const std::string& text) {
    auto path = test::scratch_folder() + "/worker";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
}

TEST(WorkerClient, AnotherProtocolIsRefused) {
    WorkerOptions options;
    options.program = script(R"(printf '32\n{"type":"hello", "protocol":999}'; cat >/dev/null)");
    WorkerClient client(options);
    auto answer = client.request("info", json::object());
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeProtocol);
    EXPECT_THAT(first_error(answer).message, HasSubstr("speaks protocol 999"));
}

TEST(WorkerClient, AProgramThatIsNoWorkerIsSaid) {
    WorkerOptions options;
    options.program = script("echo no library of that name >&2; exit 127");
    WorkerClient client(options);
    auto answer = client.request("info", json::object());
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeCrash);
    EXPECT_THAT(first_error(answer).message, HasSubstr("ended with status 127"));
    EXPECT_THAT(first_error(answer).message, HasSubstr("no library of that name"));
}

const char* const kHello =
    R"(hello='{"type":"hello", "protocol":1}'; printf '%d\n%s' ${#hello} "$hello"; )";

// Far more than a socket takes in before somebody reads.
json large_request() { return {{"text", std::string(8 << 20, 'x')}}; }

TEST(WorkerClient, ARequestThatNobodyReadsEndsAtTheTimeout) {
    WorkerOptions options;
    options.program = script(std::string(kHello) + "exec sleep 60");
    WorkerClient client(options);
    RequestOptions request;
    request.timeout_seconds = 0.5;
    auto answer = client.request("info", large_request(), request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeTimeout);
}

TEST(WorkerClient, ARequestThatNobodyReadsCanBeCancelled) {
    WorkerOptions options;
    options.program = script(std::string(kHello) + "exec sleep 60");
    WorkerClient client(options);
    std::atomic<bool> cancel = false;
    RequestOptions request;
    request.cancel = &cancel;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        cancel = true;
    });
    auto answer = client.request("info", large_request(), request);
    later.join();
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeCancelled);
}

TEST(WorkerClient, AWorkerThatEndsWhileItIsWrittenToSaysHow) {
    WorkerOptions options;
    options.program = script(std::string(kHello) + "sleep 0.2; echo no more >&2; exit 9");
    WorkerClient client(options);
    auto answer = client.request("info", large_request());
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeCrash);
    EXPECT_THAT(first_error(answer).message, HasSubstr("ended with status 9"));
    EXPECT_THAT(first_error(answer).message, HasSubstr("no more"));
}

TEST(WorkerClient, AWorkerThatTalksWithoutEndIsEnded) {
    WorkerOptions options;
    options.program = script(std::string(kHello) + "while :; do echo error >&2; done");
    WorkerClient client(options);
    RequestOptions request;
    request.timeout_seconds = 0.5;
    auto answer = client.request("info", json::object(), request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(first_error(answer).code, kCodeTimeout);
}

TEST(WorkerClient, LargeRequestsArriveWhole) {
    WorkerClient client(planted());
    auto answer = client.request("planted-echo", large_request());
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(*answer, large_request());
}

TEST(WorkerClient, TheWorkerEndsWithItsClient) {
    int pid = -1;
    {
        WorkerClient client(planted());
        expect_alive(client);
        pid = client.process_id();
    }
    EXPECT_EQ(::kill(pid, 0), -1);
}

} // namespace
} // namespace loopscope::measure
