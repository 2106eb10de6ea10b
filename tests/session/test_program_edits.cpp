// What is scheduled, changed: params and the pipeline's text are steps of the history, and the
// schedule is carried over.
#include "app/session/program_edits.h"

#include "app/session/carried_script.h"
#include "app/session/workload_sizes.h"
#include "core/base/whole_file.h"
#include "core/language/loop_parser.h"
#include "tests/session/session_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QCoreApplication>

#include <filesystem>

namespace loopscope::session {
namespace test_program_edits {

using loopscope::test::must;
using test::bundled;
using test::wait_until;

class ProgramEditsTest : public testing::Test {
protected:
    void SetUp() override {
        test::use_known_host();
        session_ = std::make_unique<Session>(nullptr, folder_);
        QObject::connect(session_.get(), &Session::message,
                         [this](const QString& text, bool) { said_ = text; });
    }
    Session& open(const std::string& file) {
        must(session_->open(bundled(file)));
        return *session_;
    }
    std::int64_t param(const std::string& name) const {
        for (const auto& each : session_->pipeline()->params)
            if (each.name == name)
                return each.value;
        return -1;
    }

    std::string folder_ = loopscope::test::scratch_folder() + "/documents";
    std::unique_ptr<Session> session_;
    QString said_;
};

TEST_F(ProgramEditsTest, ParamsAreAStepThatUndoTakesBack) {
    auto& s = open("blur.loop");
    const auto before = param("H");
    must(s.apply_directive("out.split(y, yo, yi, 8)"));
    must(s.program().set_params({{"H", 77}}));
    EXPECT_EQ(param("H"), 77);
    EXPECT_EQ(s.tree()->pipeline, s.pipeline());
    EXPECT_EQ(s.document()->current().name, "H = 77");
    EXPECT_NE(s.script().find("out.split(y, yo, yi, 8)"), std::string::npos);
    must(s.apply_directive("out.parallel(yo)"));
    EXPECT_EQ(param("H"), 77);
    s.undo();
    s.undo();
    EXPECT_EQ(param("H"), before);
    EXPECT_EQ(s.tree()->pipeline, s.pipeline());
    s.redo();
    EXPECT_EQ(param("H"), 77);
    must(s.program().reset_params());
    EXPECT_EQ(param("H"), before);
    EXPECT_TRUE(s.document()->program()->params.empty());
}

TEST_F(ProgramEditsTest, ADocumentOpensWithThem) {
    auto& s = open("blur.loop");
    must(s.program().set_params({{"H", 77}, {"W", 99}}));
    const auto path = loopscope::test::scratch_folder() + "/sized.loopscope";
    must(s.save_document(path));
    s.close();
    must(s.open(path));
    EXPECT_EQ(param("H"), 77);
    EXPECT_EQ(param("W"), 99);
    s.go_to_revision(1);
    EXPECT_NE(param("H"), 77);
}

TEST_F(ProgramEditsTest, ValuesThatThePipelineDoesNotTakeChangeNothing) {
    auto& s = open("blur.loop");
    const auto revisions = s.document()->revisions().size();
    for (const auto& wrong : {std::map<std::string, std::int64_t>{{"H", 0}},
                              {{"H", -3}},
                              {{"NOBODY", 3}},
                              {{"H", 1LL << 40}}})
        EXPECT_FALSE(s.program().set_params(wrong)) << wrong.begin()->first;
    EXPECT_EQ(s.document()->revisions().size(), revisions);
    must(s.program().set_params({{"H", param("H")}}));
    EXPECT_EQ(s.document()->revisions().size(), revisions) << "nothing changes";
}

TEST_F(ProgramEditsTest, ForecastsOfTheHistoryAreOfEachStepsProgram) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled(); }));
    const auto whole = *s.estimates().now()->seconds;
    must(s.program().set_params({{"H", 64}, {"W", 64}}));
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled(); }));
    EXPECT_LT(*s.estimates().now()->seconds, whole / 10);
    const auto path = loopscope::test::scratch_folder() + "/sized.loopscope";
    must(s.save_document(path));
    s.close();
    must(s.open(path));
    ASSERT_TRUE(wait_until([&] { return s.estimates().predictions().count(1) > 0; }));
    EXPECT_DOUBLE_EQ(s.estimates().predictions().at(1), whole);
}

// The estimate may be there before the other revisions are asked for, or behind.
TEST_F(ProgramEditsTest, ThePresentRevisionHasItsForecastFromTheOpeningOn) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    EXPECT_EQ(s.estimates().predictions().count(s.document()->current().id), 1u);
}

TEST_F(ProgramEditsTest, ThePinnedScheduleIsComparedAtThePresentSize) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled(); }));
    s.baseline().pin();
    must(s.program().set_params({{"H", 64}, {"W", 64}}));
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled() && s.baseline().settled(); }));
    EXPECT_DOUBLE_EQ(*s.baseline().estimate()->seconds, *s.estimates().now()->seconds);
}

TEST_F(ProgramEditsTest, TextWithErrorsStaysADraft) {
    auto& s = open("blur.loop");
    const auto text = s.document()->program()->text;
    s.program().edit_text(QString::fromStdString(text + "stage nonsense\n"));
    EXPECT_TRUE(s.program().has_draft());
    ASSERT_FALSE(s.program().diagnostics().empty());
    EXPECT_TRUE(s.program().diagnostics().front().range.file) << "it has a place";
    EXPECT_EQ(s.document()->revisions().size(), 1u);
    EXPECT_FALSE(s.program().set_params({{"H", 64}}));
    const auto path = loopscope::test::scratch_folder() + "/draft.loopscope";
    must(s.save_document(path));
    s.close();
    must(s.open(path));
    EXPECT_EQ(s.program().draft(), text + "stage nonsense\n");
    ASSERT_TRUE(wait_until([&] { return !s.program().diagnostics().empty(); }));
    s.program().drop_draft();
    EXPECT_FALSE(s.program().has_draft());
    EXPECT_TRUE(s.program().diagnostics().empty());
    s.close();
    must(s.open(path));
    EXPECT_FALSE(s.program().has_draft());
}

TEST_F(ProgramEditsTest, AnUntitledDocumentWithADraftIsKept) {
    auto& s = open("blur.loop");
    s.program().edit_text("pipeline blur\n");
    const auto path = s.document()->path();
    s.close();
    ASSERT_TRUE(std::filesystem::exists(path));
    EXPECT_TRUE(must(Document::summary(path)).has_draft);
}

TEST_F(ProgramEditsTest, TypingIsOneStepAndLosesNoLineOnTheWay) {
    auto& s = open("blur.loop");
    must(s.apply_directive("blur_x.compute_at(out, y)"));
    must(s.program().set_params({{"H", 64}}));
    const auto script = s.script();
    auto text = s.document()->program()->text;
    const auto revisions = s.document()->revisions().size();
    // The stage is called otherwise, letter by letter, and is called blur_x again.
    const auto renamed = [&](const std::string& name) {
        auto out = text;
        for (auto at = out.find("blur_x"); at != std::string::npos;
             at = out.find("blur_x", at + name.size()))
            out.replace(at, 6, name);
        return QString::fromStdString(out);
    };
    s.program().edit_text(renamed("blur_xy"));
    EXPECT_NE(s.script().find("# blur_x.compute_at(out, y)  # left out: "), std::string::npos)
        << s.script();
    EXPECT_TRUE(said_.contains("comments now")) << said_.toStdString();
    auto other = text; // and without its param for a moment
    for (auto at = other.find("H"); at != std::string::npos; at = other.find("H", at + 4))
        other.replace(at, 1, "ROWS");
    s.program().edit_text(QString::fromStdString(other));
    EXPECT_EQ(s.document()->program()->params.count("H"), 0u);
    s.program().edit_text(renamed("blur_x") + "# a remark\n");
    EXPECT_EQ(s.script(), script);
    EXPECT_EQ(param("H"), 64);
    EXPECT_EQ(s.document()->revisions().size(), revisions + 1);
    s.undo();
    EXPECT_EQ(s.program().draft(), text);
    EXPECT_EQ(s.script(), script);
}

TEST_F(ProgramEditsTest, WhatIsCheckedIsNotTypedOver) {
    auto& s = open("blur.loop");
    const auto text = QString::fromStdString(s.document()->program()->text);
    s.program().edit_text(text + "# one\n");
    const auto revision = s.document()->current().id;
    s.end_typing(); // as a check begins
    s.program().edit_text(text + "# one, two\n");
    EXPECT_NE(s.document()->current().id, revision);
}

TEST_F(ProgramEditsTest, ADraftThatIsLegalByNowIsTakenBehindTheOpening) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled(); }));
    s.baseline().pin();
    const auto text = s.document()->program()->text;
    s.edit_script("schedule for blur\nnonsense\n");
    s.program().edit_text(QString::fromStdString(text + "# mine\n"));
    EXPECT_TRUE(s.program().has_draft()) << "the script has errors";
    const auto path = loopscope::test::scratch_folder() + "/two.loopscope";
    must(s.save_document(path));
    s.close();
    must(s.open(path));
    EXPECT_EQ(s.program().draft(), text + "# mine\n");
    QCoreApplication::processEvents();
    EXPECT_TRUE(s.program().has_draft());
    s.undo(); // drops the script's errors
    ASSERT_TRUE(wait_until([&] { return !s.program().has_draft(); }));
    EXPECT_EQ(s.document()->program()->text, text + "# mine\n");
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled() && s.baseline().settled(); }));
    EXPECT_TRUE(s.baseline().estimate());
}

TEST_F(ProgramEditsTest, AMeasuredStepIsNotTypedOver) {
    auto& s = open("blur.loop");
    const auto text = QString::fromStdString(s.document()->program()->text);
    s.program().edit_text(text + "# one\n");
    const auto revision = s.document()->current().id;
    Measurement measurement;
    measurement.revision = revision;
    measurement.json = "{}";
    s.add_measurement(measurement);
    s.program().edit_text(text + "# one, two\n");
    EXPECT_NE(s.document()->current().id, revision);
    EXPECT_EQ(s.document()->program_of(revision)->text, text.toStdString() + "# one\n");
}

TEST_F(ProgramEditsTest, ParamsThatATextDoesNotDeclareAreForgotten) {
    auto& s = open("blur.loop");
    must(s.program().set_params({{"H", 64}}));
    auto text = s.document()->program()->text;
    for (auto at = text.find("H"); at != std::string::npos; at = text.find("H", at + 4))
        text.replace(at, 1, "ROWS");
    s.program().edit_text(QString::fromStdString(text));
    EXPECT_FALSE(s.program().has_draft()) << format(s.program().diagnostics());
    EXPECT_EQ(s.document()->program()->params.count("H"), 0u);
}

TEST(CarriedScript, NamesThePipelineAndLeavesOutWhatDoesNotApply) {
    const auto pipeline = must(load_pipeline(std::make_shared<SourceFile>(
                                                 "p.loop", "pipeline other\ninput a: f32[64]\n"
                                                           "stage s[x] = a[x]*2\noutput s: [64]\n"),
                                             {}))
                              .pipeline;
    const std::string script = "# mine\nschedule for before  # of it\n"
                               "gone.inline()\n"
                               "s.split(x, xo, xi, 8) # eight\n"
                               "s.split(y, yo, yi, 8)\n"
                               "s.parallel(yo)\n"
                               "s.vectorize(xi)\n";
    const auto carried = must(carried_script(pipeline, script, {}));
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < carried.script.size();) {
        const auto end = carried.script.find('\n', at);
        lines.push_back(carried.script.substr(at, end - at));
        at = end + 1;
    }
    ASSERT_EQ(lines.size(), 7u) << carried.script;
    EXPECT_EQ(lines[0], "# mine");
    EXPECT_EQ(lines[1], "schedule for other  # of it");
    EXPECT_TRUE(lines[2].starts_with("# gone.inline()  # left out: ")) << lines[2];
    EXPECT_EQ(lines[3], "s.split(x, xo, xi, 8) # eight");
    EXPECT_TRUE(lines[4].starts_with("# s.split(y, yo, yi, 8)  # left out: ")) << lines[4];
    EXPECT_TRUE(lines[5].starts_with("# s.parallel(yo)  # left out: ")) << lines[5];
    EXPECT_EQ(lines[6], "s.vectorize(xi)");
    ASSERT_EQ(carried.left_out.size(), 3u);
    EXPECT_EQ(carried.left_out[1].line, 5);
    EXPECT_TRUE(schedule_script(pipeline, carried.script, {}).ok());
}

// Longer vectors than there may be: only the whole tree shows that, at a line that applies.
TEST_F(ProgramEditsTest, ALineThatPreventsTheTreeIsACommentAndTheChangeSucceeds) {
    const auto file = loopscope::test::scratch_folder() + "/long.loop";
    must(write_whole(file, {"pipeline long\nparam W = 600\ninput a: f32[8, W]\n"
                            "stage h[y, x] = a[y, x] + 1.0\nstage v[y, x] = h[y, x]*2.0\n"
                            "stage o[y, x] = v[y, x] - 1.0\noutput o: [8, W]\n"}));
    must(session_->open(file));
    auto& s = *session_;
    const std::string script = "schedule for long\nh.vectorize(x)\nv.parallel(y)\n"
                               "v.split(x, xo, xi, 600, pad)\nv.unroll(xo)\no.parallel(y)\n";
    must(s.take_script(script, "padded"));
    const auto carried = [](const std::string& text) {
        return text.starts_with("schedule for long\nh.vectorize(x)\nv.parallel(y)\n"
                                "# v.split(x, xo, xi, 600, pad)  # left out: the vectorised loop x "
                                "of h") &&
               text.find("\n# v.unroll(xo)  # left out: ") != std::string::npos &&
               text.ends_with("\no.parallel(y)\n");
    };
    must(s.program().set_params({{"W", 1000}}));
    EXPECT_EQ(param("W"), 1000);
    EXPECT_TRUE(carried(s.script())) << s.script();
    EXPECT_EQ(s.lines_about({"o", 0, "y"}), std::vector<int>{6}) << "places are of the new text";
    EXPECT_TRUE(said_.contains("Line 4")) << said_.toStdString();
    s.undo();
    EXPECT_EQ(s.script(), script);
    // A text that is typed goes the same way.
    auto text = s.document()->program()->text;
    s.program().edit_text(QString::fromStdString(text.replace(text.find("600"), 3, "1000")));
    EXPECT_FALSE(s.program().has_draft()) << format(s.program().diagnostics());
    EXPECT_EQ(param("W"), 1000);
    EXPECT_TRUE(carried(s.script())) << s.script();
}

TEST(WorkloadSizesTest, AreOfTheProgramsOperators) {
    const auto conv = must(load_pipeline_file(bundled("conv2d.loop"))).pipeline;
    const auto sizes = workload_sizes(*conv);
    EXPECT_GE(sizes.size(), 10u);
    for (const auto& each : sizes) {
        LoadOptions options;
        options.params = each.params;
        EXPECT_TRUE(load_pipeline_file(bundled("conv2d.loop"), options).ok()) << each.name;
        EXPECT_FALSE(each.source.empty());
    }
    EXPECT_TRUE(workload_sizes(*must(load_pipeline_file(bundled("blur.loop"))).pipeline).empty());
}

} // namespace test_program_edits
} // namespace loopscope::session
