#include "views/models/side_by_side.h"

#include <algorithm>

namespace loopscope::views {

namespace {

// "io 32 parallel", or the line of a script.
QString whole_text(const SideCell& cell) {
    QString text = cell.text;
    for (const QString& more : {cell.detail, cell.tag})
        if (!more.isEmpty())
            text += ' ' + more;
    return text;
}

QString change_word(SideChange change) {
    switch (change) {
    case SideChange::Changed: return SideBySideModel::tr("changed");
    case SideChange::OnlyLeft: return SideBySideModel::tr("only on the left");
    case SideChange::OnlyRight: return SideBySideModel::tr("only on the right");
    case SideChange::Moved: return SideBySideModel::tr("at another place");
    case SideChange::Same: break;
    }
    return {};
}

} // namespace

QString side_sign(const SideRow& row, bool left) {
    if (!(left ? row.left : row.right).present)
        return QStringLiteral(" ");
    switch (row.change) {
    case SideChange::Changed: return QStringLiteral("~");
    case SideChange::OnlyLeft: return QStringLiteral("−");
    case SideChange::OnlyRight: return QStringLiteral("+");
    case SideChange::Moved: return QStringLiteral("↕");
    case SideChange::Same: break;
    }
    return QStringLiteral(" ");
}

SideBySideModel::SideBySideModel(QObject* parent) : QAbstractTableModel(parent) {}

void SideBySideModel::set_rows(SideRows rows) {
    beginResetModel();
    rows_ = std::move(rows);
    unfolded_.assign(rows_.size(), false);
    place_rows();
    endResetModel();
}

void SideBySideModel::set_folded(bool folded) {
    if (folded == folded_)
        return;
    beginResetModel();
    folded_ = folded;
    unfolded_.assign(rows_.size(), false);
    place_rows();
    endResetModel();
}

void SideBySideModel::unfold(int row) {
    const int count = run_length(row);
    if (count == 0)
        return;
    const int first = shown_[static_cast<std::size_t>(row)].first;
    beginResetModel();
    std::fill_n(unfolded_.begin() + first, count, true);
    place_rows();
    endResetModel();
}

// What is near a difference is shown; what is not makes runs.
void SideBySideModel::place_rows() {
    const int count = static_cast<int>(rows_.size());
    std::vector<bool> near(rows_.size(), !folded_);
    for (int i = 0; folded_ && i < count; ++i)
        if (rows_[static_cast<std::size_t>(i)].change != SideChange::Same)
            for (int j = std::max(0, i - kContext); j <= std::min(count - 1, i + kContext); ++j)
                near[static_cast<std::size_t>(j)] = true;
    shown_.clear();
    for (int i = 0; i < count;) {
        int end = i;
        while (end < count && !near[static_cast<std::size_t>(end)] &&
               !unfolded_[static_cast<std::size_t>(end)])
            ++end;
        if (end - i > 1) { // a run of one is shown as what it is
            shown_.push_back({i, end - i});
            i = end;
        } else {
            shown_.push_back({i++, 0});
        }
    }
}

const SideRow* SideBySideModel::row_at(int row) const {
    if (row < 0 || row >= rowCount() || run_length(row) > 0)
        return nullptr;
    return &rows_[static_cast<std::size_t>(shown_[static_cast<std::size_t>(row)].first)];
}

int SideBySideModel::run_length(int row) const {
    return row >= 0 && row < rowCount() ? shown_[static_cast<std::size_t>(row)].count : 0;
}

bool SideBySideModel::differs(int row) const {
    const SideRow* r = row_at(row);
    return r && r->change != SideChange::Same;
}

int SideBySideModel::next_difference(int row, bool forward) const {
    const int way = forward ? 1 : -1;
    auto begins = [this](int at) { return differs(at) && !differs(at - 1); };
    for (int at = std::clamp(row + way, -1, rowCount()); at >= 0 && at < rowCount(); at += way)
        if (begins(at))
            return at;
    return -1;
}

QString SideBySideModel::text(int row) const {
    const SideRow* r = row_at(row);
    if (!r)
        return tr("… %1 equal rows").arg(run_length(row));
    auto side = [&](bool left) {
        const SideCell& cell = left ? r->left : r->right;
        return side_sign(*r, left) + ' ' + QString(2 * cell.depth, ' ') + whole_text(cell);
    };
    if (r->change == SideChange::Changed)
        return side(true).replace(0, 1, QStringLiteral("−")) + '\n' +
               side(false).replace(0, 1, QStringLiteral("+"));
    return side(r->left.present);
}

int SideBySideModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int SideBySideModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SideBySideModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const SideRow* r = row_at(index.row());
    if (!r)
        return role == Qt::DisplayRole || role == Qt::AccessibleTextRole
                   ? QVariant(index.column() == Left ? text(index.row()) : QString())
               : role == Qt::ToolTipRole ? QVariant(tr("A click or Enter shows them"))
                                         : QVariant();
    const SideCell& cell = index.column() == Left ? r->left : r->right;
    switch (role) {
    case Qt::DisplayRole: return cell.present ? whole_text(cell) : QString();
    case Qt::ToolTipRole: {
        QString tip = cell.present ? whole_text(cell) : QString();
        if (const QString word = change_word(r->change); !word.isEmpty())
            tip += (tip.isEmpty() ? QString() : QStringLiteral("\n")) + word;
        return tip;
    }
    case Qt::AccessibleTextRole: {
        const QString word = change_word(r->change);
        return (word.isEmpty() ? QString() : word + QStringLiteral(": ")) +
               (cell.present ? whole_text(cell) : tr("nothing"));
    }
    default: return {};
    }
}

QVariant SideBySideModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Left ? tr("Left") : tr("Right");
}

} // namespace loopscope::views
