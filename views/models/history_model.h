#pragma once
// The revisions of a document as rows. A revision stands below its parent's row; only a branch that
// was left indents, so that a long session stays readable and the newest line runs on.

#include "views/models/tree_model.h"

#include <QString>

#include <map>
#include <vector>

namespace loopscope::views {

struct HistoryRow {
    qint64 id = 0;
    qint64 parent = 0; // 0: none
    QString name;      // "split C.k by 32"
    // "36.2 ms  1.5×", with the speed-up on the schedule before; empty: not known on this device.
    QString measured; // the newest measurement's
    QString estimated;
    // What a check of its result found.
    enum class Checked { No, Right, Wrong } checked = Checked::No;
    QString check_tip = {}; // where, and what was compared
    bool operator==(const HistoryRow&) const = default;
};

// A step's name without the word that the session puts before the file that it opened ("open
// blur.cpu.sched"); others as they are.
QString without_open(const QString& name);

// An item is the number of a row from 1 on; 0 stands for the invisible root.
class HistoryModel : public TreeModel<int> {
    Q_OBJECT
public:
    enum Column { Name, Measured, Estimated, ColumnCount };
    enum Role { RevisionRole = Qt::UserRole, CurrentRole };

    explicit HistoryModel(QObject* parent = nullptr);
    // Rows by ascending id; a parent comes before its children. Where the same revisions stand,
    // only their contents change: selection, folding and a name that is being typed stay. True: the
    // rows are others.
    bool set_rows(std::vector<HistoryRow> rows, qint64 current);
    QModelIndex index_of(qint64 revision) const; // invalid: unknown
    QModelIndex current() const { return index_of(current_); }
    const std::vector<HistoryRow>& rows() const { return rows_; }

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    static const QString& time_of(const HistoryRow& row, int column); // of the two columns of times

signals:
    void renamed(qint64 revision, const QString& name);

protected:
    std::vector<int> children(const int& item) const override;

private:
    void place_rows();
    const HistoryRow& row(const QModelIndex& index) const {
        return rows_[static_cast<std::size_t>(item(index)) - 1];
    }

    std::vector<HistoryRow> rows_;
    std::vector<std::vector<int>> below_;    // the items below each item, the root's first
    std::vector<std::pair<int, int>> place_; // of each row: the item above it, and its number there
    std::map<qint64, int> items_;            // by revision
    qint64 current_ = 0;
};

} // namespace loopscope::views
