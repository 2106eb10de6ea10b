// What becomes of kernels that hang, crash, do not compile or ask for what a device has not.
#include "tests/opencl/opencl_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace loopscope::opencl {
namespace {

using testing::HasSubstr;

#define SKIP_WITHOUT_OPENCL                                                                        \
    if (auto reason = test::no_opencl_device(); !reason.empty())                                   \
    GTEST_SKIP() << reason

// One kernel on 8 elements of 4 bytes and one of as many.
Program program_of(const std::string& body) {
    Program program;
    program.source =
        "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void f(__global const int *a, "
        "__global int *b) {\n    const int t = get_global_id(0);\n    " +
        body + "\n}\n";
    program.launches = {{"f", {2, 1, 1}, {4, 1, 1}, {0, 1}, 0}};
    program.memories = {32, 32};
    return program;
}

template <typename T> const Diagnostic& first_error(const Result<T>& result) {
    static const Diagnostic none;
    EXPECT_FALSE(result.ok());
    return result ? none : result.errors().front();
}

std::vector<int> values(const SharedBytes& bytes) {
    std::vector<int> out(bytes.size() / sizeof(int));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

// Doubles 1 to 8.
void expect_works(Client& client) {
    auto prepared = client.prepare(program_of("b[t] = 2*a[t];"), 2);
    ASSERT_TRUE(prepared) << format(prepared.errors());
    const int inputs[] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::memcpy(prepared->memories[0].data(), inputs, sizeof inputs);
    auto seconds = client.run(*prepared, {0}, {1});
    ASSERT_TRUE(seconds) << format(seconds.errors());
    EXPECT_GE(*seconds, 0);
    EXPECT_EQ(values(prepared->memories[1]), (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16}));
    EXPECT_TRUE(client.repeat(*prepared, 3).ok());
}

TEST(OpenclClient, RunsAndIsKeptWarm) {
    SKIP_WITHOUT_OPENCL;
    Client client(test::opencl_options());
    expect_works(client);
    expect_works(client);
}

TEST(OpenclClient, WhatKernelsLeaveOutHoldsAPattern) {
    SKIP_WITHOUT_OPENCL;
    auto& client = test::opencl_client();
    auto prepared = client.prepare(program_of("if (t < 3)\n        b[t] = 7;"), 2);
    ASSERT_TRUE(prepared) << format(prepared.errors());
    ASSERT_TRUE(client.run(*prepared, {0}, {1}).ok());
    const int left = static_cast<int>(0xa5a5a5a5u);
    EXPECT_EQ(values(prepared->memories[1]),
              (std::vector<int>{7, 7, 7, left, left, left, left, left}));
}

TEST(OpenclClient, AKernelThatHangsEndsItsProcessOnly) {
    SKIP_WITHOUT_OPENCL;
    Client client(test::opencl_options());
    // `a` is zeros; volatile, so that the loop stays.
    auto prepared = client.prepare(
        program_of("while (((volatile __global const int *)a)[t] == 0)\n        b[t]++;"), 2);
    ASSERT_TRUE(prepared) << format(prepared.errors());
    measure::RequestOptions options;
    options.timeout_seconds = 1;
    auto hung = client.run(*prepared, {0}, {1}, options);
    EXPECT_EQ(first_error(hung).code, measure::kCodeTimeout);
    auto later = client.run(*prepared, {0}, {1});
    EXPECT_THAT(first_error(later).message, HasSubstr("another program was prepared"));
    expect_works(client);
}

TEST(OpenclClient, ACancelEndsAKernelThatHangs) {
    SKIP_WITHOUT_OPENCL;
    Client client(test::opencl_options());
    auto prepared = client.prepare(
        program_of("while (((volatile __global const int *)a)[t] == 0)\n        b[t]++;"), 2);
    ASSERT_TRUE(prepared) << format(prepared.errors());
    std::atomic<bool> cancel = false;
    std::thread impatient([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500)); // the kernel runs by then
        cancel = true;
    });
    measure::RequestOptions options;
    options.cancel = &cancel;
    auto cancelled = client.run(*prepared, {0}, {1}, options);
    impatient.join();
    EXPECT_EQ(first_error(cancelled).code, measure::kCodeCancelled);
    expect_works(client);
}

TEST(OpenclClient, AKernelThatFaultsEndsItsProcessOnly) {
    SKIP_WITHOUT_OPENCL;
    if (test::opencl_client().devices().value().front().kind != "processor")
        GTEST_SKIP() << "only a processor's kernels fault in the worker's own process";
    auto options = test::opencl_options();
    // Sanitizers would answer the signal in words of their own.
    for (const char* sanitizer : {"ASAN_OPTIONS", "TSAN_OPTIONS"})
        if (const char* others = std::getenv(sanitizer))
            options.environment.push_back(std::string(sanitizer) + "=" + others + ":handle_segv=0");
    Client client(options);
    // `a` is zeros, as a number too great for the compiler to see.
    auto prepared = client.prepare(program_of("b[((long)1 << 44) + a[t]] = 1;"), 2);
    ASSERT_TRUE(prepared) << format(prepared.errors());
    auto crashed = client.run(*prepared, {0}, {1});
    EXPECT_EQ(first_error(crashed).code, measure::kCodeCrash);
    EXPECT_THAT(first_error(crashed).message, HasSubstr("signal 11"));
    expect_works(client);
}

TEST(OpenclClient, WhatDoesNotCompileSaysWhy) {
    SKIP_WITHOUT_OPENCL;
    auto& client = test::opencl_client();
    auto prepared = client.prepare(program_of("b[t] = nonsense;"), 2);
    EXPECT_THAT(first_error(prepared).message, HasSubstr("does not build the kernels"));
    EXPECT_THAT(first_error(prepared).message, HasSubstr("nonsense"));
    expect_works(client);
}

TEST(OpenclClient, AnotherProgramWasPreparedSince) {
    SKIP_WITHOUT_OPENCL;
    auto& client = test::opencl_client();
    auto first = client.prepare(program_of("b[t] = 1;"), 2);
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(client.prepare(program_of("b[t] = 2;"), 2).ok());
    EXPECT_THAT(first_error(client.run(*first, {0}, {1})).message,
                HasSubstr("another program was prepared since"));
}

Program asking_for_much() {
    auto program = program_of("b[t] = a[t];");
    program.needs_doubles = program.needs_long_atomics = true;
    program.launches[0].items = {1 << 20, 1, 1};
    program.launches[0].local_bytes = std::int64_t{1} << 40;
    program.memories[0] = std::int64_t{1} << 50;
    return program;
}

TEST(OpenclClient, WhatADeviceLacksIsRefusedWithAllReasons) {
    SKIP_WITHOUT_OPENCL;
    auto options = test::opencl_options();
    options.environment.push_back("LOOPSCOPE_OPENCL_WITHOUT=doubles,long_atomics,rounds");
    Client client(options);
    auto refused = client.prepare(asking_for_much(), 0);
    ASSERT_FALSE(refused.ok());
    ASSERT_EQ(refused.errors().size(), 5u) << format(refused.errors());
    EXPECT_THAT(refused.errors()[0].message, HasSubstr("has no f64"));
    EXPECT_EQ(refused.errors()[0].code, measure::kCodeTarget);
    EXPECT_THAT(refused.errors()[1].message, HasSubstr("no atomic steps on elements of 64 bits"));
    EXPECT_THAT(refused.errors()[2].message, HasSubstr("has 1048576 threads"));
    EXPECT_EQ(refused.errors()[2].code, "not-runnable");
    EXPECT_THAT(refused.errors()[3].message, HasSubstr("1099511627776 bytes of shared memory"));
    EXPECT_EQ(refused.errors()[4].code, measure::kCodeMemoryLimit);
    auto devices = client.devices();
    ASSERT_TRUE(devices.ok());
    EXPECT_FALSE(devices->front().exact());
    EXPECT_EQ(devices->front().inexact_text(), "does not round quotients and roots to the nearest");
}

TEST(OpenclClient, NoPlatformIsAMissingTarget) {
    if (auto api = load_api(); !api)
        GTEST_SKIP() << api.errors().front().message;
    auto options = test::opencl_options();
    options.environment.push_back("OCL_ICD_VENDORS=/nowhere"); // read by the usual loaders
    Client client(options);
    auto devices = client.devices();
    EXPECT_EQ(first_error(devices).code, measure::kCodeTarget);
    EXPECT_THAT(first_error(devices).message, HasSubstr("OpenCL has no platform here"));
    EXPECT_THAT(first_error(devices).remedy, HasSubstr("pocl-opencl-icd"));
    EXPECT_EQ(first_error(client.prepare(program_of("b[t] = 1;"), 2)).code, measure::kCodeTarget);
}

TEST(OpenclClient, NoLoaderIsAMissingTarget) {
    auto api = load_api("libNoSuchOpenCL.so.1");
    EXPECT_EQ(first_error(api).code, measure::kCodeTarget);
    EXPECT_THAT(first_error(api).message, HasSubstr("libNoSuchOpenCL.so.1"));
    EXPECT_THAT(first_error(api).remedy, HasSubstr("ocl-icd-libopencl1"));
    EXPECT_THAT(first_error(load_api("libm.so.6")).message, HasSubstr("has no clGetPlatformIDs"));
}

// A platform's LLVM must not meet ours, nor isl, of whose names it has its own.
TEST(OpenclClient, ItsProgramHoldsNoLlvmAndThisOneNoOpencl) {
    const auto program = test::read_file(test::program_path("loopscope-opencl-worker"));
    EXPECT_EQ(program.find("LLVMContext"), std::string::npos);
    EXPECT_EQ(program.find("libisl.so"), std::string::npos);
    EXPECT_NE(test::read_file(test::program_path("loopscope-worker")).find("LLVMContext"),
              std::string::npos)
        << "the test would not see it";
    if (test::no_opencl_device().empty())
        expect_works(test::opencl_client());
    EXPECT_EQ(test::read_file("/proc/self/maps").find("libpocl"), std::string::npos);
}

TEST(SharedBytes, OpenWhatTheyAreAndNothingElse) {
    auto made = SharedBytes::make(64);
    ASSERT_TRUE(made.ok());
    made->data()[5] = std::byte{42};
    auto opened = SharedBytes::open(made->path(), 64);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->data()[5], std::byte{42});
    EXPECT_THAT(first_error(SharedBytes::open(made->path(), 65)).message,
                HasSubstr("has not the 65 bytes"));
    EXPECT_THAT(first_error(SharedBytes::open("/nowhere/fd/3", 64)).message,
                HasSubstr("cannot open the shared array"));
    EXPECT_TRUE(SharedBytes::make(0).ok());
}

} // namespace
} // namespace loopscope::opencl
