// The inspector's choices: factors, options, switches, and every directive that has no form of its own.

#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/choice_line.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/discard.h"
#include "views/widgets/factor_row.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/tick_slider.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCursor>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTimer>
#include <QVBoxLayout>

#include <set>
#include <utility>

namespace loopscope::views {

InspectorView::~InspectorView() {
    // A window that closes takes the focus from its rows: they would tell a view half destroyed.
    for (const Line& line : lines_)
        if (line.factor)
            line.factor->disconnect(this);
}

QWidget* InspectorView::Line::widget() const {
    return factor ? static_cast<QWidget*>(factor) : choices;
}

void InspectorView::rebuild() {
    ++question_;
    ++round_;
    unjudged_ = 0;
    bubble_->hide();
    disarm();
    fill_facts();
    show_rows(tree_ && !body_->isHidden()
                  ? inspector_rows(*tree_, schedule_.get(), selected_, device_.get())
                  : std::vector<InspectorRow>{});
    offered_ = selected_;
    judge();
}

// Rows that are what they were keep their widgets, and with them the keyboard's place.
void InspectorView::show_rows(std::vector<InspectorRow> rows) {
    std::vector<Line> before = std::exchange(lines_, {}), gone;
    auto next = before.begin();
    for (InspectorRow& row : rows) {
        const auto same = std::find_if(next, before.end(),
                                       [&](const Line& line) { return update_line(line, row); });
        if (same == before.end()) {
            lines_.push_back(make_line(std::move(row)));
            continue;
        }
        gone.insert(gone.end(), next, same);
        lines_.push_back(*same);
        next = same + 1;
    }
    gone.insert(gone.end(), next, before.end());

    const QWidget* focus = QApplication::focusWidget();
    QString focused;
    for (const Line& line : gone)
        if (focus && line.widget()->isAncestorOf(focus))
            focused = focus->objectName();
    // From a choice that goes, the keyboard would go on to the next one, and the view would follow it there.
    if (!focused.isEmpty())
        setFocus(Qt::OtherFocusReason);
    for (const Line& line : gone) {
        if (line.factor)
            line.factor->disconnect(this);
        discard(*choices_, line.widget());
    }
    for (int i = 0; i < static_cast<int>(lines_.size()); ++i)
        if (QWidget* widget = lines_[static_cast<std::size_t>(i)].widget();
            i >= choices_->count() || choices_->itemAt(i)->widget() != widget)
            choices_->insertWidget(i, widget);
    // What takes the place of the choice that had the keyboard has it next, once it is shown.
    for (const Line& line : lines_)
        if (auto* again = focused.isEmpty() ? nullptr : line.widget()->findChild<QWidget*>(focused))
            QTimer::singleShot(0, again, [again] { again->setFocus(); });
}

bool InspectorView::update_line(const Line& line, InspectorRow& row) {
    if (auto* form = std::get_if<FactorForm>(&row)) {
        if (!line.factor || !line.factor->fits(*form))
            return false;
        line.factor->set_form(std::move(*form));
        return true;
    }
    auto& choices = std::get<ChoiceRow>(row);
    if (!line.choices || !line.choices->fits(choices))
        return false;
    line.choices->set_row(std::move(choices), offered_ != selected_);
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

// --- verdicts and previews ------------------------------------------------------------------------------------------

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
}

// Many verdicts come at once, and each sentence moves what is below it: all are said together, and everything has its
// place again before it is seen.
void InspectorView::explain() {
    bool explained = false;
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
    const QRect anchor(button->mapTo(viewport(), QPoint(0, 0)), button->size());
    const QString reason = button->property("reason").toString();
    if (!reason.isEmpty()) {
        bubble_->refuse(anchor, button->text(), reason);
        return;
    }
    const Choice* choice = choice_of(button);
    if (!choice)
        return;
    const QString explanation = choice->explanation;
    if (!choice->can_be_made()) {
        bubble_->tell(anchor, button->text(), {tr("The schedule is so now."), 0}, explanation);
        return;
    }
    ask_preview(choice->edit, [self = this, button = QPointer<QAbstractButton>(button), anchor,
                               edit = choice->edit, explanation](const Preview& preview) {
        if (button)
            self->bubble_->tell(
                anchor, edit.line.isEmpty() ? tr("Remove %1").arg(button->text()) : edit.line,
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
    }
    return QScrollArea::eventFilter(watched, event);
}

} // namespace loopscope::views
