// The shape of launches, and what all of their threads must reach.
#include "lower_support.h"

#include "compiler/lower/gpu/launch.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_launches {

using ::testing::HasSubstr;

std::string kernel(const std::string& lines) {
    return test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]", lines);
}

TEST(Launches, Shape) {
    const auto program = test::parsed(kernel(R"(    bound block.y for y in 0..8 {
        bound thread.x for x in 0..64 {
            B[y, x] = A[y, x]
        }
    }
)"));
    auto shape = launch_shape(program.launches[0]);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->threads(), 64);
    EXPECT_EQ(shape->blocks(), 8);
    EXPECT_EQ(shape->grid[1].variable, "y");
    EXPECT_EQ(shape->grid[0].extent, 1);
}

// A collective step in a condition that differs between threads is no program.
TEST(Launches, CollectivesAreReachedByAll) {
    auto errors = [](const std::string& lines) {
        auto program = parse_program(kernel(lines));
        EXPECT_TRUE(program.ok()) << format(program.errors());
        return format(verify(*program));
    };
    EXPECT_THAT(errors(R"(    bound thread.x for x in 0..64 {
        if x < 32 {
            barrier block
        }
    }
)"),
                HasSubstr("a barrier of the block that not all threads reach"));
    EXPECT_EQ(errors(R"(    bound block.x for y in 0..64 {
        bound thread.x for x in 0..64 {
            for i in 0..y {
                barrier block
            }
        }
    }
)"),
              "");
    EXPECT_THAT(errors(R"(    bound thread.x for x in 0..64 {
        let n = x*2
        for i in 0..n {
            commit tok
        }
    }
)"),
                HasSubstr("a step of the pipeline tok that not all threads reach"));
}

} // namespace test_launches
} // namespace loopscope::lower
