#include "views/widgets/choice_line.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr qsizetype kMaxReasons = 2; // said below a row of choices of which some can be made
const QString kChoicePadding = QStringLiteral("padding: 2px 8px;");

// A long name of a stage is not what makes the panel wide: the card beside the button says it
// whole.
QString elided(const QString& text) {
    constexpr int widest = 170; // pixels
    return QFontMetrics(text_font()).elidedText(text, Qt::ElideMiddle, widest);
}

QString text_of(const Choice& choice) {
    switch (choice.look) {
    case Choice::Look::Option:
        return (choice.present ? QStringLiteral("✓ ") : QString()) + elided(choice.text);
    case Choice::Look::Command: return elided(choice.text);
    case Choice::Look::Switch: break;
    }
    return choice.text;
}

QString reason_of(const QAbstractButton* button) { return button->property("reason").toString(); }

} // namespace

ChoiceLine::ChoiceLine(ChoiceRow row, int title_width, QWidget* parent)
    : QWidget(parent),
      row_(std::move(row)),
      title_(new WrappedLabel(row_.title, this)),
      flow_(new FlowLayout(4)),
      note_(new WrappedLabel(this)) {
    judged_.assign(row_.choices.size(), false);
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(kGap);
    title_->setToolTip(row_.explanation);
    title_->setFixedWidth(title_width);
    title_->setContentsMargins(0, 3, 0, 0);
    across->addWidget(title_, 0, Qt::AlignTop);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    keep_font(*note_, small_font);
    note_->setAccessibleName(tr("Why a choice cannot be made"));
    note_->hide();
    right->addLayout(flow_);
    right->addWidget(note_);
    across->addLayout(right, 1);
    for (std::size_t i = 0; i < row_.choices.size(); ++i)
        add_button(i);
    if (row_.all) {
        all_ = new QPushButton;
        all_->setStyleSheet(kChoicePadding);
        flow_->addWidget(all_);
        connect(all_, &QPushButton::clicked, this,
                [this] { emit allRequested(all_->mapToGlobal(QPoint(0, all_->height()))); });
        show_all_button();
    }
}

void ChoiceLine::add_button(std::size_t choice) {
    QAbstractButton* button = nullptr;
    if (row_.choices[choice].look == Choice::Look::Switch) {
        button = new QCheckBox;
    } else {
        button = new QPushButton;
        button->setStyleSheet(kChoicePadding);
        button->setCheckable(row_.choices[choice].look == Choice::Look::Option);
    }
    button->setMouseTracking(true); // the first movement arms it
    flow_->addWidget(button);
    buttons_.push_back(button);
    connect(button, &QAbstractButton::clicked, this, [this, choice] { clicked(choice); });
    show_choice(choice);
}

bool ChoiceLine::fits(const ChoiceRow& row) const {
    return row.title == row_.title && row.all.has_value() == row_.all.has_value() &&
           std::equal(row.choices.begin(), row.choices.end(), row_.choices.begin(),
                      row_.choices.end(), [](const Choice& a, const Choice& b) {
                          return a.look == b.look && a.name == b.name;
                      });
}

bool ChoiceLine::takes(const ChoiceRow& row) const {
    return row.all.has_value() == row_.all.has_value() &&
           std::equal(row.choices.begin(), row.choices.end(), row_.choices.begin(),
                      row_.choices.end(),
                      [](const Choice& a, const Choice& b) { return a.look == b.look; });
}

void ChoiceLine::set_aside() {
    for (QAbstractButton* button : buttons_)
        button->setObjectName({});
    if (all_)
        all_->setObjectName({});
}

void ChoiceLine::set_row(ChoiceRow row, bool of_another) {
    row_ = std::move(row);
    title_->setText(row_.title);
    title_->setToolTip(row_.explanation);
    judged_.assign(row_.choices.size(), false);
    for (std::size_t i = 0; i < row_.choices.size(); ++i) {
        show_choice(i);
        // What is so now needs no reason why it could not be.
        if (of_another || !row_.choices[i].can_be_made())
            set_reason(*buttons_[i], {});
    }
    if (all_)
        show_all_button();
    if (of_another)
        explain();
}

void ChoiceLine::let_go() {
    for (std::size_t i = 0; i < buttons_.size(); ++i)
        if (!judged_[i])
            set_reason(*buttons_[i], {});
    judged_.assign(row_.choices.size(), true);
}

void ChoiceLine::show_choice(std::size_t choice) {
    const Choice& shown = row_.choices[choice];
    QAbstractButton& button = *buttons_[choice];
    button.setObjectName(shown.name);
    if (const QString text = text_of(shown); button.text() != text)
        button.setText(text);
    button.setAccessibleName(shown.spoken);
    // Said by the card of a choice that is pointed at; a tooltip would cover that.
    if (reason_of(&button).isEmpty())
        button.setAccessibleDescription(shown.explanation);
    button.setProperty("explanation", shown.explanation);
    button.setProperty("line", shown.edit.line);
    button.setProperty("replaces", shown.edit.replaces);
    if (button.isCheckable())
        button.setChecked(shown.present);
}

// All choices of a directive that has many, as the list that the tree's menu has.
void ChoiceLine::show_all_button() {
    all_->setText(tr("%1 more ▾").arg(without_button(row_)));
    all_->setObjectName(row_.all->verb + QStringLiteral("/more"));
    all_->setAccessibleName(tr("%1: all choices").arg(row_.all->title));
    all_->setToolTip(tr("All %1 choices as a list.").arg(row_.all->choices.size()));
}

void ChoiceLine::clicked(std::size_t choice) {
    const Choice& shown = row_.choices[choice];
    // the schedule decides, and comes back
    if (buttons_[choice]->isCheckable())
        buttons_[choice]->setChecked(shown.present);
    // which may change the row
    if (shown.can_be_made())
        emit requested(DirectiveEdit(shown.edit));
}

const Choice* ChoiceLine::choice_of(const QObject* button) const {
    for (std::size_t i = 0; i < buttons_.size(); ++i)
        if (buttons_[i] == button)
            return &row_.choices[i];
    return nullptr;
}

std::vector<DirectiveEdit> ChoiceLine::edits() const {
    std::vector<DirectiveEdit> out;
    for (const Choice& choice : row_.choices)
        if (choice.can_be_made())
            out.push_back(choice.edit);
    return out;
}

void ChoiceLine::set_verdict(const DirectiveEdit& edit, const Verdict& verdict) {
    for (std::size_t i = 0; i < buttons_.size(); ++i)
        if (row_.choices[i].can_be_made() && row_.choices[i].edit == edit) {
            judged_[i] = true;
            set_reason(*buttons_[i], verdict.available ? QString() : verdict.reason);
        }
}

bool ChoiceLine::to_explain() const {
    if (!to_explain_)
        return false;
    for (std::size_t i = 0; i < buttons_.size(); ++i)
        if (row_.choices[i].can_be_made() && !judged_[i])
            return false;
    return true;
}

void ChoiceLine::set_reason(QAbstractButton& button, const QString& reason) {
    if (reason_of(&button) == reason && button.isEnabled() == reason.isEmpty())
        return;
    // or Qt hands the keyboard to the next choice, which is another one
    if (!reason.isEmpty() && button.hasFocus())
        emit aboutToGrey(&button);
    button.setEnabled(reason.isEmpty());
    button.setProperty("reason", reason);
    button.setAccessibleDescription(reason.isEmpty() ? button.property("explanation").toString()
                                                     : reason);
    to_explain_ = true;
}

// Said in place, so that a grey row explains itself without the mouse: a line for each reason, with
// the choices it is of. The reasons alone: what would be legal instead is on the cards. Where one
// reason is of all choices it stands in their place, whole: buttons of which none can be pressed
// would only keep others out of sight. Where none can be pressed all reasons are said: the keyboard
// reaches none of the buttons.
void ChoiceLine::explain() {
    to_explain_ = false;
    const QString whole = buttons_.empty() ? QString() : reason_of(buttons_.front());
    const bool of_all =
        !whole.isEmpty() && !all_ &&
        std::all_of(buttons_.begin(), buttons_.end(),
                    [&](const QAbstractButton* button) { return reason_of(button) == whole; });
    const bool some = all_ || std::any_of(buttons_.begin(), buttons_.end(), [](const auto* button) {
                          return reason_of(button).isEmpty();
                      });
    for (QAbstractButton* button : buttons_)
        button->setVisible(!of_all);
    if (of_all) {
        say(whole);
        return;
    }
    std::vector<std::pair<QString, QStringList>> refusals;
    for (const QAbstractButton* button : buttons_) {
        const QString reason = reason_of(button).section(QStringLiteral("; "), 0, 0);
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
        if (!some || lines.size() < kMaxReasons)
            lines << refused.join(QStringLiteral(", ")) + ": " + reason;
        else
            others += static_cast<int>(refused.size());
    }
    if (others > 0)
        lines << tr("%n more: point at one for its reason", nullptr, others);
    say(lines.join('\n'));
}

void ChoiceLine::say(const QString& text) {
    set_text_colour(*note_, theme_of(*this).faint);
    note_->setText(text);
    note_->setVisible(!text.isEmpty());
}

} // namespace loopscope::views
