#pragma once
// The roofline, log-log: ceilings, a diagonal for each memory level, a dot for each kernel with its area as its time;
// the predicted and the measured point of the whole program are joined by a line.

#include "core/base/result.h"
#include "views/models/snapshots.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QCPItemText;
class QCustomPlot;
class QLabel;

namespace loopscope::views {

class EmptyState;

class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);
    ~RooflineView() override;

    void set_ceilings(std::vector<model::Ceiling> ceilings);
    void set_estimate(EstimatePtr estimate); // null: ceilings alone
    void set_measured(std::optional<double> seconds); // of the same schedule
    void set_selected(const NodeId& id);     // the kernel that holds it is marked; others fade
    void set_tree(ScheduleTreePtr tree);     // to find that kernel; may be null
    // The memory level whose bytes make the intensity ("memory", "L3", …); chosen by the person in the view as well.
    void set_level(const QString& level);
    QString level() const;
    // By the ending of the path: png, svg or pdf.
    Status export_to(const QString& path, const QSize& size = QSize(960, 640));

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void levelChanged(const QString& level);
    void exportRequested(); // the menu's Export…: the window asks for a path and calls export_to

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Dot;
    void redraw();
    void draw_frame();
    void draw_ceilings();
    void draw_dots();
    void place_labels();

    QCustomPlot* plot_;
    QComboBox* levels_;
    QLabel* note_;
    EmptyState* empty_;
    std::vector<model::Ceiling> ceilings_;
    EstimatePtr estimate_;
    ScheduleTreePtr tree_;
    std::optional<double> measured_;
    NodeId selected_;
    std::vector<Dot> dots_;
    std::vector<QCPItemText*> texts_;
};

} // namespace loopscope::views
