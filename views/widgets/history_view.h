#pragma once
// The revisions of the document as the branching list that they are: undoing and editing on makes a
// branch.

#include "views/models/history_model.h"

#include <QTreeView>

#include <vector>

class QMenu;

namespace loopscope::views {

class RowCopying;

// The name of a row in so many pixels: of a file the ending stays, which tells it from others
// ("local_l….cpu.sched"), and the word before it goes. Other names are left to the view.
QString fitted_name(const QString& name, const QFont& font, double room);

class HistoryView : public QTreeView {
    Q_OBJECT
public:
    explicit HistoryView(QWidget* parent = nullptr);
    void set_rows(std::vector<HistoryRow> rows, qint64 current);
    HistoryModel* history_model() const { return model_; }
    void set_baseline(qint64 revision) { baseline_ = revision; } // 0: nothing is pinned
    std::vector<qint64> selected() const;                        // revisions, the oldest first

signals:
    void revisionActivated(qint64 revision);
    void renamed(qint64 revision, const QString& name);
    // Side by side; `right` 0: the schedule of now.
    void comparisonRequested(qint64 left, qint64 right);
    void baselineComparisonRequested(qint64 revision);
    void fileComparisonRequested(qint64 revision); // with a file that is asked for

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;

private:
    void say_rows(qint64 current);
    void fit_times();
    void place_times();
    void reveal_current();
    void ask_for(const QModelIndex& index);
    void add_comparisons(QMenu& menu, const QModelIndex& at);
    HistoryModel* model_;
    RowCopying* copying_;
    qint64 baseline_ = 0;
    qint64 shown_ = 0; // the current revision that was brought into view
    // Of the columns of times the widest, with the speed-up and without it; 0: it has none.
    struct Widths {
        double whole = 0, alone = 0;
    };
    Widths measured_, estimated_;
};

} // namespace loopscope::views
