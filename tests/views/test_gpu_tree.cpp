// GPU schedules in the tree, the inspector and the estimate: bindings, kernels, limits, reasons.

#include "core/schedule/directive.h"
#include "tests/support/support.h"
#include "tests/views/gpu_fixtures.h"
#include "views/models/choice_rows.h"
#include "views/models/directive_lines.h"
#include "views/models/kernel_text.h"
#include "views/models/node_text.h"
#include "views/models/schedule_form.h"
#include "views/models/schedule_tree_model.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/roofline_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>

namespace loopscope::views::test {

namespace {

QString tag(const GpuSchedule& s, const NodeId& id) { return node_tag(*s.tree->find(id)); }
Meaning meaning(const GpuSchedule& s, const NodeId& id) { return node_meaning(*s.tree->find(id)); }

const FactorForm* stages_of(const std::vector<FactorForm>& forms) {
    for (const FactorForm& form : forms)
        if (form.name == "stages")
            return &form;
    return nullptr;
}

std::vector<QString> choices(const GpuSchedule& s, const NodeId& id, const QString& verb) {
    std::vector<QString> lines;
    const auto groups = directive_groups(*s.tree, id, s.device.get());
    if (const auto* group = find_group(groups, verb))
        for (const auto& choice : group->choices)
            lines.push_back(choice.line);
    return lines;
}

const FactRow* row_named(const std::vector<FactRow>& rows, const QString& name) {
    for (const FactRow& row : rows)
        if (row.name == name)
            return &row;
    return nullptr;
}

} // namespace

TEST(GpuTree, LoopsSayWhatTheyAreBoundToAndHowDeepThePipelineIs) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    EXPECT_EQ(tag(s, {"C", 0, "io"}), "block.y");
    EXPECT_EQ(meaning(s, {"C", 0, "io"}), Meaning::Block);
    EXPECT_EQ(tag(s, {"C", 0, "jt"}), "thread.x");
    EXPECT_EQ(meaning(s, {"C", 0, "jt"}), Meaning::Thread);
    EXPECT_EQ(tag(s, {"CL", 0, "ko"}), "pipelined ×3");
    EXPECT_EQ(meaning(s, {"CL", 0, "ko"}), Meaning::Pipelined);
    EXPECT_EQ(tag(s, {"As", -1, "@storage"}), "shared");
    EXPECT_EQ(tag(s, {"CL", -1, "@storage"}), "register");
    const auto plain = on_gpu("matmul", gpu_matmul(1));
    EXPECT_EQ(tag(plain, {"CL", 0, "ko"}), "serial");
}

TEST(GpuTree, TheStageOfALaunchSaysItsGridAndBlocks) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    ScheduleTreeModel model;
    model.set_tree(s.tree);
    const auto stage = model.index_of({"C", -1, "@stage"});
    const auto before = stage.data(ScheduleTreeModel::DetailRole).toString();
    EXPECT_FALSE(before.contains("kernel"));
    model.set_estimate(s.estimate);
    EXPECT_EQ(stage.data(ScheduleTreeModel::DetailRole).toString(),
              before + " · kernel of 32 × 32 blocks of 16 × 16 threads · 8 warps");
    EXPECT_FALSE(model.index_of({"CL", -1, "@stage"})
                     .data(ScheduleTreeModel::DetailRole)
                     .toString()
                     .contains("kernel"))
        << "what is computed inside is no launch of its own";
    const auto unbound = on_gpu("matmul", "schedule for matmul\ntarget h200\n");
    EXPECT_EQ(kernels_text(*unbound.estimate, "C", 32), "kernel of one thread does all of it");
}

TEST(GpuTree, ClustersSaySo) {
    const auto s = on_gpu("copy", "schedule for copy\ntarget h200\nout.split(y, yo, yi, 64)\n"
                                  "out.split(yi, yc, yi, 32)\nout.bind(yo, block.x)\n"
                                  "out.bind(yc, cluster.x)\nout.bind(yi, thread.x)\n");
    EXPECT_EQ(kernels_text(*s.estimate, "out", 32),
              "kernel of 128 blocks in clusters of 2, of 32 threads · 1 warp");
    EXPECT_EQ(meaning(s, {"out", 0, "yc"}), Meaning::Block);
    EstimateView view;
    view.set_device(s.device);
    view.set_tree(s.tree);
    view.set_estimate(s.estimate);
    EXPECT_TRUE(row_named(view.findChild<FactRows*>()->rows(), "blocks of a cluster"));
}

TEST(GpuTree, CopiesThatBlocksShareSaySo) {
    const auto s =
        on_gpu("matmul_f16", loopscope::test::read_file(loopscope::test::source_path(
                                 "resources/pipelines/matmul_f16.gpu_hopper_cluster.sched")));
    ScheduleTreeModel model;
    model.set_tree(s.tree);
    auto detail = [&](const char* stage) {
        return model.index_of({stage, -1, "@stage"}).data(ScheduleTreeModel::DetailRole).toString();
    };
    EXPECT_TRUE(detail("right_block").contains("by a producer warpgroup, multicast to 2 blocks"))
        << detail("right_block").toStdString();
    EXPECT_TRUE(detail("left_block").contains("by a producer warpgroup"));
    EXPECT_FALSE(detail("left_block").contains("multicast"));
}

TEST(GpuTree, BlocksThatStaySaySo) {
    const auto s = on_gpu("matmul", gpu_matmul(3, "C.persistent(io)\n"));
    EXPECT_EQ(tag(s, {"C", 0, "io"}), "block.y persistent");
    EXPECT_EQ(meaning(s, {"C", 0, "io"}), Meaning::Block);
    const auto& shape = *s.estimate->kernels.front().gpu;
    EXPECT_EQ(kernels_text(*s.estimate, "C", 32),
              QString("kernel of 32 × %1 blocks of 16 × 16 threads · 8 warps, which take 32 × 32 "
                      "iterations in turn")
                  .arg(shape.launched[1]));
    EstimateView view;
    view.set_device(s.device);
    view.set_tree(s.tree);
    view.set_estimate(s.estimate);
    const auto rows = view.findChild<FactRows*>()->rows();
    EXPECT_TRUE(row_named(rows, "iterations"));
    EXPECT_FALSE(row_named(rows, "waves"));
}

TEST(GpuInspector, OffersAllLevelsAndEditsTheBindingInItsPlace) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    const NodeId jo{"C", 0, "jo"};
    std::vector<QString> labels;
    DirectiveEdit to_z, unbind;
    for (const auto& form : option_forms(*s.tree, s.schedule.get(), jo, s.device.get()))
        if (form.name == "bind")
            for (const auto& value : form.values) {
                labels.push_back(value.label);
                EXPECT_EQ(value.present, value.label == "block.x") << value.label.toStdString();
                if (value.label == "block.z")
                    to_z = value.edit;
                if (value.label == "nothing")
                    unbind = value.edit;
            }
    for (const auto& level : s.device->gpu->levels)
        EXPECT_NE(std::find(labels.begin(), labels.end(), to_qstring(level.name)), labels.end())
            << level.name;
    EXPECT_EQ(to_z, DirectiveEdit("C.bind(jo, block.z)", 6));
    EXPECT_EQ(unbind, DirectiveEdit(QString(), 6)) << "the line that binds it goes";
    for (const auto& form : option_forms(*s.tree, s.schedule.get(), jo, described_device().get()))
        EXPECT_NE(form.name, "bind") << "a processor has no levels";
}

TEST(GpuInspector, StagesAreASliderThatChangesTheLine) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    const NodeId as{"As", -1, "@storage"};
    const auto forms = factor_forms(*s.tree, s.schedule.get(), as, s.device.get());
    const auto* stages = stages_of(forms);
    ASSERT_TRUE(stages);
    ASSERT_EQ(stages->values.size(), 8u);
    EXPECT_TRUE(stages->values[2].present);
    EXPECT_EQ(stages->values[3].edit, DirectiveEdit("As.pipeline(4)", stages->replaces));
    EXPECT_GT(stages->replaces, 0);
    EXPECT_EQ(stages->values[0].edit, DirectiveEdit(QString(), stages->replaces));
    EXPECT_EQ(stages->edit_for("5"), DirectiveEdit("As.pipeline(5)", stages->replaces));
    EXPECT_EQ(stages->edit_for("native"), DirectiveEdit());
    EXPECT_EQ(stages->edit_for("900"), DirectiveEdit());
    const auto plain = on_gpu("matmul", gpu_matmul(1));
    const auto none = factor_forms(*plain.tree, plain.schedule.get(), as, plain.device.get());
    ASSERT_TRUE(stages_of(none));
    EXPECT_EQ(stages_of(none)->values[1].edit, DirectiveEdit("As.pipeline(2)"));
    EXPECT_FALSE(stages_of(factor_forms(*s.tree, s.schedule.get(), as, described_device().get())));
}

TEST(GpuDirectives, InstructionsAreThoseThatTheDeviceHasAndThatAreDeclared) {
    const auto s = on_gpu("matmul_f16", "schedule for matmul_f16\ntarget h200\n");
    const auto lines = choices(s, {"C", 0, "i"}, "tensorize");
    EXPECT_NE(std::find(lines.begin(), lines.end(), "C.tensorize(i, mma_m16n8k16_f16)"),
              lines.end());
    EXPECT_NE(std::find(lines.begin(), lines.end(), "C.tensorize(i, wmma_m16n16k16_f16)"),
              lines.end());
    const auto old =
        on_gpu("matmul_f16", "schedule for matmul_f16\ntarget rtx2080ti\n", "rtx2080ti");
    for (const auto& line : choices(old, {"C", 0, "i"}, "tensorize"))
        EXPECT_FALSE(line.contains("bf16")) << line.toStdString();
}

TEST(GpuLimits, AreBarsAgainstTheDevice) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    EstimateView view;
    view.set_device(s.device);
    view.set_tree(s.tree);
    view.set_estimate(s.estimate);
    const auto rows = view.findChild<FactRows*>()->rows();
    const auto& shape = *s.estimate->kernels.front().gpu;
    const auto* shared = row_named(rows, "shared memory");
    ASSERT_TRUE(shared && shared->bar);
    EXPECT_EQ(shared->value, format_capacity(24 << 10) + " of " + format_capacity(227 << 10));
    EXPECT_NEAR(*shared->bar, 24.0 / 227, 1e-9);
    const auto* threads = row_named(rows, "threads of a block");
    ASSERT_TRUE(threads && threads->bar);
    EXPECT_DOUBLE_EQ(*threads->bar, 256.0 / 1024);
    const auto* occupancy = row_named(rows, "occupancy");
    ASSERT_TRUE(occupancy && occupancy->bar);
    EXPECT_DOUBLE_EQ(*occupancy->bar, shape.occupancy->share());
    const auto* limited = row_named(rows, "limited by");
    ASSERT_TRUE(limited);
    EXPECT_FALSE(limited->value.isEmpty());
    EXPECT_TRUE(row_named(rows, "instructions")) << "the schedulers' time has a row";
    EXPECT_FALSE(row_named(rows, "threads")) << "the processor's row makes no sense here";
}

TEST(GpuLimits, WhatCannotRunSaysEachReasonAndLeadsToItsNodes) {
    auto script = gpu_matmul(1);
    script.replace(script.find("ki, 16"), 6, "ki, 512");
    const auto s = on_gpu("matmul", script);
    ASSERT_FALSE(s.estimate->seconds);
    EstimateView view;
    view.set_device(s.device);
    view.set_tree(s.tree);
    view.set_estimate(s.estimate);
    QLabel* reasons = nullptr;
    for (auto* label : view.findChildren<QLabel*>())
        if (label->accessibleName() == "Why the schedule cannot run")
            reasons = label;
    ASSERT_TRUE(reasons);
    EXPECT_TRUE(reasons->text().contains("shared memory")) << reasons->text().toStdString();
    EXPECT_TRUE(reasons->text().contains("As/@storage")) << reasons->text().toStdString();
    QSignalSpy went(&view, &EstimateView::nodeSelected);
    emit reasons->linkActivated("As/@storage");
    ASSERT_EQ(went.size(), 1);
    EXPECT_EQ(went.front().front().value<NodeId>(), (NodeId{"As", -1, "@storage"}));
    const auto* shared = row_named(view.findChild<FactRows*>()->rows(), "shared memory");
    ASSERT_TRUE(shared && shared->bar);
    EXPECT_GT(*shared->bar, 1) << "a bar that is full and in the colour of a warning";
    view.set_estimate(on_gpu("matmul", gpu_matmul(1)).estimate);
    EXPECT_TRUE(reasons->isHidden());
}

} // namespace loopscope::views::test
