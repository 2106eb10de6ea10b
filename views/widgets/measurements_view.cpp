#include "views/widgets/measurements_view.h"

#include "core/base/whole_file.h"
#include "views/models/csv.h"
#include "views/style/fonts.h"
#include "views/style/speed_format.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/paint.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/said_state.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>

namespace loopscope::views {

namespace {

constexpr double kMaxSpeedUp = 999; // that fits into its column from the start

int cell_width(const QString& text) {
    return static_cast<int>(QFontMetricsF(bold_font()).horizontalAdvance(text)) + 2 * kCellPadding +
           2;
}

// Failures in the colour of errors, stale rows faint; both are said in words too. The row is
// marked, not the cell.
class MeasurementDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        using Table = MeasurementTableModel;
        const Theme& t = theme_of(*option.widget);
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, t.selection);
        const bool main = index.column() == Table::Median,
                   stale = index.data(Table::StaleRole).toBool();
        const bool failed = main && index.data(Table::FailedRole).toBool();
        const int sign = index.data(Table::SignRole).toInt();
        const QColor colour = sign < 0 && !stale   ? t.ink(Meaning::Vector)
                              : sign > 0 && !stale ? t.ink(Meaning::Pipelined)
                              : failed             ? t.error
                              : !stale && (main || index.column() == Table::Schedule) ? t.text
                                                                                      : t.faint;
        paint_text(*painter, QRectF(option.rect).adjusted(kCellPadding, 0, -kCellPadding, 0),
                   index.data().toString(), main ? bold_font() : text_font(), colour,
                   static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {cell_width(index.data().toString()), kRowHeight};
    }
};

} // namespace

MeasurementsView::MeasurementsView(QWidget* parent)
    : PagedView(tr("Measurements"), parent),
      model_(new MeasurementTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView) {
    set_unavailable({});
    connect(&empty(), &EmptyState::actionTriggered, this, &MeasurementsView::measureRequested);
    set_page(table_);

    sorted_->setSourceModel(model_);
    sorted_->setSortRole(MeasurementTableModel::SortRole);
    table_->setModel(sorted_);
    copying_ = new RowCopying(table_, RowCopying::Menu::OfTheView);
    new FocusLine(table_);
    table_->setItemDelegate(new MeasurementDelegate(table_));
    table_->setAccessibleName(tr("Measurements"));
    table_->setTabKeyNavigation(false); // Tab leads on
    table_->setSortingEnabled(true);
    table_->sortByColumn(MeasurementTableModel::When, Qt::DescendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(
        std::max(kRowHeight, fontMetrics().height() + 8));
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setMinimumSectionSize(48);
    table_->horizontalHeader()->setAccessibleName(tr("Columns"));
    if (auto* corner = table_->findChild<QAbstractButton*>()) { // selects all rows
        corner->setAccessibleName(tr("Select all measurements"));
        corner->setToolTip(corner->accessibleName());
    }
    table_->installEventFilter(this);
    table_->viewport()->installEventFilter(this);
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        emit revisionActivated(index.data(MeasurementTableModel::RevisionRole).toLongLong());
    });
}

void MeasurementsView::set_rows(MeasurementRows rows) {
    const bool was_empty = model_->rowCount({}) == 0;
    model_->set_rows(std::move(rows));
    const int count = model_->rowCount({});
    say_state(*this, count == 1 ? tr("1 measurement") : tr("%1 measurements").arg(count));
    if (model_->rowCount({}) == 0)
        show_empty();
    else
        show_page();
    if (was_empty && model_->rowCount({}) > 0) { // once: later widths are the person's
        table_->resizeColumnsToContents();
        // A baseline may be pinned later: the column has room for what it will then say.
        table_->setColumnWidth(
            MeasurementTableModel::Change,
            std::max(table_->columnWidth(MeasurementTableModel::Change),
                     cell_width(format_time_change(kMaxSpeedUp, 1)))); // "▾ 99 % · 999×"
    }
}

void MeasurementsView::set_unavailable(const QString& reason) {
    empty().set_text(
        tr("No measurements yet. Each will stand here with its time, its spread, and how near the "
           "estimate was."),
        reason.isEmpty() ? tr("Press Space to measure.") : reason + '.');
    empty().set_action(tr("Measure"), reason);
}

std::vector<MeasurementRow> MeasurementsView::rows_as_shown() const {
    std::vector<MeasurementRow> rows;
    for (int row = 0; row < sorted_->rowCount(); ++row)
        rows.push_back(model_->rows()[static_cast<std::size_t>(
            sorted_->mapToSource(sorted_->index(row, 0)).row())]);
    return rows;
}

QString MeasurementsView::csv() const { return to_csv(rows_as_shown()); }

Status MeasurementsView::export_csv(const QString& path) const {
    return write_whole(path.toStdString(), {csv().toStdString()});
}

void MeasurementsView::restyle() { table_->viewport()->update(); }

bool MeasurementsView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && watched == table_) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            emit revisionActivated(
                table_->currentIndex().data(MeasurementTableModel::RevisionRole).toLongLong());
            return true;
        }
        // Space measures: the window's key, not the selection's
        if (key->key() == Qt::Key_Space)
            return event->ignore(), true;
    }
    if (event->type() == QEvent::ContextMenu) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Open this schedule"), this,
                        [this] {
                            emit revisionActivated(table_->currentIndex()
                                                       .data(MeasurementTableModel::RevisionRole)
                                                       .toLongLong());
                        })
            ->setEnabled(table_->currentIndex().isValid());
        menu->addAction(tr("Copy\tCtrl+C"), copying_, &RowCopying::copy)
            ->setEnabled(table_->currentIndex().isValid());
        menu->addAction(tr("Copy all as CSV"), this,
                        [this] { QApplication::clipboard()->setText(csv()); });
        menu->addAction(tr("Save as CSV…"), this, &MeasurementsView::exportRequested);
        menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    return PagedView::eventFilter(watched, event);
}

} // namespace loopscope::views
