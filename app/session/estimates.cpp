#include "app/session/estimates.h"

#include "app/session/opening.h"
#include "app/session/session.h"
#include "core/language/intrinsics.h"

#include <chrono>

namespace loopscope::session {

namespace {

// the newest; older ones get their time when they are shown
constexpr std::size_t kPredictedRevisions = 200;
constexpr int kMaxAdvice = 5;
constexpr std::chrono::milliseconds kFrame(16); // a screen shows no more than one in that time

} // namespace

EstimatePtr shared_estimate(const ScheduleTree& tree, const device::Device& device) {
    return std::make_shared<const model::Estimate>(estimate_of(tree, device));
}

Estimates::Estimates(Session& session)
    : session_(session),
      job_(
          [](const Request& request, const views::CancelToken&) {
              return shared_estimate(*request.tree, *request.device);
          },
          [this](const Request& request, const EstimatePtr& estimate) { take(request, estimate); }),
      shared_use_job_(
          [](const Request& request, const views::CancelToken&) {
              return std::make_shared<const std::vector<model::gpu::SharedBuffer>>(
                  model::gpu::shared_use(*request.tree, *request.device));
          },
          [this](const Request&, const SharedUsePtr& use) { emit sharedUseReady(use); }),
      advice_job_(advised,
                  [this](const AdviceRequest& request, const EstimatePtr& with_advice) {
                      if (estimate_ != request.estimate || with_advice->advice.empty())
                          return;
                      estimate_ = with_advice;
                      emit changed();
                  }),
      history_job_(predict, [this](const HistoryRequest&, const Predictions& seconds) {
          predictions_.insert(seconds.begin(), seconds.end());
          emit predictionsChanged();
      }) {
    // Advice tries directive after directive: it follows the estimate, and takes little time from
    // the next one.
    advice_job_.give_way();
    history_job_.give_way();
    connect(&job_, &views::LatestJobBase::failed, this, [this](const QString& text) {
        model::Estimate none;
        none.reason = text.toStdString();
        estimate_ = std::make_shared<const model::Estimate>(std::move(none));
        current_ = true;
        emit changed();
    });
    connect(&shared_use_job_, &views::LatestJobBase::failed, this, [this](const QString& text) {
        session_.say(text, true);
        emit sharedUseReady(nullptr);
    });
    connect(&session_, &Session::treeChanged, this, &Estimates::request);
    connect(&session_, &Session::deviceChanged, this, &Estimates::device_changed);
    connect(&session_, &Session::released, this, &Estimates::forget);
}

void Estimates::forget() {
    job_.cancel();
    shared_use_job_.cancel();
    advice_job_.cancel();
    history_job_.cancel();
    estimate_.reset();
    current_ = false;
    asked_for_.reset();
    predicted_for_.reset();
    predictions_.clear();
}

void Estimates::request() {
    current_ = false;
    advice_job_.cancel();
    asked_for_ = session_.device();
    job_.request({session_.tree(), asked_for_, session_.document()->current().id});
}

void Estimates::settle() {
    if (!current_)
        job_.settle(kFrame);
}

void Estimates::take(const Request& request, const EstimatePtr& estimate) {
    estimate_ = estimate;
    current_ = true;
    if (estimate->seconds)
        predictions_[request.revision] = *estimate->seconds;
    emit changed();
    if (estimate->seconds)
        advice_job_.request({request, estimate});
}

// Everything that was estimated is estimated anew; the present schedule only where it was not asked
// for on this device with its tree.
void Estimates::device_changed() {
    if (!session_.is_open())
        return;
    if (session_.device() != asked_for_)
        request();
    if (session_.device() != predicted_for_)
        request_predictions();
}

// Predicts every revision, on another device or in a document just opened.
void Estimates::request_predictions() {
    predictions_.clear();
    predicted_for_ = session_.device();
    if (current_ && estimate_->seconds)
        predictions_[session_.document()->current().id] = *estimate_->seconds;
    const auto& document = *session_.document();
    HistoryRequest request{
        session_.pipeline(), document.program(), document.pipeline_name(), session_.device(), {}};
    const auto& revisions = document.revisions();
    const auto now = document.current().id;
    for (auto r = revisions.rbegin();
         r != revisions.rend() && request.scripts.size() < kPredictedRevisions; ++r)
        if (r->id != now)
            request.scripts.push_back({r->id, r->script, document.program_of(r->id)});
    if (!request.scripts.empty())
        history_job_.request(std::move(request));
}

void Estimates::request_shared_use() {
    if (session_.is_open())
        shared_use_job_.request({session_.tree(), session_.device(), 0});
}

EstimatePtr Estimates::advised(const AdviceRequest& request, const views::CancelToken& token) {
    auto advised = std::make_shared<model::Estimate>(*request.estimate);
    for (const auto& advice :
         model::advise(*request.of.tree, *request.of.device, {}, kMaxAdvice, token.flag()))
        advised->advice.push_back(advice.sentence);
    return advised;
}

Estimates::Predictions Estimates::predict(const HistoryRequest& request,
                                          const views::CancelToken& token) {
    Predictions out;
    ApplyContext at;
    at.device = request.device.get();
    at.intrinsics = &declared_intrinsics();
    auto program = request.program;
    Result<PipelinePtr> pipeline = request.pipeline;
    for (const auto& [revision, script, own] : request.scripts) {
        if (token.cancelled())
            break;
        if (!(*own == *program)) {
            program = own;
            pipeline = pipeline_of(*program, request.name);
        }
        if (!pipeline)
            continue;
        if (auto scheduled = schedule_script(*pipeline, script, at))
            if (auto seconds = estimate_of(*scheduled->tree, *request.device).seconds)
                out[revision] = *seconds;
    }
    return out;
}

} // namespace loopscope::session
