#include "views/widgets/error_list.h"

#include "views/models/diagnostic_list.h"
#include "views/style/theme.h"
#include "views/widgets/row_copying.h"

#include <QEvent>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kShownLines = 4; // beside the script that they are about

} // namespace

ErrorList::ErrorList(QWidget* parent) : QListView(parent), model_(new DiagnosticListModel(this)) {
    setModel(model_);
    new RowCopying(this);
    setAccessibleName(tr("All errors of the script"));
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto tell = [this](void (ErrorList::*of)(int, int)) {
        return [this, of](const QModelIndex& row) {
            if (const int line = row.data(DiagnosticListModel::LineRole).toInt(); line > 0)
                emit(this->*of)(line, row.data(DiagnosticListModel::ColumnRole).toInt());
        };
    };
    connect(this, &QListView::clicked, this, tell(&ErrorList::placeClicked));
    connect(this, &QListView::activated, this, tell(&ErrorList::placeChosen));
    set_text_colour(*this, theme_of(*this).error);
    hide();
}

void ErrorList::set_diagnostics(const Diagnostics& diagnostics) {
    model_->set_diagnostics(diagnostics);
    setVisible(diagnostics.size() > 1);
    updateGeometry();
}

QSize ErrorList::sizeHint() const {
    const int row = std::max(sizeHintForRow(0), fontMetrics().height());
    return {QListView::sizeHint().width(), row * std::min(model_->rowCount(), kShownLines) + 6};
}

void ErrorList::changeEvent(QEvent* event) {
    QListView::changeEvent(event);
    if (is_theme_change(*event))
        set_text_colour(*this, theme_of(*this).error);
}

} // namespace loopscope::views
