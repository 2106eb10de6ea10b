#include "app/windows/panel.h"

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/measured_times.h"
#include "app/windows/services.h"

namespace loopscope::app {

Panel::Panel(const PanelKind& kind, Services& services, QWidget* view)
    : kind_(kind), services_(services), session_(services.session), view_(view) {
    using session::Session;
    connect(&session_, &Session::opened, this, [this] { show_document(); });
    connect(&session_, &Session::treeChanged, this, [this] {
        show_tree();
        show_selection(session_.selection());
    });
    connect(&session_, &Session::draftChanged, this, [this] { show_draft(); });
    connect(&session_, &Session::deviceChanged, this, [this] { show_device(); });
    connect(&session_, &Session::selectionChanged, this,
            [this](const NodeId& id) { show_selection(id); });
    connect(&session_.estimates(), &session::Estimates::changed, this, [this] { show_estimate(); });
    connect(&session_.baseline(), &session::PinnedBaseline::changed, this,
            [this] { show_baseline(); });
    connect(&session_.tasks(), &session::WorkerTasks::busyChanged, this, [this] { show_work(); });
    connect(&services_.measured, &MeasuredTimes::changed, this, [this] { show_measured(); });
}

void Panel::begin() {
    show_device();
    show_document();
    show_work();
}

QString Panel::title() const { return tr(kind_.title); }

QString Panel::short_title() const { return kind_.short_title ? tr(kind_.short_title) : title(); }

HelpPlace Panel::help() const { return {QStringLiteral("window"), title()}; }

} // namespace loopscope::app
