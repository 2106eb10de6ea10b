// What a first-time user stumbled over in what the session does (docs/newcomer.md).

#include "app/session/expected_time.h"
#include "app/session/parallel_note.h"
#include "app/session/selection.h"
#include "core/language/loop_parser.h"
#include "tests/session/session_fixture.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace loopscope::session::test {

namespace {

class FirstUse : public SessionTest {
protected:
    bool apply(const char* line) {
        auto status = session_->apply_directive(line);
        EXPECT_TRUE(status.ok()) << line << ": " << format(status.errors());
        return status.ok();
    }
};

} // namespace

TEST_F(FirstUse, TheSelectionGoesAlongWithItsLoop) {
    auto& s = open("matmul.loop");
    auto selected = [&] { return s.selection().text(); };
    s.select({"C", 0, "i"});
    ASSERT_TRUE(apply("C.tile(i, j, io, jo, ii, ji, 64, 64)"));
    EXPECT_EQ(selected(), "C/io") << "the outer part of the loop that was split";
    s.select({"C", 0, "ji"});
    s.undo();
    EXPECT_EQ(selected(), "C/j") << "the loop that the part was made of";
    s.redo();
    s.select({"C", 0, "jo"});
    ASSERT_TRUE(apply("C.split(jo, joo, joi, 4)"));
    EXPECT_EQ(selected(), "C/joo");
    ASSERT_TRUE(apply("C.fuse(io, joo, both)")) << s.script();
    EXPECT_EQ(selected(), "C/both");
    s.go_to_revision(1);
    EXPECT_TRUE(s.tree()->find(s.selection())) << selected();
}

TEST_F(FirstUse, AnInlinedStageAndAnInputStaySelected) {
    auto& s = open("blur.loop");
    s.select({"blur_x", 0, "x"});
    ASSERT_TRUE(apply("blur_x.inline()"));
    EXPECT_EQ(s.selection().stage, "blur_x");
    std::string input;
    for (const auto& stage : s.pipeline()->stages)
        if (stage.is_input)
            input = stage.name;
    s.select({input, -1, "@stage"});
    ASSERT_TRUE(apply("out.parallel(y)"));
    EXPECT_EQ(s.selection().stage, input);
}

TEST_F(FirstUse, TypingOnOneLineIsOneRevision) {
    auto& s = open("matmul.loop");
    const std::string start = s.script();
    for (const char* line :
         {"C.split(k, ko, ki, 3)", "C.split(k, ko, ki, 32)", "C.split(k, ko, ki, 32) # vectors"})
        s.edit_script(QString::fromStdString(start + line + "\n"));
    ASSERT_EQ(s.document()->revisions().size(), 2u) << "the states on the way are no steps";
    EXPECT_EQ(s.document()->current().script, s.script());
    EXPECT_NE(s.script().find("# vectors"), std::string::npos);
    // Another line is another step.
    s.edit_script(QString::fromStdString(s.script() + "C.parallel(i)\n"));
    EXPECT_EQ(s.document()->revisions().size(), 3u);
    s.undo();
    EXPECT_NE(s.script().find("# vectors"), std::string::npos);
    s.undo();
    EXPECT_EQ(s.script(), start);
    // After anything else that a person does, the same line is a step of its own.
    s.redo();
    s.edit_script(QString::fromStdString(start + "C.split(k, ko, ki, 64)\n"));
    EXPECT_EQ(s.document()->revisions().size(), 4u);
    s.end_typing();
    s.edit_script(QString::fromStdString(start + "C.split(k, ko, ki, 128)\n"));
    EXPECT_EQ(s.document()->revisions().size(), 5u);
    // And the file says the same.
    const auto path = loopscope::test::scratch_folder() + "/typed.loopscope";
    const auto script = s.script();
    ASSERT_TRUE(s.save_document(path).ok());
    s.close();
    ASSERT_TRUE(s.open(path).ok());
    EXPECT_EQ(s.script(), script);
}

TEST_F(FirstUse, OnlyTheNewestRevisionMayBeAmendedAndNoneThatWasMeasured) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    const auto path = loopscope::test::scratch_folder() + "/amended.loopscope";
    ASSERT_TRUE(s.save_document(path).ok());
    s.close();
    auto document = Document::open(path).value();
    EXPECT_FALSE(document->amend_revision(1, "x").ok());
    EXPECT_TRUE(document->amend_revision(2, "schedule for blur\nout.parallel(x)\n").ok());
    Measurement m;
    m.revision = 2;
    ASSERT_TRUE(document->add_measurement(m).ok());
    EXPECT_FALSE(document->amend_revision(2, "schedule for blur\n").ok());
    document.reset();
    EXPECT_EQ(Document::open(path).value()->current().script,
              "schedule for blur\nout.parallel(x)\n");
}

TEST_F(FirstUse, AStepThatIsMadeAgainIsTheSameRevision) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    s.undo();
    ASSERT_TRUE(apply("out.parallel(y)"));
    EXPECT_EQ(s.document()->revisions().size(), 2u);
    EXPECT_EQ(s.document()->current().id, 2);
    s.undo();
    EXPECT_EQ(s.document()->current().id, 1);
}

TEST(ExpectedTime, CountsTheRunsOfTheWorker) {
    const auto slow = expected_measurement(8.15, 2);
    EXPECT_TRUE(slow.once);
    EXPECT_DOUBLE_EQ(slow.seconds, 8.15);
    const auto fast = expected_measurement(0.001, 2);
    EXPECT_FALSE(fast.once);
    EXPECT_NEAR(fast.seconds, 2.2, 1e-9);
    const auto middle = expected_measurement(0.5, 2);
    EXPECT_NEAR(middle.seconds, 3, 1e-9); // two to warm up, two seconds of samples
}

TEST_F(FirstUse, AMeasurementSaysHowLongItWillTake) {
    auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 64}}, "host"});
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled() && s.baseline().settled(); }));
    EXPECT_FALSE(s.tasks().expected_time().has_value());
    s.tasks().measure(0.05);
    ASSERT_TRUE(s.tasks().busy());
    ASSERT_TRUE(s.tasks().expected_time().has_value());
    EXPECT_GT(s.tasks().expected_time()->seconds, 0);
    ASSERT_TRUE(wait_until([&] { return !s.tasks().busy(); }, 120));
    EXPECT_FALSE(s.tasks().expected_time().has_value());
    // A schedule without parallel loops ran on one thread, however many the machine has.
    ASSERT_EQ(s.document()->measurements().size(), 1u) << messages_.toStdString();
    EXPECT_EQ(nlohmann::json::parse(s.document()->measurements()[0].json)["threads"], 1);
}

TEST_F(FirstUse, ExportsWhatItCompilesTo) {
    auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 64}}, "host"});
    const auto folder = loopscope::test::scratch_folder();
    const std::pair<SourceExport, const char*> wanted[] = {
        {{"c", false, folder + "/a.c"}, "#include"},
        {{"c", true, folder + "/b.c"}, "int main("},
        {{"loops", false, folder + "/c.loops.txt"}, "for out."},
        {{"llvm", false, folder + "/d.ll"}, "define"}};
    for (const auto& [form, mark] : wanted) {
        messages_.clear();
        s.sources().export_to_file(form);
        ASSERT_TRUE(wait_until([&] { return messages_.contains("Saved"); }, 120))
            << form.form << messages_.toStdString();
        EXPECT_NE(loopscope::test::read_file(form.path).find(mark), std::string::npos) << form.path;
    }
    EXPECT_EQ(loopscope::test::read_file(folder + "/a.c").find("int main("), std::string::npos);
    messages_.clear();
    s.sources().export_to_file({"c", false, folder + "/no/such/folder/a.c"});
    ASSERT_TRUE(wait_until([&] { return messages_.contains("no/such"); }, 120));
}

namespace {

Forecast unchanged(const std::string& bound, double parallelism) {
    Forecast f;
    f.before.seconds = f.after.seconds = 2.33;
    f.after.bound = bound;
    f.after.parallelism = parallelism;
    return f;
}

device::Device two_cores(double all_over_one) {
    device::Device d;
    d.name = "host";
    d.is_host = true;
    d.cores = d.threads = 2;
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    d.flops_per_second[ScalarType::F32] = figure(100e9);
    d.flops_per_second_all[ScalarType::F32] = figure(100e9 * all_over_one);
    d.memory_bytes_per_second = figure(10e9);
    d.memory_bytes_per_second_all = figure(15e9);
    return d;
}

} // namespace

TEST(ParallelNote, SaysWhyNothingChanges) {
    const QString line = "C.parallel(io)";
    const auto busy = why_parallel_gains_nothing(line, unchanged("compute", 2), two_cores(1.005));
    EXPECT_TRUE(busy.contains("peaks again")) << busy.toStdString();
    EXPECT_TRUE(busy.contains("compute"));
    EXPECT_TRUE(why_parallel_gains_nothing(line, unchanged("memory", 2), two_cores(2))
                    .contains("bound by memory, which more threads do not speed up"));
    EXPECT_TRUE(why_parallel_gains_nothing(line, unchanged("compute", 1), two_cores(2))
                    .contains("one thread still has all the work"));
    auto faster = unchanged("compute", 2);
    faster.after.seconds = 1.2;
    EXPECT_EQ(why_parallel_gains_nothing(line, faster, two_cores(2)), "");
    EXPECT_EQ(why_parallel_gains_nothing("C.unroll(io)", unchanged("compute", 2), two_cores(2)),
              "");
}

} // namespace loopscope::session::test
