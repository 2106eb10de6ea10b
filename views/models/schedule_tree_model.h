#pragma once
// A schedule tree and its estimate as rows. Formats what they know and derives nothing; rows are
// made lazily.

#include "views/models/snapshots.h"
#include "views/models/tree_model.h"
#include "views/style/theme.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace loopscope::views {

class ScheduleTreeModel : public TreeModel<const TreeNode*> {
    Q_OBJECT
public:
    enum Column { What, Tag, Cost, Share, Change, ColumnCount };
    enum Role {
        NodeIdRole = Qt::UserRole, // NodeId
        NameRole,                  // QString, shown bold: a loop's name, a stage
        DetailRole,                // QString, shown faint: extent, element type, box
        TagRole,     // QString, shown in brackets: "parallel", "vector ×8"; empty: no tag
        MeaningRole, // int(Meaning): the tag's colour
        ShareRole,   // double in [0, 1], of the estimated time, subtree included; invalid: unknown
        SecondsRole, // double, subtree included; invalid: unknown
        MatchRole,   // bool: the row matches the search
        SignRole,    // int: the cost against the baseline's: -1 better, +1 worse
        FindingRole, // QString: what the check found here; empty: nothing
        LookRole,    // int(Look): what stands before the name
    };
    enum Look {
        Plain,
        Made,     // a stage, or its memory, made by cache_read or cache_write
        Circular, // memory that folds
        Rotating, // copies of memory that rotate
    };

    explicit ScheduleTreeModel(QObject* parent = nullptr);

    // Null: no rows. Where the new tree has the same rows, only their contents change: selection
    // and folding stay.
    void set_tree(ScheduleTreePtr tree);
    // May belong to an earlier tree: nodes that it does not know have no cost.
    void set_estimate(EstimatePtr estimate);
    // What Change compares with; null: nothing is pinned, and the column is empty.
    void set_baseline(EstimatePtr baseline);
    // By node, what a check found wrong there.
    void set_findings(std::map<NodeId, QString> findings);
    // By stage, the group that is folded in the pipeline graph (graph_folding.h): stages at root
    // that follow one another and belong to one stand below one row. Empty: none.
    void set_folded(std::map<std::string, std::string> groups);
    const std::map<std::string, std::string>& folded() const { return folded_; }
    bool is_group(const QModelIndex& index) const; // such a row
    // The stage of a row, of a group's the first one.
    std::string stage_of(const QModelIndex& index) const;
    // Rows whose name, detail or tag contains the text match; empty: none.
    void set_search(const QString& text);

    const ScheduleTreePtr& tree() const { return tree_; }
    NodeId node_id(const QModelIndex& index) const;
    // The row of a node, or an invalid index.
    QModelIndex index_of(const NodeId& id) const;
    // The next row that matches the search, in order of display, behind that of a node; from the
    // first one on where that one is the last, or there is none. Invalid: nothing matches. Only the
    // rows on the way to it are made.
    QModelIndex next_match(const NodeId& behind = {}) const;
    QModelIndex previous_match(const NodeId& before) const; // the last one above it, or of all
    // Which of the rows that match a node's is, from 1 on, and of how many; 0: it does not match.
    struct MatchPlace {
        std::size_t at = 0, count = 0;
    };
    MatchPlace match_place(const NodeId& id) const;
    // How many rows the whole tree has, or `most` if they are more; none is made.
    std::size_t count_rows(std::size_t most) const;
    // The identities of all nodes that have something inside, without rows of groups.
    void each_parent(const std::function<void(const NodeId&)>& visit) const;

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    std::vector<const TreeNode*> children(const TreeNode* const& item) const override;
    bool has_children(const TreeNode* const& item) const override;

private:
    struct Group {
        std::string path;
        int stages = 0;
    };
    TreeNodePtr grouped(const ScheduleTreePtr& tree, std::map<NodeId, Group>& groups) const;
    void show(ScheduleTreePtr tree);
    const Group* group(const TreeNode& node) const; // null: a node of the tree
    std::optional<double> seconds(const EstimatePtr& estimate, const TreeNode& node) const;
    std::optional<double> share(const TreeNode& node) const;
    QString name(const TreeNode& node) const;
    QString detail(const TreeNode& node) const;
    QString kernel_text(const TreeNode& node) const;
    QString sentence(const TreeNode& node) const;
    QString figure_sentence(const TreeNode& node, int column) const; // what a column's figure is of
    QString finding(const TreeNode& node) const;
    Look look(const TreeNode& node) const;
    QVariant display(const TreeNode& node, int column) const;
    bool matches(const TreeNode& node) const;

    ScheduleTreePtr tree_;
    // the tree's root, or one like it in which rows of groups stand for their stages
    TreeNodePtr shown_;
    std::map<NodeId, Group> groups_;
    std::map<std::string, std::string> folded_;
    QString change_text(const TreeNode& node) const;
    int change_sign_of(const TreeNode& node) const;

    EstimatePtr estimate_, baseline_;
    std::map<NodeId, QString> findings_;
    QString search_;
};

} // namespace loopscope::views
