// How near each kernel comes to what the device can do.

#include "app/session/estimates.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/roofline_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class RooflinePanel final : public Panel {
public:
    RooflinePanel(const PanelKind& kind, Services& services)
        : Panel(kind, services, new RooflineView), roofline_(static_cast<RooflineView*>(view())) {
        share_selection(roofline_);
    }

private:
    void show_tree() override { roofline_->set_tree(session().tree()); }
    void show_estimate() override { roofline_->set_estimate(session().estimates().now()); }
    void show_measured() override { roofline_->set_measured(services().measured.latest()); }
    void show_device() override {
        const auto& device = *session().device();
        roofline_->set_ceilings(model::roofline_ceilings(device, device.cores));
    }
    void show_selection(const NodeId& id) override { roofline_->set_selected(id); }

    RooflineView* roofline_;
};

} // namespace

PanelKind roofline_panel() {
    return {.id = "roofline",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Roofline"),
            .place = {.area = PanelPlace::Right, .order = 20, .share = 28},
            .in_teach = false,
            .make = make_panel<RooflinePanel>};
}

} // namespace loopscope::app
