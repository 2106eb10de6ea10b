#pragma once
// Two texts, or two schedule trees, as rows that stand beside one another: what both have in one
// row, what one lacks beside a gap.

#include "core/schedule/tree.h"
#include "tuner/model/estimate.h"
#include "views/geometry/line_diff.h"
#include "views/style/theme.h"

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace loopscope::views {

enum class SideChange { Same, Changed, OnlyLeft, OnlyRight, Moved };

struct SideCell {
    bool present = false;             // false: that side has nothing here
    QString text;                     // a line of a script; what a node is called
    int number = 0;                   // of the line, from 1; 0: none
    int part_begin = 0, part_end = 0; // characters of `text` that differ from the other side's
    // For lines of the tree's nodes:
    int depth = 0;
    QString detail, tag, figure; // "32", "parallel", "12 ms"
    Meaning meaning = Meaning::Serial;
    NodeId node;
};
struct SideRow {
    SideChange change = SideChange::Same;
    SideCell left, right;
};
using SideRows = std::vector<SideRow>;

// Lines that differ by spaces alone are the same. Lines that say the same of the same thing
// (`out.parallel(…)`) and differ in what is in the brackets are the forms of one that changed.
SideRows align_scripts(const std::string& left, const std::string& right);
// In the order in which they run. A node is the same by its identity, and changed where
// difference() says so. One that both have at other places stands at both, and is said to have
// moved. Estimates may be null: then no times are given.
SideRows align_trees(const ScheduleTree& left, const model::Estimate* left_estimate,
                     const ScheduleTree& right, const model::Estimate* right_estimate);
int differing_rows(const SideRows& rows);

class SideBySideModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Left, Right, ColumnCount };
    static constexpr int kContext = 3; // equal rows that are shown beside what differs

    explicit SideBySideModel(QObject* parent = nullptr);
    void set_rows(SideRows rows);
    // Shows only what differs, with some rows around it; runs of others become one row.
    void set_folded(bool folded);
    bool folded() const { return folded_; }
    void unfold(int row); // the run that the row stands for
    const SideRows& all_rows() const { return rows_; }

    const SideRow* row_at(int row) const; // null: it stands for a run
    int run_length(int row) const;        // 0: it is a row of its own
    // The first row of the next run that differs; -1: none in that direction.
    int next_difference(int row, bool forward) const;
    QString text(int row) const; // "− 3  C.parallel(io)", both sides in lines of their own

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Shown {
        int first = 0, count = 0; // count 0: the row `first`, else a run of equal rows
    };
    void place_rows();
    bool differs(int row) const;

    SideRows rows_;
    std::vector<Shown> shown_;
    std::vector<bool> unfolded_; // rows of runs that were unfolded
    bool folded_ = false;
};

// "+", "−", "~", "⇅" or a space, as the side of a row says it.
QString side_sign(const SideRow& row, bool left);

} // namespace loopscope::views
