// What the interpreter of SIMT programs found in the kernels of a GPU schedule.

#include "app/session/worker_tasks.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/findings_view.h"

namespace loopscope::app {

using views::FindingsView;

namespace {

class FindingsPanel final : public Panel {
public:
    FindingsPanel(const PanelKind& kind, Services& services)
        : Panel(kind, services, new FindingsView), findings_(static_cast<FindingsView*>(view())) {
        share_selection(findings_);
        connect(findings_, &FindingsView::checkRequested, &services.runs,
                &Runs::check_in_interpreter);
        connect(&session().tasks(), &session::WorkerTasks::checkReportChanged, this,
                &FindingsPanel::show_report);
    }

private:
    void show_work() override { findings_->set_running(session().tasks().checking()); }
    void show_report() {
        const auto report = session().tasks().check_report();
        findings_->set_report(report);
        if (report && !report->findings.empty())
            services().parts.show_panel(kind().id);
    }

    FindingsView* findings_;
};

} // namespace

PanelKind findings_panel() {
    return {.id = "findings",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Findings"),
            .place = {.area = PanelPlace::Below, .order = 50},
            .for_gpus = true,
            .make = make_panel<FindingsPanel>};
}

} // namespace loopscope::app
