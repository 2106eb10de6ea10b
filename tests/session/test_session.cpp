#include "tests/session/session_fixture.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace loopscope::session::test {

TEST_F(SessionTest, OpensAPipelineWithTheDefaultSchedule) {
    auto& s = open("blur.loop");
    EXPECT_TRUE(s.untitled());
    EXPECT_EQ(s.title(), "blur.loop");
    EXPECT_EQ(s.script(), "schedule for blur\n");
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled() && s.baseline().settled(); }));
    EXPECT_TRUE(s.estimates().now()->seconds.has_value());
    EXPECT_FALSE(s.can_undo());
}

TEST_F(SessionTest, GesturesBecomeRevisionsAndUndoWalksOverThem) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    ASSERT_TRUE(apply("out.vectorize(x, 8)"));
    EXPECT_EQ(s.undo_text(), "vectorize out.x by 8");
    const auto full = s.script();
    s.undo();
    EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)\n");
    s.undo();
    EXPECT_EQ(s.script(), "schedule for blur\n");
    EXPECT_FALSE(s.can_undo());
    s.redo();
    s.redo();
    EXPECT_EQ(s.script(), full);
    EXPECT_FALSE(s.can_redo());
    EXPECT_EQ(s.document()->revisions().size(), 3u);
}

TEST_F(SessionTest, EditingAfterUndoBranches) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    s.undo();
    ASSERT_TRUE(apply("blur_x.inline()"));
    ASSERT_EQ(s.document()->revisions().size(), 3u);
    EXPECT_EQ(s.document()->revisions()[2].parent, 1);
    s.go_to_revision(2);
    EXPECT_NE(s.script().find("parallel"), std::string::npos);
    s.undo();
    EXPECT_NE(s.script().find("inline"), std::string::npos);
}

TEST_F(SessionTest, ARefusedGestureChangesNothingAndSaysWhy) {
    auto& s = open("iir_blur.loop");
    const auto before = s.script();
    auto status = s.apply_directive("down.update(0).parallel(r)");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(s.script(), before);
    EXPECT_EQ(s.document()->revisions().size(), 1u);
    const auto verdict = judge(*s.present(), QString("down.update(0).parallel(r)"));
    EXPECT_FALSE(verdict.available);
    EXPECT_FALSE(verdict.reason.isEmpty());
    EXPECT_TRUE(judge(*s.present(), QString("down.update(0).parallel(x)")).available);
}

TEST_F(SessionTest, ALegalTextBecomesARevisionAndAnIllegalOneStaysADraft) {
    auto& s = open("blur.loop");
    s.edit_script("schedule for blur\nout.parallel(y)  # rows\n");
    EXPECT_EQ(s.document()->revisions().size(), 2u);
    EXPECT_TRUE(s.diagnostics().empty());
    s.edit_script("schedule for blur\nout.paralel(y)\n");
    ASSERT_FALSE(s.diagnostics().empty());
    EXPECT_EQ(s.document()->revisions().size(), 2u);
    EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)  # rows\n");
    EXPECT_EQ(s.draft(), "schedule for blur\nout.paralel(y)\n");
    // What a person writes is not overwritten by a gesture; undo goes back to the last legal script
    // first.
    EXPECT_FALSE(apply("out.vectorize(x, 8)"));
    ASSERT_TRUE(s.can_undo());
    s.undo();
    EXPECT_EQ(s.draft(), s.script());
    EXPECT_TRUE(s.diagnostics().empty());
    EXPECT_EQ(s.document()->revisions().size(), 2u);
    EXPECT_TRUE(apply("out.vectorize(x, 8)"));
}

TEST_F(SessionTest, EachWrongLineOfADraftIsADiagnostic) {
    auto& s = open("blur.loop");
    s.edit_script("schedule for blur\nout.parallel(y)\n");
    s.edit_script("schedule for blur\nout.parallel(y)\nout.unroll(q)\nout.paralel(x)\n"
                  "blur_x.split(z, zo, zi, 4)\nblur_x.unroll(zi)\n");
    std::vector<int> lines;
    for (const auto& d : s.diagnostics())
        lines.push_back(d.range.file->position(d.range.begin).line);
    EXPECT_EQ(lines, (std::vector<int>{3, 4, 5})) << "zi is missing for the split's sake";
    EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)\n");
}

TEST_F(SessionTest, RemovesLinesWithTheirDependents) {
    auto& s = open("blur.loop", {bundled("blur.cpu.sched"), {}, "host"});
    auto lines = s.lines_about({"out", 0, "yo"});
    ASSERT_FALSE(lines.empty());
    auto removal = s.remove_line(lines.front(), false);
    EXPECT_FALSE(removal.change.ok());
    EXPECT_FALSE(removal.dependents.empty());
    EXPECT_EQ(s.document()->revisions().size(), 1u);
    removal = s.remove_line(lines.front(), true);
    ASSERT_TRUE(removal.change.ok()) << format(removal.change.errors());
    EXPECT_EQ(s.script().find("out.tile"), std::string::npos);
    EXPECT_NE(s.script().find("# Blur on a CPU"), std::string::npos) << "comments stay";
    EXPECT_EQ(s.document()->revisions().size(), 2u);
}

TEST_F(SessionTest, AnUntitledDocumentComesBackWithHistoryDraftAndUndo) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    ASSERT_TRUE(apply("out.vectorize(x, 8)"));
    s.edit_script(QString::fromStdString(s.script() + "out.spl"));
    EXPECT_TRUE(s.recovery().documents().empty()) << "it is being edited";
    s.close();
    auto found = s.recovery().documents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].closed);
    EXPECT_EQ(found[0].revisions, 3u);
    EXPECT_EQ(fs::path(found[0].pipeline_file).filename(), "blur.loop");
    auto status = s.open(found[0].path);
    ASSERT_TRUE(status.ok()) << format(status.errors());
    EXPECT_TRUE(s.untitled());
    EXPECT_EQ(s.draft(), s.script() + "out.spl");
    EXPECT_FALSE(s.diagnostics().empty());
    s.undo(); // the draft
    s.undo();
    s.undo();
    EXPECT_EQ(s.script(), "schedule for blur\n");
}

TEST_F(SessionTest, ADocumentWhoseScriptNoLongerAppliesOpensWithItAsADraft) {
    auto path = folder_ + "/old.loopscope";
    DocumentSource source;
    source.program = std::make_shared<const Program>(
        Program{loopscope::test::read_file(bundled("blur.loop")), {}});
    source.pipeline_file = "blur.loop";
    source.script = "schedule for blur\nout.split(nowhere, a, b, 8)\n";
    ASSERT_TRUE(Document::create(path, source).ok());
    auto status = session_->open(path);
    ASSERT_TRUE(status.ok()) << format(status.errors());
    EXPECT_EQ(session_->script(), "schedule for blur\n");
    EXPECT_EQ(session_->draft(), source.script);
    EXPECT_FALSE(session_->diagnostics().empty());
    EXPECT_EQ(session_->document()->current().script, source.script);
}

TEST_F(SessionTest, AnUntouchedUntitledDocumentLeavesNothingBehind) {
    open("blur.loop").close();
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SessionTest, SavesAndReopensWithBaselineAndMeasurements) {
    auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 96}}, "host"});
    ASSERT_TRUE(wait_until([&] { return s.estimates().settled() && s.baseline().settled(); }));
    s.baseline().pin();
    ASSERT_TRUE(apply("out.parallel(y)"));
    const auto path = loopscope::test::scratch_folder() + "/mine.loopscope";
    auto saved = s.save_document(path);
    ASSERT_TRUE(saved.ok()) << format(saved.errors());
    EXPECT_FALSE(s.untitled());
    EXPECT_EQ(s.title(), "mine.loopscope");
    EXPECT_TRUE(fs::is_empty(folder_)) << "the untitled copy is gone";
    ASSERT_TRUE(apply("out.vectorize(x, 8)"));
    const auto script = s.script();
    s.close();
    auto status = s.open(path);
    ASSERT_TRUE(status.ok()) << format(status.errors());
    EXPECT_EQ(s.script(), script);
    ASSERT_TRUE(wait_until([&] {
        return s.estimates().settled() && s.baseline().settled() && s.baseline().estimate();
    }));
    EXPECT_GT(*s.baseline().estimate()->seconds, 0);
    EXPECT_EQ(s.document()->program()->params.at("H"), 64);
}

TEST_F(SessionTest, SavesAndOpensPlainTexts) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    const auto folder = loopscope::test::scratch_folder();
    ASSERT_TRUE(s.save_schedule(folder + "/b.sched").ok());
    ASSERT_TRUE(s.save_pipeline(folder + "/blur.loop").ok());
    EXPECT_EQ(loopscope::test::read_file(folder + "/blur.loop"),
              loopscope::test::read_file(bundled("blur.loop")));
    s.undo();
    auto status = s.open(folder + "/b.sched");
    ASSERT_TRUE(status.ok()) << format(status.errors());
    EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)\n");
    EXPECT_EQ(s.undo_text(), "open b.sched");
    // Without its pipeline open, a schedule brings the one beside it.
    s.close();
    ASSERT_TRUE(s.open(folder + "/b.sched").ok());
    EXPECT_EQ(s.pipeline()->name, "blur");
    EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)\n");
    EXPECT_FALSE(s.save_schedule(folder + "/missing/b.sched").ok());
}

TEST_F(SessionTest, WhatCannotBeOpenedLeavesTheDocumentOpen) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(apply("out.parallel(y)"));
    const auto folder = loopscope::test::scratch_folder();
    std::ofstream(folder + "/bad.loop") << "pipeline bad\nstage s[x] = \n";
    std::ofstream(folder + "/bad.loopscope") << "no database";
    std::ofstream(folder + "/bad.sched") << "schedule for blur\nout.paralel(y)\n";
    std::ofstream(folder + "/other.sched") << "schedule for elsewhere\n";
    for (const char* file :
         {"bad.loop", "bad.loopscope", "bad.sched", "other.sched", "missing.loop"}) {
        auto status = s.open(folder + "/" + file);
        ASSERT_FALSE(status.ok()) << file;
        EXPECT_FALSE(format(status.errors()).empty());
        EXPECT_EQ(s.title(), "blur.loop");
        EXPECT_EQ(s.script(), "schedule for blur\nout.parallel(y)\n");
    }
    OpenOptions unknown;
    unknown.device = "nowhere";
    EXPECT_FALSE(s.open(bundled("harris.loop"), unknown).ok());
}

TEST_F(SessionTest, TheNewestEstimateWins) {
    auto& s = open("harris.loop");
    for (const char* line :
         {"out.parallel(y)", "out.vectorize(x, 8)", "gray.parallel(y)", "gray.vectorize(x, 8)"})
        ASSERT_TRUE(apply(line));
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    auto direct = model::find_model("bottleneck")->estimate(*s.tree(), *s.device(), {});
    ASSERT_TRUE(s.estimates().now()->seconds && direct.seconds);
    EXPECT_EQ(*s.estimates().now()->seconds, *direct.seconds);
}

TEST_F(SessionTest, AForecastIsTheEstimateThatTheDirectiveThenGets) {
    auto& s = open("blur.loop");
    std::optional<Forecast> answer;
    s.questions().forecast({QString("out.parallel(y)")}, [&](const Forecast& f) { answer = f; });
    ASSERT_TRUE(wait_until([&] { return answer.has_value(); }));
    ASSERT_TRUE(answer->after.seconds.has_value());
    ASSERT_TRUE(apply("out.parallel(y)"));
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    EXPECT_EQ(*answer->after.seconds, *s.estimates().now()->seconds);
    answer.reset();
    s.questions().forecast({QString("out.parallel(nowhere)")},
                           [&](const Forecast& f) { answer = f; });
    ASSERT_TRUE(wait_until([&] { return answer.has_value(); }));
    EXPECT_FALSE(answer->after.seconds.has_value());
    EXPECT_FALSE(answer->after.reason.empty());
}

TEST_F(SessionTest, MeasuresInTheWorkerAndMarksWhatMovedOn) {
    auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 96}}, "host"});
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    s.tasks().measure(0.1);
    EXPECT_TRUE(s.tasks().busy());
    ASSERT_TRUE(wait_until([&] { return !s.tasks().busy(); })) << messages_.toStdString();
    ASSERT_EQ(s.document()->measurements().size(), 1u) << messages_.toStdString();
    const auto& m = s.document()->measurements().front();
    EXPECT_EQ(m.key, s.measurement_key_on(s.device()->name));
    auto json = nlohmann::json::parse(m.json);
    EXPECT_GT(json.at("median_s").get<double>(), 0);
    EXPECT_GT(json.at("predicted_s").get<double>(), 0);
    ASSERT_TRUE(apply("out.parallel(y)"));
    EXPECT_NE(m.key, s.measurement_key_on(s.device()->name));
    s.undo();
    EXPECT_EQ(m.key, s.measurement_key_on(s.device()->name));
}

TEST_F(SessionTest, CancelEndsAMeasurementAndAnotherDocumentDropsIts) {
    auto& s = open("blur.loop");
    s.tasks().measure(60);
    ASSERT_TRUE(s.tasks().busy());
    s.tasks().cancel();
    ASSERT_TRUE(wait_until([&] { return !s.tasks().busy(); }));
    EXPECT_TRUE(s.document()->measurements().empty());
    EXPECT_NE(messages_.indexOf("Cancelled"), -1) << messages_.toStdString();
    s.tasks().measure(60);
    open("copy.loop");
    ASSERT_TRUE(wait_until([&] { return !s.tasks().busy(); }));
    EXPECT_TRUE(s.document()->measurements().empty());
    EXPECT_EQ(s.title(), "copy.loop");
}

TEST_F(SessionTest, ChecksInTheWorker) {
    auto& s = open("blur.loop", {{}, {{"H", 16}, {"W", 32}}, "host"});
    s.tasks().check();
    ASSERT_TRUE(wait_until([&] { return !s.tasks().busy(); }));
    EXPECT_NE(messages_.indexOf("Right"), -1) << messages_.toStdString();
}

TEST_F(SessionTest, TheSourceNamesTheOriginOfItsLines) {
    auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 96}}, "host"});
    ASSERT_TRUE(apply("out.parallel(y)"));
    for (const char* what : {"loops", "llvm"}) {
        std::optional<SourceAnswer> answer;
        auto connection = QObject::connect(&s.sources(), &SourceTexts::ready,
                                           [&](const SourceAnswer& a) { answer = a; });
        s.sources().request(what);
        ASSERT_TRUE(wait_until([&] { return answer.has_value(); }));
        QObject::disconnect(connection);
        EXPECT_EQ(answer->what, what);
        EXPECT_TRUE(answer->failure.empty()) << answer->failure;
        EXPECT_FALSE(answer->text.empty());
        EXPECT_NE(std::find(answer->lines.begin(), answer->lines.end(), NodeId{"out", 0, "y"}),
                  answer->lines.end())
            << what;
    }
}

TEST_F(SessionTest, ADescribedDeviceEstimatesAndDoesNotMeasure) {
    auto& s = open("blur.loop");
    ASSERT_TRUE(s.set_device("i7-6700").ok());
    EXPECT_EQ(s.device()->name, "i7-6700");
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    s.tasks().measure(0.1);
    EXPECT_FALSE(s.tasks().busy());
    EXPECT_NE(messages_.indexOf("not at hand"), -1);
    EXPECT_FALSE(s.set_device("nowhere").ok());
    EXPECT_EQ(s.device()->name, "i7-6700");
    ASSERT_TRUE(s.set_device("host").ok());
    EXPECT_TRUE(s.device()->is_host);
}

TEST_F(SessionTest, SelectingSaysSoOnce) {
    auto& s = open("blur.loop");
    int said = 0;
    QObject::connect(&s, &Session::selectionChanged, [&] { ++said; });
    s.select({"out", 0, "y"});
    s.select({"out", 0, "y"});
    EXPECT_EQ(said, 1);
    ASSERT_TRUE(apply("out.parallel(y)"));
    EXPECT_EQ(s.selection(), (NodeId{"out", 0, "y"})) << "a selection survives an edit";
    EXPECT_EQ(s.document()->current().selection, "out/y");
}

} // namespace loopscope::session::test
