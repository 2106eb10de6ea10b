#include "views/widgets/row_copying.h"

#include "core/base/whole_file.h"
#include "views/models/csv.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope::views {

namespace {

bool is_hidden(const QAbstractItemView& view, int column) {
    if (const auto* tree = qobject_cast<const QTreeView*>(&view))
        return tree->isColumnHidden(column);
    const auto* table = qobject_cast<const QTableView*>(&view);
    return table && table->isColumnHidden(column);
}

QList<int> shown_columns(const QAbstractItemView& view) {
    QList<int> shown;
    for (int column = 0; column < view.model()->columnCount(view.rootIndex()); ++column)
        if (!is_hidden(view, column))
            shown << column;
    return shown;
}

// The numbers of a row and of those above it, from the root on: rows stand in their order.
std::vector<int> path_of(QModelIndex row) {
    std::vector<int> path;
    for (; row.isValid(); row = row.parent())
        path.insert(path.begin(), row.row());
    return path;
}

QList<QStringList> selected_rows(const QAbstractItemView& view) {
    auto rows = view.selectionModel()->selectedRows();
    if (rows.isEmpty() && view.currentIndex().isValid())
        rows << view.currentIndex();
    std::sort(rows.begin(), rows.end(),
              [](const QModelIndex& a, const QModelIndex& b) { return path_of(a) < path_of(b); });
    QList<QStringList> texts;
    for (const auto& row : rows)
        texts << cells_of(view, row);
    return texts;
}

void add_rows(QList<QStringList>& texts, const QAbstractItemView& view, const QModelIndex& above) {
    for (int row = 0; row < view.model()->rowCount(above); ++row) {
        const auto index = view.model()->index(row, 0, above);
        texts << cells_of(view, index);
        add_rows(texts, view, index);
    }
}

QList<QStringList> all_rows(const QAbstractItemView& view) {
    QStringList headings;
    for (int column : shown_columns(view))
        headings << view.model()->headerData(column, Qt::Horizontal).toString();
    QList<QStringList> texts;
    if (headings.size() > 1) // a list has no heading but its number
        texts << headings;
    add_rows(texts, view, view.rootIndex());
    return texts;
}

} // namespace

QStringList cells_of(const QAbstractItemView& view, const QModelIndex& row) {
    QStringList texts;
    for (int column : shown_columns(view))
        texts << row.siblingAtColumn(column).data().toString();
    return texts;
}

RowSource rows_of(const QAbstractItemView& view) {
    return {[&view] { return selected_rows(view); }, [&view] { return all_rows(view); }};
}

RowCopying::RowCopying(QAbstractItemView* view, Menu menu)
    : RowCopying(view, rows_of(*view), menu) {}

RowCopying::RowCopying(QWidget* view, RowSource rows, Menu menu)
    : QObject(view), view_(view), rows_(std::move(rows)) {
    view->installEventFilter(this);
    if (menu == Menu::OfTheView)
        return;
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(view, &QWidget::customContextMenuRequested, this, &RowCopying::open_menu);
}

// `at`: in a scrolled view, of its viewport.
void RowCopying::open_menu(const QPoint& at) {
    auto* menu = new QMenu(view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    add_to(*menu);
    const auto* scrolled = qobject_cast<QAbstractScrollArea*>(view_);
    menu->popup((scrolled ? scrolled->viewport() : view_)->mapToGlobal(at));
}

QString RowCopying::selected_text() const {
    QStringList lines;
    for (const auto& row : rows_.selected())
        lines << tabbed_line(row);
    return lines.join('\n');
}

QString RowCopying::csv() const {
    QString text;
    for (const auto& row : rows_.all())
        text += csv_line(row);
    return text;
}

Status RowCopying::save_csv(const QString& path) const {
    return write_whole(path.toStdString(), {csv().toStdString()});
}

void RowCopying::copy() const { QApplication::clipboard()->setText(selected_text()); }

void RowCopying::add_to(QMenu& menu) {
    menu.addAction(tr("Copy\tCtrl+C"), this, &RowCopying::copy);
    menu.addAction(tr("Save as CSV…"), this, &RowCopying::saveRequested);
}

bool RowCopying::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copy();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope::views
