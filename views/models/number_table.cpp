#include "views/models/number_table.h"

#include "views/style/number_format.h"

namespace loopscope::views {

NumberTableModel::NumberTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void NumberTableModel::set_numbers(std::vector<ComparedNumber> numbers) {
    beginResetModel();
    numbers_ = std::move(numbers);
    rows_.clear();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        if (i == 0 || numbers_[i].group != numbers_[i - 1].group)
            rows_.push_back({true, i});
        rows_.push_back({false, i});
    }
    endResetModel();
}

bool NumberTableModel::is_heading(int row) const {
    return row >= 0 && row < rowCount() && rows_[static_cast<std::size_t>(row)].heading;
}

int NumberTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int NumberTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString NumberTableModel::text(const ComparedNumber& n, int column) const {
    switch (column) {
    case Quantity: return n.name;
    case Left: return n.before;
    case Right: return n.now;
    case Ratio: return n.ratio ? format_factor(*n.ratio) : QString();
    case Change: return n.ratio ? format_change(1, *n.ratio) : QString();
    case Better:
        return n.sign < 0   ? tr("right ▸")
               : n.sign > 0 ? tr("◂ left")
               : n.ratio    ? tr("equal")
                            : QString();
    default: return {};
    }
}

QVariant NumberTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const ComparedNumber& n = numbers_[row.number];
    switch (role) {
    case Qt::DisplayRole:
        return row.heading ? (index.column() == Quantity ? n.group : QString())
                           : text(n, index.column());
    case Qt::ToolTipRole: return row.heading ? QVariant() : QVariant(n.tooltip);
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Quantity ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    case SignRole: return row.heading ? 0 : n.sign;
    case HeadingRole: return row.heading;
    default: return {};
    }
}

QVariant NumberTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Quantity ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Quantity: return tr("Quantity");
    case Left: return tr("Left");
    case Right: return tr("Right");
    case Ratio: return tr("Right ÷ left");
    case Change: return tr("Change");
    case Better: return tr("Better");
    default: return {};
    }
}

Qt::ItemFlags NumberTableModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return Qt::NoItemFlags;
    if (is_heading(index.row()))
        return Qt::ItemIsEnabled;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

} // namespace loopscope::views
