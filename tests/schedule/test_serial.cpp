#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Serial, TakesBackAnyKind) {
    EXPECT_EQ(nest(scheduled(chain(),
                             "out.parallel(y)\nout.vectorize(x)\nout.serial(y)\nout.serial(x)\n"),
                   "out"),
              "y x");
}

TEST(Serial, GivesALoopBackToSplits) {
    EXPECT_EQ(refusal(chain(), "out.vectorize(x)\nout.serial(x)\nout.split(x, xo, xi, 8)\n"),
              "applied");
}

TEST(Serial, Refusals) {
    EXPECT_EQ(refusal(chain(), "out.serial(z)\n"), "1:12 out has no loop z; its loops are y, x");
    EXPECT_EQ(refusal(chain(), "out.serial()\n"),
              "1:12 serial needs a loop here; write S.serial(loop)");
    EXPECT_EQ(refusal(chain(), "out.serial(x, y)\n"),
              "1:15 too many arguments; write S.serial(loop)");
}

TEST(Serial, RoundTrip) { expect_round_trip("out.serial(x)"); }

} // namespace
} // namespace loopscope::test
