#include "views/widgets/paged_view.h"

#include "views/style/theme.h"
#include "views/widgets/empty_state.h"

#include <QEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace loopscope::views {

PagedView::PagedView(const QString& accessible_name, QWidget* parent)
    : QWidget(parent),
      stack_(new QStackedWidget(this)),
      empty_(new EmptyState(QString(), QString())) {
    setAccessibleName(accessible_name);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(stack_);
    stack_->addWidget(empty_);
}

void PagedView::set_page(QWidget* page) { stack_->addWidget(page); }

void PagedView::show_page() { stack_->setCurrentIndex(1); }

void PagedView::show_empty() { stack_->setCurrentIndex(0); }

void PagedView::show_empty(const QString& sentence, const QString& hint) {
    empty_->set_text(sentence, hint);
    show_empty();
}

bool PagedView::page_shown() const { return stack_->currentIndex() == 1; }

QString PagedView::needs_gpu() { return tr("It is for schedules of a GPU: choose one above."); }

void PagedView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && page_shown())
        restyle();
}

} // namespace loopscope::views
