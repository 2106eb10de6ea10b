// The list of passes. Each pass has a file of its own.
#include "lower_support.h"

#include <set>

namespace loopscope::lower {
namespace {

TEST(Passes, TheListHasUniqueNamesAndStops) {
    std::set<std::string> names{"build"};
    for (const auto& pass : cpu_passes()) {
        EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
        EXPECT_TRUE(std::string(pass.summary).size() > 10);
    }
    auto program = test::parsed("program p\noutput out: f32[4, 4]\nlaunch p on host (out) "
                                "{\nvectorised for x in 0..4 {\nout[0, x] = 1.0\n}\n}\n");
    LowerOptions options;
    options.verify_each = true;
    options.stop_after = "build";
    EXPECT_TRUE(equal(*run_passes(program, options), program));
    options.stop_after = "vectorize";
    EXPECT_NE(to_text(*run_passes(program, options)).find("out[0, ramp(0, 1, 4)]"),
              std::string::npos);
    options.stop_after = "";
    EXPECT_TRUE(run_passes(program, options)->flat);
    options.stop_after = "nonsense";
    auto failed = run_passes(program, options);
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(format(failed.errors()).find("lane_accumulators, vectorize, half_accumulations"),
              std::string::npos);
}

} // namespace
} // namespace loopscope::lower
