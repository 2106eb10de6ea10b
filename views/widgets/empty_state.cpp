#include "views/widgets/empty_state.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopscope::views {

EmptyState::EmptyState(const QString& sentence, const QString& hint, QWidget* parent)
    : QWidget(parent),
      sentence_(new QLabel(this)),
      hint_(new QLabel(this)),
      action_(new QPushButton(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGap, kGap, 2 * kGap, kGap);
    column->setSpacing(kGap);
    column->addStretch();
    for (QLabel* label : {sentence_, hint_}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addWidget(action_, 0, Qt::AlignHCenter);
    column->addStretch();
    action_->hide();
    connect(action_, &QPushButton::clicked, this, &EmptyState::actionTriggered);
    keep_font(*hint_, small_font);
    set_text(sentence, hint);
    restyle();
}

void EmptyState::set_text(const QString& sentence, const QString& hint) {
    sentence_->setText(sentence);
    hint_->setText(hint);
    hint_->setVisible(!hint.isEmpty());
    setAccessibleName(hint.isEmpty() ? sentence : sentence + ' ' + hint);
}

void EmptyState::set_action(const QString& text, const QString& unavailable, const QString& tip) {
    action_->setText(text);
    action_->setEnabled(unavailable.isEmpty());
    action_->setToolTip(unavailable.isEmpty() ? tip : unavailable);
    action_->setAccessibleName(text);
    action_->setVisible(!text.isEmpty());
}

void EmptyState::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        restyle();
}

void EmptyState::restyle() {
    set_text_colour(*sentence_, theme_of(*this).faint);
    set_text_colour(*hint_, theme_of(*this).faint);
}

} // namespace loopscope::views
