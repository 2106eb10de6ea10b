// The estimate's advice, each a sentence with a button that tries it, and its terms: the formulas
// behind the numbers.
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/wrapped_label.h"

#include <QApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>

namespace loopscope::views {

namespace {

// Margins and frame of the lines of advice, beside the sentence.
constexpr int kLeftMargin = 10, kRightMargin = 6, kFrame = 4;

// "5.85e+11" as people write it: 5.85·10¹¹.
QString powers_of_ten(QString html) {
    static const QRegularExpression exponent(QStringLiteral("(\\d)e([+-]?)0*(\\d+)"));
    return html.replace(exponent, QStringLiteral("\\1·10<sup>\\2\\3</sup>"))
        .replace(QStringLiteral("<sup>+"), QStringLiteral("<sup>"));
}

// Very long names without their middle: there is no place in one where a line could end.
QString shortened(QString text) {
    constexpr int most = 40, kept = 17;
    static const QRegularExpression name(QStringLiteral("\\w{%1,}").arg(most + 1));
    for (auto match = name.match(text); match.hasMatch();
         match = name.match(text, match.capturedStart() + 2 * kept))
        text.replace(match.capturedStart(), match.capturedLength(),
                     match.captured().left(kept) + QStringLiteral("…") +
                         match.captured().right(kept));
    return text;
}

} // namespace

QString directive_in(const QString& advice) {
    // NAME.verb(…) or NAME.update(0).verb(…), possibly after "B = ".
    static const QRegularExpression pattern(
        QStringLiteral("(?:\\b\\w+ = "
                       ")?\\b[A-Za-z_]\\w*(?:\\.update\\(\\d+\\))?\\.(?!update\\()[a-z_]+\\([^()]*("
                       "?:\\([^()]*\\)[^()]*)*\\)"));
    return pattern.match(advice).captured();
}

// Whether the directive of a sentence of advice stands on one line, beside the button that tries
// it.
bool EstimateView::fits_in_one_piece(const QString& sentence) const {
    QFont font = text_font();
    font.setFamilies({code_font().family()});
    const QMargins margins = body_->layout()->contentsMargins();
    const int beside = QFontMetrics(text_font()).horizontalAdvance(tr("Try")) + 2 * kGap;
    return QFontMetrics(font).horizontalAdvance(' ' + directive_in(sentence) + ' ') + beside +
               kLeftMargin + kRightMargin + kFrame + margins.left() + margins.right() <=
           viewport()->width();
}

QWidget* EstimateView::advice_box(const QString& sentence, bool in_one_piece) {
    const Theme& t = theme_of(*this);
    const QString directive = directive_in(sentence);
    QString html = html_text(sentence);
    if (!directive.isEmpty()) {
        QString shown = directive.toHtmlEscaped();
        if (in_one_piece)
            shown.replace(' ', QStringLiteral("&nbsp;"));
        const QString code =
            QStringLiteral(
                "<span style=\"font-family:'%1'; background-color:%2;\">&nbsp;%3&nbsp;</span>")
                .arg(code_font().family(), t.raised.name(), shown);
        html.replace('`' + directive.toHtmlEscaped() + '`', code);
        html.replace(directive.toHtmlEscaped() + '`', code); // quoted from further left
        if (!html.contains(code))
            html.replace(directive.toHtmlEscaped(), code);
    }
    html.remove('`');
    html = shortened(html);
    html.replace(QStringLiteral(" %"), QStringLiteral("&nbsp;%")); // no line begins with the sign
    auto* box = new QFrame;
    box->setObjectName("advice");
    box->setStyleSheet(QStringLiteral("QFrame#advice { border: 1px solid %1; border-left: 3px "
                                      "solid %2; border-radius: 5px; background: %3; }")
                           .arg(t.line.name(), t.mark(Meaning::Unrolled).name(), t.surface.name()));
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins(kLeftMargin, 6, kRightMargin, 6);
    auto* label = new WrappedLabel(html);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setMinimumWidth(1); // a long name is no reason to cut off everything else
    line->addWidget(label, 1);
    if (!directive.isEmpty()) {
        auto* attempt = new QPushButton(tr("Try"));
        attempt->setProperty("link", true);
        attempt->setCursor(Qt::PointingHandCursor);
        attempt->setToolTip(tr("Applies %1; Ctrl+Z takes it back.").arg(directive));
        attempt->setAccessibleName(tr("Try %1").arg(directive));
        connect(attempt, &QPushButton::clicked, this,
                [this, directive] { try_directive(directive); });
        line->addWidget(attempt, 0, Qt::AlignBottom);
    }
    return box;
}

// What it makes of the time is what a person wants to see next.
void EstimateView::try_directive(const QString& directive) {
    verticalScrollBar()->setValue(0);
    emit directiveRequested(directive);
}

// From a button that goes, the keyboard would go on to the next control further down, and the view
// would follow it there.
void EstimateView::clear_advice() {
    const QWidget* focus = QApplication::focusWidget();
    for (auto* column : {best_advice_, advice_})
        while (QLayoutItem* item = column->takeAt(0)) {
            if (QWidget* box = item->widget()) {
                if (focus && box->isAncestorOf(focus))
                    setFocus(Qt::OtherFocusReason);
                box->hide();
                box->deleteLater();
            }
            delete item;
        }
}

void EstimateView::show_advice() {
    std::vector<std::pair<std::string, bool>> wanted;
    for (const std::string& sentence : estimate_->advice)
        wanted.emplace_back(sentence, fits_in_one_piece(to_qstring(sentence)));
    if (advice_shown_ == wanted)
        return;
    clear_advice();
    for (const auto& [sentence, in_one_piece] : wanted)
        (best_advice_->count() == 0 ? best_advice_ : advice_)
            ->addWidget(advice_box(to_qstring(sentence), in_one_piece));
    advice_shown_ = std::move(wanted);
}

void EstimateView::show_terms() {
    why_->setVisible(!estimate_->terms.empty());
    if (!why_->isChecked())
        return;
    const Theme& t = theme_of(*this);
    QString html;
    for (const model::Term& term : estimate_->terms) {
        QString value =
            term.unit == "s"       ? format_seconds(term.value)
            : term.unit == "bytes" ? format_bytes(term.value)
            : term.unit == "flop"
                ? format_flops(term.value)
                : QString(format_significant(term.value) + ' ' + to_qstring(term.unit)).trimmed();
        html += QStringLiteral("<p style=\"margin:0 0 6px 0\"><b>%1</b> = %2")
                    .arg(to_qstring(term.name).toHtmlEscaped(), html_text(value));
        if (!term.formula.empty())
            html += QStringLiteral("<br><span style=\"font-family:'%1'\">%2</span>")
                        .arg(code_font().family(),
                             powers_of_ten(to_qstring(term.formula).toHtmlEscaped()));
        if (!term.source.empty())
            html += QStringLiteral("<br><span style=\"color:%1\">%2</span>")
                        .arg(t.faint.name(), to_qstring(term.source).toHtmlEscaped());
        html += "</p>";
    }
    terms_->setText(html);
}

} // namespace loopscope::views
