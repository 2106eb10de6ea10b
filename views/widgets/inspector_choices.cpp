// The inspector's choices: factors, options, switches, and every directive that has no form of its
// own.

#include "views/models/common_choices.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/choice_line.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/discard.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/factor_row.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/tick_slider.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QCursor>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace loopscope::views {

namespace {

constexpr std::size_t kMostSpare = 32; // rows: as many as a loop of a GPU has

} // namespace

InspectorView::~InspectorView() {
    // A window that closes takes the focus from its rows: they would tell a view half destroyed.
    for (const auto* lines : {&lines_, &spare_})
        for (const Line& line : *lines)
            if (line.factor)
                line.factor->disconnect(this);
}

QWidget* InspectorView::Line::widget() const {
    return factor ? static_cast<QWidget*>(factor) : choices;
}

void InspectorView::rebuild(bool anew) {
    ++question_;
    ++round_;
    unjudged_ = 0;
    const QPointer<QAbstractButton> told = bubble_->isHidden() ? nullptr : pointed_.data();
    bubble_->hide();
    pointed_.clear();
    disarm();
    fill_facts();
    show_rows(tree_ && !body_->isHidden()
                  ? common_rows(*tree_, schedule_.get(), nodes(), device_.get())
                  : std::vector<InspectorRow>{},
              anew);
    judge();
    // Who walks by keyboard is told what the choice does now, where it then stands.
    if (told && told->hasFocus() && !disarmed_)
        QTimer::singleShot(0, told, [this, told] {
            if (told->hasFocus() && !pointed_ && choice_of(told))
                hovered(told);
        });
}

// A widget costs more than all that a row says: those of rows that went are for others.
bool InspectorView::show_in_spare(InspectorRow& row) {
    const auto spare = std::find_if(spare_.begin(), spare_.end(), [&](const Line& line) {
        if (std::holds_alternative<FactorForm>(row))
            return line.factor != nullptr;
        return line.choices && line.choices->takes(std::get<ChoiceRow>(row));
    });
    if (spare == spare_.end())
        return false;
    const Line line = *spare;
    spare_.erase(spare);
    if (line.factor)
        line.factor->set_form(std::move(std::get<FactorForm>(row)));
    else
        line.choices->set_row(std::move(std::get<ChoiceRow>(row)), true);
    lines_.push_back(line);
    return true;
}

void InspectorView::set_aside(const Line& line, bool keep) {
    if (!keep || spare_.size() >= kMostSpare) {
        if (line.factor)
            line.factor->disconnect(this);
        discard(*choices_, line.widget());
        return;
    }
    choices_->removeWidget(line.widget());
    line.widget()->hide();
    if (line.factor)
        line.factor->set_aside();
    else
        line.choices->set_aside();
    spare_.push_back(line);
}

// Rows that are what they were keep their widgets, and with them the keyboard's place.
void InspectorView::show_rows(std::vector<InspectorRow> rows, bool anew) {
    const PipelinePtr pipeline = tree_ ? tree_->pipeline : nullptr;
    const bool of_another = offered_ != nodes() || offered_pipeline_ != pipeline;
    offered_ = nodes();
    offered_pipeline_ = pipeline;
    std::vector<Line> before = std::exchange(lines_, {}), gone;
    auto next = before.begin();
    bool made = false;
    for (InspectorRow& row : rows) {
        const auto same = std::find_if(next, before.end(), [&](const Line& line) {
            return !anew && update_line(line, row, of_another);
        });
        if (same == before.end()) {
            if (anew || !show_in_spare(row))
                lines_.push_back(make_line(std::move(row)));
            made = true;
            continue;
        }
        gone.insert(gone.end(), next, same);
        lines_.push_back(*same);
        next = same + 1;
    }
    gone.insert(gone.end(), next, before.end());

    const QWidget* focus = QApplication::focusWidget();
    for (const Line& line : gone)
        if (focus && line.widget()->isAncestorOf(focus)) {
            keep_focus(*focus);
            break;
        }
    if (anew) // they are made for another size of type
        for (const Line& line : std::exchange(spare_, {}))
            gone.push_back(line);
    for (const Line& line : gone)
        set_aside(line, !anew);
    for (int i = 0; i < static_cast<int>(lines_.size()); ++i)
        if (QWidget* widget = lines_[static_cast<std::size_t>(i)].widget();
            i >= choices_->count() || choices_->itemAt(i)->widget() != widget) {
            choices_->insertWidget(i, widget);
            widget->show();
        }
    if (made)
        order_rows();
    // What takes the place of the choice that had the keyboard has it next, once it is shown.
    if (!wanted_focus_.isEmpty())
        QTimer::singleShot(0, this, &InspectorView::restore_focus);
}

// From a choice that goes or turns grey, the keyboard would go on to the next one, and the view
// would follow it there.
void InspectorView::keep_focus(const QWidget& leaving) {
    wanted_focus_ = leaving.objectName();
    setFocus(Qt::OtherFocusReason);
}

void InspectorView::restore_focus() {
    if (wanted_focus_.isEmpty())
        return;
    if (!hasFocus()) { // the person went elsewhere
        wanted_focus_.clear();
        return;
    }
    for (const Line& line : lines_)
        if (auto* again = line.widget()->findChild<QWidget*>(wanted_focus_);
            again && again->isEnabled() && !again->isHidden()) {
            wanted_focus_.clear();
            again->setFocus(Qt::OtherFocusReason);
            return;
        }
}

// The keyboard and screen readers go through what is shown from top to bottom, and not in the order
// in which it was made.
void InspectorView::order_rows() {
    list_->raise();
    for (const CodeFact& fact : code_)
        fact.line->raise();
    QWidget* before = this;
    const auto next = [&](QWidget* control) {
        setTabOrder(before, control);
        before = control;
    };
    next(companions_);
    for (const Line& line : lines_) {
        line.widget()->raise();
        if (line.factor) {
            next(line.factor->slider());
            next(line.factor->field());
            continue;
        }
        for (QAbstractButton* button : line.choices->buttons())
            next(button);
        if (line.choices->all_button())
            next(line.choices->all_button());
    }
}

bool InspectorView::update_line(const Line& line, InspectorRow& row, bool of_another) {
    if (auto* form = std::get_if<FactorForm>(&row)) {
        if (!line.factor || !line.factor->fits(*form))
            return false;
        line.factor->set_form(std::move(*form));
        return true;
    }
    auto& choices = std::get<ChoiceRow>(row);
    if (!line.choices || !line.choices->fits(choices))
        return false;
    line.choices->set_row(std::move(choices), of_another);
    return true;
}

InspectorView::Line InspectorView::make_line(InspectorRow row) {
    if (auto* form = std::get_if<FactorForm>(&row)) {
        auto* line = new FactorRow(std::move(*form), name_column() - kGap);
        line->slider()->installEventFilter(this); // a press sets its value
        connect(line, &FactorRow::requested, this, &InspectorView::editRequested);
        connect(line, &FactorRow::left, this, [this] { ++question_; });
        connect(line, &FactorRow::considered, this, [this, line](const DirectiveEdit& edit) {
            ask_preview(edit, [line = QPointer<FactorRow>(line), edit](const Preview& preview) {
                if (line)
                    line->set_preview(edit, preview);
            });
        });
        return {nullptr, line};
    }
    auto* line = new ChoiceLine(std::move(std::get<ChoiceRow>(row)), name_column() - kGap);
    for (QAbstractButton* button : line->buttons())
        button->installEventFilter(this);
    connect(line, &ChoiceLine::requested, this, &InspectorView::editRequested);
    connect(line, &ChoiceLine::aboutToGrey, this,
            [this](QAbstractButton* button) { keep_focus(*button); });
    connect(line, &ChoiceLine::allRequested, this,
            [this, line](const QPoint& at) { open_all(*line->row().all, at); });
    return {line, nullptr};
}

// All choices of a directive that has many, as the list that the tree's menu has.
void InspectorView::open_all(const DirectiveGroup& group, const QPoint& at) {
    auto* menu = new DirectiveMenu(services_, this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu, &DirectiveMenu::chosen, this,
            [this](const QString& line) { emit editRequested(DirectiveEdit(line)); });
    menu->add_choices(group, group.title);
    menu->popup(at);
    menu->activate_first();
}

const Choice* InspectorView::choice_of(const QObject* button) const {
    for (const Line& line : lines_)
        if (const Choice* choice = line.choices ? line.choices->choice_of(button) : nullptr)
            return choice;
    return nullptr;
}

// ---- verdicts and previews ----------------------------------------------------------------------

void InspectorView::judge() {
    if (!services_.judge)
        return;
    std::set<DirectiveEdit> edits;
    for (const Line& line : lines_)
        for (const DirectiveEdit& edit : line.factor ? line.factor->edits() : line.choices->edits())
            edits.insert(edit);
    unjudged_ = static_cast<int>(edits.size());
    if (edits.empty())
        return;
    holding_->start();
    services_.judge({edits.begin(), edits.end()},
                    [self = QPointer<InspectorView>(this),
                     round = round_](const DirectiveEdit& edit, const Verdict& verdict) {
                        if (self && self->round_ == round)
                            self->answer(edit, verdict);
                    });
}

void InspectorView::answer(const DirectiveEdit& edit, const Verdict& verdict) {
    --unjudged_;
    bool to_explain = false;
    for (const Line& line : lines_) {
        if (line.factor) {
            line.factor->set_verdict(edit, verdict);
            continue;
        }
        line.choices->set_verdict(edit, verdict);
        to_explain = to_explain || line.choices->to_explain();
    }
    if (unjudged_ == 0)
        explain();
    else if (to_explain && !explaining_->isActive())
        explaining_->start();
    refresh_card();
}

void InspectorView::let_go() {
    if (unjudged_ == 0)
        return;
    for (const Line& line : lines_)
        if (line.choices)
            line.choices->let_go();
    explain();
    refresh_card();
}

// A card says what is known of the choice, and no more than that.
void InspectorView::refresh_card() {
    if (!pointed_ || pointed_->property("reason").toString() == pointed_reason_)
        return;
    bubble_->hide(); // a preview takes its time
    hovered(pointed_);
}

// Many verdicts come at once, and each sentence moves what is below it: all are said together, and
// everything has its place again before it is seen.
void InspectorView::explain() {
    bool explained = false;
    const auto places = [this] {
        std::vector<QRect> all;
        for (const Line& line : lines_)
            all.push_back(line.widget()->geometry());
        return all;
    };
    const auto before = places();
    for (const Line& line : lines_)
        if (line.choices && line.choices->to_explain()) {
            line.choices->explain();
            line.choices->layout()->activate();
            explained = true;
        }
    if (!explained)
        return;
    body_->layout()->activate();
    widget()->layout()->activate();
    QCoreApplication::sendPostedEvents(viewport(), QEvent::LayoutRequest);
    if (places() != before)
        disarm();
    restore_focus();
}

void InspectorView::ask_preview(const DirectiveEdit& edit,
                                std::function<void(const Preview&)> answer) {
    if (!services_.preview)
        return;
    const int question = ++question_;
    services_.preview(edit, [self = QPointer<InspectorView>(this), question,
                             answer = std::move(answer)](const Preview& preview) {
        if (self && self->question_ == question)
            answer(preview);
    });
}

void InspectorView::hovered(QAbstractButton* button) {
    // Where it is when the answer comes: rows may have moved.
    const auto anchor = [this](const QAbstractButton& of) {
        return QRect(of.mapTo(viewport(), QPoint(0, 0)), of.size());
    };
    const QString reason = button->property("reason").toString();
    pointed_ = button;
    pointed_reason_ = reason;
    if (!reason.isEmpty()) {
        bubble_->refuse(anchor(*button), button->text(), reason);
        return;
    }
    const Choice* choice = choice_of(button);
    if (!choice)
        return;
    const QString explanation = choice->explanation;
    if (!choice->can_be_made()) {
        bubble_->tell(anchor(*button), button->text(), {tr("The schedule is so now."), 0},
                      explanation);
        return;
    }
    ask_preview(choice->edit, [self = this, button = QPointer<QAbstractButton>(button), anchor,
                               edit = choice->edit, explanation](const Preview& preview) {
        if (button)
            self->bubble_->tell(anchor(*button),
                                edit.line.isEmpty() ? tr("Remove %1").arg(button->text())
                                                    : edit.line,
                                preview, explanation);
    });
}

bool InspectorView::eventFilter(QObject* watched, QEvent* event) {
    constexpr int kSettling = 300; // milliseconds: a double-click's second press comes within them
    auto* button = qobject_cast<QAbstractButton*>(watched);
    if (disarmed_) {
        const auto type = event->type();
        const bool press = type == QEvent::MouseButtonPress || type == QEvent::MouseButtonDblClick;
        if (press || type == QEvent::MouseMove) {
            const bool moved =
                has_moved(static_cast<QMouseEvent*>(event)->globalPosition().toPoint());
            if (press && !moved && moved_.elapsed() < kSettling)
                return true;
            disarmed_ = press ? false : !moved;
            if (button && !press && moved)
                hovered(button);
        } else if (type == QEvent::Enter) {
            disarmed_ = !has_moved(QCursor::pos());
        }
    }
    // The keyboard's place is restored after an edit: that is no wish to know more about it.
    const bool restored = event->type() == QEvent::FocusIn && disarmed_ &&
                          static_cast<QFocusEvent*>(event)->reason() == Qt::OtherFocusReason;
    if (button && ((event->type() == QEvent::Enter && !disarmed_) ||
                   (event->type() == QEvent::FocusIn && !restored))) {
        hovered(button);
    } else if (button && (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut ||
                          (event->type() == QEvent::KeyPress &&
                           static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape))) {
        ++question_; // a late answer is not shown
        bubble_->hide();
        pointed_.clear();
    }
    return QScrollArea::eventFilter(watched, event);
}

} // namespace loopscope::views
