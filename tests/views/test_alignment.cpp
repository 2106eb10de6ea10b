// What only looking at the panels showed, held by numbers: columns that stand in line, texts that
// are not cut where there is room, marks that stay inside their frames.

#include "core/base/json_text.h"
#include "tests/support/support.h"
#include "tests/views/fixtures.h"
#include "views/geometry/passing_edges.h"
#include "views/models/schedule_tree_model.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/help_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/link_list.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_row_delegate.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QApplication>
#include <QFontMetricsF>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTextBlock>
#include <QTextBrowser>

namespace loopscope::views::test {

namespace test_alignment {

int left_in(const QWidget& widget, const QWidget& panel) {
    return widget.mapTo(&panel, QPoint(0, 0)).x();
}

FactRow fact(const QString& name, const QString& value, const QString& change = {}) {
    FactRow row;
    row.name = name;
    row.value = value;
    row.change = change;
    return row;
}

std::vector<ProgramEntry> bundled_programs() {
    std::vector<ProgramEntry> out;
    const auto index = json_or_null(loopscope::test::read_file(
        loopscope::test::source_path("resources/pipelines/programs.json")));
    for (const auto& group : list_or_none(index, "groups"))
        for (const auto& program : list_or_none(group, "programs")) {
            const auto text = [](const nlohmann::json& of, const char* key) {
                return QString::fromStdString(text_or(of, key, {}));
            };
            const QString name = text(program, "name");
            out.push_back({name, text(group, "title"), text(program, "teaches"), 101, true, name});
        }
    return out;
}

TEST(Alignment, FactsAndChoicesOfTheInspectorShareAColumn) {
    const auto tree = bundled_tree("harris");
    InspectorView view;
    view.set_services(services_of(tree));
    view.set_snapshot(tree, estimate_of(tree));
    view.set_selected({"out", -1, "@stage"});
    for (int width : {380, 620}) {
        view.resize(width, 460);
        view.show();
        settle();
        const auto* facts = view.findChild<FactRows*>();
        ASSERT_TRUE(facts);
        const int column =
            left_in(*facts, view) + static_cast<int>(std::lround(facts->name_width()));
        int looked_at = 0;
        for (const auto* label : view.findChildren<QLabel*>())
            if (label->accessibleName() == "Definition" && label->isVisible()) {
                EXPECT_EQ(left_in(*label, view), column) << "at " << width;
                ++looked_at;
            }
        int first_choice = view.width();
        for (const auto* button : view.findChildren<QPushButton*>())
            if (button->isVisible())
                first_choice = std::min(first_choice, left_in(*button, view));
        EXPECT_EQ(first_choice, column) << "at " << width;
        EXPECT_EQ(looked_at, 1);
    }
}

TEST(Alignment, NamesOfFactsAreWholeWhereTheirValuesLeaveRoom) {
    FactRows rows;
    rows.set_rows({fact("recompute factor", "1×"), fact("threads", "2")});
    rows.resize(200, 60);
    EXPECT_GE(rows.name_width(), QFontMetricsF(text_font()).horizontalAdvance("recompute factor"));
    rows.set_rows({fact("recompute factor", "2.5×, most ixx 17.9×", "▴ 2.5×")});
    EXPECT_LE(rows.name_width(), 0.5 * rows.width() + 1) << "a long value has its share";
}

TEST(Alignment, WhatHasNoRoomIsInTheTooltip) {
    auto block = fact("threads of a block", "32 × 2 × 2 threads · 4 warps");
    block.tooltip = "Along x, y and z.";
    auto occupancy = fact("occupancy", "2 blocks, 8 of 64 warps", "▴ 3 %");
    occupancy.bar = 0.2;
    FactRows rows;
    rows.set_rows({block, occupancy, fact("waves", "1")});
    rows.resize(240, 60);
    EXPECT_EQ(rows.tooltip_of(0).toStdString(), (block.value + '\n' + block.tooltip).toStdString());
    const std::string change = "▴ 3 % against the baseline";
    EXPECT_EQ(rows.tooltip_of(1).toStdString(), occupancy.value.toStdString() + '\n' + change);
    EXPECT_EQ(rows.tooltip_of(2).toStdString(), "");
    rows.resize(640, 60);
    EXPECT_EQ(rows.tooltip_of(0).toStdString(), block.tooltip.toStdString());
    EXPECT_EQ(rows.tooltip_of(1).toStdString(), change);
}

TEST(Alignment, OfMemoryTheSizeIsSaidWholeOrNotAtAll) {
    const QFontMetricsF metrics(text_font());
    const QString detail = "storage f32 [8, 1, 66] · 2.06 KiB";
    EXPECT_EQ(fitted_memory(detail, 1000), detail);
    for (double room = metrics.horizontalAdvance(detail) - 1; room > 10; room -= 5) {
        const QString said = fitted_memory(detail, room);
        EXPECT_EQ(said.contains("2.06"), said.endsWith("2.06 KiB")) << said.toStdString();
        if (said.contains("2.06")) {
            EXPECT_LE(metrics.horizontalAdvance(said), room + 1) << said.toStdString();
        }
    }
    EXPECT_EQ(fitted_memory(detail, metrics.horizontalAdvance("2.06 KiB") + 2), "2.06 KiB");
}

TEST(Alignment, AHeadingStandsApartFromTheRowsAboveIt) {
    FactRow heading = fact("Footprint", {});
    heading.heading = true;
    FactRows rows;
    rows.set_rows({fact("a", "1"), heading, fact("b", "2")});
    const double height = rows.top_of(2) - rows.top_of(1);
    EXPECT_GT(rows.top_of(1), height);
    EXPECT_EQ(rows.sizeHint().height(), static_cast<int>(rows.top_of(2) + height));
    rows.set_rows({heading, fact("b", "2")});
    EXPECT_EQ(rows.top_of(0), 0) << "nothing stands above the first";
}

TEST(Alignment, TheSelectedRevisionIsMarkedToTheEdge) {
    for (bool dark : {false, true}) {
        use_theme(dark);
        HistoryView view;
        view.set_rows({{1, 0, "default", "≈ 41.2 ms", {}}, {2, 1, "tiled", "≈ 2.1 ms", {}}}, 2);
        view.resize(260, 140);
        view.show();
        settle();
        const QImage image = view.viewport()->grab().toImage();
        const int y = view.visualRect(view.history_model()->current()).center().y();
        for (int x : {1, image.width() - 2})
            EXPECT_EQ(image.pixelColor(x, y), theme_of(view).selection) << x;
    }
    use_theme(false);
}

TEST(Alignment, StorageOfTheTreeKeepsItsSizeAt1280Pixels) {
    const auto tree = bundled_tree("harris");
    ScheduleTreeView view;
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    view.set_baseline(estimate_of(default_tree("harris")));
    view.resize(626, 400); // what the window leaves it
    view.show();
    settle();
    const auto index = view.schedule_model()->index_of({"gray", -1, "@storage"});
    ASSERT_TRUE(index.isValid());
    const QFontMetricsF metrics(text_font());
    const double needed =
        metrics.horizontalAdvance("gray") + metrics.horizontalAdvance(QChar(0x25a4)) + 5 + 6 + 6 +
        metrics.horizontalAdvance(index.data(ScheduleTreeModel::DetailRole).toString());
    EXPECT_GE(view.visualRect(index).width(), needed);
    int widest = 0;
    for (const QString& tag : {QStringLiteral("vector ×16"), QStringLiteral("parallel")})
        widest = std::max(widest, QFontMetrics(text_font()).horizontalAdvance(tag));
    EXPECT_GE(view.columnWidth(ScheduleTreeModel::Tag), widest + 24) << "tags are whole, too";
}

// Large type, to be read from the back of a room: what grows with it is not cut off.
TEST(Alignment, TimesOfTheTreeAndTabsOfTheSourceAreWholeInLargeType) {
    const QFont person = QApplication::font();
    for (const double factor : {1.0, 1.3, 2.0}) {
        QApplication::setFont(scaled(person, factor));
        ScheduleTreeView tree;
        tree.set_tree(default_tree("blur"));
        tree.resize(900, 400);
        tree.show();
        settle();
        const int around = 4 + 4 + 8; // what the row keeps free beside the time
        EXPECT_GE(tree.columnWidth(ScheduleTreeModel::Tag) - around,
                  TextMetrics(text_font()).width(format_seconds(88.8e-3)))
            << factor;
        SourceView source;
        source.set_device_is_gpu(true);
        source.resize(1600, 300);
        source.show();
        settle();
        auto* tabs = source.findChild<QTabBar*>();
        const QPushButton* copy = nullptr;
        for (const auto* button : source.findChildren<QPushButton*>())
            if (button->accessibleName() == "Copy the source")
                copy = button;
        ASSERT_TRUE(tabs && copy);
        EXPECT_LT(copy->mapTo(&source, QPoint()).y(), tabs->height()) << "beside the tabs";
        source.resize(tabs->sizeHint().width() + 40, 300); // no room for the buttons beside them
        settle();
        EXPECT_GE(copy->mapTo(&source, QPoint()).y(), tabs->height()) << "below them";
        for (int tab = 0; tab < tabs->count(); ++tab) {
            if (tabs->isTabVisible(tab)) {
                EXPECT_LE(tabs->tabRect(tab).right(), tabs->width())
                    << tabs->tabText(tab).toStdString() << " at " << factor;
            }
        }
    }
    QApplication::setFont(person);
}

TEST(Alignment, ATreeThatWasScrolledForWantOfRoomIsNotOnceThereIsRoom) {
    const auto tree = bundled_tree("harris");
    ScheduleTreeView view;
    view.set_tree(tree);
    view.resize(600, 60);
    view.show();
    settle();
    view.set_selected({"out", 0, "xo"});
    ASSERT_GT(view.verticalScrollBar()->value(), 0);
    view.resize(600, 400);
    settle();
    EXPECT_EQ(view.verticalScrollBar()->value(), 0);
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
    const int there = view.verticalScrollBar()->value();
    ASSERT_GT(there, 400) << "the selection is out of sight";
    view.resize(600, 380);
    settle();
    EXPECT_GE(view.verticalScrollBar()->value(), there) << "who looks elsewhere stays there";
}

TEST(Alignment, NoRowOfTheTreeIsCutAtTheTop) {
    const auto tree = bundled_tree("harris");
    ScheduleTreeView view;
    view.set_tree(tree);
    view.resize(600, 203); // no multiple of a row
    view.show();
    settle();
    for (const NodeId& id : {NodeId{"ix", 0, "x"}, NodeId{"corners", 0, "yo"}}) {
        view.set_selected(id);
        const int row = view.visualRect(view.currentIndex()).height();
        ASSERT_GT(row, 0);
        EXPECT_EQ(view.verticalScrollBar()->value() % row, 0);
        EXPECT_TRUE(view.viewport()->rect().contains(view.visualRect(view.currentIndex())));
    }
}

TEST(Alignment, TheStartPageShowsEveryProgramWithItsWholeSentence) {
    const std::vector<ProgramEntry> programs = bundled_programs();
    ASSERT_GT(programs.size(), 15u);
    StartPage page;
    page.set_programs(programs, "this machine");
    page.resize(1262, 694); // of a window of 1280 × 800
    page.show();
    settle();
    auto* list = page.findChild<LinkList*>();
    ASSERT_TRUE(list);
    ASSERT_EQ(list->accessibleName(), "Programs to explore");
    // There are more than fit: the last one comes whole into sight by scrolling.
    EXPECT_EQ(list->horizontalScrollBar()->maximum(), 0);
    list->verticalScrollBar()->setValue(list->verticalScrollBar()->maximum());
    settle();
    EXPECT_TRUE(
        list->viewport()->rect().contains(list->visualItemRect(list->item(list->count() - 1))));
    const QFontMetricsF metrics(text_font());
    for (const ProgramEntry& program : programs)
        EXPECT_LE(metrics.horizontalAdvance(program.teaches), list->room_for_detail())
            << program.teaches.toStdString();
}

TEST(Alignment, TheDifferenceIsBrokenBetweenFiguresAndWordsOnly) {
    const auto tree = bundled_tree("harris");
    EstimateView view;
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    view.set_baseline(estimate_of(default_tree("harris")));
    view.resize(358, 640);
    view.show();
    settle();
    const QPushButton* pin = nullptr;
    for (const auto* button : view.findChildren<QPushButton*>())
        if (button->accessibleName() == "Forget the baseline")
            pin = button;
    const auto* rows = view.findChild<FactRows*>();
    ASSERT_TRUE(pin && rows);
    EXPECT_EQ(left_in(*pin, view) + pin->width(), left_in(*rows, view) + rows->width());
    for (const auto* label : view.findChildren<QLabel*>())
        if (label->accessibleName() == "Difference against the baseline") {
            EXPECT_EQ(label->text().count(' '), 1) << label->text().toStdString();
        }
}

TEST(Alignment, DotsOfTheRooflineAreInsideItsFrame) {
    for (const char* name : {"conv_relu", "unsharp", "harris"}) {
        const auto tree = bundled_tree(name);
        RooflineView view;
        view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
        view.set_tree(tree);
        view.set_estimate(estimate_of(tree));
        view.resize(530, 300);
        view.show();
        settle();
        auto* plot = view.findChild<QCustomPlot*>();
        ASSERT_TRUE(plot);
        int dots = 0;
        for (int g = 0; g < plot->graphCount(); ++g) {
            const QCPGraph& graph = *plot->graph(g);
            if (graph.lineStyle() != QCPGraph::lsNone)
                continue;
            ++dots;
            const double radius = graph.scatterStyle().size() / 2;
            const QPointF at = graph.dataPixelPosition(0);
            EXPECT_TRUE(QRectF(plot->axisRect()->rect())
                            .adjusted(radius, radius, -radius, -radius)
                            .contains(at))
                << name << ", dot " << dots;
        }
        EXPECT_GT(dots, 0) << name;
    }
}

TEST(Alignment, ALargeGraphIsShownToItsEndWithoutEmptyRoom) {
    const auto tree = bundled_tree("stencil_chain");
    PipelineGraphView view;
    view.set_tree(tree);
    view.unfold_all();
    view.set_selected({"s1", -1, "@stage"});
    view.set_selected({"out", -1, "@stage"});
    view.resize(290, 580);
    view.show();
    settle();
    const QRectF last = view.node_rectangle("out");
    ASSERT_LT(view.node_rectangle("s1").y(), 0) << "the graph is larger than the panel";
    EXPECT_LT(last.bottom(), view.height());
    EXPECT_GT(last.bottom(), view.height() - 60) << "no half panel is left empty below it";
}

TEST(Alignment, HeadingsOfTheHelpHaveOneSizeAndRoomAbove) {
    HelpView view(QString::fromStdString(loopscope::test::source_path("resources/help")), {});
    view.resize(960, 720);
    view.show();
    int looked_at = 0;
    for (const QString& page : view.pages()) {
        ASSERT_TRUE(view.show_place(page, {}));
        settle();
        const QTextDocument& text = *view.findChild<QTextBrowser*>()->document();
        for (auto block = text.begin(); block.isValid(); block = block.next()) {
            const int level = block.blockFormat().headingLevel();
            if (level == 0)
                continue;
            if (level > 1) {
                EXPECT_GE(block.blockFormat().topMargin(), 12) << block.text().toStdString();
            }
            for (auto it = block.begin(); !it.atEnd(); ++it, ++looked_at)
                EXPECT_EQ(it.fragment().charFormat().intProperty(QTextFormat::FontSizeAdjustment),
                          4 - level)
                    << block.text().toStdString() << " in " << page.toStdString();
        }
    }
    EXPECT_GT(looked_at, 20);
}

// A long edge passes beside the label of a short one.
TEST(EdgeLabels, StandOnNoOtherEdgeWhereThereIsRoomBeside) {
    GraphDescription g;
    g.nodes = {{120, 40, -1}, {90, 40, -1}, {90, 40, -1}, {100, 40, -1}, {90, 40, -1}};
    g.edges = {{0, 1, 50, 14}, {1, 2, 50, 14}, {1, 3, 50, 14}, {2, 4, 50, 14},
               {3, 4, 50, 14}, {0, 4, 50, 14}, {0, 3, 0, 0}};
    const GraphLayout layout = layout_graph(g);
    ASSERT_TRUE(layout.ok);
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const Rectangle& label = layout.edges[e].label;
        if (g.edges[e].label_width == 0)
            continue;
        ASSERT_GT(label.width, 0) << e;
        for (std::size_t other = 0; other < g.edges.size(); ++other)
            for (const Point& p : points_along(layout.edges[other].curve, 2))
                ASSERT_FALSE(label.contains(p)) << "edge " << other << " strikes label " << e;
    }
}

TEST(EdgeLabels, PointsFollowTheCurve) {
    const std::vector<Point> curve{{0, 0}, {0, 10}, {0, 20}, {0, 30}, {0, 40}, {0, 50}, {0, 60}};
    const std::vector<Point> points = points_along(curve, 4);
    EXPECT_DOUBLE_EQ(points.front().y, 0);
    EXPECT_DOUBLE_EQ(points.back().y, 60);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_GT(points[i].y, points[i - 1].y) << "no point twice";
        EXPECT_LE(points[i].y - points[i - 1].y, 6);
    }
    EXPECT_TRUE(points_along({{1, 1}}, 4).empty());
}

} // namespace test_alignment
} // namespace loopscope::views::test
