// The graph of the pipeline's stages.

#include "app/session/estimates.h"
#include "app/windows/command_palette.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QMenu>

namespace loopscope::app {

using namespace views;

namespace {

const QString kOverview = QStringLiteral("graph/overview"); // is it wanted?

class PipelinePanel final : public Panel {
public:
    PipelinePanel(const PanelKind& kind, Services& services);

    bool settled() const override { return !graph_->layout_pending(); }
    bool start_search() override;
    std::vector<PanelCommand> commands() override;
    void add_entries(CommandPalette& palette) const override;

private:
    void share_gestures();
    void show_tree() override;
    void show_estimate() override { graph_->set_estimate(session().estimates().now()); }
    void show_selection(const NodeId& id) override {
        graph_->set_selected(id);
        graph_->set_selected_too(session().selected_too());
    }

    PipelineGraphView* graph_;
};

PipelinePanel::PipelinePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new PipelineGraphView),
      graph_(static_cast<PipelineGraphView*>(view())) {
    graph_->set_services(services.editing.services());
    share_selection(graph_);
    const auto& settings = services.settings;
    graph_->set_overview_shown(settings.value(kOverview, true).toBool());
    connect(graph_, &PipelineGraphView::overviewShown, this,
            [&settings](bool shown) { settings.set(kOverview, shown); });
    using session::Session;
    connect(graph_, &PipelineGraphView::nodeToggled, &session(), &Session::toggle_selected);
    connect(graph_, &PipelineGraphView::nodesAdded, &session(), &Session::select_also);
    connect(graph_, &PipelineGraphView::nodesSelected, &session(), &Session::select_nodes);
    connect(graph_, &PipelineGraphView::directiveRequested, &services.editing,
            [&services](const QString& line) { services.editing.apply(line); });
    connect(graph_, &PipelineGraphView::directiveRefused, &services.editing,
            &Editing::show_refusal);
    connect(&services.editing, &Editing::conflictShown, graph_, &PipelineGraphView::show_conflict);
    share_gestures();
}

// With the tree: groups fold in both, and stages are dragged there.
void PipelinePanel::share_gestures() {
    auto& gestures = services().gestures;
    connect(graph_, &PipelineGraphView::stageCarried, &gestures, &StageGestures::stageCarried);
    connect(graph_, &PipelineGraphView::stageLetGo, &gestures, &StageGestures::stageLetGo);
    connect(graph_, &PipelineGraphView::directiveKeyPressed, &gestures,
            &StageGestures::directiveKeyPressed);
    connect(graph_, &PipelineGraphView::foldingChanged, this,
            [this] { services().gestures.set_folded(graph_->folded_stages()); });
    connect(&gestures, &StageGestures::foldRequested, graph_, &PipelineGraphView::toggle_fold_of);
    connect(&gestures, &StageGestures::foldAllRequested, graph_,
            &PipelineGraphView::toggle_all_folds);
    connect(&gestures, &StageGestures::menuMade, graph_, [this](QMenu* menu, const QString& stage) {
        graph_->add_fold_entries(*menu, stage.toStdString());
    });
}

bool PipelinePanel::start_search() {
    graph_->start_search();
    return true;
}

std::vector<PanelCommand> PipelinePanel::commands() {
    return {{tr("&Zoom the graph to fit"), tr("Shows the whole pipeline graph"),
             [this] { graph_->zoom_to_fit(); }},
            {tr("&Fold the graph's groups"),
             tr("Draws the stages of each loop of the pipeline's text as one node"),
             [this] { graph_->fold_all(); }},
            {tr("U&nfold the graph"), tr("Draws every stage"), [this] { graph_->unfold_all(); }}};
}

void PipelinePanel::add_entries(CommandPalette& palette) const {
    for (const auto& node : graph_->graph().nodes)
        palette.add_entry((node.is_input ? tr("input › %1") : tr("stage › %1")).arg(node.name), {},
                          node.detail, [this, id = node.id] {
                              session().select(id);
                              services().parts.take_keyboard();
                          });
}

void PipelinePanel::show_tree() {
    graph_->set_tree(session().tree());
    services().gestures.set_folded(graph_->folded_stages());
}

} // namespace

PanelKind pipeline_panel() {
    return {.id = "pipeline",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Pipeline"),
            .place = {.area = PanelPlace::Left, .order = 10, .share = 72},
            .in_tune = false,
            .make = make_panel<PipelinePanel>};
}

} // namespace loopscope::app
