#include "app/session/pinned_baseline.h"

#include "app/session/estimates.h"
#include "app/session/session.h"

#include <cstdlib>

namespace loopscope::session {

namespace {
constexpr auto kState = "baseline"; // the document's: the revision
}

PinnedBaseline::PinnedBaseline(Session& session, const Estimates& estimates)
    : session_(session),
      estimates_(estimates),
      job_(
          [](const Request& request, const views::CancelToken&) {
              return shared_estimate(*request.first, *request.second);
          },
          [this](const Request&, const views::EstimatePtr& estimate) {
              estimate_ = estimate;
              emit changed();
          }) {
    connect(&session_, &Session::deviceChanged, this, &PinnedBaseline::device_changed);
    connect(&session_, &Session::programChanged, this, [this] {
        job_.cancel();
        device_ = session_.device();
        restore();
        emit changed();
    });
    connect(&session_, &Session::released, this, &PinnedBaseline::forget);
}

void PinnedBaseline::forget() {
    job_.cancel();
    estimate_.reset();
    tree_.reset();
    device_.reset();
}

void PinnedBaseline::pin() {
    if (!session_.is_open() || !estimates_.now() || !estimates_.current())
        return;
    job_.cancel();
    estimate_ = estimates_.now();
    tree_ = session_.tree();
    session_.keep_state(kState, std::to_string(session_.document()->current().id));
    emit changed();
}

void PinnedBaseline::clear() {
    if (!session_.is_open())
        return;
    job_.cancel();
    estimate_.reset();
    tree_.reset();
    session_.keep_state(kState, "");
    emit changed();
}

std::int64_t PinnedBaseline::revision() const {
    return session_.is_open() && tree_ ? std::atoll(session_.document()->state(kState).c_str()) : 0;
}

std::string PinnedBaseline::script() const {
    const auto* pinned = session_.is_open() ? session_.document()->find(revision()) : nullptr;
    return pinned ? pinned->script : std::string();
}

void PinnedBaseline::device_changed() {
    if (!session_.is_open() || session_.device() == device_)
        return;
    const bool same_machine = device_ && device_->is_here() && session_.device()->is_here() &&
                              device_->name == session_.device()->name;
    device_ = session_.device();
    if (same_machine) // its figures alone are new
        return request();
    restore();
    emit changed();
}

// The pinned revision's schedule as it estimates for the present program on the present device.
void PinnedBaseline::restore() {
    estimate_.reset();
    tree_.reset();
    const auto* pinned =
        session_.document()->find(std::atoll(session_.document()->state(kState).c_str()));
    if (!pinned)
        return;
    auto scheduled =
        schedule_script(session_.pipeline(), pinned->script, session_.present()->context());
    // pinned on a device with other vectors, or for another program, for which alone it applies
    if (!scheduled)
        return;
    tree_ = scheduled->tree;
    request();
}

void PinnedBaseline::request() {
    if (tree_)
        job_.request({tree_, device_});
}

} // namespace loopscope::session
