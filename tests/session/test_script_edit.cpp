#include "app/session/script_edit.h"

#include "core/language/loop_parser.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

namespace loopscope::session {

namespace test_script_edit {

PipelinePtr pipeline(const std::string& name) {
    return load_pipeline_file(loopscope::test::source_path("resources/pipelines/" + name + ".loop"))
        .value()
        .pipeline;
}

Scheduled scheduled(const PipelinePtr& of, const std::string& script) {
    return schedule_script(of, script, {}).value();
}

std::string shipped(const std::string& name) {
    return loopscope::test::read_file(
        loopscope::test::source_path("resources/pipelines/" + name + ".cpu.sched"));
}

Result<ScriptChange> add(const PipelinePtr& to, const std::string& script,
                         const std::string& line) {
    return add_directive(to, script, scheduled(to, script), line, {});
}

Removal remove(const PipelinePtr& from, const std::string& script, int line, bool dependents) {
    return remove_directive(from, script, scheduled(from, script), line, dependents, {});
}

TEST(ScriptEdit, ADirectiveGoesToTheEnd) {
    const auto blur = pipeline("blur");
    auto change = add(blur, "schedule for blur\n# why\nout.parallel(y)\n", "out.vectorize(x,8)");
    ASSERT_TRUE(change.ok()) << format(change.errors());
    EXPECT_EQ(change->script, "schedule for blur\n# why\nout.parallel(y)\nout.vectorize(x, 8)\n");
    EXPECT_EQ(change->line, 4);
    EXPECT_EQ(change->description, "vectorize out.x by 8");
    EXPECT_EQ(change->scheduled.schedule.directives.size(), 2u);
}

TEST(ScriptEdit, ALoopDirectiveGoesBeforeThePlacementThatUsesItsLoop) {
    const auto blur = pipeline("blur");
    const std::string script = "schedule for blur\n\n# per row\nblur_x.compute_at(out, y)\n";
    auto change = add(blur, script, "out.split(y, yo, yi, 16)");
    // The placement names y, which the split takes away: nowhere does it apply, and the reason is
    // the end's.
    ASSERT_FALSE(change.ok());
    EXPECT_NE(format(change.errors()).find("y"), std::string::npos);
    const std::string tiled =
        "schedule for blur\nout.split(y, yo, yi, 64)\n\n# per strip\nblur_x.compute_at(out, yo)\n";
    auto moved = add(blur, tiled, "out.reorder(yi, yo)");
    if (!moved.ok())
        moved = add(blur, tiled, "out.parallel(yo)");
    ASSERT_TRUE(moved.ok()) << format(moved.errors());
}

TEST(ScriptEdit, AnEarlierPlaceKeepsCommentsWithWhatTheyExplain) {
    // `unroll` with a factor splits its loop, which a loop that holds a placement does not allow;
    // before the placement it may.
    const auto harris = pipeline("harris");
    const std::string script = shipped("harris");
    const auto before = scheduled(harris, script);
    auto change = add(harris, script, "gray.contract()");
    ASSERT_TRUE(change.ok()) << format(change.errors());
    for (const char* comment : {"# Second sweep, the picture.", "# The gradients are placed first"})
        EXPECT_NE(change->script.find(comment), std::string::npos);
    EXPECT_EQ(change->scheduled.schedule.directives.size(), before.schedule.directives.size() + 1);
}

TEST(ScriptEdit, WhatChangesNothingIsRefused) {
    const auto blur = pipeline("blur");
    auto again = add(blur, "schedule for blur\nout.parallel(y)\n", "out.parallel(y)");
    ASSERT_FALSE(again.ok());
    EXPECT_NE(format(again.errors()).find("changes nothing"), std::string::npos);
    EXPECT_FALSE(add(blur, "schedule for blur\n", "out.serial(y)").ok());
    const auto harris = pipeline("harris");
    EXPECT_TRUE(add(harris, "schedule for harris\n", "out.contract()").ok())
        << "contraction changes rounding, not the nest";
    EXPECT_FALSE(add(harris, "schedule for harris\nout.contract()\n", "out.contract()").ok());
}

TEST(ScriptEdit, TheRefusalIsThatOfTheEndOfTheScript) {
    const auto blur = pipeline("blur");
    auto change = add(blur, "schedule for blur\nblur_x.inline()\n", "blur_x.vectorize(x, 8)");
    ASSERT_FALSE(change.ok());
    EXPECT_NE(format(change.errors()).find("inlined"), std::string::npos);
    EXPECT_FALSE(add(blur, "schedule for blur\n", "out.nonsense(y)").ok());
}

TEST(ScriptEdit, RemovingADirectiveThatNothingNeeds) {
    const auto blur = pipeline("blur");
    const std::string script =
        "schedule for blur\n# rows\nout.parallel(y)\n\nout.vectorize(x, 8)\n";
    auto removal = remove(blur, script, 3, false);
    ASSERT_TRUE(removal.change.ok()) << format(removal.change.errors());
    EXPECT_TRUE(removal.dependents.empty());
    EXPECT_EQ(removal.change->script, "schedule for blur\n# rows\n\nout.vectorize(x, 8)\n");
    EXPECT_FALSE(remove(blur, script, 2, false).change.ok()) << "a comment is no directive";
}

TEST(ScriptEdit, RemovingWithDependentsListsThemAndRemovesThemWhenAsked) {
    const auto blur = pipeline("blur");
    const std::string script = "schedule for blur\nout.split(y, yo, yi, 64)\nout.vectorize(x, "
                               "8)\nout.parallel(yo)\nblur_x.compute_at(out, yo)\n";
    auto asked = remove(blur, script, 2, false);
    ASSERT_FALSE(asked.change.ok());
    EXPECT_EQ(asked.dependents, (std::vector<int>{4, 5}));
    EXPECT_NE(format(asked.change.errors()).find("lines 4, 5"), std::string::npos);
    auto all = remove(blur, script, 2, true);
    ASSERT_TRUE(all.change.ok()) << format(all.change.errors());
    EXPECT_EQ(all.change->script, "schedule for blur\nout.vectorize(x, 8)\n");
    const auto fresh = scheduled(blur, all.change->script);
    EXPECT_EQ(all.change->scheduled.tree->root->hash, fresh.tree->root->hash);
    EXPECT_EQ(all.change->scheduled.states.size(), fresh.states.size());
}

// What applied before is not applied again: the outcome is that of the shorter script all the same.
TEST(ScriptEdit, RemovingAnyLineOfAShippedScriptGivesWhatTheShorterScriptMeans) {
    for (const char* name : {"harris", "matmul", "softmax"}) {
        const auto p = pipeline(name);
        const auto script = shipped(name);
        const auto before = scheduled(p, script);
        for (const auto& directive : before.schedule.directives) {
            const int line = directive->where.file->position(directive->where.begin).line;
            auto removal = remove(p, script, line, true);
            ASSERT_TRUE(removal.change.ok()) << name << " " << directive->text();
            const auto fresh = scheduled(p, removal.change->script);
            EXPECT_EQ(removal.change->scheduled.tree->root->hash, fresh.tree->root->hash)
                << name << " " << directive->text();
            EXPECT_EQ(fresh.schedule.directives.size() + removal.dependents.size() + 1,
                      before.schedule.directives.size());
        }
    }
}

TEST(ScriptEdit, LinesAndDirectivesFindEachOther) {
    const auto blur = pipeline("blur");
    const auto s = scheduled(blur, "schedule for blur\nout.split(y, yo, yi, "
                                   "64)\nblur_x.vectorize(x, 8)\nblur_x.compute_at(out, yo)\n");
    EXPECT_EQ(lines_about(s, {"out", 0, "yo"}), (std::vector<int>{2}));
    EXPECT_EQ(lines_about(s, {"blur_x", -1, "@stage"}), (std::vector<int>{3, 4}));
    ASSERT_NE(directive_on(s.schedule, 2), nullptr);
    EXPECT_EQ(subject_of(*directive_on(s.schedule, 2), *s.tree), (NodeId{"out", 0, "yo"}));
    EXPECT_EQ(subject_of(*directive_on(s.schedule, 4), *s.tree), (NodeId{"blur_x", -1, "@stage"}));
    EXPECT_EQ(directive_on(s.schedule, 1), nullptr);
}

TEST(ScriptEdit, EveryShippedScriptIsScheduledWithOneStatePerDirective) {
    for (const char* name : {"blur", "harris", "matmul", "unsharp"}) {
        const auto s = scheduled(pipeline(name), shipped(name));
        EXPECT_EQ(s.states.size(), s.schedule.directives.size() + 1) << name;
    }
}

} // namespace test_script_edit
} // namespace loopscope::session
