#include "views/models/schedule_tree_model.h"

#include "views/models/graph_folding.h"
#include "views/models/kernel_text.h"
#include "views/models/memory_text.h"
#include "views/models/node_text.h"
#include "views/style/number_format.h"

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kWarpThreads = 32; // of every GPU that is described

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

void ScheduleTreeModel::set_tree(ScheduleTreePtr tree) { show(std::move(tree)); }

void ScheduleTreeModel::set_folded(std::map<std::string, std::string> groups) {
    if (groups == folded_)
        return;
    folded_ = std::move(groups);
    show(tree_);
}

void ScheduleTreeModel::show(ScheduleTreePtr tree) {
    std::map<NodeId, Group> groups;
    TreeNodePtr shown = tree ? grouped(tree, groups) : nullptr;
    if (shown && shown_ && same_rows(*shown, *shown_)) {
        // Rows point into these until they are replaced.
        const ScheduleTreePtr before = std::move(tree_);
        const TreeNodePtr rows = std::move(shown_);
        tree_ = std::move(tree);
        shown_ = std::move(shown);
        groups_ = std::move(groups);
        replace_items(shown_.get());
        announce_rows();
        return;
    }
    beginResetModel();
    tree_ = std::move(tree);
    shown_ = std::move(shown);
    groups_ = std::move(groups);
    clear_rows(shown_.get());
    endResetModel();
}

// The order of execution stays: a level of a pyramid that is passed on the way up and on the way
// down has two rows.
TreeNodePtr ScheduleTreeModel::grouped(const ScheduleTreePtr& tree,
                                       std::map<NodeId, Group>& groups) const {
    if (folded_.empty())
        return tree->root;
    auto root = std::make_shared<TreeNode>(*tree->root);
    root->children.clear();
    std::shared_ptr<TreeNode> open;
    std::string path;
    for (const TreeNodePtr& child : tree->root->children) {
        const auto found = folded_.find(child->id.stage);
        if (found == folded_.end() || found->second != path)
            open = nullptr;
        if (found == folded_.end()) {
            path.clear();
            root->children.push_back(child);
            continue;
        }
        if (!open) {
            path = found->second;
            open = std::make_shared<TreeNode>();
            open->kind = TreeKind::Stage;
            open->id.name = "@fold/" + path + "/" + std::to_string(groups.size());
            groups[open->id] = {path, 0};
            root->children.push_back(open);
        }
        groups[open->id].stages += child->kind == TreeKind::Stage ? 1 : 0;
        open->children.push_back(child);
    }
    return root;
}

const ScheduleTreeModel::Group* ScheduleTreeModel::group(const TreeNode& node) const {
    if (!node.id.stage.empty())
        return nullptr;
    const auto found = groups_.find(node.id);
    return found == groups_.end() ? nullptr : &found->second;
}

bool ScheduleTreeModel::is_group(const QModelIndex& index) const {
    return index.isValid() && group(*item(index));
}

std::string ScheduleTreeModel::stage_of(const QModelIndex& index) const {
    if (!index.isValid())
        return {};
    const TreeNode& node = *item(index);
    return group(node) ? node.children.front()->id.stage : node.id.stage;
}

void ScheduleTreeModel::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    announce_rows();
}

void ScheduleTreeModel::set_baseline(EstimatePtr baseline) {
    baseline_ = std::move(baseline);
    announce_rows();
}

void ScheduleTreeModel::set_findings(std::map<NodeId, QString> findings) {
    if (findings == findings_)
        return;
    findings_ = std::move(findings);
    announce_rows();
}

QString ScheduleTreeModel::finding(const TreeNode& node) const {
    const auto found = findings_.find(node.id);
    return found == findings_.end() ? QString() : found->second;
}

void ScheduleTreeModel::set_search(const QString& text) {
    search_ = text.trimmed();
    announce_rows();
}

std::vector<const TreeNode*> ScheduleTreeModel::children(const TreeNode* const& item) const {
    std::vector<const TreeNode*> out;
    if (item)
        for (const TreeNodePtr& child : item->children)
            out.push_back(child.get());
    return out;
}

bool ScheduleTreeModel::has_children(const TreeNode* const& item) const {
    return item && !item->children.empty();
}

std::size_t ScheduleTreeModel::count_rows(std::size_t most) const {
    std::size_t rows = 0;
    auto count = [&](auto&& self, const TreeNode& node) -> void {
        for (const TreeNodePtr& child : node.children) {
            if (rows == most)
                return;
            ++rows;
            self(self, *child);
        }
    };
    if (shown_)
        count(count, *shown_);
    return rows;
}

void ScheduleTreeModel::each_parent(const std::function<void(const NodeId&)>& visit) const {
    auto walk = [&](auto&& self, const TreeNode& node) -> void {
        for (const TreeNodePtr& child : node.children) {
            if (!child->children.empty() && !group(*child))
                visit(child->id);
            self(self, *child);
        }
    };
    if (shown_)
        walk(walk, *shown_);
}

NodeId ScheduleTreeModel::node_id(const QModelIndex& index) const {
    const TreeNode* node = index.isValid() ? item(index) : nullptr;
    return node ? node->id : NodeId{};
}

QModelIndex ScheduleTreeModel::index_of(const NodeId& id) const {
    if (!tree_)
        return {};
    QModelIndex at;
    if (groups_.count(id)) {
        int row = 0;
        while (item(index(row, 0))->id != id)
            ++row;
        return index(row, 0);
    }
    std::vector<const TreeNode*> path = tree_->path(id);
    if (path.size() > 1 && !groups_.empty())
        for (const TreeNodePtr& top : shown_->children)
            if (group(*top) && std::any_of(top->children.begin(), top->children.end(),
                                           [&](const auto& each) { return each.get() == path[1]; }))
                path.insert(path.begin() + 1, top.get());
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

QModelIndex ScheduleTreeModel::next_match(const NodeId& behind) const {
    if (search_.isEmpty() || !shown_)
        return {};
    const TreeNode *first = nullptr, *next = nullptr;
    bool passed = false;
    auto walk = [&](auto&& self, const TreeNode& node) -> void {
        for (const TreeNodePtr& child : node.children) {
            if (next)
                return;
            if ((passed || !first) && matches(*child)) {
                if (passed)
                    next = child.get();
                else
                    first = child.get();
            }
            passed = passed || child->id == behind;
            self(self, *child);
        }
    };
    walk(walk, *shown_);
    const TreeNode* found = next ? next : first;
    return found ? index_of(found->id) : QModelIndex();
}

QModelIndex ScheduleTreeModel::previous_match(const NodeId& before) const {
    if (search_.isEmpty() || !shown_)
        return {};
    const TreeNode *above = nullptr, *last = nullptr;
    auto walk = [&](auto&& self, const TreeNode& node) -> void {
        for (const TreeNodePtr& child : node.children) {
            if (child->id == before)
                above = last;
            if (matches(*child))
                last = child.get();
            self(self, *child);
        }
    };
    walk(walk, *shown_);
    const TreeNode* found = above ? above : last;
    return found ? index_of(found->id) : QModelIndex();
}

ScheduleTreeModel::MatchPlace ScheduleTreeModel::match_place(const NodeId& id) const {
    MatchPlace place;
    auto walk = [&](auto&& self, const TreeNode& node) -> void {
        for (const TreeNodePtr& child : node.children) {
            if (matches(*child)) {
                ++place.count;
                if (child->id == id)
                    place.at = place.count;
            }
            self(self, *child);
        }
    };
    if (shown_ && !search_.isEmpty())
        walk(walk, *shown_);
    return place;
}

bool ScheduleTreeModel::matches(const TreeNode& node) const {
    return !search_.isEmpty() && (name(node).contains(search_, Qt::CaseInsensitive) ||
                                  detail(node).contains(search_, Qt::CaseInsensitive) ||
                                  node_tag(node).contains(search_, Qt::CaseInsensitive));
}

int ScheduleTreeModel::columnCount(const QModelIndex&) const { return ColumnCount; }

// Seconds of a node with all that is inside; nothing: not known, or storage, which takes no time.
std::optional<double> ScheduleTreeModel::seconds(const EstimatePtr& estimate,
                                                 const TreeNode& node) const {
    if (!estimate || !estimate->seconds ||
        node.kind == TreeKind::Storage) // "0 ns" would read as a time
        return {};
    if (group(node)) {
        std::optional<double> sum;
        for (const TreeNodePtr& child : node.children)
            if (const auto part = seconds(estimate, *child))
                sum = sum.value_or(0) + *part;
        return sum;
    }
    const auto found = estimate->nodes.find(node.id);
    return found == estimate->nodes.end() ? std::optional<double>() : found->second.seconds_subtree;
}

std::optional<double> ScheduleTreeModel::share(const TreeNode& node) const {
    const auto part = seconds(estimate_, node);
    if (!part || *estimate_->seconds <= 0)
        return {};
    return std::clamp(*part / *estimate_->seconds, 0.0, 1.0);
}

QString ScheduleTreeModel::name(const TreeNode& node) const {
    const Group* folded = group(node);
    return folded ? fold_name(folded->path) : node_name(node);
}

QString ScheduleTreeModel::detail(const TreeNode& node) const {
    const Group* folded = group(node);
    if (!folded) {
        const QString own = node_detail(*tree_, node), kernels = kernel_text(node);
        return kernels.isEmpty() ? own : own + QStringLiteral(" · ") + kernels;
    }
    QStringList names;
    for (const TreeNodePtr& child : node.children)
        if (child->kind == TreeKind::Stage)
            names << node_name(*child);
    return (folded->stages == 1 ? tr("1 stage") : tr("%1 stages").arg(folded->stages)) +
           QStringLiteral(": ") + names.join(QStringLiteral(", "));
}

// The launches of a stage at root on a GPU.
QString ScheduleTreeModel::kernel_text(const TreeNode& node) const {
    const bool at_root = node.kind == TreeKind::Stage && node.compute_level.stage.empty();
    return at_root && estimate_ ? kernels_text(*estimate_, node.id.stage, kWarpThreads) : QString();
}

QString ScheduleTreeModel::sentence(const TreeNode& node) const {
    if (group(node))
        return tr("Folded group %1, %2.").arg(name(node), detail(node));
    const bool costs = estimate_ && estimate_->seconds && node.kind != TreeKind::Storage;
    const auto found = costs ? estimate_->nodes.find(node.id) : decltype(estimate_->nodes.end()){};
    return node_sentence(*tree_, node,
                         costs && found != estimate_->nodes.end() ? &found->second : nullptr);
}

// The columns have no headings, which would take a row.
QString ScheduleTreeModel::figure_sentence(const TreeNode& node, int column) const {
    if (column == Change) {
        const QString change = change_text(node);
        return change.isEmpty() ? QString() : tr("Against the baseline: %1.").arg(change);
    }
    const auto part = column == Cost || column == Share ? share(node) : std::nullopt;
    return part ? tr("%1 of the time, with what is computed inside it.").arg(format_share(*part))
                : QString();
}

ScheduleTreeModel::Look ScheduleTreeModel::look(const TreeNode& node) const {
    if (node.kind == TreeKind::Storage) {
        if (node.rotation > 1)
            return Rotating;
        if (!folded_text(node).isEmpty())
            return Circular;
    }
    const bool has_look = node.kind == TreeKind::Stage || node.kind == TreeKind::Storage;
    const DerivedStage* derived = has_look ? tree_->find_stage(node.id.stage) : nullptr;
    return derived && (!derived->copy_of.empty() || !derived->cache_of.empty()) ? Made : Plain;
}

QVariant ScheduleTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const TreeNode& node = *item(index);
    auto number = [](const std::optional<double>& value) {
        return value ? QVariant(*value) : QVariant();
    };
    switch (role) {
    case Qt::DisplayRole: return display(node, index.column());
    case Qt::ToolTipRole: {
        QStringList lines{finding(node), figure_sentence(node, index.column()), sentence(node)};
        lines.removeAll(QString());
        return lines.join('\n');
    }
    case FindingRole: return finding(node);
    case Qt::AccessibleTextRole:
        return (group(node) ? tr("group") : node_kind(node)) + ' ' +
               display(node, index.column()).toString() +
               (index.column() == What && !finding(node).isEmpty() ? ' ' + finding(node)
                                                                   : QString());
    case Qt::TextAlignmentRole:
        return index.column() >= Share ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                       : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case NodeIdRole: return QVariant::fromValue(node.id);
    case NameRole: return name(node);
    case DetailRole: return detail(node);
    case TagRole: return node_tag(node);
    case MeaningRole: return static_cast<int>(node_meaning(node));
    case SecondsRole: return number(seconds(estimate_, node));
    case ShareRole: return number(share(node));
    case MatchRole: return matches(node);
    case SignRole: return change_sign_of(node);
    case LookRole: return static_cast<int>(look(node));
    default: return {};
    }
}

QVariant ScheduleTreeModel::display(const TreeNode& node, int column) const {
    switch (column) {
    case What: return QString(name(node) + ' ' + detail(node)).trimmed();
    case Tag:
        if (node.kind == TreeKind::Stage) {
            const auto time = seconds(estimate_, node);
            return time ? format_seconds(*time) : QString();
        }
        return node_tag(node);
    case Share: {
        const auto part = share(node);
        return part ? QVariant(format_share(*part)) : QVariant();
    }
    case Change: return change_text(node);
    default: return {};
    }
}

// The time of the same node under the pinned schedule; nodes that it has not are new.
QString ScheduleTreeModel::change_text(const TreeNode& node) const {
    const auto now = seconds(estimate_, node);
    if (!baseline_ || !now)
        return {};
    const auto before = seconds(baseline_, node);
    if (!before)
        return tr("new");
    return *before > 0 ? format_change(*before, *now) : QString();
}

int ScheduleTreeModel::change_sign_of(const TreeNode& node) const {
    const auto now = seconds(estimate_, node), before = seconds(baseline_, node);
    return now && before ? change_sign(*before, *now) : 0;
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
