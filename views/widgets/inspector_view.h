#pragma once
// The selected loop, stage or buffer: its facts, and the choices that change it. Hovering a choice,
// or reaching it with the keyboard, asks for a preview; clicking asks for the edit; a choice that
// is not available is grey and says why. Several that are selected have the choices of all of them.

#include "views/models/choice_rows.h"
#include "views/models/snapshots.h"

#include <QElapsedTimer>
#include <QPoint>
#include <QPointer>
#include <QScrollArea>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

class QAbstractButton;
class QCheckBox;
class QLabel;
class QTimer;
class QVBoxLayout;

namespace loopscope::views {

struct Fact;
class Bubble;
class ChoiceLine;
class EmptyState;
class FactorRow;
class FactRows;

class InspectorView : public QScrollArea {
    Q_OBJECT
public:
    explicit InspectorView(QWidget* parent = nullptr);
    ~InspectorView() override;

    // Null tree: the empty state. `schedule`: the directives behind the tree, so that they can be
    // edited in place; null: lines are only added. `selected` changes with it where the schedule
    // took the selection along: the keyboard's place then stays.
    void set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate, SchedulePtr schedule = nullptr,
                      std::optional<NodeId> selected = {});
    void set_device(DevicePtr device);    // whose vectors `native` is of; may be null
    void set_baseline(Baseline baseline); // facts show their difference against it
    void set_selected(const NodeId& id);
    // The first is `selected`; what all of them have is offered.
    void set_selected_nodes(const std::vector<NodeId>& nodes);
    // The stages that are changed with what is selected, unless the person says otherwise by a
    // tick.
    void set_companions(const QStringList& stages, bool together);
    void set_services(EditServices services);
    const NodeId& selected() const { return selected_; }
    bool judging() const { return unjudged_ > 0; } // verdicts on some choices are still to come

signals:
    void editRequested(const loopscope::views::DirectiveEdit& edit);
    void nodeSelected(const loopscope::NodeId& id); // a link to another node was followed
    void togetherChanged(bool together);            // by the tick

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    // A row of choices as it is shown: one of the two.
    struct Line {
        ChoiceLine* choices = nullptr;
        FactorRow* factor = nullptr;
        QWidget* widget() const;
    };
    void rebuild(bool anew = false); // `anew`: no row is kept
    void fill_facts();
    void fill_code(const std::vector<const Fact*>& facts);
    void show_rows(std::vector<InspectorRow> rows, bool anew);
    void order_rows();
    void keep_focus(const QWidget& leaving);
    void restore_focus();
    // False: it does not fit. `of_another`: the line was of another node, or of another document's.
    bool update_line(const Line& line, InspectorRow& row, bool of_another);
    Line make_line(InspectorRow row);
    bool show_in_spare(InspectorRow& row);       // false: none of them can show it
    void set_aside(const Line& line, bool keep); // for another row, if there is room
    void remove_line(const Line& line);
    void disarm();
    bool has_moved(const QPoint& global) const; // the pointer, since the choices did
    void open_all(const DirectiveGroup& group, const QPoint& at);
    const Choice* choice_of(const QObject* button) const; // null: none
    void judge();
    void answer(const DirectiveEdit& edit, const Verdict& verdict);
    void explain();
    void let_go();
    void refresh_card();
    void ask_preview(const DirectiveEdit& edit, std::function<void(const Preview&)> answer);
    void hovered(QAbstractButton* button);
    QString breadcrumb() const;
    QString heading_of_several() const;
    std::vector<NodeId> nodes() const; // all that are selected
    int name_column() const;

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    Baseline baseline_;
    SchedulePtr schedule_;
    DevicePtr device_;
    NodeId selected_;
    std::vector<NodeId> selected_too_;
    EditServices services_;
    int question_ = 0;            // answers to earlier questions are dropped
    int round_ = 0;               // counts rebuild(): verdicts on earlier choices are dropped
    std::vector<NodeId> offered_; // the nodes that the lines are of, and their pipeline
    PipelinePtr offered_pipeline_;
    QPointer<QAbstractButton> pointed_; // whose card is shown, or asked for …
    QString pointed_reason_;            // … and why it could not be made then
    std::vector<Line> lines_;
    std::vector<Line> spare_; // hidden, and shown again for a row that looks alike
    int unjudged_ = 0;
    QTimer *explaining_ = nullptr, *holding_ = nullptr;
    // Choices moved under a pointer that rests at `rest_`: what lies under it now was not chosen by
    // the person.
    bool disarmed_ = false;
    QPoint rest_;
    QElapsedTimer moved_;
    // the name of what the view has the keyboard for, until it is there again
    QString wanted_focus_;
    int kept_scroll_ = -1; // where the view was before the choices were made anew; -1: let go

    QWidget* body_ = nullptr; // events come during construction, too
    Bubble* bubble_ = nullptr;
    EmptyState* empty_;
    QLabel* path_;
    QCheckBox* companions_;
    QVBoxLayout* facts_;
    FactRows* list_ = nullptr; // of facts
    struct CodeFact {
        QWidget* line = nullptr;
        QLabel *name = nullptr, *code = nullptr;
    };
    std::vector<CodeFact> code_; // the facts below them
    QVBoxLayout* choices_;
};

} // namespace loopscope::views
