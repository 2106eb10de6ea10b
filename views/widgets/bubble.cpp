#include "views/widgets/bubble.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"

#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr int kWidest = 380, kNarrowest = 120, kAway = 10; // pixels
}

Bubble::Bubble(QWidget* parent, Kind kind)
    : QFrame(parent, kind == Kind::Window ? Qt::ToolTip : Qt::Widget),
      headline_(new QLabel(this)),
      words_(new QLabel(this)),
      explanation_(new QLabel(this)) {
    setObjectName(QStringLiteral("bubble"));
    setAccessibleName(tr("What it would do"));
    headline_->setAccessibleName(tr("The change"));
    words_->setAccessibleName(tr("Its outcome"));
    explanation_->setAccessibleName(tr("What it is"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 6, 10, 6);
    column->setSpacing(2);
    keep_font(*headline_, bold_font);
    for (QLabel* label : {headline_, words_, explanation_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        column->addWidget(label);
    }
    restyle();
    hide();
}

void Bubble::tell(const QRect& anchor, const QString& headline, const Preview& preview,
                  const QString& explanation) {
    show_text(anchor, headline, preview.text, explanation,
              preview.sign < 0   ? Tone::Better
              : preview.sign > 0 ? Tone::Worse
                                 : Tone::Plain);
}

void Bubble::refuse(const QRect& anchor, const QString& headline, const QString& reason) {
    show_text(anchor, headline, QStringLiteral("✗ ") + reason, {}, Tone::Refused);
}

QString Bubble::text() const {
    return isHidden() ? QString() : headline_->text() + '\n' + words_->text();
}

QString Bubble::explanation() const { return isHidden() ? QString() : explanation_->text(); }

void Bubble::show_text(const QRect& anchor, const QString& headline, const QString& words,
                       const QString& explanation, Tone tone) {
    headline_->setText(headline);
    headline_->setVisible(!headline.isEmpty());
    words_->setText(words);
    words_->setVisible(!words.isEmpty());
    explanation_->setText(explanation);
    explanation_->setVisible(!explanation.isEmpty());
    if (tone != tone_) {
        tone_ = tone;
        restyle();
    }
    const QRect room =
        isWindow() ? (parentWidget() ? parentWidget()->screen() : QGuiApplication::primaryScreen())
                         ->availableGeometry()
                   : parentWidget()->rect();
    const int longest = std::max({headline_->fontMetrics().horizontalAdvance(headline),
                                  words_->fontMetrics().horizontalAdvance(words),
                                  explanation_->fontMetrics().horizontalAdvance(explanation)}) +
                        26;
    const int width =
        std::clamp(longest, kNarrowest, std::max(kNarrowest, std::min(kWidest, room.width() - 16)));
    const int height = layout()->heightForWidth(width) + 4; // labels round their lines down
    QPoint at(anchor.left() + kAway, anchor.bottom() + kAway);
    if (at.y() + height > room.bottom())
        at.setY(anchor.top() - kAway - height);
    at.setX(
        std::clamp(at.x(), room.left() + 4, std::max(room.left() + 4, room.right() - width - 4)));
    at.setY(
        std::clamp(at.y(), room.top() + 4, std::max(room.top() + 4, room.bottom() - height - 4)));
    setGeometry(QRect(at, QSize(width, height)));
    show();
    raise();
}

void Bubble::restyle() {
    const Theme& t = theme_of(*this);
    const QColor edge = tone_ == Tone::Better    ? t.mark(Meaning::Vector)
                        : tone_ == Tone::Worse   ? t.mark(Meaning::Pipelined)
                        : tone_ == Tone::Refused ? t.error
                                                 : t.accent;
    const QColor words = tone_ == Tone::Better    ? t.ink(Meaning::Vector)
                         : tone_ == Tone::Worse   ? t.ink(Meaning::Pipelined)
                         : tone_ == Tone::Refused ? t.error
                                                  : t.faint;
    const QString sheet =
        QStringLiteral(
            "#bubble { background: %1; border: 1px solid %2; border-left: 3px solid %3; "
            "border-radius: 4px; } #bubble QLabel { background: transparent; color: %4; }")
            .arg(t.raised.name(), t.line.name(), edge.name(), t.text.name());
    if (styleSheet() != sheet) // setting one sends the event that brought us here
        setStyleSheet(sheet);
    set_text_colour(*words_, readable_on(words, t.raised));
    set_text_colour(*explanation_, readable_on(t.faint, t.raised));
}

void Bubble::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && words_)
        restyle();
}

} // namespace loopscope::views
