#pragma once
// The roofline, log-log: ceilings, a diagonal for each memory level, a dot for each kernel with its
// area as its time; the predicted and the measured point of the whole program are joined by a line.

#include "views/geometry/point_labels.h"
#include "views/geometry/shapes.h"
#include "views/models/measured_time.h"
#include "views/models/snapshots.h"
#include "views/style/theme.h"
#include "views/widgets/picture.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QCPItemText;
class QCustomPlot;
class QLabel;
class QStackedWidget;

namespace loopscope::views {

class EmptyState;

class RooflineView : public QWidget, public Pictured {
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);
    ~RooflineView() override;

    void set_ceilings(std::vector<model::Ceiling> ceilings);
    void set_estimate(EstimatePtr estimate);                 // null: ceilings alone
    void set_measured(std::optional<MeasuredTime> measured); // null, or stale: none is shown
    void set_selected(const NodeId& id); // the kernel that holds it is marked; others fade
    void set_tree(ScheduleTreePtr tree); // to find that kernel; may be null
    // The memory level whose bytes make the intensity ("memory", "L3", …), as chosen in the view.
    QString level() const;
    Result<Picture> picture() override;

signals:
    void nodeSelected(const loopscope::NodeId& id);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // A kernel, or the whole program, as predicted or measured.
    struct Dot {
        enum class Kind { Kernel, MeasuredKernel, Predicted, Measured } kind = Kind::Kernel;
        QString name;
        NodeId node;
        double intensity = 0; // operations per byte at the chosen level
        double rate = 0;      // operations per second
        double seconds = 0;
        double radius = 5; // pixels
        std::string bound;
    };
    // A text with the place that it belongs to.
    struct Label {
        QString text;
        enum class Side { OfPoint, AboveLeft, AlongDiagonal } side = Side::OfPoint;
        double intensity = 1,
               rate = 1; // the point that the text belongs to; of a diagonal its lower end
        double end_intensity = 1,
               end_rate = 1; // of a diagonal its upper end, of a ceiling its left one
        bool strong = false;
        QString brief = {}; // said where `text` has no room; may be empty
        // Of a point: what it is among the names, of which the first stand nearest and the last
        // are left out where there is no room; the tooltip says them all.
        enum class Rank { Selected, Measured, Predicted, Kernel } rank = Rank::Kernel;
        double radius = 0, seconds = 0;
    };
    void fill_levels();
    void collect_dots();
    void redraw();
    void draw(const Theme& theme, bool with_keyboard);
    void paint_picture(QPainter& painter, const QSize& size);
    void draw_axes(const Theme& theme, bool with_keyboard);
    void draw_ceilings(const Theme& theme);
    void draw_dots(const Theme& theme);
    void draw_joined(const Dot& predicted, const Dot& measured, const Theme& theme);
    void draw_labels(const Theme& theme);
    // `taken`: the points, then texts; afterwards these, too.
    void draw_names(const Rectangle& bounds, std::vector<Rectangle>& taken, const Theme& theme);
    void add_leader(const Segment& line, const Theme& theme);
    void draw_ceiling_label(Label label, const Rectangle& bounds, std::vector<Rectangle>& taken,
                            const Theme& theme);
    std::optional<Rectangle> place_on_ceiling(const Label& label, const Rectangle& bounds,
                                              const std::vector<Rectangle>& taken) const;
    void draw_diagonal_label(const Label& label, const Rectangle& bounds,
                             std::vector<Rectangle>& taken, const Theme& theme);
    void add_text(const Label& label, Point centre, double degrees, const Theme& theme);
    std::vector<model::Ceiling> shown_ceilings() const;
    bool on_another_ceiling(const Rectangle& text, const Label& own) const;
    int lines_through(const Rectangle& text, const Label& own) const;
    Point pixel(double intensity, double rate) const;
    std::vector<const Dot*> dots_at(const QPoint& position) const; // the nearest one first
    QString tooltip(const Dot& dot) const;
    QString tooltip_at(const QPoint& position) const;
    void step_kernel(int step);
    std::size_t keep_greatest_dots();
    double best_bandwidth() const;
    double best_compute() const; // of shown_

    QCustomPlot* plot_;
    QComboBox* levels_;
    QLabel* note_;
    EmptyState* empty_;
    QStackedWidget* stack_;
    std::vector<model::Ceiling> ceilings_;
    std::vector<model::Ceiling> shown_; // of these what draw() shows
    EstimatePtr estimate_;
    ScheduleTreePtr tree_;
    std::optional<MeasuredTime> measured_; // of the same schedule
    NodeId selected_;
    std::string kernel_; // that holds the selection; empty: none
    std::vector<Dot> dots_;
    std::vector<Label> labels_;
    // What counts as an operation: of a program of integers theirs, else those of floats.
    QString operation() const;
    QString format_operations(double rate) const;

    bool integers_ = false;
    double unit_ = 1e9; // operations per second: of the vertical axis
    bool quiet_ = false;
};

} // namespace loopscope::views
