#include "views/widgets/list_finding.h"

#include "views/widgets/row_copying.h"
#include "views/widgets/search_field.h"

#include <QAbstractItemView>
#include <QEvent>

#include <algorithm>

namespace loopscope::views {

namespace {

// As they stand one below the other, with those inside.
void collect_rows(const QAbstractItemModel& model, const QModelIndex& above,
                  QList<QModelIndex>& rows) {
    for (int row = 0; row < model.rowCount(above); ++row) {
        rows << model.index(row, 0, above);
        collect_rows(model, rows.last(), rows);
    }
}

} // namespace

void ListFinding::start(QAbstractItemView& list) {
    auto* finding = list.findChild<ListFinding*>(QString(), Qt::FindDirectChildrenOnly);
    if (!finding)
        finding = new ListFinding(list);
    finding->place();
    finding->field_->open();
}

ListFinding::ListFinding(QAbstractItemView& list)
    : QObject(&list), list_(list), field_(new SearchField(&list)) {
    list.installEventFilter(this);
    connect(field_, &SearchField::textChanged, this, [this] { find(true, true); });
    connect(field_, &SearchField::nextRequested, this,
            [this](bool forward) { find(forward, false); });
}

bool ListFinding::has_text(const QModelIndex& row) const {
    const auto cells = cells_of(list_, row);
    return std::any_of(cells.begin(), cells.end(), [this](const QString& cell) {
        return cell.contains(field_->text(), Qt::CaseInsensitive);
    });
}

void ListFinding::find(bool forward, bool this_row_too) {
    if (field_->text().isEmpty())
        return field_->say_found(true);
    QList<QModelIndex> rows;
    collect_rows(*list_.model(), list_.rootIndex(), rows);
    const auto count = rows.size();
    if (count == 0)
        return field_->say_found(false);
    auto at = rows.indexOf(list_.currentIndex().siblingAtColumn(0));
    const bool none_current = at < 0; // then the first one comes next, or the last one
    if (none_current)
        at = forward ? count - 1 : 0;
    for (qsizetype step = this_row_too && !none_current ? 0 : 1; step <= count; ++step) {
        const auto next = ((forward ? at + step : at - step) % count + count) % count;
        if (!has_text(rows[next]))
            continue;
        list_.selectionModel()->setCurrentIndex(rows[next], QItemSelectionModel::ClearAndSelect |
                                                                QItemSelectionModel::Rows);
        list_.scrollTo(rows[next]);
        return field_->say_found(true);
    }
    field_->say_found(false);
}

void ListFinding::place() { field_->place(list_.viewport()->geometry()); }

bool ListFinding::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && field_->isVisible())
        place();
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope::views
