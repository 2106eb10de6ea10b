#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/size_limit.h"
#include "compiler/lower/statements.h"
#include "core/base/sanitized.h"
#include "core/language/loop_parser.h"

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

// A program of the stages s0, s1, …, each of which reads the one before.
Result<Program> built(int stages) {
    std::string text = "pipeline p\nstage s0[i] = i\n";
    for (int n = 1; n < stages; ++n)
        text += "stage s" + std::to_string(n) + "[i] = s" + std::to_string(n - 1) + "[i] + 1\n";
    text += "output s" + std::to_string(stages - 1) + ": [8]\n";
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text));
    EXPECT_TRUE(loaded) << format(loaded.errors());
    auto tree = build_tree(ScheduleState::initial(loaded->pipeline));
    EXPECT_TRUE(tree) << format(tree.errors());
    return build(**tree);
}

} // namespace

TEST(SizeLimit, CountsCopiesOfNestedLoops) {
    EXPECT_EQ(unrolled_statements(nested_unroll(3, 4)), 3 * (1 + 4 * 2));
    EXPECT_TRUE(check_size(nested_unroll(10, 10)).ok());
}

// Code generation sees operations, not statements: a copy of a long one counts as several, and the
// loop itself as one.
TEST(SizeLimit, CountsCopiesOfLongStatementsByTheirLength) {
    auto sums = [](std::int64_t copies, int terms, ForKind kind) {
        auto p = nested_unroll(1, copies);
        auto value = load("s", ScalarType::F32, {constant_int(ScalarType::I32, 0)});
        for (int t = 1; t < terms; ++t)
            value = binary(Op::Add, value, constant_float(ScalarType::F32, t));
        p.launches[0].body = rewrite(p.launches[0].body, [&](const StatementPtr& s) {
            if (s->kind == StatementKind::Store)
                return store(s->origin, "s", s->access->indices, value);
            return edited(s, [&](Statement& loop) { loop.loop->kind = kind; });
        });
        return p;
    };
    EXPECT_EQ(unrolled_statements(sums(4, 10, ForKind::Unrolled)), 1 + 4 * (1 + 1));
    EXPECT_EQ(unrolled_statements(sums(4, 1000, ForKind::Unrolled)), 1 + 4 * (1 + 32));
    EXPECT_EQ(unrolled_statements(sums(4, 1000, ForKind::Serial)), 1 + 1 + 1);
    EXPECT_TRUE(check_size(sums(1024, 200, ForKind::Unrolled)).ok());
    const auto status = check_size(sums(1024, 1000, ForKind::Unrolled));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.errors()[0].code, "program-too-large");
}

// Which hold many registers at once: allocating those takes more time than that of other
// statements.
TEST(SizeLimit, CountsProductsOfWarpgroupsByTheirRegisters) {
    auto products = [](std::int64_t copies, const std::string& name) {
        auto p = nested_unroll(1, copies);
        const Operand any{"s", {constant_int(ScalarType::I32, 0)}};
        p.launches[0].body = rewrite(p.launches[0].body, [&](const StatementPtr& s) {
            return s->kind == StatementKind::Store ? intrinsic({}, name, {any, any, any, any}) : s;
        });
        return p;
    };
    EXPECT_EQ(unrolled_statements(products(4, "wgmma_m64n256k16_f16")), 1 + 4 * (1 + 128));
    EXPECT_EQ(unrolled_statements(products(4, "wgmma_m64n64k16_f16")), 1 + 4 * (1 + 32));
    EXPECT_TRUE(check_size(products(64, "wgmma_m64n256k16_f16")).ok());
    EXPECT_FALSE(check_size(products(80, "wgmma_m64n256k16_f16")).ok());
}

TEST(SizeLimit, RefusesWithTheFigureAndTheLoopsBeforeAnythingGrows) {
    auto p = nested_unroll(2147483647, 2147483647);
    auto status = run_passes(p, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.errors()[0].code, "program-too-large");
    EXPECT_NE(status.errors()[0].message.find("s/y"), std::string::npos);
    EXPECT_NE(status.errors()[0].remedy.find("shorter"), std::string::npos);
}

TEST(SizeLimit, AProgramThatUnrollsNothingIsToldItsOwnSize) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP() << "the frames of a build with a sanitizer are too large for a program of the "
                    "greatest size";
#endif
    EXPECT_TRUE(check_size(*built(2500)).ok());
    auto status = check_size(*built(2501));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.errors()[0].code, "too-many-statements");
    EXPECT_EQ(format(status.errors()), "error: the program has 10002 statements, more than 10000; "
                                       "inline stages, or make several pipelines of it\n");
}

// Each stage's memory encloses the statements of those after it: so deep a program overflowed the
// stack.
TEST(SizeLimit, StagesBeyondTheLimitAreRefusedBeforeTheyAreBuilt) {
    auto program = built(20'000);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.errors()[0].code, "too-many-statements");
    EXPECT_EQ(program.errors()[0].message,
              "the program has at least 59999 statements, more than 10000");
}
