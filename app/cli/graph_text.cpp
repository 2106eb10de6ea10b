#include "app/cli/graph_text.h"

#include <algorithm>

namespace loopscope::cli {

namespace {

constexpr int kFree = -1;

class Lanes {
public:
    explicit Lanes(const std::vector<GraphNode>& nodes) : nodes_(nodes), last_reader_(nodes.size(), kFree) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (int read : nodes[i].reads)
                last_reader_[static_cast<std::size_t>(read)] = static_cast<int>(i);
    }

    std::string draw(int node) {
        int first_read = -1, last_read = -1;
        for (std::size_t column = 0; column < owners_.size(); ++column)
            if (owners_[column] != kFree && reads(node, owners_[column])) {
                first_read = first_read < 0 ? static_cast<int>(column) : first_read;
                last_read = static_cast<int>(column);
            }
        int own = free_column(last_read + 1);
        std::string line;
        for (int column = 0; column < std::max(own + 1, static_cast<int>(owners_.size())); ++column) {
            line += column == own ? symbol(node) : lane(node, column, first_read, own);
            line += first_read >= 0 && column >= first_read && column < own ? "─" : " ";
        }
        settle(node, own);
        line.erase(line.find_last_not_of(' ') + 1);
        return line;
    }

private:
    bool reads(int node, int other) const {
        const auto& list = nodes_[static_cast<std::size_t>(node)].reads;
        return std::find(list.begin(), list.end(), other) != list.end();
    }

    int free_column(int from) {
        std::size_t column = static_cast<std::size_t>(from);
        while (column < owners_.size() && owners_[column] != kFree)
            ++column;
        if (column >= owners_.size())
            owners_.resize(column + 1, kFree);
        return static_cast<int>(column);
    }

    const char* symbol(int node) const {
        const auto& n = nodes_[static_cast<std::size_t>(node)];
        return n.input ? "○" : n.output ? "◆" : "●";
    }

    const char* lane(int node, int column, int first_read, int own) const {
        int owner = owners_[static_cast<std::size_t>(column)];
        bool on_line = first_read >= 0 && column > first_read && column < own;
        if (owner == kFree)
            return on_line ? "─" : " ";
        if (!reads(node, owner))
            return "│";
        bool goes_on = last_reader_[static_cast<std::size_t>(owner)] > node;
        if (on_line)
            return goes_on ? "┼" : "┴";
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
