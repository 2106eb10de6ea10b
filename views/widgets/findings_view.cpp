#include "views/widgets/findings_view.h"

#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/wrapped_label.h"

#include <QListWidget>
#include <QVBoxLayout>

namespace loopscope::views {

FindingsView::FindingsView(QWidget* parent)
    : PagedView(tr("Findings"), parent),
      verdict_(new WrappedLabel),
      launches_(new WrappedLabel),
      list_(new QListWidget) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(14, 8, 14, 8);
    column->setSpacing(kGap);
    column->addWidget(verdict_);
    column->addWidget(list_, 1);
    column->addWidget(launches_);
    rest_ = new QWidget;
    column->addWidget(rest_, 1);
    set_page(page);
    verdict_->setAccessibleName(tr("Verdict of the check"));
    launches_->setAccessibleName(tr("What the launches did"));
    keep_font(*launches_, small_font);
    list_->setAccessibleName(tr("Findings of the SIMT interpreter"));
    list_->setWordWrap(true);
    new RowCopying(list_);
    list_->setTextElideMode(Qt::ElideNone);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&empty(), &EmptyState::actionTriggered, this, &FindingsView::checkRequested);
    // Walking the list with the keyboard goes from place to place, as clicking does.
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (report_ && row >= 0 && row < static_cast<int>(report_->findings.size()))
            emit nodeSelected(report_->findings[static_cast<std::size_t>(row)].node);
    });
    refresh();
}

void FindingsView::set_report(CheckReportPtr report) {
    if (report_ == report)
        return;
    report_ = std::move(report);
    refresh();
}

void FindingsView::set_running(bool running) {
    if (running_ == running)
        return;
    running_ = running;
    refresh();
}

QString FindingsView::summary() const { return report_ ? verdict_->text() : QString(); }

void FindingsView::refresh() {
    if (!report_) {
        show_empty(
            tr("Not checked yet. A check finds races between threads, reads of data that have not "
               "arrived, barriers that not all threads reach, and accesses outside of arrays, and "
               "says where."),
            running_ ? tr("It is being checked.") : QString());
        empty().set_action(running_ ? QString() : tr("Look for hazards"), {},
                           tr("Runs the kernels in an interpreter, at sizes that take it seconds, "
                              "and reports hazards such as races. Check compares results instead, "
                              "on the device where that is at hand."));
        return;
    }
    const Theme& t = theme_of(*this);
    show_page();
    const bool sound = report_->findings.empty();
    keep_font(*verdict_, bold_font);
    QString verdict = report_->verdict;
    if (!report_->at.isEmpty())
        verdict += tr(" · checked at %1").arg(report_->at);
    if (!report_->difference.isEmpty())
        verdict += tr(" · first difference: %1").arg(report_->difference);
    verdict_->setText((report_->right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + verdict);
    set_text_colour(*verdict_, report_->right ? t.ink(Meaning::Vector) : t.error);
    list_->clear();
    list_->setVisible(!sound);
    rest_->setVisible(sound); // what is said stands at the top
    list_->setStyleSheet(QStringLiteral("QListWidget::item { padding: 5px 4px; color: %1; } "
                                        "QListWidget::item:selected { background: %2; color: %1; }")
                             .arg(t.error.name(), t.selection.name()));
    for (const Finding& finding : report_->findings) {
        QString where = node_title(finding.node);
        if (!finding.other.stage.empty() && finding.other != finding.node)
            where += tr(" and %1").arg(node_title(finding.other));
        auto* item = new QListWidgetItem(
            tr("⚠ %1 at %2: %3 (%4 times)")
                .arg(finding.kind, where.isEmpty() ? tr("no one place") : where, finding.message,
                     format_count(static_cast<double>(finding.count))));
        item->setToolTip(finding.message);
        list_->addItem(item);
    }
    launches_->setText(report_->launches.join('\n'));
    set_text_colour(*launches_, t.faint);
}

} // namespace loopscope::views
