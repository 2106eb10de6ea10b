// When each level of a GPU's memory is loaded and when the work runs.

#include "app/session/estimates.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/timeline_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class TimelinePanel final : public Panel {
public:
    TimelinePanel(const PanelKind& kind, Services& services);

    void set_visible(bool visible) override {
        if (visible)
            show_timeline();
    }
    void draw_unseen() override { show_timeline(); }

private:
    void show_timeline();
    void show_where_seen() {
        if (timeline_->isVisible())
            show_timeline();
    }
    void show_estimate() override { show_where_seen(); }
    void show_device() override { show_where_seen(); }
    void show_selection(const NodeId& id) override { timeline_->set_selected(id); }

    TimelineView* timeline_;
};

TimelinePanel::TimelinePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new TimelineView), timeline_(static_cast<TimelineView*>(view())) {
    auto& editing = services.editing;
    timeline_->set_preview([&editing](const std::vector<DirectiveEdit>& edits,
                                      std::function<void(const Preview&)> answer) {
        editing.forecast(edits, std::move(answer));
    });
    share_selection(timeline_);
    connect(timeline_, &TimelineView::editsRequested, &editing, &Editing::apply_all);
}

// What is to come with the estimate waits for it.
void TimelinePanel::show_timeline() {
    if (session().is_open() && !session().estimates().current())
        return;
    timeline_->set_snapshot(session().tree(), session().estimates().now(),
                            session().schedule_snapshot(), session().device());
    timeline_->set_selected(session().selection());
}

} // namespace

PanelKind timeline_panel() {
    return {.id = "timeline",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Timeline"),
            .place = {.area = PanelPlace::Below, .order = 30},
            .for_gpus = true,
            .make = make_panel<TimelinePanel>};
}

} // namespace loopscope::app
