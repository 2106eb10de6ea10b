// The inspector's choices: factors, options, switches, and every directive that has no form of its own.

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/factor_row.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/inspector_layout.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/tick_slider.h"

#include <QApplication>
#include <QCheckBox>
#include <QCursor>
#include <QEvent>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace loopscope::views {

namespace {

constexpr std::size_t kMostButtons = 10; // more choices than these are a list …
constexpr std::size_t kFewButtons = 6;   // … behind as many buttons
constexpr int kMostReasons = 2;          // said below a row of choices

QString short_label(const DirectiveGroup& group, const DirectiveChoice& choice) {
    QString text = choice.label;
    if (text.startsWith("native:"))
        text = QStringLiteral("native");
    if (text.startsWith("all "))
        text = QStringLiteral("all");
    if (const auto comma = text.indexOf(", with "); comma > 0 && group.verb == "tile")
        text.truncate(comma);
    return text;
}

// A long name of a stage is not what makes the panel wide: the card beside the button says it whole.
QString shortened(const QString& text) {
    constexpr int widest = 170; // pixels
    return QFontMetrics(text_font()).elidedText(text, Qt::ElideMiddle, widest);
}

// A line of its own for what has several choices, or whose one choice needs its name.
bool in_a_row(const DirectiveGroup& group) {
    return group.choices.size() > 1 ||
           (group.choices.size() == 1 && group.choices.front().label != group.title);
}

} // namespace

InspectorView::~InspectorView() {
    // A window that closes takes the focus from its rows: they would tell a view half destroyed.
    for (const auto& row : factors_)
        if (row)
            row->disconnect(this);
}

void InspectorView::rebuild() {
    ++question_;
    ++round_;
    unjudged_ = 0;
    to_explain_.clear();
    buttons_.clear();
    factors_.clear();
    bubble_->hide();
    disarm();
    const QWidget* focus = QApplication::focusWidget();
    const QString focused = focus && body_->isAncestorOf(focus) ? focus->objectName() : QString();
    // From a choice that goes, the keyboard would go on to the next one, and the view would follow it there.
    if (!focused.isEmpty())
        setFocus(Qt::OtherFocusReason);
    empty_layout(choices_);
    fill_facts();
    if (body_->isHidden())
        return;
    const std::vector<DirectiveGroup> groups = tree_ && !selected_.stage.empty()
                                                   ? directive_groups(*tree_, selected_)
                                                   : std::vector<DirectiveGroup>{};
    const std::vector<OptionForm> options =
        tree_ ? option_forms(*tree_, schedule_.get(), selected_) : std::vector<OptionForm>{};
    // How a loop runs comes first: splitting it brings and takes sliders, and the kinds stay in their place.
    auto is_kind = [](const OptionForm& form) { return form.name == QStringLiteral("kind"); };
    for (const OptionForm& form : options)
        if (is_kind(form))
            add_option(form);
    add_factors();
    for (const OptionForm& form : options)
        if (!form.is_switch && !is_kind(form))
            add_option(form);
    for (const DirectiveGroup& group : groups)
        if (in_a_row(group) && !in_a_form(group.verb))
            add_group(group);
    add_single_choices(groups);
    add_switches(options);
    // What takes the place of the choice that had the keyboard has it next, once it is shown. The last one of that name: the
    // one before is still to be deleted.
    if (const auto again =
            focused.isEmpty() ? QList<QWidget*>() : body_->findChildren<QWidget*>(focused);
        !again.isEmpty())
        QTimer::singleShot(0, again.last(), [widget = again.last()] { widget->setFocus(); });
    judge();
}

InspectorView::Row InspectorView::add_row(const QString& title, const QString& tooltip) {
    auto* line = new QWidget;
    auto* across = new QHBoxLayout(line);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(kGap);
    auto* name = new QLabel(title);
    name->setToolTip(tooltip);
    name->setFixedWidth(name_column() - kGap);
    name->setWordWrap(true);
    name->setContentsMargins(0, 3, 0, 0);
    across->addWidget(name, 0, Qt::AlignTop);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    Row row;
    row.flow = new FlowLayout(4);
    row.note = new QLabel;
    row.note->setWordWrap(true);
    row.note->setFont(small_font());
    row.note->setAccessibleName(tr("Why a choice cannot be made"));
    row.note->hide();
    right->addLayout(row.flow);
    right->addWidget(row.note);
    across->addLayout(right, 1);
    choices_->addWidget(line);
    return row;
}

void InspectorView::add_choice(const Row& row, QAbstractButton* button, const QString& name,
                               const QString& tooltip, const FormValue& value) {
    button->setObjectName(name);
    // Said by the card of a choice that is pointed at; a tooltip would cover that.
    button->setAccessibleDescription(tooltip);
    button->setProperty("explanation", tooltip);
    button->setMouseTracking(true); // the first movement arms it
    button->setProperty("line", value.edit.line);
    button->setProperty("replaces", value.edit.replaces);
    button->setProperty("note", QVariant::fromValue<QObject*>(row.note));
    button->installEventFilter(this);
    row.flow->addWidget(button);
    const bool on = value.present;
    if (button->isCheckable())
        button->setChecked(on);
    const bool is_switch = qobject_cast<QCheckBox*>(button);
    connect(button, &QAbstractButton::clicked, this,
            [this, button, on, is_switch, edit = value.edit] {
                if (button->isCheckable())
                    button->setChecked(on); // the schedule decides, and comes back as a snapshot
                if (is_switch || !on)
                    emit editRequested(edit);
            });
    if (is_switch || !on)
        buttons_.emplace(value.edit, button);
}

void InspectorView::add_factors() {
    if (!tree_)
        return;
    for (FactorForm& form : factor_forms(*tree_, schedule_.get(), selected_, device_.get())) {
        auto* row = new FactorRow(std::move(form), name_column() - kGap);
        choices_->addWidget(row);
        factors_.push_back(row);
        row->slider()->installEventFilter(this); // a press sets its value
        connect(row, &FactorRow::requested, this, &InspectorView::editRequested);
        connect(row, &FactorRow::left, this, [this] { ++question_; });
        connect(row, &FactorRow::considered, this, [this, row](const DirectiveEdit& edit) {
            ask_preview(edit, [row = QPointer<FactorRow>(row), edit](const Preview& preview) {
                if (row)
                    row->set_preview(edit, preview);
            });
        });
    }
}

void InspectorView::add_option(const OptionForm& form) {
    const Row row = add_row(form.title, form.tooltip);
    for (const FormValue& value : form.values) {
        auto* button = new QPushButton((value.present ? QStringLiteral("✓ ") : QString()) +
                                       shortened(value.label));
        button->setCheckable(true);
        button->setStyleSheet(QStringLiteral("padding: 2px 8px;"));
        button->setAccessibleName(form.title + ' ' + value.label);
        add_choice(row, button, form.name + '/' + value.label, form.tooltip, value);
    }
}

void InspectorView::add_switches(const std::vector<OptionForm>& forms) {
    Row row;
    for (const OptionForm& form : forms) {
        if (!form.is_switch)
            continue;
        if (!row.flow)
            row = add_row(tr("Allow"), tr("What is switched on by a directive without arguments."));
        auto* box = new QCheckBox(form.title);
        box->setAccessibleName(form.title);
        add_choice(row, box, form.name + QStringLiteral("/switch"), form.tooltip,
                   form.values.front());
    }
}

void InspectorView::add_group(const DirectiveGroup& group) {
    const Row row = add_row(group.title, group.summary);
    DirectiveGroup fitting = group;
    std::erase_if(fitting.choices, [&](const DirectiveChoice& choice) {
        return exceeds_loop(*tree_, selected_, choice, device_.get());
    });
    const bool all = fitting.choices.size() <= kMostButtons;
    for (std::size_t i = 0; i < fitting.choices.size() && (all || i < kFewButtons); ++i) {
        const DirectiveChoice& choice = fitting.choices[i];
        const QString text = short_label(group, choice);
        auto* button = new QPushButton(shortened(text));
        button->setStyleSheet(QStringLiteral("padding: 2px 8px;"));
        button->setAccessibleName(group.title + ' ' + choice.label);
        add_choice(row, button, group.verb + '/' + text, group.summary,
                   {text, DirectiveEdit(choice.line), false});
    }
    if (!all)
        add_more(row, fitting);
}

// All choices of a directive that has many, as the list that the tree's menu has.
void InspectorView::add_more(const Row& row, const DirectiveGroup& group) {
    auto* button = new QPushButton(tr("%1 more ▾").arg(group.choices.size() - kFewButtons));
    button->setStyleSheet(QStringLiteral("padding: 2px 8px;"));
    button->setObjectName(group.verb + QStringLiteral("/more"));
    button->setAccessibleName(tr("%1: all choices").arg(group.title));
    button->setToolTip(tr("All %1 choices as a list.").arg(group.choices.size()));
    row.flow->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, button, group] {
        auto* menu = new DirectiveMenu(services_, this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        connect(menu, &DirectiveMenu::chosen, this,
                [this](const QString& line) { emit editRequested(DirectiveEdit(line)); });
        menu->add_choices(group, group.title);
        menu->popup(button->mapToGlobal(QPoint(0, button->height())));
        menu->activate_first();
    });
}

void InspectorView::add_single_choices(const std::vector<DirectiveGroup>& groups) {
    Row row;
    for (const DirectiveGroup& group : groups) {
        if (in_a_row(group) || group.choices.empty() || in_a_form(group.verb))
            continue;
        if (!row.flow)
            row = add_row(tr("Change"), tr("Other directives for what is selected."));
        auto* button = new QPushButton(group.title);
        button->setStyleSheet(QStringLiteral("padding: 2px 8px;"));
        button->setAccessibleName(group.title);
        add_choice(row, button, group.verb, group.summary,
                   {group.title, DirectiveEdit(group.choices.front().line), false});
    }
}

// --- verdicts and previews ------------------------------------------------------------------------------------------

void InspectorView::judge() {
    if (!services_.judge)
        return;
    std::set<DirectiveEdit> edits;
    for (const auto& [edit, button] : buttons_)
        edits.insert(edit);
    for (const auto& row : factors_)
        for (const DirectiveEdit& edit : row->edits())
            edits.insert(edit);
    unjudged_ = static_cast<int>(edits.size());
    services_.judge({edits.begin(), edits.end()},
                    [self = QPointer<InspectorView>(this),
                     round = round_](const DirectiveEdit& edit, const Verdict& verdict) {
                        if (self && self->round_ == round)
                            self->answer(edit, verdict);
                    });
}

void InspectorView::answer(const DirectiveEdit& edit, const Verdict& verdict) {
    --unjudged_;
    const auto [first, last] = buttons_.equal_range(edit);
    for (auto at = first; at != last; ++at)
        if (at->second && !verdict.available)
            grey(at->second, verdict);
    for (const auto& row : factors_)
        if (row)
            row->set_verdict(edit, verdict);
    if (unjudged_ == 0)
        explain();
    else if (!to_explain_.empty() && !explaining_->isActive())
        explaining_->start();
}

void InspectorView::grey(QAbstractButton* button, const Verdict& verdict) {
    button->setEnabled(false);
    button->setProperty("reason", verdict.reason);
    button->setAccessibleDescription(verdict.reason);
    if (auto* note = qobject_cast<QLabel*>(button->property("note").value<QObject*>());
        note && std::find(to_explain_.begin(), to_explain_.end(), note) == to_explain_.end())
        to_explain_.emplace_back(note);
}

// Many verdicts come at once, and each sentence moves what is below it: all are said together, and everything has its
// place again before it is seen.
void InspectorView::explain() {
    if (to_explain_.empty())
        return;
    for (const auto& note : std::exchange(to_explain_, {}))
        if (note) {
            explain_refusals(note);
            note->parentWidget()->layout()->activate();
        }
    body_->layout()->activate();
    widget()->layout()->activate();
    QCoreApplication::sendPostedEvents(viewport(), QEvent::LayoutRequest);
}

// Said in place, so that a grey row explains itself without the mouse: a line for each reason, with the choices it is of.
// The reasons alone: what would be legal instead is on the cards. Where one reason is of all choices it stands in their
// place, whole: buttons of which none can be pressed would only keep others out of sight.
void InspectorView::explain_refusals(QLabel* note) {
    const auto choices = note->parentWidget()->findChildren<QAbstractButton*>();
    const auto whole = [](const QAbstractButton* button) {
        return button->property("reason").toString();
    };
    if (std::all_of(choices.begin(), choices.end(), [&](const auto* button) {
            return !whole(button).isEmpty() && whole(button) == whole(choices.front());
        })) {
        for (auto* button : choices)
            button->hide();
        say(note, whole(choices.front()), 0);
        return;
    }
    std::vector<std::pair<QString, QStringList>> refusals;
    for (const auto* button : choices) {
        const QString reason = whole(button).section(QStringLiteral("; "), 0, 0);
        if (reason.isEmpty())
            continue;
        const auto same = std::find_if(refusals.begin(), refusals.end(),
                                       [&](const auto& each) { return each.first == reason; });
        if (same == refusals.end())
            refusals.push_back({reason, {button->text()}});
        else
            same->second << button->text();
    }
    QStringList lines;
    int others = 0;
    for (const auto& [reason, refused] : refusals) {
        if (lines.size() < kMostReasons)
            lines << refused.join(QStringLiteral(", ")) + ": " + reason;
        else
            others += static_cast<int>(refused.size());
    }
    if (others > 0)
        lines << tr("%n more: point at one for its reason", nullptr, others);
    say(note, lines.join('\n'), 0);
}

void InspectorView::say(QLabel* note, const QString& text, int sign) {
    const Theme& t = theme_of(*this);
    set_text_colour(*note, sign < 0   ? t.ink(Meaning::Vector)
                           : sign > 0 ? t.ink(Meaning::Pipelined)
                                      : t.faint);
    note->setText(text);
    note->setVisible(!text.isEmpty());
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
    const DirectiveEdit edit(button->property("line").toString(),
                             button->property("replaces").toInt());
    const QString explanation = button->property("explanation").toString();
    if (!buttons_.count(edit)) {
        bubble_->tell(anchor, button->text(), {tr("The schedule is so now."), 0}, explanation);
        return;
    }
    ask_preview(edit, [self = this, button = QPointer<QAbstractButton>(button), anchor, edit,
                       explanation](const Preview& preview) {
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
