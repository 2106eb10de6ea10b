#pragma once
// The pipeline timeline: a row for each level of memory that loads ahead and one for the work, as
// ALCOP's Figs. 2 and 3. A row is dragged, or changed by the arrow keys, to load further ahead; the
// picture follows at once, and letting go or Enter changes the script.

#include "core/schedule/directive.h"
#include "views/models/pipeline_levels.h"
#include "views/style/theme.h"
#include "views/widgets/paged_view.h"
#include "views/widgets/picture.h"

#include <functional>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPainter;

namespace loopscope::views {

class PictureCanvas;
struct PictureFrame;

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
    Result<Picture> picture() override;
    QWidget* canvas() const;

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
    TimelineLayout layout(double width) const;
    double height(double width) const; // of the picture
    TimelineMetrics metrics(double width) const;
    void paint(QPainter& painter, const PictureFrame& frame) const;
    void paint_names(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
    void paint_bar(QPainter& painter, const TimelineBar& bar, const Theme& theme) const;
    void paint_phases(QPainter& painter, const TimelineLayout& at, const Theme& theme) const;
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
    int question_ = 0;
    Preview answer_;

    QComboBox* which_;
    PictureCanvas* canvas_;
    QLabel *hint_, *summary_, *preview_label_;
};

} // namespace loopscope::views

Q_DECLARE_METATYPE(std::vector<loopscope::views::DirectiveEdit>)
