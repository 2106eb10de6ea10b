#include "app/windows/notice_bar.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace loopscope::app {

using namespace views;

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      mark_(new QLabel(this)),
      text_(new QLabel(this)),
      action_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("notice"));
    setAccessibleName(tr("Notice"));
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(12, 6, 8, 6);
    across->setSpacing(kGap);
    keep_font(*mark_, bold_font);
    mark_->setAccessibleName(tr("Kind of notice"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAccessibleName(tr("Notice"));
    close_->setText(QStringLiteral("✕"));
    close_->setProperty("quiet", true);
    close_->setAccessibleName(tr("Close the notice"));
    close_->setToolTip(tr("Close"));
    across->addWidget(mark_, 0, Qt::AlignVCenter);
    across->addWidget(text_, 1);
    across->addWidget(action_, 0, Qt::AlignVCenter);
    across->addWidget(close_, 0, Qt::AlignVCenter);
    connect(close_, &QToolButton::clicked, this, [this] {
        const auto closed = is_error_ ? std::nullopt : std::exchange(offer_, std::nullopt);
        end_error();
        emit answered();
        if (closed && closed->dismiss)
            closed->dismiss();
    });
    connect(action_, &QPushButton::clicked, this, [this] {
        const auto taken = is_error_ ? std::exchange(remedy_, nullptr)
                                     : std::exchange(offer_, std::nullopt).value_or(Offer{}).run;
        end_error();
        emit answered();
        if (taken)
            taken();
    });
    restyle();
    hide();
}

void NoticeBar::show_text(const QString& text, bool is_error) {
    is_error_ = is_error;
    mark_->setText(is_error ? QStringLiteral("✗") : QStringLiteral("•"));
    text_->setText(text);
    restyle();
    show();
}

void NoticeBar::show_error(const QString& text) {
    remedy_ = nullptr;
    action_->hide();
    show_text(text, true);
}

void NoticeBar::offer_remedy(const QString& button, const QString& tip, std::function<void()> run) {
    if (!is_error_ || isHidden())
        return;
    remedy_ = std::move(run);
    action_->setText(button);
    action_->setAccessibleName(button);
    action_->setToolTip(tip);
    action_->show();
}

void NoticeBar::offer(const QString& text, const QString& button, std::function<void()> run,
                      std::function<void()> dismiss) {
    offer_ = Offer{text, button, std::move(run), std::move(dismiss)};
    if (!is_error_ || isHidden())
        show_offer();
}

void NoticeBar::show_offer() {
    if (!offer_)
        return hide();
    action_->setText(offer_->button);
    action_->setAccessibleName(offer_->button);
    action_->setToolTip({});
    action_->show();
    show_text(offer_->text, false);
}

void NoticeBar::end_error() {
    remedy_ = nullptr;
    is_error_ = false;
    show_offer();
}

void NoticeBar::clear_error() {
    if (is_error_ && !isHidden())
        end_error();
}

void NoticeBar::withdraw(const QString& offer) {
    if (!offer_ || offer_->text != offer)
        return;
    offer_.reset();
    if (!is_error_ || isHidden())
        hide();
}

QString NoticeBar::text() const { return isHidden() ? QString() : text_->text(); }

void NoticeBar::restyle() {
    const auto& t = theme_of(*this);
    const auto colour = is_error_ ? t.error : t.accent;
    const auto sheet = QStringLiteral("#notice { background: %1; border: 1px solid %2; "
                                      "border-left: 3px solid %3; border-radius: 6px; }"
                                      "#notice QLabel { background: transparent; color: %4; }")
                           .arg(t.surface.name(), t.line.name(), colour.name(), t.text.name());
    if (styleSheet() != sheet) // setting one sends the event that brought us here
        setStyleSheet(sheet);
}

void NoticeBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && mark_)
        restyle();
}

} // namespace loopscope::app
