#include "compiler/lower/pass.h"
#include "compiler/lower/size_limit.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::lower;

namespace {

Program nested_unroll(std::int64_t outer, std::int64_t inner) {
    auto number = [](std::int64_t v) { return constant_int(ScalarType::I32, v); };
    auto body = store({"s", 0, "@compute"}, "s", {number(0)}, constant_float(ScalarType::F32, 1));
    auto loop = for_loop({"s", 0, "x"}, "s.x", number(0), number(inner), ForKind::Unrolled, body);
    Program p;
    p.name = "p";
    Argument a{"s", Role::Output, ScalarType::F32, {Extent(1)}, {0}, {Extent(1)}};
    p.arguments.push_back(a);
    Launch launch;
    launch.name = "p";
    launch.arguments = {"s"};
    launch.body = for_loop({"s", 0, "y"}, "s.y", number(0), number(outer), ForKind::Unrolled, loop);
    p.launches.push_back(launch);
    return p;
}

} // namespace

TEST(SizeLimit, CountsCopiesOfNestedLoops) {
    EXPECT_EQ(unrolled_statements(nested_unroll(3, 4)), 3 * (1 + 4 * 2));
    EXPECT_TRUE(check_size(nested_unroll(10, 10)).ok());
}

TEST(SizeLimit, RefusesWithTheFigureAndTheLoopsBeforeAnythingGrows) {
    auto p = nested_unroll(2147483647, 2147483647);
    auto status = run_passes(p, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.errors()[0].code, "program-too-large");
    EXPECT_NE(status.errors()[0].message.find("s/y"), std::string::npos);
    EXPECT_NE(status.errors()[0].remedy.find("shorter"), std::string::npos);
}
