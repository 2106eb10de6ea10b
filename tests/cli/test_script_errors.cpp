// A script with several wrong lines: each is told, whichever verb reads it.
#include "tests/cli/run_cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::test {
namespace test_script_errors {

using testing::HasSubstr;
using testing::Not;

TEST(ScriptErrors, EachWrongLineIsToldByEveryVerb) {
    const auto script = write_file("wrong.sched", "schedule for blur\n"
                                                  "out.splt(y, yo, yi, 8)\n"
                                                  "out.unroll(q)\n"
                                                  "nowhere.parallel(y)\n"
                                                  "out.vectorize(x, 8\n"
                                                  "out.parallel(yo)\n");
    for (const std::string verb :
         {"tree", "lint", "estimate", "check", "emit", "measure", "expand"}) {
        const auto outcome = run_cli({verb, pipeline("blur"), "-s", script});
        EXPECT_EQ(outcome.status, 2) << verb;
        for (const std::string line : {"2", "3", "4", "5"})
            EXPECT_THAT(outcome.err, HasSubstr("wrong.sched:" + line + ":")) << verb;
        EXPECT_THAT(outcome.err, Not(HasSubstr("wrong.sched:6:")))
            << verb << ": yo is missing for the split's sake";
    }
}

} // namespace test_script_errors
} // namespace loopscope::test
