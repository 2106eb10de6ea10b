// Names of points that lie close together: apart, inside, near their points; and what the roofline
// makes of them.

#include "tests/views/fixtures.h"
#include "views/geometry/point_labels.h"
#include "views/models/node_text.h"
#include "views/style/theme.h"
#include "views/widgets/roofline_view.h"

#include <gtest/gtest.h>

#include <qcustomplot.h>

#include <QHelpEvent>
#include <QPolygonF>
#include <QTest>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace loopscope::views::test {

namespace test_point_labels {

PointLabel label_at(double x, double y, double width = 60) { return {{x, y}, 5, width, 13, 48}; }

std::vector<Rectangle> marks_of(const std::vector<PointLabel>& labels) {
    std::vector<Rectangle> marks;
    for (const auto& label : labels)
        marks.push_back(Rectangle{label.at.x, label.at.y, 0, 0}.grown(label.radius));
    return marks;
}

TEST(PointLabels, OneAloneStandsAtTheRight) {
    const std::vector<PointLabel> labels{label_at(100, 100)};
    const auto places = place_point_labels(labels, marks_of(labels), {0, 0, 300, 200});
    ASSERT_TRUE(places[0]);
    EXPECT_NEAR(places[0]->text.x, 110, 1);
    EXPECT_NEAR(places[0]->text.centre().y, 100, 1e-9);
    EXPECT_FALSE(places[0]->leader) << "it stands beside its point";
    const auto at_the_edge = place_point_labels({label_at(270, 100)}, {}, {0, 0, 300, 200});
    ASSERT_TRUE(at_the_edge[0]);
    EXPECT_LE(at_the_edge[0]->text.right(), 300);
}

TEST(PointLabels, CloseOnesStandApartAndLinesLeadToThem) {
    std::vector<PointLabel> labels;
    for (int n = 0; n < 10; ++n)
        labels.push_back(label_at(150 + 3 * (n % 4), 100 + 2 * n, 40 + 5 * (n % 3)));
    const auto marks = marks_of(labels);
    const Rectangle bounds{0, 0, 390, 240};
    const auto places = place_point_labels(labels, marks, bounds);
    ASSERT_EQ(places.size(), labels.size());
    ASSERT_TRUE(places[0]);
    EXPECT_FALSE(places[0]->leader) << "the first one stands nearest";
    int shown = 0, led = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
        if (!places[n])
            continue;
        ++shown;
        const Rectangle& text = places[n]->text;
        EXPECT_TRUE(bounds.contains({text.x, text.y}));
        EXPECT_TRUE(bounds.contains({text.right(), text.bottom()}));
        for (const Rectangle& mark : marks)
            EXPECT_FALSE(text.overlaps(mark)) << n;
        for (std::size_t other = 0; other < n; ++other)
            EXPECT_TRUE(!places[other] || !text.overlaps(places[other]->text)) << n << ' ' << other;
        if (!places[n]->leader)
            continue;
        ++led;
        const auto& [from, to] = *places[n]->leader;
        EXPECT_NEAR(std::hypot(from.x - labels[n].at.x, from.y - labels[n].at.y), 5, 1e-6);
        EXPECT_TRUE(text.grown(1e-6).contains(to));
        for (std::size_t other = 0; other < places.size(); ++other)
            EXPECT_TRUE(other == n || !places[other] ||
                        !crosses(*places[n]->leader, places[other]->text))
                << "a line through another name: " << n << ' ' << other;
    }
    EXPECT_GE(shown, 7);
    EXPECT_GE(led, 1);
}

TEST(PointLabels, WithoutRoomTheLeastImportantAreLeftOut) {
    const std::vector<PointLabel> labels(4, label_at(50, 20, 40));
    const auto places = place_point_labels(labels, marks_of(labels), {0, 0, 100, 40});
    EXPECT_TRUE(places[0]);
    EXPECT_FALSE(places[3]);
    EXPECT_FALSE(place_point_labels({label_at(50, 20, 400)}, {}, {0, 0, 100, 40})[0]);
}

TEST(PointLabels, AStripCoversALineAslantAndLittleBeside) {
    const Segment line{{0, 0}, {80, 60}};
    const auto strip = strip_along(line, 10);
    for (double share = 0; share <= 1; share += 0.01)
        for (const double aside : {-4.9, 0.0, 4.9}) {
            const Point p{80 * share - 0.6 * aside, 60 * share + 0.8 * aside};
            EXPECT_TRUE(std::any_of(strip.begin(), strip.end(),
                                    [&](const Rectangle& r) { return r.contains(p); }))
                << share << ' ' << aside;
        }
    const Rectangle corner{0, 45, 15, 15};
    EXPECT_TRUE(std::none_of(strip.begin(), strip.end(),
                             [&](const Rectangle& r) { return r.overlaps(corner); }));
    EXPECT_TRUE(crosses(line, {30, 20, 10, 10}));
    EXPECT_FALSE(crosses(line, corner));
    EXPECT_TRUE(crosses({{1, 1}, {1, 1}}, {0, 0, 2, 2})) << "a line without length";
}

// The kernels of a program at nearly one place.
EstimatePtr crowded(const ScheduleTreePtr& tree, double apart) {
    auto estimate = std::make_shared<model::Estimate>(*estimate_of(tree));
    double seconds = 0;
    for (std::size_t n = 0; n < estimate->kernels.size(); ++n) {
        auto& kernel = estimate->kernels[n];
        const double part = static_cast<double>(n % 5);
        kernel.flops = 1e9 * (1 + apart * static_cast<double>(n));
        kernel.integer_operations = 0;
        kernel.seconds = 0.01 * (1 + apart * part);
        for (auto& traffic : kernel.traffic)
            traffic.bytes = 1e9;
        seconds += kernel.seconds;
    }
    estimate->seconds = seconds;
    return estimate;
}

class CrowdedRoofline : public testing::Test {
protected:
    void show(const QSize& size, double apart) {
        tree_ = default_tree("harris");
        view_.set_ceilings(model::roofline_ceilings(*described_device(), 2));
        view_.set_tree(tree_);
        view_.set_estimate(crowded(tree_, apart));
        view_.set_measured(MeasuredTime{0.2});
        view_.resize(size);
        view_.show();
        settle();
        plot_ = view_.findChild<QCustomPlot*>();
        ASSERT_TRUE(plot_);
    }
    std::vector<const QCPItemText*> texts() const {
        std::vector<const QCPItemText*> all;
        for (int i = 0; i < plot_->itemCount(); ++i)
            if (const auto* text = qobject_cast<QCPItemText*>(plot_->item(i)))
                all.push_back(text);
        return all;
    }
    // Where it is drawn, in its own font and turned as it is; less a pixel for rounding.
    static QPolygonF outline(const QCPItemText& text) {
        QPolygonF corners;
        for (const auto* corner : {text.topLeft, text.topRight, text.bottomRight, text.bottomLeft})
            corners << corner->pixelPosition();
        const QPointF centre = (corners[0] + corners[2]) / 2;
        for (QPointF& corner : corners) {
            const QPointF inwards = centre - corner;
            corner += inwards / std::hypot(inwards.x(), inwards.y()) * 1.5;
        }
        return corners;
    }
    QString tip_at(const QPoint& at) {
        QHelpEvent help(QEvent::ToolTip, at, plot_->mapToGlobal(at));
        QCoreApplication::sendEvent(plot_, &help);
        return QToolTip::text();
    }

    ScheduleTreePtr tree_;
    RooflineView view_;
    QCustomPlot* plot_ = nullptr;
};

TEST_F(CrowdedRoofline, NoTwoTextsMeetAndNoneLeavesThePlot) {
    for (const QSize& size : {QSize(280, 200), QSize(390, 240), QSize(530, 300), QSize(900, 560)})
        for (const double apart : {0.0, 0.02, 0.2}) {
            SCOPED_TRACE(std::to_string(size.width()) + " " + std::to_string(apart));
            show(size, apart);
            const auto all = texts();
            const QRectF frame = QRectF(plot_->axisRect()->rect()).adjusted(-1, -1, 1, 1);
            QStringList names;
            for (std::size_t n = 0; n < all.size(); ++n) {
                const QPolygonF text = outline(*all[n]);
                const auto said = all[n]->text().toStdString();
                names << all[n]->text();
                EXPECT_TRUE(frame.contains(text.boundingRect())) << said;
                for (std::size_t other = 0; other < n; ++other)
                    EXPECT_FALSE(text.intersects(outline(*all[other])))
                        << said << " and " << all[other]->text().toStdString();
                for (int g = 0; g < plot_->graphCount(); ++g)
                    if (plot_->graph(g)->lineStyle() == QCPGraph::lsNone) {
                        EXPECT_FALSE(text.containsPoint(plot_->graph(g)->dataPixelPosition(0),
                                                        Qt::OddEvenFill))
                            << said << " on a point";
                    }
            }
            EXPECT_FALSE(names.filter("measured").isEmpty()) << "the most important one stays";
            EXPECT_GE(all.size(), 3u);
        }
}

// A text on another ceiling's line would seem to be that one's; and a number alone names none.
TEST_F(CrowdedRoofline, NamesOfCeilingsAreOnNoOtherCeiling) {
    for (const QSize& size : {QSize(280, 200), QSize(390, 240), QSize(530, 300), QSize(900, 560)}) {
        SCOPED_TRACE(size.width());
        show(size, 0.2);
        int named = 0;
        for (const auto* text : texts()) {
            const QString said = text->text();
            if (!said.endsWith("FLOP/s"))
                continue;
            ++named;
            EXPECT_GE(said.count(' '), 2) << said.toStdString();
            const QRectF room = outline(*text).boundingRect();
            for (int g = 0; g < plot_->graphCount(); ++g) {
                const QCPGraph& line = *plot_->graph(g);
                if (line.lineStyle() == QCPGraph::lsNone ||
                    line.data()->begin()->value != (line.data()->end() - 1)->value)
                    continue;
                const QPointF begin = line.dataPixelPosition(0);
                EXPECT_FALSE(begin.x() < room.right() && begin.y() > room.top() &&
                             begin.y() < room.bottom())
                    << said.toStdString();
            }
        }
        EXPECT_TRUE(named > 0 || size.width() < 900);
    }
}

TEST_F(CrowdedRoofline, TheChosenRoofHasItsName) {
    for (const QSize& size : {QSize(530, 300), QSize(900, 560)}) {
        show(size, 0.2);
        const auto all = texts();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const auto* text) {
            return text->text().startsWith("memory ");
        })) << size.width();
    }
}

TEST_F(CrowdedRoofline, WhatFadesIsStillSeen) {
    for (const bool dark : {false, true}) {
        use_theme(dark);
        show({530, 300}, 0.2);
        view_.set_selected({"out", -1, "@stage"});
        settle();
        int circles = 0;
        for (int g = 0; g < plot_->graphCount(); ++g) {
            const auto style = plot_->graph(g)->scatterStyle();
            if (style.shape() != QCPScatterStyle::ssCircle)
                continue;
            ++circles;
            EXPECT_GE(contrast_ratio(style.pen().color(), theme_of(view_).surface), 3) << dark;
        }
        EXPECT_GT(circles, 1);
    }
    use_theme(false);
}

// As in the estimate's bar.
TEST_F(CrowdedRoofline, WhatBoundsAKernelHasItsColour) {
    show({530, 300}, 0.2);
    auto estimate = std::make_shared<model::Estimate>(*crowded(tree_, 0.2));
    for (auto& kernel : estimate->kernels)
        kernel.bound = "L2";
    view_.set_estimate(estimate);
    settle();
    int circles = 0;
    for (int g = 0; g < plot_->graphCount(); ++g)
        if (const auto style = plot_->graph(g)->scatterStyle();
            style.shape() == QCPScatterStyle::ssCircle) {
            ++circles;
            EXPECT_EQ(style.brush().color().rgb(),
                      theme_of(view_).mark(meaning_of_bound("L2")).rgb());
        }
    EXPECT_GT(circles, 0);
}

TEST_F(CrowdedRoofline, WhatHasNoRoomIsInTheTooltip) {
    show({390, 240}, 0);
    const QPoint at = [&] {
        for (int g = 0; g < plot_->graphCount(); ++g)
            if (plot_->graph(g)->scatterStyle().shape() == QCPScatterStyle::ssCircle)
                return plot_->graph(g)->dataPixelPosition(0).toPoint();
        return QPoint();
    }();
    const QString tip = tip_at(at);
    EXPECT_GE(tip.count("Kernel "), 5) << tip.toStdString();
    EXPECT_TRUE(tip.contains(" more")) << tip.toStdString();
}

} // namespace test_point_labels
} // namespace loopscope::views::test
