// What holds for every view: controls have names, buttons explain themselves, colours follow the
// theme.

#include "tests/views/fixtures.h"
#include "views/style/theme.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>

#include <memory>
#include <vector>

namespace loopscope::views::test {

namespace {

// Every view with something to show.
std::vector<std::unique_ptr<QWidget>> all_views() {
    std::vector<std::unique_ptr<QWidget>> views;
    const auto tree = bundled_tree("harris");
    const auto estimate = estimate_of(tree);
    auto graph = std::make_unique<PipelineGraphView>();
    graph->set_tree(tree);
    graph->set_estimate(estimate);
    views.push_back(std::move(graph));
    auto rows = std::make_unique<ScheduleTreeView>();
    rows->set_tree(tree);
    rows->set_estimate(estimate);
    views.push_back(std::move(rows));
    auto inspector = std::make_unique<InspectorView>();
    inspector->set_snapshot(tree, estimate);
    inspector->set_selected({"out", 0, "yi"});
    views.push_back(std::move(inspector));
    auto figures = std::make_unique<EstimateView>();
    figures->set_estimate(estimate);
    views.push_back(std::move(figures));
    auto roofline = std::make_unique<RooflineView>();
    roofline->set_ceilings(model::roofline_ceilings(*described_device(), 2));
    roofline->set_estimate(estimate);
    views.push_back(std::move(roofline));
    views.push_back(std::make_unique<ScriptEditor>());
    views.push_back(std::make_unique<SourceView>());
    auto measurements = std::make_unique<MeasurementsView>();
    measurements->set_rows(std::make_shared<const std::vector<MeasurementRow>>(2));
    views.push_back(std::move(measurements));
    auto start = std::make_unique<StartPage>();
    start->set_programs({{"harris", "Images", "Finds corners.", 13, true, "/p/harris.loop"}},
                        "this machine");
    start->set_recent({{"/p/mine.loopscope", {}}});
    views.push_back(std::move(start));
    return views;
}

bool of_qt(const QWidget& widget) {
    return widget.objectName().startsWith("qt_") || qobject_cast<const QHeaderView*>(&widget);
}

std::string path(const QWidget& widget) {
    std::string text;
    for (const QWidget* w = &widget; w; w = w->parentWidget())
        text += std::string(text.empty() ? "" : " in ") + w->metaObject()->className();
    return text;
}

} // namespace

TEST(Accessibility, EveryViewAndControlHasAName) {
    int controls = 0;
    for (const auto& view : all_views()) {
        EXPECT_FALSE(view->accessibleName().isEmpty()) << path(*view);
        for (const QWidget* widget : view->findChildren<QWidget*>()) {
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool control = button || qobject_cast<const QLineEdit*>(widget) ||
                                 qobject_cast<const QComboBox*>(widget) ||
                                 qobject_cast<const QAbstractItemView*>(widget) ||
                                 widget->inherits("QsciScintilla");
            if (!control || of_qt(*widget) ||
                qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                widget->inherits("QComboBoxListView"))
                continue;
            // an empty state's button that has nothing to offer
            if (button && button->isHidden() && button->text().isEmpty())
                continue;
            ++controls;
            EXPECT_FALSE(widget->accessibleName().isEmpty()) << path(*widget);
        }
    }
    EXPECT_GT(controls, 30);
}

TEST(Accessibility, ButtonsExplainThemselves) {
    for (const auto& view : all_views())
        for (const auto* button : view->findChildren<QAbstractButton*>()) {
            if (!of_qt(*button) && !button->isHidden() && !button->inherits("QTabBar")) {
                // The inspector's choices by the card that comes when they are pointed at.
                EXPECT_TRUE(!button->toolTip().isEmpty() ||
                            !button->property("explanation").toString().isEmpty() ||
                            button->parentWidget()->inherits("loopscope::views::EmptyState") ||
                            button->parentWidget()->inherits("QTabBar"))
                    << path(*button) << " \"" << button->text().toStdString() << '"';
            }
        }
}

TEST(Accessibility, EveryViewFollowsTheTheme) {
    auto views = all_views();
    for (const auto& view : views) {
        const QImage light = picture(*view, {420, 360}, {});
        use_theme(true);
        settle();
        const QImage dark = view->grab().toImage();
        use_theme(false);
        settle();
        const QImage again = view->grab().toImage();
        view->hide();
        // The corner of the surface says which theme is shown; the way back leaves no trace of the
        // dark one.
        EXPECT_GT(light.pixelColor(3, 355).lightness(), 200) << path(*view);
        EXPECT_LT(dark.pixelColor(3, 355).lightness(), 80) << path(*view);
        EXPECT_GT(again.pixelColor(3, 355).lightness(), 200) << path(*view);
    }
}

} // namespace loopscope::views::test
