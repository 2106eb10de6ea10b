// The time that the schedule takes by the model, why, and what was measured.

#include "app/session/estimates.h"
#include "app/session/expert_schedule.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/estimate_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class EstimatePanel final : public Panel {
public:
    EstimatePanel(const PanelKind& kind, Services& services);

private:
    void show_document() override {
        if (session().is_open())
            estimate_->start_afresh();
    }
    void show_tree() override {
        estimate_->set_tree(session().tree());
        estimate_->set_busy(true);
    }
    void show_estimate() override {
        estimate_->set_estimate(session().estimates().now());
        estimate_->set_busy(false);
        show_expert();
    }
    void show_baseline() override { estimate_->set_baseline(session().baseline().estimate()); }
    void show_measured() override {
        estimate_->set_measured(services().measured.latest());
        if (session().estimates().current()) // else it follows with the estimate
            show_expert();
    }
    void show_device() override { estimate_->set_device(session().device()); }
    void show_work() override {
        estimate_->set_probing(session().tasks().probing() && session().device()->is_host);
    }
    void show_selection(const NodeId& id) override { estimate_->set_selected(id); }
    void show_expert();

    EstimateView* estimate_;
};

EstimatePanel::EstimatePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new EstimateView), estimate_(static_cast<EstimateView*>(view())) {
    auto& baseline = session().baseline();
    share_selection(estimate_);
    connect(estimate_, &EstimateView::directiveRequested, &services.editing,
            [&services](const QString& line) { services.editing.apply(line); });
    connect(estimate_, &EstimateView::pinRequested, &baseline, &session::PinnedBaseline::pin);
    connect(estimate_, &EstimateView::unpinRequested, &baseline, &session::PinnedBaseline::clear);
    connect(estimate_, &EstimateView::peaksRequested, &services.runs, &Runs::probe_host);
    auto& expert = session().expert();
    connect(&expert, &session::ExpertSchedule::changed, this, &EstimatePanel::show_expert);
    connect(estimate_, &EstimateView::expertRequested, this,
            [&services] { services.comparisons.compare_with_expert(); });
}

void EstimatePanel::show_expert() {
    estimate_->set_expert(session().expert().time(services().measured.medians()));
}

} // namespace

PanelKind estimate_panel() {
    return {.id = "estimate",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Estimate"),
            .place = {.area = PanelPlace::Right, .order = 10, .share = 44},
            .make = make_panel<EstimatePanel>};
}

} // namespace loopscope::app
