#pragma once
// The selected loop, stage or buffer: its facts, and the choices that change it. Hovering a choice asks for a preview,
// clicking asks for the directive; a choice that is not available is grey and says why.

#include "views/models/directive_lines.h"
#include "views/models/snapshots.h"

#include <QPointer>
#include <QScrollArea>

#include <deque>

class QLabel;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace loopscope::views {

class EmptyState;

class InspectorView : public QScrollArea {
    Q_OBJECT
public:
    explicit InspectorView(QWidget* parent = nullptr);

    void set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate); // null tree: the empty state
    void set_selected(const NodeId& id);
    void set_refusal_reason(RefusalReason reason);
    void set_preview_request(PreviewRequest request);
    const NodeId& selected() const { return selected_; }
    // Choices are judged a few at a time between events; true while some are still to be judged.
    bool judging() const { return !unjudged_.empty(); }

signals:
    void directiveRequested(const QString& line);
    void nodeSelected(const loopscope::NodeId& id); // a link to another node was followed
    void titleChanged(const QString& title);        // "C · loop ko", for the panel's header

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Unjudged {
        QPointer<QPushButton> button;
        QString line;
        QLabel* note;
    };
    void rebuild();
    void fill_facts();
    void add_group(const DirectiveGroup& group);
    void add_single_choices(const std::vector<DirectiveGroup>& groups);
    QPushButton* make_button(const QString& text, const DirectiveGroup& group,
                             const DirectiveChoice& choice, QLabel* note);
    void judge_some();
    void hovered(QPushButton* button);
    void say(QLabel* note, const QString& text, int sign);
    QString breadcrumb() const;

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    NodeId selected_;
    RefusalReason refusal_;
    PreviewRequest preview_;
    int question_ = 0; // answers to earlier questions are dropped
    std::deque<Unjudged> unjudged_;
    QTimer* judge_;

    QWidget* body_ = nullptr; // events come during construction, too
    EmptyState* empty_;
    QLabel* path_;
    QVBoxLayout* facts_;
    QVBoxLayout* choices_;
};

} // namespace loopscope::views
