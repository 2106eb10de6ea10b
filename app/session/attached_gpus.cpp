#include "app/session/attached_gpus.h"

#include "app/session/session.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/protocol/worker_client.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kDriverSeconds = 60; // to load a driver and ask it

bool same_device(const DevicePtr& a, const DevicePtr& b) {
    return a->target == b->target && device::to_json(*a) == device::to_json(*b);
}

} // namespace

AttachedGpus::AttachedGpus(Session& session)
    : session_(session), cancel_(std::make_shared<std::atomic<bool>>(false)) {
    job_ = std::make_unique<Job>(
        [cancel = cancel_](const Request&, const views::CancelToken&) {
            measure::WorkerClient worker;
            measure::RequestOptions options;
            options.cancel = cancel.get();
            options.timeout_seconds = kDriverSeconds;
            Answer answer;
            auto found = worker.request("gpus", nlohmann::json::object(), options);
            if (!found) {
                answer.errors = found.errors();
                return answer;
            }
            auto& gpus = found->at("gpus");
            for (auto& gpu : gpus)
                measure::read_kept_ceilings(gpu);
            for (auto& device : measure::devices_of_gpus(gpus, answer.errors))
                answer.devices.push_back(std::make_shared<const device::Device>(std::move(device)));
            return answer;
        },
        [this](const Request&, const Answer& answer) { finish(answer); });
    connect(job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { session_.say(text, true); });
}

AttachedGpus::~AttachedGpus() {
    *cancel_ = true;
    job_.reset();
}

void AttachedGpus::look() { job_->request({}); }

void AttachedGpus::finish(const Answer& answer) {
    const auto none = answer.devices.empty() && !answer.errors.empty()
                          ? QString::fromStdString(answer.errors.front().message)
                          : QString();
    // What is as it was makes nothing anew, neither estimates nor a list that is open.
    const auto& known = session_.attached();
    if (none == none_ && std::equal(known.begin(), known.end(), answer.devices.begin(),
                                    answer.devices.end(), same_device))
        return;
    none_ = none;
    session_.take_gpus(answer.devices);
    if (!answer.devices.empty() && !answer.errors.empty())
        session_.report(answer.errors); // of those that were left out
    emit changed();
}

} // namespace loopscope::session
