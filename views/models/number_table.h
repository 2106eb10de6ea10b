#pragma once
// The numbers of two schedules as a table: both, their ratio, the change in per cent, and which one
// is better.

#include "views/models/comparison.h"

#include <QAbstractTableModel>

namespace loopscope::views {

class NumberTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Quantity, Left, Right, Ratio, Change, Better, ColumnCount };
    enum Role {
        SignRole = Qt::UserRole, // int: -1 the right one is better, +1 the left one
        HeadingRole              // bool: the row is the title of those below
    };
    explicit NumberTableModel(QObject* parent = nullptr);
    void set_numbers(std::vector<ComparedNumber> numbers);
    bool is_heading(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    QString text(const ComparedNumber& number, int column) const;
    struct Row {
        bool heading = false;
        std::size_t number = 0; // of the heading: the first below it
    };
    std::vector<ComparedNumber> numbers_;
    std::vector<Row> rows_;
};

} // namespace loopscope::views
