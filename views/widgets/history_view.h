#pragma once
// The revisions of the document as the branching list that they are: undoing and editing on makes a branch.

#include <QTreeWidget>

#include <vector>

namespace loopscope::views {

struct HistoryRow {
    qint64 id = 0;
    qint64 parent = 0; // 0: none
    QString name;      // "split C.k by 32"
    QString time;      // its measured or estimated seconds; may be empty
    QString time_tip;  // what that time is
};

class HistoryView : public QTreeWidget {
    Q_OBJECT
public:
    explicit HistoryView(QWidget* parent = nullptr);
    void set_rows(const std::vector<HistoryRow>& rows, qint64 current);

signals:
    void revisionActivated(qint64 revision);
    void renamed(qint64 revision, const QString& name);

protected:
    void changeEvent(QEvent* event) override;

private:
    void add_rows(const std::vector<HistoryRow>& rows);
    void mark_current();
    std::vector<std::pair<qint64, qint64>> shown_; // (id, parent) of each row
    std::vector<QTreeWidgetItem*> items_;          // of the same rows
    qint64 current_ = 0;
    bool quiet_ = false;
};

} // namespace loopscope::views
