#pragma once
// Dragging a row of the schedule tree: where it may go, what that would do, and what stands against
// it. A part of the tree view, which hands it the mouse and lets it paint over the rows.

#include "views/models/drop_proposals.h"
#include "views/models/snapshots.h"

#include <QObject>
#include <QPersistentModelIndex>
#include <QPoint>

#include <map>

class QPainter;
class QTimer;

namespace loopscope::views {

class Bubble;
class ScheduleTreeView;

class ScheduleTreeDrag : public QObject {
    Q_OBJECT
public:
    explicit ScheduleTreeDrag(ScheduleTreeView* view);

    void set_services(EditServices services) { services_ = std::move(services); }
    bool active() const { return active_; }
    bool pressed() const { return pressed_; }
    // Positions are in the viewport.
    void press(const QPoint& at);
    // begins the drag once the pointer is far enough from where it was pressed
    void move(const QPoint& to);
    void release();
    void cancel();
    // A stage that comes from elsewhere, carried by a pointer that another view holds.
    void carry(const NodeId& stage, const QPoint& to);
    void paint(QPainter& painter) const; // over the rows

signals:
    void dropped(const QString& line);
    void refused(const QString& line, const QString& reason);

private:
    struct Target {
        QPersistentModelIndex row; // invalid: the root
        DropPlace place = DropPlace::Root;
        bool operator==(const Target&) const = default;
    };
    void begin();
    void judge_visible_rows();
    void aim(const QPoint& at);
    void show_bubble();
    void scroll();
    Target target_at(const QPoint& at) const;
    DropProposal proposal_of(const Target& target) const;
    const Verdict* verdict_on(const QString& line) const; // null: not known yet
    bool can_be_target(const QModelIndex& row) const;
    void paint_row(QPainter& painter, const QModelIndex& row) const;
    void paint_target(QPainter& painter) const;
    void show_root_strip(bool on);
    void paint_root(QPainter& painter) const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    ScheduleTreeView* view_;
    EditServices services_;
    Bubble* bubble_;
    QWidget* root_strip_; // below the rows, while a stage is dragged that could move to the root
    QTimer* scroller_;
    bool pressed_ = false, active_ = false;
    QPoint press_, now_;
    ScheduleTreePtr tree_; // when the drag began
    NodeId source_;
    Dragged kind_ = Dragged::Nothing;
    Target target_;
    DropProposal proposal_;
    Preview preview_;
    std::map<QString, Verdict> verdicts_; // by line
    int drag_ = 0;                        // answers to questions of an earlier drag are dropped
};

} // namespace loopscope::views
