// How shared memory lies in its banks.

#include "app/session/estimates.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/banks_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class BanksPanel final : public Panel {
public:
    BanksPanel(const PanelKind& kind, Services& services);

    bool settled() const override { return !waiting_; }
    void set_visible(bool visible) override {
        if (visible)
            request();
    }
    void draw_unseen() override { request(); }

private:
    void request();
    void request_where_seen() {
        if (banks_->isVisible())
            request();
    }
    void take(const session::SharedUsePtr& use);
    void show_estimate() override { request_where_seen(); }
    void show_device() override { request_where_seen(); }
    void show_selection(const NodeId& id) override { banks_->set_selected(id); }

    BanksView* banks_;
    bool waiting_ = false; // for how shared memory is used, unless the document is let go
};

BanksPanel::BanksPanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new BanksView), banks_(static_cast<BanksView*>(view())) {
    share_selection(banks_);
    connect(banks_, &BanksView::editRequested, &services.editing, &Editing::apply_alone);
    connect(&session().estimates(), &session::Estimates::sharedUseReady, this, &BanksPanel::take);
    connect(&session(), &session::Session::released, this, [this] { waiting_ = false; });
}

// What is to come with the estimate waits for it.
void BanksPanel::request() {
    if (!session().is_open() || !session().estimates().current())
        return;
    waiting_ = true;
    session().estimates().request_shared_use();
}

void BanksPanel::take(const session::SharedUsePtr& use) {
    waiting_ = false;
    banks_->set_snapshot(use, session().schedule_snapshot(), session().device());
    banks_->set_selected(session().selection());
}

} // namespace

PanelKind banks_panel() {
    return {.id = "banks",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Shared memory"),
            .short_title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Shared"),
            .place = {.area = PanelPlace::Below, .order = 40, .beside = true},
            .for_gpus = true,
            .make = make_panel<BanksPanel>};
}

} // namespace loopscope::app
