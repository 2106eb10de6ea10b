#pragma once
// The selected loop, stage or buffer: its facts, and the choices that change it. Hovering a choice asks for a preview,
// clicking asks for the directive; a choice that is not available is grey and says why.

#include "views/models/directive_lines.h"
#include "views/models/snapshots.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace loopscope::views {

class InspectorView : public QScrollArea {
    Q_OBJECT
public:
    explicit InspectorView(QWidget* parent = nullptr);

    void set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate); // null tree: the empty state
    void set_selected(const NodeId& id);
    void set_refusal_reason(RefusalReason reason);
    void set_preview_request(PreviewRequest request);
    const NodeId& selected() const { return selected_; }

signals:
    void directiveRequested(const QString& line);
    void nodeSelected(const loopscope::NodeId& id); // a link to another node was followed
    void titleChanged(const QString& title);        // "C · loop ko · parallel", for the panel's header

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void add_facts(QVBoxLayout* column, const TreeNode& node);
    void add_group(QVBoxLayout* column, const DirectiveGroup& group);
    void show_preview(const QString& line, QLabel* where);

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    NodeId selected_;
    RefusalReason refusal_;
    PreviewRequest preview_;
    int preview_number_ = 0; // answers to earlier questions are dropped
};

} // namespace loopscope::views
