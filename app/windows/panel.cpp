#include "app/windows/panel.h"

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/measured_times.h"
#include "app/windows/picture_wait.h"
#include "app/windows/services.h"
#include "views/widgets/row_copying.h"

#include <QWidget>

namespace loopscope::app {

Panel::Panel(const PanelKind& kind, Services& services, QWidget* view)
    : kind_(kind),
      services_(services),
      session_(services.session),
      view_(view),
      picture_wait_(std::make_unique<PictureWait>(services, std::vector<Panel*>{this})) {
    using session::Session;
    for (auto changed : {&Session::opened, &Session::programChanged})
        connect(&session_, changed, this, [this] { show_document(); });
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
    if (auto* of = pictured())
        of->set_picture_asked([this](views::PictureUse use) { ask_for_picture(use); });
}

Panel::~Panel() = default;

void Panel::save_rows() {
    for (auto* rows : view_->findChildren<views::RowCopying*>())
        connect(rows, &views::RowCopying::saveRequested, this,
                [this, rows] { services_.files.save_rows(*rows); });
}

void Panel::begin() {
    save_rows();
    show_device();
    show_document();
    show_work();
}

void Panel::renew() {
    if (!session_.is_open())
        return;
    show_device();
    show_tree();
    show_estimate();
    show_baseline();
    show_measured();
    show_selection(session_.selection());
    for (auto* each : view_->findChildren<QWidget*>()) // and what is painted
        each->update();
    view_->update();
}

views::Pictured* Panel::pictured() const { return dynamic_cast<views::Pictured*>(view_); }

bool Panel::is_of_device() const { return !kind_.for_gpus || session_.device()->gpu; }

void Panel::ask_for_picture(views::PictureUse use) {
    const auto opening = session_.opening();
    picture_wait_->begin([this, use, opening](const Status& drawn) {
        if (!session_.is_open() || session_.opening() != opening)
            return; // nobody wants it any more
        if (!drawn)
            services_.editing.refused({}, drawn.errors());
        else if (!is_of_device()) // it became another one while it was waited for
            services_.editing.refused({}, {error("this picture is of a GPU", "choose one first")});
        else
            services_.pictures.ask(*pictured(), use);
    });
}

QString Panel::title() const { return tr(kind_.title); }

QString Panel::short_title() const { return kind_.short_title ? tr(kind_.short_title) : title(); }

HelpPlace Panel::help() const { return {QStringLiteral("window"), title()}; }

} // namespace loopscope::app
