// What links together, and how a process with LLVM in it ends.
#include "compiler/codegen/fatal_error.h"
#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/peak_kernels.h"
#include "core/base/sanitized.h"
#include "core/polyhedral/integer_sets.h"

#include "tests/codegen/host_support.h"

#include <sys/resource.h>

namespace loopscope::test {
namespace {

// The shared LLVM library brings an isl of its own along, without GMP, that would silently replace
// ours.
TEST(Process, IslIsTheOneBuiltWithGmp) {
    ASSERT_TRUE(
        compiled(program({out("out", ScalarType::I32, 1)}, put("out", number(0), number(1)))));
    EXPECT_NE(polyhedral::isl_version_text().find("GMP"), std::string::npos)
        << polyhedral::isl_version_text();
}

TEST(Process, HostIsDescribed) {
    const auto& host = codegen::host_info();
    EXPECT_FALSE(host.cpu.empty());
    EXPECT_TRUE(host.has("sse2"));
    EXPECT_FALSE(host.has("no-such-feature"));
    EXPECT_EQ(host.vector_bits, host.has("avx512f") && host.has("avx512vl") ? 512
                                : host.has("avx2")                          ? 256
                                                                            : 128);
}

using ProcessDeathTest = ::testing::Test;

TEST(ProcessDeathTest, EndsWithAStatusOfItsOwn) {
    EXPECT_EXIT(codegen::end_process(codegen::kFatalErrorStatus, "Cannot select"),
                ::testing::ExitedWithCode(codegen::kFatalErrorStatus), "loopscope: Cannot select");
}

TEST(ProcessDeathTest, StorageThatDoesNotFitEndsWithTheMemoryStatus) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP() << "a sanitizer reserves more addresses than the limit allows";
#endif
    auto body = lower::allocate(
        {}, "t", ScalarType::F64, {Extent(std::int64_t{1} << 40)}, {"host"},
        lower::block({put("t", number(5), constant_float(ScalarType::F64, 2)),
                      put("out", number(0), get("t", ScalarType::F64, number(5)))}));
    auto p = program({out("out", ScalarType::F64, 1)}, body);
    auto run_out = [&] {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = std::size_t{1} << 32;
        setrlimit(RLIMIT_AS, &limit);
        Array<double> result(1);
        run(p, {result.data()});
        std::exit(0);
    };
    EXPECT_EXIT(run_out(), ::testing::ExitedWithCode(codegen::kOutOfMemoryStatus), "out of memory");
}

TEST(Peaks, AreMeasuredForEachThreadCountAndWorkingSet) {
    codegen::ProbeOptions options;
    options.thread_counts = {1, 2};
    options.working_sets = {16 << 10, 1 << 20};
    options.repetitions = 3;
    options.seconds_per_repetition = 0.001;
    auto result = codegen::probe_peaks(options);
    ASSERT_TRUE(result.ok()) << format(result.errors());
    ASSERT_EQ(result->threads.size(), 2u);
    auto sound = [](const codegen::Rate& rate) {
        return 0 < rate.least && rate.least <= rate.median && rate.median <= rate.greatest;
    };
    for (const auto& probe : result->threads) {
        EXPECT_TRUE(sound(probe.flops_f32));
        EXPECT_TRUE(sound(probe.flops_f64));
        ASSERT_EQ(probe.bandwidth.size(), 2u);
        for (const auto& bandwidth : probe.bandwidth) {
            EXPECT_TRUE(sound(bandwidth.read));
            EXPECT_TRUE(sound(bandwidth.copy));
            EXPECT_TRUE(sound(bandwidth.streamed));
        }
    }
    EXPECT_EQ(result->threads[1].threads, 2);
    EXPECT_EQ(result->threads[0].bandwidth[1].working_set, 1 << 20);
}

TEST(Peaks, TheirProgressGoesOnToTheEndAndMayEndThem) {
    codegen::ProbeOptions options;
    options.thread_counts = {1, 2};
    options.working_sets = {16 << 10, 1 << 20};
    options.repetitions = 1;
    options.seconds_per_repetition = 0.001;
    std::vector<double> shares;
    options.on_progress = [&](double share) {
        shares.push_back(share);
        return true;
    };
    ASSERT_TRUE(codegen::probe_peaks(options).ok());
    // Of each thread count two kernels of arithmetic, and of both sets each thread's memory and
    // three streams.
    ASSERT_EQ(shares.size(), 10u + 12u);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_GT(shares.front(), 0);
    EXPECT_NEAR(shares.back(), 1, 1e-9);
    EXPECT_GT(codegen::expected_seconds(options), 0);

    shares.clear();
    options.on_progress = [&](double share) {
        shares.push_back(share);
        return shares.size() < 3;
    };
    EXPECT_FALSE(codegen::probe_peaks(options).ok());
    EXPECT_EQ(shares.size(), 3u);
}

TEST(Peaks, NonsenseIsRefused) {
    codegen::ProbeOptions options;
    options.thread_counts = {0};
    EXPECT_FALSE(codegen::probe_peaks(options).ok());
    options.thread_counts = {1};
    options.working_sets = {100};
    auto result = codegen::probe_peaks(options);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(format(result.errors()).find("too small"), std::string::npos);
}

} // namespace
} // namespace loopscope::test
