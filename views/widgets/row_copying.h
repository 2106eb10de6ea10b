#pragma once
// Copies and saves the rows of a list, table or tree as what is shown of them: Ctrl+C copies those
// that are selected, a line each, cells parted by tabs; the context menu also saves all of them as
// CSV.

#include "core/base/result.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

class QAbstractItemView;
class QMenu;
class QModelIndex;
class QWidget;

namespace loopscope::views {

// Where rows are, each a list of its cells' texts.
struct RowSource {
    std::function<QList<QStringList>()> selected;
    std::function<QList<QStringList>()> all; // below their headings, if there are any
};
// The current row counts as selected where none is. Columns that are hidden are left out.
RowSource rows_of(const QAbstractItemView& view);

// The texts of a row, of the columns that are shown.
QStringList cells_of(const QAbstractItemView& view, const QModelIndex& row);

class RowCopying : public QObject {
    Q_OBJECT
public:
    // Where the view has no context menu of its own it gets one; else that calls add_to().
    enum class Menu { Own, OfTheView };
    RowCopying(QWidget* view, RowSource rows, Menu menu);
    explicit RowCopying(QAbstractItemView* view, Menu menu = Menu::Own);

    QString selected_text() const;
    QString csv() const;
    Status save_csv(const QString& path) const;
    void copy() const;
    void add_to(QMenu& menu);

signals:
    void saveRequested(); // the window asks for a path and calls save_csv

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void open_menu(const QPoint& at);

    QWidget* view_;
    RowSource rows_;
};

} // namespace loopscope::views
