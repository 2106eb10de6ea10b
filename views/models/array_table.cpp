#include "views/models/array_table.h"

#include "compiler/run/buffer_text.h"
#include "views/models/snapshots.h"

#include <algorithm>

namespace loopscope::views {

ArrayTableModel::ArrayTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void ArrayTableModel::set_array(BufferPtr array, std::vector<std::int64_t> begin) {
    beginResetModel();
    array_ = std::move(array);
    begin_ = std::move(begin);
    rows_ = columns_ = 0;
    if (array_ && array_->count() > 0) {
        columns_ = array_->extents.empty() ? 1 : array_->extents.back();
        rows_ = array_->count() / columns_;
    }
    endResetModel();
}

bool ArrayTableModel::is_part() const { return rows_ > kMostRows || columns_ > kMostColumns; }

int ArrayTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::min(rows_, kMostRows));
}

int ArrayTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::min(columns_, kMostColumns));
}

std::int64_t ArrayTableModel::begin(std::size_t dimension) const {
    return dimension < begin_.size() ? begin_[dimension] : 0;
}

QVariant ArrayTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return to_qstring(element_text(*array_, index.row() * columns_ + index.column()));
}

// All indices but the last: "3", "0, 3".
QString ArrayTableModel::row_name(std::int64_t row) const {
    QString name;
    for (std::size_t d = array_->extents.size(); d-- > 0;) {
        if (d + 1 == array_->extents.size())
            continue;
        const auto index = QString::number(row % array_->extents[d] + begin(d));
        name = name.isEmpty() ? index : index + QStringLiteral(", ") + name;
        row /= array_->extents[d];
    }
    return name;
}

QVariant ArrayTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || !array_)
        return QAbstractTableModel::headerData(section, orientation, role);
    if (orientation == Qt::Vertical)
        return row_name(section);
    return array_->extents.empty() ? QString()
                                   : QString::number(section + begin(array_->extents.size() - 1));
}

} // namespace loopscope::views
