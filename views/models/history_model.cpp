#include "views/models/history_model.h"

namespace loopscope::views {

QString without_open(const QString& name) {
    const QString open = QStringLiteral("open ");
    return name.startsWith(open) ? name.mid(open.size()) : name;
}

namespace {

// "✓ split C.k by 32": its result was checked.
QString marked(const HistoryRow& row) {
    switch (row.checked) {
    case HistoryRow::Checked::Right: return QStringLiteral("✓ ") + row.name;
    case HistoryRow::Checked::Wrong: return QStringLiteral("✗ ") + row.name;
    case HistoryRow::Checked::No: break;
    }
    return row.name;
}

// The same for those who hear it.
QString told(const HistoryRow& row) {
    switch (row.checked) {
    case HistoryRow::Checked::Right: return HistoryModel::tr("%1, checked: right").arg(row.name);
    case HistoryRow::Checked::Wrong: return HistoryModel::tr("%1, checked: wrong").arg(row.name);
    case HistoryRow::Checked::No: break;
    }
    return row.name;
}

} // namespace

HistoryModel::HistoryModel(QObject* parent) : TreeModel(parent) {}

bool HistoryModel::set_rows(std::vector<HistoryRow> rows, qint64 current) {
    bool same = rows.size() == rows_.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i)
        same = rows[i].id == rows_[i].id && rows[i].parent == rows_[i].parent;
    current_ = current;
    if (same) {
        rows_ = std::move(rows);
        announce_rows();
        return false;
    }
    beginResetModel();
    rows_ = std::move(rows);
    place_rows();
    clear_rows(0);
    endResetModel();
    return true;
}

void HistoryModel::place_rows() {
    items_.clear();
    below_.assign(rows_.size() + 1, {});
    place_.assign(rows_.size() + 1, {0, 0});
    std::vector<std::vector<int>> made_of(rows_.size() + 1); // by item, ascending
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const int item = static_cast<int>(i) + 1;
        const auto parent = items_.find(rows_[i].parent);
        made_of[parent == items_.end() ? 0 : static_cast<std::size_t>(parent->second)].push_back(
            item);
        items_.emplace(rows_[i].id, item);
    }
    // Line after line: one runs on through the newest child of each row, and leaves the other
    // children as branches.
    std::vector<std::pair<int, int>> lines; // first row, and the row that it stands below
    for (auto start = made_of[0].rbegin(); start != made_of[0].rend(); ++start)
        lines.emplace_back(*start, 0);
    while (!lines.empty()) {
        auto [item, above] = lines.back();
        lines.pop_back();
        while (item != 0) {
            auto& siblings = below_[static_cast<std::size_t>(above)];
            place_[static_cast<std::size_t>(item)] = {above, static_cast<int>(siblings.size())};
            siblings.push_back(item);
            const auto& next = made_of[static_cast<std::size_t>(item)];
            for (std::size_t branch = next.size(); branch-- > 1;)
                lines.emplace_back(next[branch - 1], item);
            item = next.empty() ? 0 : next.back();
        }
    }
}

std::vector<int> HistoryModel::children(const int& item) const {
    return below_.empty() ? std::vector<int>{} : below_[static_cast<std::size_t>(item)];
}

QModelIndex HistoryModel::index_of(qint64 revision) const {
    const auto found = items_.find(revision);
    if (found == items_.end())
        return {};
    std::vector<int> numbers; // from the row outwards
    for (int item = found->second; item != 0; item = place_[static_cast<std::size_t>(item)].first)
        numbers.push_back(place_[static_cast<std::size_t>(item)].second);
    QModelIndex at;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number)
        at = index(*number, 0, at);
    return at;
}

int HistoryModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const HistoryRow& r = row(index);
    switch (role) {
    case Qt::DisplayRole: return index.column() == Name ? marked(r) : time_of(r, index.column());
    case Qt::EditRole: return index.column() == Name ? QVariant(r.name) : QVariant();
    case Qt::ToolTipRole:
        if (index.column() == Name)
            return (r.check_tip.isEmpty() ? QString() : r.check_tip + QStringLiteral("\n")) +
                   tr("A click goes to this schedule, F2 names it; Ctrl and a click selects two to "
                      "compare");
        if (time_of(r, index.column()).isEmpty())
            return {};
        return index.column() == Measured
                   ? tr("%1: measured last, and the speed-up on the schedule before")
                         .arg(r.measured)
                   : tr("%1: estimated, and the speed-up on the schedule before").arg(r.estimated);
    case Qt::AccessibleTextRole:
        return index.column() == Name && r.id == current_ ? tr("%1, present").arg(told(r))
               : index.column() == Name                   ? told(r)
                                                          : time_of(r, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    case RevisionRole: return r.id;
    case CurrentRole: return r.id == current_;
    default: return {};
    }
}

const QString& HistoryModel::time_of(const HistoryRow& row, int column) {
    return column == Measured ? row.measured : row.estimated;
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == Name       ? tr("schedule")
           : section == Measured ? tr("measured")
                                 : tr("estimated");
}

bool HistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || index.column() != Name || role != Qt::EditRole)
        return false;
    const QString name = value.toString().trimmed();
    HistoryRow& r = rows_[static_cast<std::size_t>(item(index)) - 1];
    if (name.isEmpty() || name == r.name)
        return false;
    r.name = name;
    emit dataChanged(index, index);
    emit renamed(r.id, name);
    return true;
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags plain = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
    return index.column() == Name ? plain | Qt::ItemIsEditable : plain;
}

} // namespace loopscope::views
