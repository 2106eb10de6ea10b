// What is selected: one node, and others beside it.

#include "app/session/session.h"

#include <algorithm>

namespace loopscope::session {

std::vector<NodeId> Session::selected_nodes() const {
    std::vector<NodeId> nodes{selection_};
    nodes.insert(nodes.end(), selected_too_.begin(), selected_too_.end());
    return nodes;
}

void Session::select(const NodeId& id) { select_nodes({id}); }

void Session::select_nodes(const std::vector<NodeId>& nodes) {
    const auto before = selected_nodes();
    selection_ = nodes.empty() ? NodeId{} : nodes.front();
    selected_too_.clear();
    for (const auto& id : nodes)
        if (id != selection_ && !id.stage.empty() &&
            std::find(selected_too_.begin(), selected_too_.end(), id) == selected_too_.end())
            selected_too_.push_back(id);
    if (selected_nodes() != before)
        emit selectionChanged(selection_);
}

void Session::select_also(const std::vector<NodeId>& nodes) {
    auto all = selection_.stage.empty() ? std::vector<NodeId>{} : selected_nodes();
    all.insert(all.end(), nodes.begin(), nodes.end());
    select_nodes(all);
}

// The one that was chosen last is `selection`, so that it is the one that views show.
void Session::toggle_selected(const NodeId& id) {
    if (selection_.stage.empty())
        return select(id);
    auto all = selected_nodes();
    const auto known = std::find(all.begin(), all.end(), id);
    if (known == all.end())
        all.insert(all.begin(), id);
    else if (all.size() > 1)
        all.erase(known);
    select_nodes(all);
}

} // namespace loopscope::session
