#include "views/widgets/compare_view.h"

#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/focus_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QUrl>

namespace loopscope::views {

namespace {

// of a section; nobody reads more, and layout takes its time
constexpr std::size_t kMaxComparedRows = 400;

QString sign_colour(const Theme& t, int sign) {
    return (sign < 0   ? t.ink(Meaning::Vector)
            : sign > 0 ? t.ink(Meaning::Pipelined)
                       : t.faint)
        .name();
}

// Headings and what stands below them are made alike, so that they stand in line.
QString cell(const QString& text, const QString& colour, bool is_number = true) {
    return QStringLiteral("<td align=\"%3\" style=\"color:%1; padding-right:14px\">%2</td>")
        .arg(colour, html_text(text), is_number ? QStringLiteral("right") : QStringLiteral("left"));
}

QString heading_html(const QString& text) {
    return QStringLiteral("<p style=\"margin:10px 0 3px 0\"><b>%1</b></p>").arg(text);
}

QString sentence(const QString& text, const Theme& t) {
    return QStringLiteral("<p style=\"margin:0; color:%1\">%2</p>").arg(t.faint.name(), text);
}

// "and 12 more" below a section that was cut.
QString rest(std::size_t rows, const Theme& t) {
    return rows > kMaxComparedRows
               ? sentence(QObject::tr("… and %1 more").arg(rows - kMaxComparedRows), t)
               : QString();
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : PagedView(tr("Comparison with the baseline"), parent),
      title_(new QLabel),
      browser_(new QTextBrowser) {
    auto* page = new QWidget;
    set_page(page);
    auto* inner = new QVBoxLayout(page);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 2, kGap, 0);
    head->setSpacing(0);
    title_->setTextFormat(Qt::PlainText);
    title_->setWordWrap(true);
    title_->setAccessibleName(tr("What is pinned"));
    head->addWidget(title_, 1);
    auto button = [&](const QString& text, const QString& tooltip, void (CompareView::*wanted)()) {
        auto* made = new QPushButton(text);
        made->setProperty("quiet", true);
        made->setToolTip(tooltip);
        made->setAccessibleName(tooltip);
        connect(made, &QPushButton::clicked, this, wanted);
        head->addWidget(made);
        return made;
    };
    both_ = button(tr("Side by side"), tr("Shows both schedules side by side (Ctrl+Shift+D)"),
                   &CompareView::sideBySideRequested);
    open_ =
        button(tr("Open it"), tr("Goes to the pinned schedule"), &CompareView::baselineRequested);
    repin_ = button(tr("Pin"), tr("Pins the present schedule instead"), &CompareView::pinRequested);
    unpin_ = button(tr("Unpin"), tr("Forgets the baseline"), &CompareView::unpinRequested);
    inner->addLayout(head);
    browser_->setFrameShape(QFrame::NoFrame);
    new FocusLine(browser_);
    browser_->setOpenLinks(false);
    browser_->setAccessibleName(tr("Differences against the baseline"));
    browser_->document()->setDocumentMargin(12);
    inner->addWidget(browser_, 1);
    empty().set_text(
        tr("The schedule of now beside one that you pinned: numbers, directives and loops that "
           "differ."),
        tr("Ctrl+B pins the present schedule."));
    empty().set_action(tr("Pin baseline"));
    connect(&empty(), &EmptyState::actionTriggered, this, &CompareView::pinRequested);
    connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        NodeId id;
        if (NodeId::parse(QUrl::fromPercentEncoding(link.toString(QUrl::FullyEncoded).toLatin1())
                              .toStdString(),
                          id))
            emit nodeSelected(id);
    });
    refresh();
}

void CompareView::set_comparison(std::shared_ptr<const Comparison> comparison) {
    comparison_ = std::move(comparison);
    refresh();
}

QString CompareView::text() const { return comparison_ ? browser_->toPlainText() : QString(); }

void CompareView::refresh() {
    if (!comparison_)
        return show_empty();
    show_page();
    title_->setText(comparison_->title);
    const int scroll = browser_->verticalScrollBar()->value();
    browser_->setHtml(numbers_html() + script_html() + tree_html());
    browser_->verticalScrollBar()->setValue(scroll);
}

QString CompareView::numbers_html() const {
    const Theme& t = theme_of(*this);
    QString html = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"2\"><tr>") +
                   cell({}, t.faint.name(), false);
    for (const QString& title : {tr("baseline"), tr("now"), tr("change")})
        html += cell(title, t.faint.name());
    html += QStringLiteral("</tr>");
    const std::size_t shown = std::min(comparison_->numbers.size(), kMaxComparedRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const ComparedNumber& n = comparison_->numbers[i];
        html += "<tr>" + cell(n.name, t.text.name(), false) + cell(n.before, t.faint.name()) +
                cell(n.now, t.text.name()) + cell(n.change, sign_colour(t, n.sign)) + "</tr>";
    }
    return html + "</table>" + rest(comparison_->numbers.size(), t);
}

QString CompareView::script_html() const {
    const Theme& t = theme_of(*this);
    QString html = heading_html(tr("Directives"));
    if (comparison_->script.empty())
        return html + sentence(tr("The scripts hold the same directives."), t);
    const std::size_t shown = std::min(comparison_->script.size(), kMaxComparedRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const ComparedLine& line = comparison_->script[i];
        const bool older = line.change == LineChange::Removed || line.change == LineChange::Before;
        html +=
            QStringLiteral("<p style=\"margin:0; font-family:'%1'; color:%2\">%3 %4</p>")
                .arg(code_font().family(),
                     (older ? t.ink(Meaning::Pipelined) : t.ink(Meaning::Vector)).name(),
                     older ? QStringLiteral("−") : QStringLiteral("+"), line.text.toHtmlEscaped());
    }
    return html + rest(comparison_->script.size(), t);
}

QString CompareView::tree_html() const {
    const Theme& t = theme_of(*this);
    QString html = heading_html(tr("Loops and storage"));
    if (comparison_->tree.empty())
        return html + sentence(tr("The schedule trees are the same."), t);
    const std::size_t shown = std::min(comparison_->tree.size(), kMaxComparedRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const TreeDifference& d = comparison_->tree[i];
        const bool added = d.kind == TreeDifference::Kind::Added,
                   removed = d.kind == TreeDifference::Kind::Removed;
        QString what = node_title(d.id).toHtmlEscaped();
        if (!removed) // what is there now can be shown
            what = QStringLiteral("<a style=\"color:%1; text-decoration:none\" href=\"%2\">%3</a>")
                       .arg(t.accent.name(),
                            QString::fromLatin1(QUrl::toPercentEncoding(to_qstring(d.id.text()))),
                            what);
        const QString mark = added     ? QStringLiteral("+")
                             : removed ? QStringLiteral("−")
                                       : QStringLiteral("~");
        const QString row =
            added     ? to_qstring(d.after)
            : removed ? to_qstring(d.before)
                      : to_qstring(d.before) + QStringLiteral(" → ") + to_qstring(d.after);
        html += QStringLiteral("<p style=\"margin:0\"><span style=\"font-family:'%1'; "
                               "color:%2\">%3</span> %4 <span style=\"color:%5\">%6</span></p>")
                    .arg(code_font().family(),
                         (added     ? t.ink(Meaning::Vector)
                          : removed ? t.ink(Meaning::Pipelined)
                                    : t.faint)
                             .name(),
                         mark, what, t.faint.name(), row.toHtmlEscaped());
    }
    return html + rest(comparison_->tree.size(), t);
}

} // namespace loopscope::views
