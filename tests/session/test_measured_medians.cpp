// Measurements found by what a script says, and the expert schedule's time by them.

#include "app/session/expert_schedule.h"
#include "app/session/measured_medians.h"
#include "app/session/script_target.h"
#include "core/base/text_file.h"
#include "tests/session/session_fixture.h"
#include "tests/support/kept_measurement.h"

#include <gtest/gtest.h>

namespace loopscope::session::test {

class MeasuredMediansTest : public SessionTest {
protected:
    void measured(double seconds) { loopscope::test::keep_measurement(*session_, seconds); }
    std::optional<double> of(const std::string& script) const {
        return MeasuredMedians(*session_).of(script);
    }
    bool known() {
        return wait_until(
            [&] { return session_->estimates().settled() && session_->expert().settled(); });
    }
};

TEST_F(MeasuredMediansTest, AreFoundByDirectives) {
    auto& s = open("matmul.loop");
    ASSERT_TRUE(apply("C.parallel(i)"));
    EXPECT_FALSE(of(s.script()));
    measured(0.25);
    measured(0.5);
    EXPECT_EQ(of(s.script()), 0.5) << "the newest";
    EXPECT_EQ(of("schedule for matmul  # mine\n\nC.parallel(i)\n"), 0.5);
    EXPECT_FALSE(of("schedule for matmul\nC.parallel(j)\n"));
    EXPECT_FALSE(of("schedule for matmul\nC.parallel(\n"));
    ASSERT_TRUE(apply("C.split(k, ko, ki, 32)"));
    EXPECT_FALSE(of(s.script()));
    EXPECT_EQ(of("schedule for matmul\nC.parallel(i)\n"), 0.5) << "of an earlier revision";
    s.go_to_revision(1);
    ASSERT_TRUE(s.set_device("a100-sxm-40gb").ok());
    EXPECT_FALSE(of("schedule for matmul\nC.parallel(i)\n")) << "no GPU confirms it";
}

// The one that is shipped names the device that it was tuned on, and was measured on another one.
TEST_F(MeasuredMediansTest, ATargetLineIsNoOtherSchedule) {
    OpenOptions options;
    options.device = "a100-sxm-40gb";
    auto& s = open("matmul_f16.loop", options);
    auto gpu = std::make_shared<device::Device>(*s.device());
    gpu->target = "cuda:0";
    s.take_gpus({gpu});
    ASSERT_TRUE(s.device()->is_here());
    ASSERT_TRUE(known());
    ASSERT_TRUE(s.expert().now());
    const auto shipped = read_text_file(s.expert().now()->file, {}).value()->text();
    ASSERT_NE(target_of(shipped), "a100-sxm-40gb");
    ASSERT_TRUE(s.expert().take().ok());
    measured(0.001);
    EXPECT_EQ(of(shipped), 0.001);
    EXPECT_EQ(of(with_target(shipped, {})), 0.001);
}

TEST_F(MeasuredMediansTest, TheExpertIsComparedAsBothAreKnown) {
    auto& s = open("matmul.loop", {{}, {{"M", 256}, {"N", 256}, {"K", 256}}, "host"});
    ASSERT_TRUE(known());
    auto time = [&] { return s.expert().time(MeasuredMedians(s)); };
    ASSERT_TRUE(time());
    EXPECT_FALSE(time()->measured);
    EXPECT_FALSE(time()->only_one_measured);
    EXPECT_EQ(time()->expert, s.expert().now()->seconds);
    measured(4);
    EXPECT_TRUE(time()->only_one_measured);
    EXPECT_EQ(time()->present, *s.estimates().now()->seconds) << "no measured beside an estimate";
    const auto own = s.document()->current().id;
    ASSERT_TRUE(s.expert().take().ok());
    measured(1);
    s.go_to_revision(own);
    ASSERT_TRUE(time());
    EXPECT_TRUE(time()->measured);
    EXPECT_EQ(time()->expert, 1);
    EXPECT_EQ(time()->present, 4);
    EXPECT_DOUBLE_EQ(time()->share(), 0.25);
}

} // namespace loopscope::session::test
