#pragma once
// An array as a table of values: a column for each of the last index, a row for each point of all
// others, as many as can be scrolled through.

#include "views/models/array_picture.h"

#include <QAbstractTableModel>

namespace loopscope::views {

class ArrayTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr std::int64_t kMostRows = 100'000, kMostColumns = 4'096;

    explicit ArrayTableModel(QObject* parent = nullptr);
    // `begin`: the array's least indices; empty: 0. Null: an empty table.
    void set_array(BufferPtr array, std::vector<std::int64_t> begin = {});
    bool is_part() const; // it has more rows or columns than the table

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::int64_t begin(std::size_t dimension) const;
    QString row_name(std::int64_t row) const;

    BufferPtr array_;
    std::vector<std::int64_t> begin_;
    std::int64_t rows_ = 0, columns_ = 0; // of the array
};

} // namespace loopscope::views
