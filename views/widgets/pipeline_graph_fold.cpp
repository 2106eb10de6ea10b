// Folding of groups in the pipeline graph: marks, keys and the menu's entries.

#include "views/widgets/pipeline_graph_view.h"

#include "views/style/fonts.h"
#include "views/widgets/said_state.h"

#include <QMenu>

#include <algorithm>
#include <utility>

namespace loopscope::views {

void PipelineGraphView::set_folded(std::set<std::string> groups) {
    if (groups == folded_)
        return;
    folded_ = std::move(groups);
    show_folding();
    emit foldingChanged();
}

void PipelineGraphView::show_folding() {
    drop_dragged();
    describe(std::exchange(graph_, fold(whole_, folded_)));
    say_selection();
    show_part();
}

// A folded group opens, a stage's innermost group closes.
void PipelineGraphView::toggle_fold(int node) {
    if (node < 0)
        return;
    const PipelineNode& chosen = graph_.nodes[static_cast<std::size_t>(node)];
    std::set<std::string> groups = folded_;
    if (!chosen.folded.empty())
        groups.erase(chosen.folded);
    else if (!chosen.folds.empty())
        groups.insert(chosen.folds.back());
    set_folded(std::move(groups));
}

void PipelineGraphView::fold_all() { set_folded(outermost_groups(whole_)); }

void PipelineGraphView::unfold_all() { set_folded({}); }

QRectF PipelineGraphView::mark_in(int node) const {
    const PipelineNode& n = graph_.nodes[static_cast<std::size_t>(node)];
    if ((n.folds.empty() && n.folded.empty()) ||
        static_cast<std::size_t>(node) >= layout_.nodes.size())
        return {};
    const Rectangle& r = layout_.nodes[static_cast<std::size_t>(node)];
    const double above = legible(small_font(), scale_) ? 4 : (r.height - kFoldMarkRoom) / 2;
    return {r.x + 5, r.y + above, kFoldMarkRoom, kFoldMarkRoom}; // beside the name
}

int PipelineGraphView::mark_under(const QPointF& position) const {
    const int node = node_under(position);
    return node >= 0 && mark_in(node).contains(to_graph(position)) ? node : -1;
}

QRectF PipelineGraphView::fold_mark(const std::string& stage) const {
    const int node = graph_.index_of(stage);
    const QRectF mark = node >= 0 ? mark_in(node) : QRectF();
    return mark.isEmpty() ? QRectF()
                          : QRectF(mark.topLeft() * scale_ + offset_, mark.size() * scale_);
}

void PipelineGraphView::add_fold_entries(QMenu& menu, const std::string& stage) {
    if (const int node = graph_.index_of(stage); node >= 0)
        add_node_folds(menu, node);
}

std::map<std::string, std::string> PipelineGraphView::folded_stages() const {
    std::map<std::string, std::string> groups;
    for (const PipelineNode& node : graph_.nodes)
        if (!node.folded.empty())
            for (const std::string& stage : node.members)
                groups[stage] = node.folded;
    return groups;
}

void PipelineGraphView::toggle_fold_of(const QString& stage) {
    toggle_fold(graph_.index_of(stage.toStdString()));
}

void PipelineGraphView::toggle_all_folds() { folded_.empty() ? fold_all() : unfold_all(); }

void PipelineGraphView::add_node_folds(QMenu& menu, int node) {
    const PipelineNode& chosen = graph_.nodes[static_cast<std::size_t>(node)];
    if (chosen.folds.empty() && chosen.folded.empty())
        return;
    std::map<std::string, int> sizes;
    for (const auto& [path, size] : groups_of(whole_))
        sizes[path] = size;
    if (!menu.isEmpty())
        menu.addSeparator();
    if (!chosen.folded.empty())
        menu.addAction(tr("Unfold %1\tG").arg(chosen.name), this, [this, path = chosen.folded] {
            auto groups = folded_;
            groups.erase(path);
            set_folded(std::move(groups));
        });
    for (auto path = chosen.folds.rbegin(); path != chosen.folds.rend(); ++path) {
        const bool innermost = path == chosen.folds.rbegin() && chosen.folded.empty();
        menu.addAction(tr("Fold %1, %2 stages%3")
                           .arg(fold_name(*path))
                           .arg(sizes[*path])
                           .arg(innermost ? QStringLiteral("\tG") : QString()),
                       this, [this, path = *path] {
                           auto groups = folded_;
                           groups.insert(path);
                           set_folded(std::move(groups));
                       });
    }
    menu.addAction(folded_.empty() ? tr("Fold every group\tShift+G") : tr("Unfold all\tShift+G"),
                   this,
                   folded_.empty() ? &PipelineGraphView::fold_all : &PipelineGraphView::unfold_all);
}

// What a screen reader says: the graph, and the node that the keyboard is on.
void PipelineGraphView::say_selection() {
    const QString keys =
        tr("Arrow keys walk from stage to stage, M moves a stage into another, Shift+M its memory, "
           "the menu key offers directives, G folds a group of stages, F fits the graph to the "
           "panel, Ctrl with an arrow key moves what is in sight, Home and End go to its "
           "beginning and its end, / searches.");
    if (!tree_)
        return say_state(*this, keys);
    const auto stages = std::count_if(whole_.nodes.begin(), whole_.nodes.end(),
                                      [](const PipelineNode& node) { return !node.is_input; });
    const int at = graph_.index_of(selected_);
    const auto* node = at < 0 ? nullptr : &graph_.nodes[static_cast<std::size_t>(at)];
    const QString graph = tr("Graph of %1, %2, %3 selected")
                              .arg(to_qstring(tree_->pipeline->name),
                                   stages == 1 ? tr("1 stage") : tr("%1 stages").arg(stages),
                                   node ? node->name : tr("none"));
    say_state(*this, node ? graph + QStringLiteral(". ") + tooltip(*node)
                          : graph + QStringLiteral(". ") + keys);
}

} // namespace loopscope::views
