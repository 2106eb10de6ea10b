#include "views/models/schedule_tree_model.h"

#include "views/models/node_text.h"
#include "views/style/number_format.h"

namespace loopscope::views {

namespace {

bool same_rows(const TreeNode& a, const TreeNode& b) {
    if (a.id != b.id || a.kind != b.kind || a.children.size() != b.children.size())
        return false;
    for (std::size_t i = 0; i < a.children.size(); ++i)
        if (!same_rows(*a.children[i], *b.children[i]))
            return false;
    return true;
}

} // namespace

ScheduleTreeModel::ScheduleTreeModel(QObject* parent) : TreeModel(parent) {}

void ScheduleTreeModel::set_tree(ScheduleTreePtr tree) {
    if (tree && tree_ && same_rows(*tree->root, *tree_->root)) {
        const ScheduleTreePtr before =
            std::move(tree_); // rows point into it until they are replaced
        tree_ = std::move(tree);
        replace_items(tree_->root.get());
        announce_all({});
        return;
    }
    beginResetModel();
    tree_ = std::move(tree);
    clear_rows(tree_ ? tree_->root.get() : nullptr);
    endResetModel();
}

void ScheduleTreeModel::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    announce_all({});
}

void ScheduleTreeModel::set_baseline(EstimatePtr baseline) {
    baseline_ = std::move(baseline);
    announce_all({});
}

void ScheduleTreeModel::set_search(const QString& text) {
    search_ = text.trimmed();
    announce_all({});
}

void ScheduleTreeModel::announce_all(const QModelIndex& parent) {
    const int rows = rowCount(parent);
    if (rows == 0)
        return;
    emit dataChanged(index(0, 0, parent), index(rows - 1, ColumnCount - 1, parent));
    for (int row = 0; row < rows; ++row)
        announce_all(index(row, 0, parent));
}

std::vector<const TreeNode*> ScheduleTreeModel::children(const TreeNode* const& item) const {
    std::vector<const TreeNode*> out;
    if (item)
        for (const TreeNodePtr& child : item->children)
            out.push_back(child.get());
    return out;
}

NodeId ScheduleTreeModel::node_id(const QModelIndex& index) const {
    const TreeNode* node = index.isValid() ? item(index) : nullptr;
    return node ? node->id : NodeId{};
}

QModelIndex ScheduleTreeModel::index_of(const NodeId& id) const {
    if (!tree_)
        return {};
    QModelIndex at;
    const std::vector<const TreeNode*> path = tree_->path(id);
    for (std::size_t depth = 1; depth < path.size(); ++depth) {
        const int rows = rowCount(at);
        int row = 0;
        while (row < rows && item(index(row, 0, at)) != path[depth])
            ++row;
        if (row == rows)
            return {};
        at = index(row, 0, at);
    }
    return at;
}

std::vector<QModelIndex> ScheduleTreeModel::matches() const {
    std::vector<QModelIndex> out;
    if (search_.isEmpty())
        return out;
    auto collect = [&](auto&& self, const QModelIndex& parent) -> void {
        for (int row = 0; row < rowCount(parent); ++row) {
            const QModelIndex at = index(row, 0, parent);
            if (matches(*item(at)))
                out.push_back(at);
            self(self, at);
        }
    };
    collect(collect, {});
    return out;
}

bool ScheduleTreeModel::matches(const TreeNode& node) const {
    return !search_.isEmpty() &&
           (node_name(node).contains(search_, Qt::CaseInsensitive) ||
            node_detail(*tree_, node).contains(search_, Qt::CaseInsensitive) ||
            node_tag(node).contains(search_, Qt::CaseInsensitive));
}

int ScheduleTreeModel::columnCount(const QModelIndex&) const { return ColumnCount; }

const model::NodeCost* ScheduleTreeModel::cost(const TreeNode& node) const {
    if (!estimate_ || !estimate_->seconds) // "0 ns" would read as a time
        return nullptr;
    const auto found = estimate_->nodes.find(node.id);
    return found == estimate_->nodes.end() ? nullptr : &found->second;
}

QVariant ScheduleTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const TreeNode& node = *item(index);
    const model::NodeCost* known =
        node.kind == TreeKind::Storage ? nullptr : cost(node); // storage takes no time
    switch (role) {
    case Qt::DisplayRole: return display(node, index.column());
    case Qt::ToolTipRole: return node_sentence(*tree_, node, known);
    case Qt::AccessibleTextRole:
        return node_kind(node) + ' ' + display(node, index.column()).toString();
    case Qt::TextAlignmentRole:
        return index.column() >= Share ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                       : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case NodeIdRole: return QVariant::fromValue(node.id);
    case NameRole: return node_name(node);
    case DetailRole: return node_detail(*tree_, node);
    case TagRole: return node_tag(node);
    case MeaningRole: return static_cast<int>(node_meaning(node));
    case SecondsRole: return known ? QVariant(known->seconds_subtree) : QVariant();
    case ShareRole:
        if (!known || !estimate_->seconds || *estimate_->seconds <= 0)
            return {};
        return std::clamp(known->seconds_subtree / *estimate_->seconds, 0.0, 1.0);
    case MatchRole: return matches(node);
    case SignRole: return change_sign_of(node);
    default: return {};
    }
}

QVariant ScheduleTreeModel::display(const TreeNode& node, int column) const {
    const model::NodeCost* known = node.kind == TreeKind::Storage ? nullptr : cost(node);
    switch (column) {
    case What: return QString(node_name(node) + ' ' + node_detail(*tree_, node)).trimmed();
    case Tag:
        if (node.kind == TreeKind::Stage)
            return known ? format_seconds(known->seconds_subtree) : QString();
        return node_tag(node);
    case Share:
        if (known && estimate_->seconds && *estimate_->seconds > 0)
            return format_share(std::clamp(known->seconds_subtree / *estimate_->seconds, 0.0, 1.0));
        return {};
    case Change: return change_text(node);
    default: return {};
    }
}

// The time of the same node under the pinned schedule; nodes that it has not are new.
QString ScheduleTreeModel::change_text(const TreeNode& node) const {
    if (!baseline_ || node.kind == TreeKind::Storage)
        return {};
    const model::NodeCost* now = cost(node);
    const auto before = baseline_->nodes.find(node.id);
    if (!now)
        return {};
    if (before == baseline_->nodes.end())
        return tr("new");
    return before->second.seconds_subtree > 0
               ? format_change(before->second.seconds_subtree, now->seconds_subtree)
               : QString();
}

int ScheduleTreeModel::change_sign_of(const TreeNode& node) const {
    const model::NodeCost* now = baseline_ && node.kind != TreeKind::Storage ? cost(node) : nullptr;
    const auto before =
        baseline_ ? baseline_->nodes.find(node.id) : decltype(baseline_->nodes.end()){};
    return now && before != baseline_->nodes.end()
               ? change_sign(before->second.seconds_subtree, now->seconds_subtree)
               : 0;
}

QVariant ScheduleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case What: return tr("What");
    case Tag: return tr("How it runs");
    case Cost: return tr("Cost");
    case Share: return tr("Share");
    case Change: return tr("Against the baseline");
    default: return {};
    }
}

} // namespace loopscope::views
