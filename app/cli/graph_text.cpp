#include "app/cli/graph_text.h"

#include <algorithm>

namespace loopscope::cli {

namespace {

constexpr int kFree = -1;

class Lanes {
public:
    explicit Lanes(const std::vector<GraphNode>& nodes)
        : nodes_(nodes), last_reader_(nodes.size(), kFree) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (int read : nodes[i].reads)
                last_reader_[static_cast<std::size_t>(read)] = static_cast<int>(i);
    }

    std::string draw(int node) {
        std::vector<int> read;
        for (int column = 0; column < static_cast<int>(owners_.size()); ++column)
            if (int owner = owners_[static_cast<std::size_t>(column)];
                owner != kFree && reads(node, owner))
                read.push_back(column);
        int own = free_column();
        Line line{own, own};
        if (!read.empty())
            line = {std::min(own, read.front()), std::max(own, read.back())};
        std::string text;
        for (int column = 0; column < static_cast<int>(owners_.size()); ++column) {
            text += column == own ? symbol(node) : lane(node, column, line);
            text += line.covers(column) && line.covers(column + 1) ? "─" : " ";
        }
        settle(node, own);
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

private:
    bool reads(int node, int other) const {
        const auto& list = nodes_[static_cast<std::size_t>(node)].reads;
        return std::find(list.begin(), list.end(), other) != list.end();
    }

    // The horizontal line of a row, from the leftmost to the rightmost of what it joins.
    struct Line {
        int left, right;
        bool covers(int column) const { return left <= column && column <= right; }
    };

    // The first column that no lane uses now; never one that ends in this row, which the line has
    // to meet.
    int free_column() {
        auto free = std::find(owners_.begin(), owners_.end(), kFree);
        if (free == owners_.end())
            free = owners_.insert(free, kFree);
        return static_cast<int>(free - owners_.begin());
    }

    const char* symbol(int node) const {
        const auto& n = nodes_[static_cast<std::size_t>(node)];
        return n.input ? "○" : n.output ? "◆" : "●";
    }

    const char* lane(int node, int column, const Line& line) const {
        int owner = owners_[static_cast<std::size_t>(column)];
        bool to_left = line.left < column && column <= line.right,
             to_right = line.left <= column && column < line.right;
        if (owner == kFree)
            return to_left && to_right ? "─" : " ";
        if (!reads(node, owner))
            return "│";
        bool goes_on = last_reader_[static_cast<std::size_t>(owner)] > node;
        if (to_left && to_right)
            return goes_on ? "┼" : "┴";
        if (to_left)
            return goes_on ? "┤" : "┘";
        return goes_on ? "├" : "└";
    }

    void settle(int node, int own) {
        for (auto& owner : owners_)
            if (owner != kFree && last_reader_[static_cast<std::size_t>(owner)] == node)
                owner = kFree;
        if (last_reader_[static_cast<std::size_t>(node)] > node)
            owners_[static_cast<std::size_t>(own)] = node;
        while (!owners_.empty() && owners_.back() == kFree)
            owners_.pop_back();
    }

    const std::vector<GraphNode>& nodes_;
    std::vector<int> last_reader_;
    std::vector<int> owners_; // by column: the node whose lane it is
};

} // namespace

std::vector<std::string> draw_graph(const std::vector<GraphNode>& nodes) {
    Lanes lanes(nodes);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        lines.push_back(lanes.draw(static_cast<int>(i)));
    return lines;
}

} // namespace loopscope::cli
