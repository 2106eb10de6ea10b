// Estimates of the present schedule, of the pinned one and of those of the history: all off the main thread, the newest
// request of each kind wins.

#include "app/session/session.h"
#include "core/language/intrinsics.h"

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr std::size_t kPredictedRevisions =
    200; // the newest; older ones get their time when they are shown

EstimatePtr shared_estimate(const ScheduleTree& tree, const device::Device& device) {
    return std::make_shared<const model::Estimate>(estimate_of(tree, device));
}

} // namespace

void Session::make_estimate_jobs() {
    auto work = [](const EstimateRequest& request, const views::CancelToken&) {
        return shared_estimate(*request.tree, *request.device);
    };
    estimate_job_ = std::make_unique<EstimateJob>(
        work, [this](const EstimateRequest& request, const EstimatePtr& estimate) {
            estimate_ = estimate;
            estimate_current_ = true;
            if (estimate->seconds)
                predictions_[request.revision] = *estimate->seconds;
            emit estimateChanged();
            if (estimate->seconds)
                advice_job_->request({request, estimate});
        });
    connect(estimate_job_.get(), &views::LatestJobBase::failed, this, [this](const QString& text) {
        model::Estimate none;
        none.reason = text.toStdString();
        estimate_ = std::make_shared<const model::Estimate>(std::move(none));
        estimate_current_ = true;
        emit estimateChanged();
    });
    baseline_job_ = std::make_unique<EstimateJob>(
        work, [this](const EstimateRequest&, const EstimatePtr& estimate) {
            baseline_ = estimate;
            emit baselineChanged();
        });
    shared_use_job_ = std::make_unique<SharedUseJob>(
        [](const EstimateRequest& request, const views::CancelToken&) {
            return std::make_shared<const std::vector<model::gpu::SharedBuffer>>(
                model::gpu::shared_use(*request.tree, *request.device));
        },
        [this](const EstimateRequest&, const SharedUsePtr& use) { emit sharedUseReady(use); });
    connect(shared_use_job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { emit message(text, true); });
    // Advice tries directive after directive: it follows the estimate, and takes little time from the next one.
    advice_job_ = std::make_unique<AdviceJob>(
        [](const AdviceRequest& request, const views::CancelToken& token) {
            auto advised = std::make_shared<model::Estimate>(*request.estimate);
            for (const auto& advice :
                 model::advise(*request.of.tree, *request.of.device, {}, 5, token.flag()))
                advised->advice.push_back(advice.sentence);
            return std::static_pointer_cast<const model::Estimate>(advised);
        },
        [this](const AdviceRequest& request, const EstimatePtr& advised) {
            if (estimate_ != request.estimate || advised->advice.empty())
                return;
            estimate_ = advised;
            emit estimateChanged();
        });
    advice_job_->give_way();
    history_job_ = std::make_unique<HistoryJob>(
        [](const HistoryRequest& request, const views::CancelToken& token) {
            std::map<std::int64_t, double> out;
            ApplyContext at;
            at.device = request.device.get();
            at.intrinsics = &declared_intrinsics();
            for (const auto& [revision, script] : request.scripts) {
                if (token.cancelled())
                    break;
                if (auto scheduled = schedule_script(request.pipeline, script, at))
                    if (auto seconds = estimate_of(*scheduled->tree, *request.device).seconds)
                        out[revision] = *seconds;
            }
            return out;
        },
        [this](const HistoryRequest&, const std::map<std::int64_t, double>& seconds) {
            predictions_.insert(seconds.begin(), seconds.end());
            emit predictionsChanged();
        });
    history_job_->give_way();
}

void Session::request_shared_use() {
    if (scheduled_)
        shared_use_job_->request({scheduled_->tree, device_, 0});
}

void Session::request_estimate() {
    estimate_current_ = false;
    advice_job_->cancel();
    if (scheduled_)
        estimate_job_->request({scheduled_->tree, device_, document_->current().id});
}

bool Session::estimates_settled() const {
    return estimate_current_ && !advice_job_->busy() && !baseline_job_->busy();
}

void Session::request_baseline() {
    if (baseline_tree_)
        baseline_job_->request({baseline_tree_, device_, 0});
}

// Of every revision, on another device or in a document just opened.
void Session::request_predictions() {
    predictions_.clear();
    HistoryRequest request{pipeline_, device_, {}};
    for (auto r = document_->revisions().rbegin();
         r != document_->revisions().rend() && request.scripts.size() < kPredictedRevisions; ++r)
        if (r->id != document_->current().id)
            request.scripts.emplace_back(r->id, r->script);
    if (!request.scripts.empty())
        history_job_->request(std::move(request));
}

void Session::pin_baseline() {
    if (!document_ || !estimate_ || !estimate_current_)
        return;
    baseline_job_->cancel();
    baseline_ = estimate_;
    baseline_tree_ = scheduled_->tree;
    if (auto status = document_->set_state("baseline", std::to_string(document_->current().id));
        !status)
        report(status.errors());
    emit baselineChanged();
}

void Session::clear_baseline() {
    if (!document_)
        return;
    baseline_job_->cancel();
    baseline_.reset();
    baseline_tree_.reset();
    if (auto status = document_->set_state("baseline", ""); !status)
        report(status.errors());
    emit baselineChanged();
}

std::int64_t Session::baseline_revision() const {
    return document_ && baseline_tree_ ? std::atoll(document_->state("baseline").c_str()) : 0;
}

std::string Session::baseline_script() const {
    const auto* pinned = document_ ? document_->find(baseline_revision()) : nullptr;
    return pinned ? pinned->script : std::string();
}

// The pinned revision as it estimates on the present device.
void Session::restore_baseline() {
    baseline_.reset();
    baseline_tree_.reset();
    const auto* pinned = document_->find(std::atoll(document_->state("baseline").c_str()));
    if (!pinned)
        return;
    auto scheduled = schedule_script(pipeline_, pinned->script, context());
    if (!scheduled)
        return; // pinned on a device with other vectors, on which alone it applies
    baseline_tree_ = scheduled->tree;
    request_baseline();
}

} // namespace loopscope::session
