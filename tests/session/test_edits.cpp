// Questions about edits: verdicts with the dependence behind them, forecasts, alternatives, and
// edits in place.

#include "app/session/earlier_place.h"
#include "app/session/edits.h"

#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "tests/session/session_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

namespace loopscope::session {

namespace test_edits {

using test::bundled;

Present present(const std::string& program, const std::string& script = {}) {
    Present out;
    out.pipeline = load_pipeline_file(bundled(program + ".loop")).value().pipeline;
    out.script = script.empty() ? default_script(*out.pipeline) : script;
    auto device = std::make_shared<device::Device>();
    device->name = "described";
    device->cores = device->threads = 2;
    device->vector_bits = 256;
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    device->flops_per_second = {{ScalarType::F32, figure(100e9)}};
    device->flops_per_second_all = {{ScalarType::F32, figure(200e9)}};
    device->memory_bytes_per_second = figure(10e9);
    device->memory_bytes_per_second_all = figure(15e9);
    device->parallel_overhead_seconds = figure(5e-6);
    out.device = device;
    out.scheduled = std::make_shared<const Scheduled>(
        schedule_script(out.pipeline, out.script, out.context()).value());
    return out;
}

views::DirectiveEdit add(const char* line) { return views::DirectiveEdit(QString(line)); }

TEST(Edits, AVerdictCarriesTheDependenceOfAnUpdate) {
    const auto now = present("iir_blur");
    const auto verdict = judge(now, add("down.update(0).parallel(r)"));
    EXPECT_FALSE(verdict.available);
    EXPECT_FALSE(verdict.reason.isEmpty());
    ASSERT_TRUE(verdict.conflict);
    EXPECT_EQ(verdict.conflict->from, (NodeId{"down", 1, "r"}));
    EXPECT_EQ(verdict.conflict->to, (NodeId{"down", 1, "@compute"}));
    EXPECT_EQ(verdict.conflict->label, "distance (1)");
    EXPECT_TRUE(verdict.conflict->detail.contains("down["))
        << verdict.conflict->detail.toStdString();
    EXPECT_TRUE(now.scheduled->tree->find(verdict.conflict->to));
    EXPECT_TRUE(judge(now, add("down.update(0).parallel(x)")).available);
}

TEST(Edits, AVerdictCarriesTheDependenceOfAReduction) {
    const auto verdict = judge(present("matmul"), add("C.parallel(k)"));
    ASSERT_TRUE(verdict.conflict);
    EXPECT_EQ(verdict.conflict->from, (NodeId{"C", 0, "k"}));
    EXPECT_TRUE(verdict.conflict->detail.contains("distance (1)"));
}

TEST(Edits, AVerdictOnAPlacementNamesTheReaderThatIsElsewhere) {
    const auto now = present("harris"); // gray is read by ix and iy
    const auto verdict = judge(now, add("gray.compute_at(ix, y)"));
    EXPECT_FALSE(verdict.available);
    ASSERT_TRUE(verdict.conflict) << verdict.reason.toStdString();
    EXPECT_EQ(verdict.conflict->from, (NodeId{"ix", 0, "y"}));
    EXPECT_EQ(verdict.conflict->to.stage, "iy");
    EXPECT_EQ(verdict.conflict->label, "reads gray");
}

TEST(Edits, ALegalDirectiveStandsInForARefusedOne) {
    EXPECT_EQ(legal_alternative(present("matmul"), "C.parallel(k)"), "C.parallel(i)");
    EXPECT_EQ(legal_alternative(present("iir_blur"), "down.update(0).parallel(r)"),
              "down.update(0).parallel(c)")
        << "the outermost of those that may";
    const auto harris = present("harris", "schedule for harris\nix.inline()\n");
    // The loop that was asked for holds no reader of ix: root is left.
    const auto other = legal_alternative(harris, "ix.compute_at(gray, y)");
    EXPECT_TRUE(judge(harris, add(other.c_str())).available) << other;
    EXPECT_FALSE(other.empty());
    EXPECT_EQ(legal_alternative(present("matmul"), "C.nonsense(k)"), "");
}

Present on_generic_gpu(Present now) {
    now.device = std::make_shared<const device::Device>(device::generic_gpu());
    now.scheduled = std::make_shared<const Scheduled>(
        schedule_script(now.pipeline, now.script, now.context()).value());
    return now;
}

// Applicable and runnable are two things; what the device could never run is none to choose.
TEST(Edits, WhatAGpuCouldNotRunWhateverFollowedIsNotAvailable) {
    const auto here = present("blur", "schedule for blur\nblur_x.compute_at(out, y)\n");
    EXPECT_TRUE(judge(here, add("blur_x.pipeline(2)")).available);
    const auto computed = judge(on_generic_gpu(here), add("blur_x.pipeline(2)"));
    EXPECT_FALSE(computed.available);
    EXPECT_TRUE(computed.reason.contains("only copies are asynchronous"))
        << computed.reason.toStdString();
    EXPECT_TRUE(computed.reason.contains("cache_read")) << "with the remedy";
    const auto copied = on_generic_gpu(present(
        "blur", "schedule for blur\nA = out.cache_read(blur_x, shared)\nA.compute_at(out, y)\n"));
    EXPECT_TRUE(judge(copied, add("A.pipeline(2)")).available);
    // The whole of it is in shared memory until another line has its place: a step on the way.
    EXPECT_TRUE(judge(copied, add("B = blur_x.cache_read(img, shared)")).available);
    // It cannot run as it is: what may lead out of that is there to choose.
    const auto stuck = on_generic_gpu(
        present("blur", "schedule for blur\nblur_x.compute_at(out, y)\nblur_x.pipeline(2)\n"));
    EXPECT_TRUE(judge(stuck, add("out.split(x, xo, xi, 8)")).available);
}

// A stage is computed at the loop: it is tiled before that line, and the stage is computed at a
// part of it.
TEST(Edits, ARefusedLineIsLegalFurtherUp) {
    const std::string tiled = "out.tile(y, x, yo, xo, yi, xi, 32, 64)";
    const auto now = present("blur", "schedule for blur\nblur_x.vectorize(x, 8)\n# by rows\n"
                                     "blur_x.compute_at(out, y)  # as they come\n");
    const auto verdict = judge(now, add(tiled.c_str()));
    ASSERT_FALSE(verdict.available);
    EXPECT_TRUE(verdict.reason.contains("write this line before blur_x.compute_at(out, y)"))
        << verdict.reason.toStdString();
    const auto place = earlier_place(now, tiled);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->script, "schedule for blur\nblur_x.vectorize(x, 8)\n" + tiled +
                                 "\n# by rows\nblur_x.compute_at(out, yi)  # as they come\n");
    EXPECT_EQ(place->before, "blur_x.compute_at(out, y)");
    EXPECT_EQ(place->follows, std::vector<std::string>{"blur_x.compute_at(out, yi)"});
    EXPECT_TRUE(schedule_script(now.pipeline, place->script, now.context()).ok());
}

TEST(Edits, ALoopThatIsVectorisedIsSplitBeforeThat) {
    const auto now =
        present("matmul", "schedule for matmul\nC.split(j, jo, ji, 16)\nC.vectorize(ji)\n");
    const auto place = earlier_place(now, "C.split(ji, ja, jb, 4)");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->script, "schedule for matmul\nC.split(j, jo, ji, 16)\n"
                             "C.split(ji, ja, jb, 4)\nC.vectorize(jb)\n");
}

TEST(Edits, WhatIsLegalNowhereHasNoPlaceFurtherUp) {
    const auto now = present("blur", "schedule for blur\nblur_x.compute_at(out, y)\n");
    EXPECT_FALSE(earlier_place(now, "out.split(y, x, yi, 8)")) << "the name is taken";
    EXPECT_FALSE(earlier_place(now, "out.split(nowhere, a, b, 8)"));
    EXPECT_FALSE(earlier_place(now, "nobody.split(y, a, b, 8)"));
    EXPECT_FALSE(earlier_place(now, "no directive"));
    EXPECT_FALSE(earlier_place(now, "out.parallel(x)")) << "it takes no loop apart";
}

TEST(Edits, AForecastSaysTimeTrafficWorkAndStorage) {
    const auto now = present("blur");
    const auto inlined = forecast(now, add("blur_x.inline()"));
    ASSERT_TRUE(inlined.before.seconds && inlined.after.seconds);
    EXPECT_GT(inlined.before.storage_bytes, 0);
    EXPECT_EQ(inlined.after.storage_bytes, 0) << "blur_x is stored no more";
    EXPECT_GT(inlined.before.memory_bytes, 0);
    const auto at_points = forecast(now, add("blur_x.compute_at(out, x)"));
    EXPECT_GT(at_points.after.recompute, at_points.before.recompute);
    const auto refused = forecast(now, add("out.parallel(nowhere)"));
    EXPECT_FALSE(refused.after.seconds);
    EXPECT_NE(refused.after.reason.find("nowhere"), std::string::npos);
}

TEST(Edits, ADirectiveIsReplacedInItsPlace) {
    const std::string script = "schedule for matmul\n# tiles\nC.split(k, ko, ki, 32)  # a page\n"
                               "C.reorder(ko, i)\n";
    const auto now = present("matmul", script);
    auto change = edited(now, {QString("C.split(k, ko, ki, 64)"), 3});
    ASSERT_TRUE(change.ok()) << format(change.errors());
    EXPECT_EQ(change->script, "schedule for matmul\n# tiles\nC.split(k, ko, ki, 64)  # a page\n"
                              "C.reorder(ko, i)\n");
    EXPECT_EQ(change->description, "split C.k by 64");
    EXPECT_EQ(change->scheduled.states.size(), 3u);
    EXPECT_EQ(change->scheduled.tree->find({"C", 0, "ki"})->extent.hint(), 64);
    // A later line that needs a name is named, and nothing changes.
    auto broken = edited(now, {QString("C.split(k, a, b, 64)"), 3});
    ASSERT_FALSE(broken.ok());
    EXPECT_NE(broken.errors().front().message.find("line 4"), std::string::npos);
    auto same = edited(now, {QString("C.split(k, ko, ki, 32)"), 3});
    ASSERT_FALSE(same.ok());
    EXPECT_NE(same.errors().front().message.find("changes nothing"), std::string::npos);
}

TEST(Edits, WhatIsKnownOfTheBeginningIsUsedAgainAndTheOutcomeIsTheSame) {
    const auto shipped = loopscope::test::read_file(bundled("harris.cpu.sched"));
    const auto now = present("harris", shipped);
    for (const auto& text :
         {shipped + "# a comment\n", std::string("schedule for harris\nout.parallel(y)\n"),
          shipped.substr(0, shipped.rfind('\n', shipped.size() - 2) + 1)}) {
        const auto fresh = schedule_script(now.pipeline, text, now.context()).value();
        const auto again =
            schedule_script(now.pipeline, text, now.context(), "schedule", now.scheduled.get())
                .value();
        EXPECT_EQ(fresh.tree->root->hash, again.tree->root->hash);
        EXPECT_EQ(fresh.states.size(), again.states.size());
        EXPECT_EQ(fresh.schedule.text(), again.schedule.text());
    }
}

// Above a size verdicts are given without a tree: they are the same ones.
TEST(Edits, ALargeProgramIsJudgedLikeASmallOne) {
    for (int stages : {20, 300}) {
        std::string text = "pipeline chain\ninput a[i]: f32[64]\nstage s0[i]: f32 = a[i] + 1.0\n";
        for (int n = 1; n < stages; ++n)
            text += "stage s" + std::to_string(n) + "[i]: f32 = s" + std::to_string(n - 1) +
                    "[i] * 2.0\n";
        text += "output s" + std::to_string(stages - 1) + ": [64]\n";
        Present now = present("blur");
        now.pipeline =
            load_pipeline(std::make_shared<SourceFile>("chain.loop", text)).value().pipeline;
        now.script = "schedule for chain\ns3.parallel(i)\n";
        now.scheduled = std::make_shared<const Scheduled>(
            schedule_script(now.pipeline, now.script, now.context()).value());
        EXPECT_TRUE(judge(now, add("s4.parallel(i)")).available) << stages;
        EXPECT_TRUE(judge(now, add("s4.inline()")).available) << stages;
        EXPECT_TRUE(judge(now, add("s4.split(i, io, ii, 8)")).available) << stages;
        EXPECT_TRUE(judge(now, add("s3.parallel(i)")).reason.contains("changes nothing")) << stages;
        EXPECT_FALSE(judge(now, add("s4.parallel(j)")).available) << stages;
    }
}

// The quick question and the thorough one have one answer for every kind of line.
TEST(Edits, TheQuickVerdictOnALineIsThatOfItsTree) {
    std::string text = "pipeline wide\ninput A[i, k]: f16[64, 96]\ninput B[k, j]: f16[96, 48]\n"
                       "stage C[i, j] = sum[k in 0..96](f32(A[i, k])*f32(B[k, j]))\n"
                       "stage D[i, j] = C[i, j] + 1.0\noutput D: [64, 48]\n"
                       "stage s0[i]: f32 = D[i, 0] + 1.0\n";
    for (int n = 1; n < 160; ++n)
        text +=
            "stage s" + std::to_string(n) + "[i]: f32 = s" + std::to_string(n - 1) + "[i] * 2.0\n";
    text += "output s159: [64]\n";
    Present now = present("blur");
    now.device = std::make_shared<const device::Device>(device::generic_gpu());
    now.pipeline = load_pipeline(std::make_shared<SourceFile>("wide.loop", text)).value().pipeline;
    now.script = "schedule for wide\nC.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\n"
                 "C.split(k, ko, ki, 16)\nC.reorder(io, jo, ko, ii, ji, ki)\n"
                 "Cs = D.cache_read(C, local)\nCs.compute_at(D, i)\n";
    now.scheduled = std::make_shared<const Scheduled>(
        schedule_script(now.pipeline, now.script, now.context()).value());
    for (const char* line : {"C.tensorize(ii, mma_m16n8k16_f16)",
                             "C.contract()",
                             "C.atomic()",
                             "C.fast_math()",
                             "C.non_temporal()",
                             "C.swizzle()",
                             "C.specialize(1)",
                             "C.prefetch(A, ko, 2)",
                             "C.unroll(ji)",
                             "C.serial(ji)",
                             "C.bind(io, block.x)",
                             "C.persistent(io)",
                             "C.reorder(jo, io)",
                             "C.reorder(io, jo)",
                             "C.fuse(io, jo, f)",
                             "C.parallel(ko)",
                             "Cs.pad_storage(j, 1)",
                             "Cs.reorder_storage(j, i)",
                             "Cs.scope(shared)",
                             "Cs.scope(local)",
                             "Cs.store_at(D, i)",
                             "Cs.compute_at(D, i)",
                             "Cs.compute_root()",
                             "s1.inline()",
                             "s1.compute_at(s2, i)",
                             "s1.compute_root()"}) {
        const auto thorough = edited(now, add(line));
        EXPECT_EQ(judge(now, add(line)).available, thorough.ok())
            << line << (thorough ? "" : ": " + format(thorough.errors()));
    }
    EXPECT_TRUE(judge(now, add("C.tensorize(ii, mma_m16n8k16_f16)")).available);
}

// The states that a change carries are those of its script, so that the next question is judged on
// them.
TEST(Edits, AChangeKnowsTheStatesOfItsScript) {
    const auto now = present("harris", loopscope::test::read_file(bundled("harris.cpu.sched")));
    auto change = edited(now, add("peak.unroll(x_v, 2)"));
    if (!change)
        change = edited(now, add("gray.reorder(x, y)"));
    ASSERT_TRUE(change.ok()) << format(change.errors());
    const auto fresh = schedule_script(now.pipeline, change->script, now.context()).value();
    EXPECT_EQ(change->scheduled.states.size(), fresh.states.size());
    EXPECT_EQ(change->scheduled.tree->root->hash, fresh.tree->root->hash);
    EXPECT_EQ(build_tree(change->scheduled.states.back()).value()->root->hash,
              fresh.tree->root->hash);
}

} // namespace test_edits
} // namespace loopscope::session
