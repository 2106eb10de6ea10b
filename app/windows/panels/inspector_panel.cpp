// What is selected: its facts, and the choices that change it.

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/inspector_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class InspectorPanel final : public Panel {
public:
    InspectorPanel(const PanelKind& kind, Services& services)
        : Panel(kind, services, new InspectorView),
          inspector_(static_cast<InspectorView*>(view())) {
        inspector_->set_services(services.editing.services());
        share_selection(inspector_);
        auto& editing = services.editing;
        connect(inspector_, &InspectorView::editRequested, &editing, &Editing::apply);
        connect(inspector_, &InspectorView::togetherChanged, &editing, &Editing::set_together);
        connect(&editing, &Editing::togetherChanged, this, &InspectorPanel::show_companions);
    }

    bool settled() const override { return !inspector_->judging(); }

private:
    void show_tree() override {
        inspector_->set_snapshot(session().tree(), session().estimates().now(),
                                 session().schedule_snapshot(), session().selection());
    }
    void show_estimate() override {
        inspector_->set_snapshot(session().tree(), session().estimates().now(),
                                 session().schedule_snapshot());
    }
    void show_baseline() override {
        inspector_->set_baseline({session().baseline().estimate(), session().baseline().tree()});
    }
    void show_device() override { inspector_->set_device(session().device()); }
    void show_selection(const NodeId&) override {
        inspector_->set_selected_nodes(session().selected_nodes());
        show_companions();
    }
    void show_companions() {
        inspector_->set_companions(services().editing.companions(), services().editing.together());
    }

    InspectorView* inspector_;
};

} // namespace

PanelKind inspector_panel() {
    return {.id = "inspector",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Inspector"),
            .short_title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Inspect"),
            .place = {.area = PanelPlace::Below, .order = 10},
            .make = make_panel<InspectorPanel>};
}

} // namespace loopscope::app
