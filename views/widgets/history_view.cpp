#include "views/widgets/history_view.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/paint.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/said_state.h"

#include <QContextMenuEvent>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kIndent = 11;   // with the cells' own margin names stand below the panel's title
constexpr int kOwnMargin = 3; // QStyle's, beside the text of a cell
// right of the times, so that they end below their headings
constexpr int kTimeMargin = kCellPadding - kOwnMargin;
constexpr double kMaxForTimes = 0.55; // of the width, with the speed-up

// "2 ms  1.5×" without the speed-up, where names would have no room beside it.
QString time_alone(const QString& time) { return time.section(QStringLiteral("  "), 0, 0); }

// The present schedule is bold, times are faint.
class HistoryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {0, std::max(kRowHeight, option.fontMetrics.height() + 8)};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() != HistoryModel::Name) {
            const QColor faint = theme_of(*option->widget).faint;
            option->palette.setColor(QPalette::Text, faint);
            option->palette.setColor(QPalette::HighlightedText, faint);
            option->rect.adjust(0, 0, -kTimeMargin, 0);
            if (TextMetrics(bold_font()).width(option->text) > option->rect.width())
                option->text = time_alone(option->text);
        }
        option->state &= ~QStyle::State_Selected; // the row is marked, whole, before its cells
        if (index.data(HistoryModel::CurrentRole).toBool())
            option->font.setWeight(QFont::DemiBold);
        if (index.column() == HistoryModel::Name && option->rect.width() > 0)
            option->text =
                fitted_name(option->text, option->font, option->rect.width() - 2 * kOwnMargin - 1);
    }
};

} // namespace

QString fitted_name(const QString& name, const QFont& font, double room) {
    const TextMetrics metrics(font);
    if (!name.endsWith(QStringLiteral(".sched")) || metrics.width(name) <= room)
        return name;
    static const QRegularExpression last_parts(QStringLiteral("(\\.[^. ]+)?\\.sched$"));
    const QString file = without_open(name);
    const QString ending = last_parts.match(file).captured();
    const QString begin =
        metrics.elided(file.chopped(ending.size()), Qt::ElideRight, room - metrics.width(ending));
    return begin.isEmpty() ? metrics.elided(file, Qt::ElideMiddle, room) : begin + ending;
}

HistoryView::HistoryView(QWidget* parent) : QTreeView(parent), model_(new HistoryModel(this)) {
    setModel(model_);
    copying_ = new RowCopying(this, RowCopying::Menu::OfTheView);
    new FocusLine(this);
    setItemDelegate(new HistoryDelegate(this));
    header()->setSectionsClickable(false);
    header()->setSectionsMovable(false);
    setUniformRowHeights(true);
    setTextElideMode(Qt::ElideMiddle); // many begin alike
    setRootIsDecorated(true);
    setIndentation(kIndent);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setAccessibleName(tr("History of schedules"));
    header()->setStyleSheet(QStringLiteral("QHeaderView::section:first { padding-left: %1px; }")
                                .arg(kIndent + kOwnMargin)); // above the names
    keep_font(*header(), small_font);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(0);
    header()->setSectionResizeMode(HistoryModel::Name, QHeaderView::Stretch);
    for (int column : {HistoryModel::Measured, HistoryModel::Estimated})
        header()->setSectionResizeMode(column, QHeaderView::Fixed);
    connect(this, &QTreeView::activated, this, &HistoryView::ask_for);
    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        // With a key held a click selects: two rows can be compared.
        if (QGuiApplication::keyboardModifiers() == Qt::NoModifier &&
            !index.data(HistoryModel::CurrentRole).toBool())
            ask_for(index);
    });
    connect(model_, &HistoryModel::renamed, this, &HistoryView::renamed);
    fit_times();
}

void HistoryView::set_rows(std::vector<HistoryRow> rows, qint64 current) {
    // told by several signals of one edit
    if (current == shown_ && rows == model_->rows())
        return;
    const bool others = model_->set_rows(std::move(rows), current);
    if (others)
        expandAll();
    fit_times();
    say_rows(current);
    if (!others && current == shown_)
        return;
    shown_ = current;
    // By the view's own words a key that is held, as Ctrl of Ctrl+Z, would add to what is selected.
    selectionModel()->setCurrentIndex(model_->current(), QItemSelectionModel::ClearAndSelect |
                                                             QItemSelectionModel::Rows);
    scrollTo(model_->current());
}

void HistoryView::say_rows(qint64 current) {
    const auto& rows = model_->rows();
    const auto now = std::find_if(rows.begin(), rows.end(),
                                  [&](const HistoryRow& row) { return row.id == current; });
    if (now == rows.end())
        return say_state(*this, {});
    say_state(*this,
              tr("%1, now %2")
                  .arg(rows.size() == 1 ? tr("1 schedule") : tr("%1 schedules").arg(rows.size()),
                       now->name));
}

// Asked of the view itself it would measure rows again at every change.
void HistoryView::fit_times() {
    const TextMetrics metrics(bold_font());
    auto widest = [&](int column) {
        Widths widths;
        for (const HistoryRow& row : model_->rows()) {
            const auto& time = HistoryModel::time_of(row, column);
            widths.whole = std::max(widths.whole, metrics.width(time));
            widths.alone = std::max(widths.alone, metrics.width(time_alone(time)));
        }
        if (widths.whole > 0) { // the column's title is as wide
            const double title =
                TextMetrics(small_font())
                    .width(model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
            widths = {std::max(widths.whole, title), std::max(widths.alone, title)};
        }
        return widths;
    };
    measured_ = widest(HistoryModel::Measured);
    estimated_ = widest(HistoryModel::Estimated);
    setHeaderHidden(measured_.whole + estimated_.whole <= 0);
    place_times();
}

// Where both have no room the speed-ups go first, and then the estimates. A column in which nothing
// is known is not there at all: neither its title, nor for the keys and for screen readers.
void HistoryView::place_times() {
    const int beside = 2 * kCellPadding;
    const double room = kMaxForTimes * viewport()->width();
    auto needed = [&](double measured, double estimated) {
        return (measured > 0 ? measured + beside : 0) + (estimated > 0 ? estimated + beside : 0);
    };
    double measured = measured_.whole, estimated = estimated_.whole;
    if (needed(measured, estimated) > room) {
        measured = measured_.alone;
        estimated = estimated_.alone;
    }
    if (measured > 0 && needed(measured, estimated) > room)
        estimated = 0;
    auto place = [&](int column, const Widths& known, double width) {
        setColumnHidden(column, known.whole <= 0);
        header()->resizeSection(column,
                                width > 0 ? static_cast<int>(std::ceil(width)) + beside : 0);
    };
    place(HistoryModel::Measured, measured_, measured);
    place(HistoryModel::Estimated, estimated_, estimated);
}

void HistoryView::ask_for(const QModelIndex& index) {
    emit revisionActivated(index.data(HistoryModel::RevisionRole).toLongLong());
}

// Once the rows have their places in the new size.
void HistoryView::reveal_current() {
    QTimer::singleShot(0, this, [this] { scrollTo(model_->current()); });
}

void HistoryView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        place_times();
    reveal_current();
}

void HistoryView::showEvent(QShowEvent* event) {
    QTreeView::showEvent(event);
    reveal_current();
}

void HistoryView::contextMenuEvent(QContextMenuEvent* event) {
    const QModelIndex at = event->reason() == QContextMenuEvent::Mouse
                               ? indexAt(event->pos()).siblingAtColumn(HistoryModel::Name)
                               : currentIndex();
    if (!at.isValid())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QPersistentModelIndex kept = at;
    menu->addAction(tr("Go to this schedule"), this, [this, kept] { ask_for(kept); })
        ->setEnabled(!at.data(HistoryModel::CurrentRole).toBool());
    menu->addAction(tr("Name it…\tF2"), this, [this, kept] {
        setCurrentIndex(kept);
        edit(kept);
    });
    add_comparisons(*menu, at);
    menu->addSeparator();
    copying_->add_to(*menu);
    menu->popup(event->globalPos());
}

std::vector<qint64> HistoryView::selected() const {
    std::vector<qint64> revisions;
    for (const QModelIndex& index : selectionModel()->selectedRows(HistoryModel::Name))
        revisions.push_back(index.data(HistoryModel::RevisionRole).toLongLong());
    std::sort(revisions.begin(), revisions.end());
    return revisions;
}

void HistoryView::add_comparisons(QMenu& menu, const QModelIndex& at) {
    const auto revision = at.data(HistoryModel::RevisionRole).toLongLong();
    const bool present = at.data(HistoryModel::CurrentRole).toBool();
    menu.addSeparator();
    const auto two = selected();
    if (two.size() == 2)
        menu.addAction(tr("Compare the two that are selected"), this,
                       [this, two] { emit comparisonRequested(two[0], two[1]); });
    menu.addAction(tr("Compare with the schedule of now"), this,
                   [this, revision] { emit comparisonRequested(revision, 0); })
        ->setEnabled(!present);
    menu.addAction(tr("Compare with the baseline"), this,
                   [this, revision] { emit baselineComparisonRequested(revision); })
        ->setEnabled(baseline_ != 0 && baseline_ != revision);
    menu.addAction(tr("Compare with a file…"), this,
                   [this, revision] { emit fileComparisonRequested(revision); });
}

// The whole row, to the panel's edge: the cells leave a margin beside the times.
void HistoryView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    if (selectionModel()->isSelected(index))
        painter->fillRect(QRect(0, option.rect.y(), viewport()->width(), option.rect.height()),
                          theme_of(*this).selection);
    QStyleOptionViewItem plain = option;
    plain.state &= ~QStyle::State_Selected;
    for (auto group :
         {QPalette::Active, QPalette::Inactive}) // the base class marks the indentation
        plain.palette.setColor(group, QPalette::Highlight, Qt::transparent);
    QTreeView::drawRow(painter, plain, index);
}

void HistoryView::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit_times();
}

} // namespace loopscope::views
