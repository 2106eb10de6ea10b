// The present schedule against the pinned one.

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/models/history_model.h"
#include "views/widgets/compare_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class ComparePanel final : public Panel {
public:
    ComparePanel(const PanelKind& kind, Services& services);

    void set_visible(bool visible) override {
        visible_ = visible;
        show_comparison();
    }

private:
    void show_comparison();
    Comparison compare(const model::Estimate& before, const model::Estimate& now) const;
    void show_tree() override { show_comparison(); }
    void show_estimate() override { show_comparison(); }
    void show_baseline() override { show_comparison(); }

    CompareView* compare_;
    bool visible_ = false;
};

ComparePanel::ComparePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new CompareView), compare_(static_cast<CompareView*>(view())) {
    auto& baseline = session().baseline();
    connect(compare_, &CompareView::pinRequested, &baseline, &session::PinnedBaseline::pin);
    connect(compare_, &CompareView::unpinRequested, &baseline, &session::PinnedBaseline::clear);
    connect(compare_, &CompareView::baselineRequested, this,
            [this] { session().go_to_revision(session().baseline().revision()); });
    share_selection(compare_);
    connect(compare_, &CompareView::sideBySideRequested, &services.comparisons,
            [&services] { services.comparisons.compare(ComparedSide::baseline(), {}); });
}

void ComparePanel::show_comparison() {
    const auto before = session().baseline().estimate(), now = session().estimates().now();
    if (!session().is_open() || !session().baseline().tree())
        compare_->set_comparison(nullptr);
    else if (visible_ && before && now) // else it is made when the panel is seen
        compare_->set_comparison(std::make_shared<const Comparison>(compare(*before, *now)));
}

Comparison ComparePanel::compare(const model::Estimate& before, const model::Estimate& now) const {
    const auto& document = *session().document();
    const auto& baseline = session().baseline();
    const auto* pinned = document.find(baseline.revision());
    Comparison made;
    made.title =
        tr("Against “%1”%2")
            .arg(pinned ? without_open(to_qstring(pinned->name)) : QString(),
                 now.described
                     ? tr(", both estimated for %1, which is described").arg(to_qstring(now.device))
                     : QString());
    MeasuredPair measured;
    const auto& medians = services().measured.medians();
    measured.before = medians.of(baseline.script());
    measured.now = medians.of(session().script());
    made.numbers = session().device()->is_here() ? compare_numbers(before, now, measured)
                                                 : compare_numbers(before, now);
    made.script = compare_scripts(baseline.script(), session().script());
    made.tree = difference(*baseline.tree(), *session().tree());
    return made;
}

} // namespace

PanelKind compare_panel() {
    return {.id = "compare",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Comparison"),
            .short_title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Compared"),
            .place = {.area = PanelPlace::Below, .order = 70, .beside = true},
            .in_teach = false,
            .make = make_panel<ComparePanel>};
}

} // namespace loopscope::app
