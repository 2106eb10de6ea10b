// Which rows of two scripts or two trees stand beside one another.

#include "views/models/node_text.h"
#include "views/models/side_by_side.h"
#include "views/models/snapshots.h"
#include "views/style/number_format.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope::views {

namespace {

struct Keyed {
    std::string key; // equal keys: the same row
    std::string kin; // equal kin, not empty: two forms of one that changed
};

constexpr std::size_t kMaxPairs = 250'000; // of lines in a gap that are tried: some milliseconds

// Appends the rows of a gap: those of the left in order beside those of the right that are of their
// kin.
void pair_kin(const std::vector<Keyed>& left, const std::vector<Keyed>& right, int l, int l_end,
              int r, int r_end, std::vector<std::pair<int, int>>& out) {
    const auto n = static_cast<std::size_t>(l_end - l), m = static_cast<std::size_t>(r_end - r);
    // longest[i][j]: pairs in what is left of both after i and j rows.
    std::vector<int> longest((n + 1) * (m + 1), 0);
    auto at = [&](std::size_t i, std::size_t j) -> int& { return longest[i * (m + 1) + j]; };
    auto kin = [&](std::size_t i, std::size_t j) {
        const auto& a = left[static_cast<std::size_t>(l) + i].kin;
        return !a.empty() && a == right[static_cast<std::size_t>(r) + j].kin;
    };
    const bool try_all = n * m <= kMaxPairs;
    for (std::size_t i = n; try_all && i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            at(i, j) = kin(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    std::size_t i = 0, j = 0;
    while (i < n || j < m) {
        const bool both = i < n && j < m;
        if (both && kin(i, j))
            out.emplace_back(l + static_cast<int>(i++), r + static_cast<int>(j++));
        else if (i < n && (!both || at(i + 1, j) >= at(i, j + 1)))
            out.emplace_back(l + static_cast<int>(i++), -1);
        else
            out.emplace_back(-1, r + static_cast<int>(j++));
    }
}

std::string joined_rows(const std::vector<Keyed>& rows) {
    std::string text;
    for (const Keyed& row : rows)
        text += row.key + '\n';
    return text;
}

// Pairs of rows; -1: that side has none.
std::vector<std::pair<int, int>> align(const std::vector<Keyed>& left,
                                       const std::vector<Keyed>& right) {
    std::vector<std::pair<int, int>> out;
    int l = 0, r = 0;
    for (const DiffLine& line : line_diff(joined_rows(left), joined_rows(right)).lines) {
        if (line.change != LineChange::Same)
            continue;
        pair_kin(left, right, l, line.before, r, line.after, out);
        out.emplace_back(line.before, line.after);
        l = line.before + 1;
        r = line.after + 1;
    }
    pair_kin(left, right, l, static_cast<int>(left.size()), r, static_cast<int>(right.size()), out);
    return out;
}

QString line_text(std::string_view line) {
    QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
    while (!text.isEmpty() && text.back().isSpace())
        text.chop(1);
    return text;
}

Keyed keyed_line(std::string_view whole) {
    const QString line = line_text(whole);
    const auto hash = line.indexOf('#');
    QString directive = line.left(hash < 0 ? line.size() : hash), comment;
    if (hash >= 0)
        comment = line.mid(hash).simplified();
    directive = directive.simplified();
    Keyed row;
    const auto bracket = directive.indexOf('(');
    if (bracket > 0)
        row.kin = directive.left(bracket).remove(' ').toStdString();
    row.key = (directive.remove(' ') + comment).toStdString();
    return row;
}

std::vector<Keyed> keyed_lines(const std::vector<std::string_view>& lines) {
    std::vector<Keyed> rows;
    for (const std::string_view line : lines)
        rows.push_back(keyed_line(line));
    return rows;
}

void mark_part(SideCell& left, SideCell& right) {
    const std::string a = left.text.toStdString(), b = right.text.toStdString();
    const LinePart part = changed_part(a, b);
    auto characters = [](const std::string& text, int bytes) {
        return static_cast<int>(QString::fromUtf8(text.data(), bytes).size());
    };
    left.part_begin = right.part_begin = characters(a, part.begin);
    left.part_end = characters(a, part.end_before);
    right.part_end = characters(b, part.end_after);
}

struct FlatNode {
    const TreeNode* node;
    int depth;
};

void flatten(const TreeNode& node, int depth, std::vector<FlatNode>& out) {
    if (node.kind != TreeKind::Root)
        out.push_back({&node, depth++});
    for (const TreeNodePtr& child : node.children)
        flatten(*child, depth, out);
}

SideCell cell_of(const ScheduleTree& tree, const model::Estimate* estimate, const FlatNode& flat) {
    const TreeNode& node = *flat.node;
    SideCell cell;
    cell.present = true;
    cell.text = node_name(node);
    cell.detail = node_detail(tree, node);
    cell.tag = node_tag(node);
    cell.meaning = node_meaning(node);
    cell.depth = flat.depth;
    cell.node = node.id;
    if (estimate && estimate->seconds && node.kind != TreeKind::Storage)
        if (const auto cost = estimate->nodes.find(node.id); cost != estimate->nodes.end())
            cell.figure = format_seconds(cost->second.seconds_subtree);
    return cell;
}

std::vector<Keyed> keyed_nodes(const std::vector<FlatNode>& nodes) {
    std::vector<Keyed> rows;
    for (const FlatNode& flat : nodes)
        rows.push_back({flat.node->id.text(), {}});
    return rows;
}

} // namespace

SideRows align_scripts(const std::string& left, const std::string& right) {
    const auto a = split_lines(left), b = split_lines(right);
    const auto keyed_a = keyed_lines(a), keyed_b = keyed_lines(b);
    SideRows rows;
    auto cell = [](const std::vector<std::string_view>& lines, int line) {
        SideCell out;
        out.present = line >= 0;
        if (out.present) {
            out.text = line_text(lines[static_cast<std::size_t>(line)]);
            out.number = line + 1;
        }
        return out;
    };
    for (const auto& [in_a, in_b] : align(keyed_a, keyed_b)) {
        SideRow row;
        row.left = cell(a, in_a);
        row.right = cell(b, in_b);
        row.change = in_a < 0   ? SideChange::OnlyRight
                     : in_b < 0 ? SideChange::OnlyLeft
                     : keyed_a[static_cast<std::size_t>(in_a)].key ==
                             keyed_b[static_cast<std::size_t>(in_b)].key
                         ? SideChange::Same
                         : SideChange::Changed;
        if (row.change == SideChange::Changed)
            mark_part(row.left, row.right);
        rows.push_back(std::move(row));
    }
    return rows;
}

SideRows align_trees(const ScheduleTree& left, const model::Estimate* left_estimate,
                     const ScheduleTree& right, const model::Estimate* right_estimate) {
    std::vector<FlatNode> a, b;
    flatten(*left.root, 0, a);
    flatten(*right.root, 0, b);
    std::map<NodeId, TreeDifference::Kind> differs;
    for (const TreeDifference& each : difference(left, right))
        differs.emplace(each.id, each.kind);
    auto kind = [&](const FlatNode& flat) {
        const auto found = differs.find(flat.node->id);
        return found == differs.end() ? nullptr : &found->second;
    };
    SideRows rows;
    for (const auto& [in_a, in_b] : align(keyed_nodes(a), keyed_nodes(b))) {
        const FlatNode* of_a = in_a < 0 ? nullptr : &a[static_cast<std::size_t>(in_a)];
        const FlatNode* of_b = in_b < 0 ? nullptr : &b[static_cast<std::size_t>(in_b)];
        SideRow row;
        if (of_a)
            row.left = cell_of(left, left_estimate, *of_a);
        if (of_b)
            row.right = cell_of(right, right_estimate, *of_b);
        const TreeDifference::Kind* how = kind(of_a ? *of_a : *of_b);
        if (of_a && of_b)
            row.change = how ? SideChange::Changed : SideChange::Same;
        else if (!how || *how == TreeDifference::Kind::Changed)
            row.change = SideChange::Moved;
        else
            row.change = of_a ? SideChange::OnlyLeft : SideChange::OnlyRight;
        rows.push_back(std::move(row));
    }
    return rows;
}

int differing_rows(const SideRows& rows) {
    return static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const SideRow& row) {
        return row.change != SideChange::Same;
    }));
}

} // namespace loopscope::views
