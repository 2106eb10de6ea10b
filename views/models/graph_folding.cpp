#include "views/models/graph_folding.h"

#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <map>

namespace loopscope::views {

std::vector<std::string> fold_paths(const std::string& group) {
    std::vector<std::string> paths;
    for (std::size_t begin = 0; begin < group.size();) {
        const std::size_t end = std::min(group.find('/', begin), group.size());
        const std::size_t equals = group.find('=', begin);
        if (equals < end) // an iteration of a loop: the loop comes first
            paths.push_back(group.substr(0, equals));
        paths.push_back(group.substr(0, end));
        begin = end + 1;
    }
    return paths;
}

std::vector<std::string> level_folds(const std::vector<std::string>& names) {
    constexpr std::size_t least_levels = 3, least_families = 2;
    struct Parts {
        std::string family, number; // "wide_half#" and "3" of "wide_half3"
    };
    std::vector<Parts> parts;
    std::map<std::string, std::set<std::string>> numbers; // by family
    for (const std::string& name : names) {
        const std::size_t last = name.find_last_of("0123456789");
        Parts& part = parts.emplace_back();
        if (last == std::string::npos)
            continue;
        const std::size_t before = name.find_last_not_of("0123456789", last);
        const std::size_t first = before == std::string::npos ? 0 : before + 1;
        part = {name.substr(0, first) + '#' + name.substr(last + 1),
                name.substr(first, last + 1 - first)};
        numbers[part.family].insert(part.number);
    }
    std::erase_if(numbers, [&](const auto& each) { return each.second.size() < least_levels; });
    std::vector<std::string> levels(names.size());
    if (numbers.size() < least_families)
        return levels;
    for (std::size_t n = 0; n < names.size(); ++n)
        if (numbers.count(parts[n].family))
            levels[n] = '#' + parts[n].number;
    return levels;
}

QString fold_name(const std::string& path) {
    if (is_level(path))
        return QObject::tr("level %1").arg(to_qstring(path.substr(1)));
    QStringList parts;
    for (QString part : to_qstring(path).split('/'))
        parts << (part.contains('=') ? part.replace('=', QStringLiteral(" = "))
                                     : QObject::tr("all %1").arg(part));
    return parts.join(QStringLiteral(", "));
}

namespace {

class Folder {
public:
    Folder(const PipelineGraph& whole, const std::set<std::string>& folded)
        : whole_(whole), folded_(folded) {}

    PipelineGraph fold() {
        graph_.groups = whole_.groups;
        for (const PipelineNode& node : whole_.nodes)
            if (const std::string* path = folded_path(node))
                ++sizes_[*path];
        for (std::size_t n = 0; n < whole_.nodes.size(); ++n)
            place(n);
        for (PipelineNode& node : graph_.nodes)
            if (!node.folded.empty())
                describe(node);
        add_edges();
        return std::move(graph_);
    }

private:
    const std::string* folded_path(const PipelineNode& node) const {
        const auto outermost = std::find_if(node.folds.begin(), node.folds.end(),
                                            [&](const auto& path) { return folded_.count(path); });
        return outermost == node.folds.end() ? nullptr : &*outermost;
    }

    void place(std::size_t n) {
        const PipelineNode& node = whole_.nodes[n];
        const std::string* outermost = folded_path(node);
        int at = static_cast<int>(graph_.nodes.size());
        // One whose others are in groups around it is as it was.
        if (!outermost || sizes_[*outermost] < 2) {
            graph_.nodes.push_back(node);
        } else if (const auto [it, fresh] = at_.emplace(*outermost, at); fresh) {
            PipelineNode made = node;
            made.stage.clear();
            made.folded = *outermost;
            made.name = fold_name(*outermost);
            made.folds.assign(node.folds.begin(),
                              std::find(node.folds.begin(), node.folds.end(), *outermost));
            graph_.nodes.push_back(std::move(made));
        } else {
            at = it->second;
            join(graph_.nodes[static_cast<std::size_t>(at)], node);
        }
        place_.push_back(at);
        graph_.by_stage[node.stage] = at;
    }

    static void join(PipelineNode& into, const PipelineNode& node) {
        into.is_input = into.is_input && node.is_input;
        into.is_output = into.is_output || node.is_output;
        into.inlined = into.inlined && node.inlined;
        into.bytes += node.bytes;
        into.members.push_back(node.stage);
        // in several kernels, or partly in none
        if (into.group != node.group)
            into.group = -1;
    }

    static void describe(PipelineNode& node) {
        node.detail = QObject::tr("%1 stages").arg(node.members.size());
        if (node.bytes > 0)
            node.detail += QStringLiteral(" · ") + format_capacity(node.bytes);
    }

    void add_edges() {
        std::map<std::pair<int, int>, int> known; // of graph_.edges
        std::set<std::pair<int, int>> counted;    // (source in the whole graph, edge)
        for (const PipelineEdge& edge : whole_.edges) {
            const int from = place_[static_cast<std::size_t>(edge.from)],
                      to = place_[static_cast<std::size_t>(edge.to)];
            if (from == to)
                continue;
            const auto [it, fresh] =
                known.emplace(std::pair(from, to), static_cast<int>(graph_.edges.size()));
            if (fresh)
                graph_.edges.push_back({from, to, 0});
            if (counted.insert({edge.from, it->second}).second)
                graph_.edges[static_cast<std::size_t>(it->second)].bytes += edge.bytes;
        }
    }

    const PipelineGraph& whole_;
    const std::set<std::string>& folded_;
    PipelineGraph graph_;
    std::vector<int> place_;           // the new node of each old one
    std::map<std::string, int> at_;    // the node of each folded group
    std::map<std::string, int> sizes_; // of each, the nodes that it alone holds
};

} // namespace

PipelineGraph fold(const PipelineGraph& whole, const std::set<std::string>& folded) {
    return folded.empty() ? whole : Folder(whole, folded).fold();
}

namespace {
enum class Depth { Outermost, Innermost };

std::set<std::string> groups_at(Depth depth, const PipelineGraph& whole) {
    std::set<std::string> groups;
    for (const PipelineNode& node : whole.nodes)
        if (!node.folds.empty())
            groups.insert(depth == Depth::Innermost || is_level(node.folds.back())
                              ? node.folds.back()
                              : node.folds.front());
    // Inside of a loop that is folded whole its levels would not be seen.
    for (const PipelineNode& node : whole.nodes)
        if (!node.folds.empty() && is_level(node.folds.back()))
            for (const std::string& path : node.folds)
                if (!is_level(path))
                    groups.erase(path);
    return groups;
}
} // namespace

std::set<std::string> outermost_groups(const PipelineGraph& whole) {
    return groups_at(Depth::Outermost, whole);
}

std::set<std::string> folded_at_opening(const PipelineGraph& whole) {
    constexpr std::size_t kReadableNodes = 30; // of a chain with some branches, in a high panel
    if (whole.nodes.size() <= kReadableNodes)
        return {};
    const std::set<std::string> innermost = groups_at(Depth::Innermost, whole);
    return fold(whole, innermost).nodes.size() <= kReadableNodes ? innermost
                                                                 : outermost_groups(whole);
}

std::vector<std::pair<std::string, int>> groups_of(const PipelineGraph& whole) {
    std::map<std::string, int> sizes;
    for (const PipelineNode& node : whole.nodes)
        for (const std::string& path : node.folds)
            ++sizes[path];
    return {sizes.begin(), sizes.end()};
}

} // namespace loopscope::views
