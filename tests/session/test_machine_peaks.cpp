// The machine's peaks arrive while a person works: what was answered without them is answered anew.

#include "app/session/parallel_note.h"
#include "compiler/measure/host_device.h"
#include "tests/session/session_fixture.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace loopscope::session::test {

namespace {

class MachinePeaks : public SessionTest {
protected:
    Forecast forecast(const char* line) {
        std::optional<Forecast> answer;
        session_->questions().forecast({QString(line)}, [&](const Forecast& f) { answer = f; });
        EXPECT_TRUE(wait_until([&] { return answer.has_value(); }, 60));
        return answer.value_or(Forecast{});
    }
};

} // namespace

TEST_F(MachinePeaks, ForecastsAreMadeAnewOnceTheyAreMeasured) {
    ::setenv("XDG_CACHE_HOME", loopscope::test::scratch_folder().c_str(), 1); // a first start
    session_ = std::make_unique<Session>(nullptr, folder_);
    auto& s = open("matmul.loop", {{}, {{"M", 64}, {"N", 64}, {"K", 64}}, "host"});
    ASSERT_FALSE(measure::has_figures(*s.device()));
    ASSERT_TRUE(s.tasks().probing());
    for (const char* line : {"C.unroll(i)", "C.parallel(j)"}) {
        const auto before = forecast(line);
        ASSERT_FALSE(before.after.seconds);
        EXPECT_EQ(before.after.reason, "this machine's peak FLOP/s is not measured yet");
    }
    ASSERT_TRUE(wait_until([&] { return !s.tasks().probing(); }, 120));
    ASSERT_TRUE(measure::has_figures(*s.device()));
    ASSERT_TRUE(wait_until([&] {
        return s.estimates().settled() && s.baseline().settled() && s.estimates().now()->seconds;
    }));
    for (const char* line : {"C.unroll(i)", "C.parallel(j)"}) {
        const auto after = forecast(line);
        EXPECT_TRUE(after.before.seconds && after.after.seconds)
            << line << ": " << after.after.reason;
    }
}

TEST(ParallelNoteOfPeaks, IsGivenWhereAllCoresHardlyGain) {
    device::Device d;
    d.name = "host";
    d.is_host = true;
    d.cores = d.threads = 2;
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    d.flops_per_second = {{ScalarType::F32, figure(100e9)}};
    d.flops_per_second_all = {{ScalarType::F32, figure(101e9)}};
    d.memory_bytes_per_second = figure(10e9);
    d.memory_bytes_per_second_all = figure(15e9);
    Forecast f;
    f.before.seconds = 1;
    f.after.bound = "compute";
    f.after.parallelism = 2;
    // What 1.01 times the peak makes of the time is no rounding, and still no gain.
    for (const double seconds : {1 / 1.01, 1.0, 1.02}) {
        f.after.seconds = seconds;
        const auto why = why_parallel_gains_nothing("C.parallel(i)", f, d);
        EXPECT_TRUE(why.contains("2 cores were measured to deliver 1.01× what one does"))
            << seconds << ": " << why.toStdString();
        EXPECT_TRUE(why.contains("measure its peaks again"));
    }
    f.after.seconds = 0.8; // a gain needs no excuse
    EXPECT_EQ(why_parallel_gains_nothing("C.parallel(i)", f, d), "");
    // With figures of an idle machine, what costs more is not the peaks' fault.
    d.flops_per_second_all = {{ScalarType::F32, figure(195e9)}};
    f.after.seconds = 1.02;
    EXPECT_EQ(why_parallel_gains_nothing("C.parallel(i)", f, d), "");
    f.after.seconds = 0.97;
    EXPECT_TRUE(why_parallel_gains_nothing("C.parallel(i)", f, d).contains("hardly speed up"));
}

TEST(ExpectedTime, LongerThanExpectedIsMoreThanRough) {
    const ExpectedTime expected{7.77, true};
    EXPECT_FALSE(longer_than_expected(expected, 5));
    EXPECT_FALSE(longer_than_expected(expected, 11));
    EXPECT_TRUE(longer_than_expected(expected, 11.7));
    EXPECT_TRUE(longer_than_expected(expected, 57));
}

} // namespace loopscope::session::test
