#pragma once
// The pipeline timeline: a row for each level of memory that loads ahead and one for the work, as
// ALCOP's Figs. 2 and 3. A row is dragged, or changed by the arrow keys, to load further ahead; the
// picture follows at once, and letting go or Enter changes the script. The wheel zooms, with Shift
// it pans, as a drag beside the rows of loads does.

#include "core/schedule/directive.h"
#include "views/models/pipeline_levels.h"
#include "views/style/theme.h"
#include "views/widgets/paged_view.h"
#include "views/widgets/picture.h"

#include <functional>
#include <optional>
#include <vector>

class QComboBox;
class QKeyEvent;
class QLabel;
class QMenu;
class QMouseEvent;
class QPainter;
class QWheelEvent;

namespace loopscope::views {

class PictureCanvas;
struct PictureFrame;

struct TimelineTick {
    double seconds = 0, x = 0; // as drawn: without the iterations that are left out
    QString text;              // with them
};

class TimelineView : public PagedView, public Pictured {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    // What is shown; `device` and the others may be null: then it says what would be here.
    void set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate,
                      std::shared_ptr<const Schedule> schedule, DevicePtr device);
    void set_selected(const NodeId& id); // its chain of loads is shown
    using PreviewEdits = std::function<void(const std::vector<DirectiveEdit>& edits,
                                            std::function<void(const Preview&)> answer)>;
    void set_preview(PreviewEdits preview) { preview_ = std::move(preview); }

    const PipelineChain* chain() const; // null: nothing is pipelined here
    const Timeline& timeline() const { return timeline_; }
    int copies(int level) const; // as drawn: also while they are being changed
    QString summary() const;
    QString preview_text() const;
    Result<Picture> picture() override; // of the whole time
    QWidget* canvas() const;
    // The part that is shown. It stays while the schedule changes; another program is shown whole.
    const TimeWindow& window_shown() const { return window_; }
    std::vector<TimelineTick> ticks() const; // of the axis, as it is shown

signals:
    void editsRequested(const std::vector<loopscope::views::DirectiveEdit>& edits);
    void nodeSelected(const loopscope::NodeId& id);

protected:
    void restyle() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void show_chain();
    void simulate();
    void say();
    QString key(const Theme& theme) const;
    void describe(); // to screen readers
    void show_window(const TimeWindow& window);
    void zoom_by(double factor);
    void add_zoom_entry(QMenu& menu);
    double share_at(double x) const;
    bool zoom_event(QEvent& event);
    bool zoom_key(const QKeyEvent& event);
    void turn_wheel(const QWheelEvent& event);
    bool begins_pan(const QMouseEvent& event) const;
    void pan_to(double x);
    void end_unheard(const QMouseEvent& move);
    std::vector<TimelineTick> ticks(const TimelineLayout& at) const;
    TimelineLayout layout(double width, const TimeWindow& window = {}) const;
    double height(double width) const; // of the picture
    TimelineMetrics metrics(double width) const;
    void paint(QPainter& painter, const PictureFrame& frame, const TimeWindow& window) const;
    void paint_names(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
    void paint_bar(QPainter& painter, const TimelineBar& bar, const Theme& theme) const;
    void paint_phases(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
    void paint_break(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
    void paint_axis(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
    int level_at(double y) const; // -1: none
    void set_pending(int level, int copies);
    void apply_pending();
    void cancel_pending();
    bool key_pressed(int key);
    QString tooltip_at(const QPointF& position) const;
    QString item_name(const TimelineEvent& event) const;
    std::vector<DirectiveEdit> pending_edits() const;

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    std::shared_ptr<const Schedule> schedule_;
    DevicePtr device_;
    NodeId selected_;
    PreviewEdits preview_;

    std::vector<PipelineChain> chains_;
    int shown_ = -1;
    Timeline timeline_;
    int level_ = 0;              // that the keyboard is on
    std::optional<int> pending_; // copies of it that are being tried
    struct Drag {
        int level = 0;
        double from = 0;  // pixels
        double scale = 0; // of the picture when it began
        bool moved = false;
    };
    std::optional<Drag> drag_;
    TimeWindow window_;
    std::optional<double> pan_from_; // pixels: where the time is held by the pointer
    int question_ = 0;
    Preview answer_;

    QComboBox* which_;
    PictureCanvas* canvas_;
    QLabel *hint_, *summary_, *preview_label_, *key_;
};

} // namespace loopscope::views

Q_DECLARE_METATYPE(std::vector<loopscope::views::DirectiveEdit>)
