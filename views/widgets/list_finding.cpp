#include "views/widgets/list_finding.h"

#include "views/widgets/row_copying.h"
#include "views/widgets/search_field.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QScrollBar>

#include <algorithm>
#include <vector>

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

void place_beside_rows(SearchField& field, const QAbstractItemView& list, const QModelIndex& row) {
    const QRect area = list.viewport()->geometry();
    const auto hidden = [&](const QRect& place) {
        const QRect seen = place.translated(-area.topLeft());
        const QRect now = list.visualRect(row);
        // All of the row counts, and not its first cell alone.
        if (!now.isEmpty() && now.top() <= seen.bottom() && now.bottom() >= seen.top())
            return SearchField::Hides::WhatIsLookedFor;
        const bool any =
            list.indexAt(seen.topLeft()).isValid() || list.indexAt(seen.bottomLeft()).isValid();
        return any ? SearchField::Hides::Something : SearchField::Hides::Nothing;
    };
    field.place(area, hidden);
}

void ListFinding::start(QAbstractItemView& list) {
    auto* finding = list.findChild<ListFinding*>(QString(), Qt::FindDirectChildrenOnly);
    if (!finding)
        finding = new ListFinding(list);
    finding->place();
    finding->field_->open();
}

ListFinding::ListFinding(QAbstractItemView& list)
    : QObject(&list), list_(list), field_(new SearchField(&list)) {
    list.viewport()->installEventFilter(this); // which has its new size when it tells of it
    connect(field_, &SearchField::textChanged, this, [this] { find(true, true); });
    connect(field_, &SearchField::nextRequested, this,
            [this](bool forward) { find(forward, false); });
    connect(list.verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        if (!field_->isHidden())
            place();
    });
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
    std::vector<qsizetype> hits; // among the rows
    for (qsizetype row = 0; row < rows.size(); ++row)
        if (has_text(rows[row]))
            hits.push_back(row);
    if (hits.empty())
        return field_->say_match(0, 0);
    const auto at = rows.indexOf(list_.currentIndex().siblingAtColumn(0)); // -1: none is current
    const auto from = !forward ? (at < 0 ? rows.size() : at) : this_row_too ? at : at + 1;
    auto hit = std::lower_bound(hits.begin(), hits.end(), from);
    if (!forward)
        hit = (hit == hits.begin() ? hits.end() : hit) - 1;
    else if (hit == hits.end())
        hit = hits.begin();
    list_.selectionModel()->setCurrentIndex(rows[*hit], QItemSelectionModel::ClearAndSelect |
                                                            QItemSelectionModel::Rows);
    list_.scrollTo(rows[*hit]);
    field_->say_match(static_cast<std::size_t>(hit - hits.begin()) + 1, hits.size());
    place();
}

void ListFinding::place() { place_beside_rows(*field_, list_, list_.currentIndex()); }

bool ListFinding::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && !field_->isHidden())
        place();
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope::views
