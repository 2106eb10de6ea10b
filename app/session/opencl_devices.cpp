#include "app/session/opencl_devices.h"

#include "app/session/session.h"
#include "compiler/measure/kept_files.h"
#include "compiler/measure/opencl_devices.h"
#include "compiler/measure/targets.h"
#include "compiler/opencl/client.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kPlatformSeconds = 30; // to load a platform and ask it
constexpr double kProbeSeconds = 120;   // its compiler may take long at first

bool same_description(const DevicePtr& a, const DevicePtr& b) {
    return a->target == b->target && device::to_json(*a) == device::to_json(*b);
}

Result<std::vector<measure::OpenclFound>> found_by(opencl::Client& client,
                                                   const measure::RequestOptions& options) {
    auto devices = client.devices(options);
    if (!devices)
        return devices.errors();
    std::vector<measure::OpenclFound> found;
    for (auto& device : *devices) {
        auto peaks = measure::kept_peaks(device);
        found.push_back({std::move(device), std::move(peaks)});
    }
    return found;
}

QString reason_text(const Diagnostic& reason) {
    return QString::fromStdString(reason.message +
                                  (reason.remedy.empty() ? "" : "; " + reason.remedy));
}

} // namespace

Result<device::Device> probe_opencl(const std::string& target,
                                    const measure::RequestOptions& options) {
    opencl::Client client;
    auto bounded = options;
    bounded.timeout_seconds = kProbeSeconds;
    auto found = found_by(client, bounded);
    if (!found)
        return found.errors();
    for (std::size_t number = 0; number < found->size(); ++number) {
        if (target != measure::opencl_target(number))
            continue;
        auto& [device, kept] = (*found)[number];
        auto peaks = opencl::measure_peaks(client, device, static_cast<int>(number), bounded);
        if (!peaks)
            return peaks.errors();
        peaks->date = measure::today();
        (void)measure::keep_peaks(device, *peaks).ok(); // they hold for this session all the same
        kept = std::move(*peaks);
    }
    Diagnostics left_out;
    for (auto& device : measure::devices_of_opencl(*found, left_out))
        if (device.target == target)
            return std::move(device);
    if (!left_out.empty())
        return left_out;
    return coded_error(measure::kCodeTarget, "the device is not here any more: " + target);
}

OpenclDevices::OpenclDevices(Session& session)
    : session_(session),
      request_{opencl::beside_this_program(), kPlatformSeconds},
      cancel_(std::make_shared<std::atomic<bool>>(false)) {
    job_ = std::make_unique<Job>(
        [cancel = cancel_](const Request& request, const views::CancelToken&) {
            return ask(request, *cancel);
        },
        [this](const Request&, const Answer& answer) { finish(answer); });
    connect(job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { session_.say(text, true); });
}

OpenclDevices::~OpenclDevices() {
    *cancel_ = true;
    job_.reset();
}

void OpenclDevices::set_worker(measure::WorkerOptions options, double timeout_seconds) {
    request_ = {std::move(options), timeout_seconds};
}

QString OpenclDevices::platform(const std::string& target) const {
    const auto found = platforms_.find(target);
    return found == platforms_.end() ? QString() : found->second;
}

void OpenclDevices::look() { job_->request(request_); }

// In the job's thread.
OpenclDevices::Answer OpenclDevices::ask(const Request& request, const std::atomic<bool>& cancel) {
    opencl::Client client(request.worker);
    measure::RequestOptions options;
    options.cancel = &cancel;
    options.timeout_seconds = request.timeout_seconds;
    Answer answer;
    auto found = found_by(client, options);
    if (!found) {
        answer.errors = found.errors();
        return answer;
    }
    for (std::size_t number = 0; number < found->size(); ++number)
        answer.platforms[measure::opencl_target(number)] =
            QString::fromStdString((*found)[number].device.platform);
    for (auto& device : measure::devices_of_opencl(*found, answer.errors))
        answer.devices.push_back(std::make_shared<const device::Device>(std::move(device)));
    return answer;
}

void OpenclDevices::finish(const Answer& answer) {
    const auto none = answer.devices.empty() && !answer.errors.empty()
                          ? reason_text(answer.errors.front())
                          : QString();
    // What is as it was makes nothing anew, neither estimates nor a list that is open.
    const auto& known = session_.opencl();
    if (none == none_ && std::equal(known.begin(), known.end(), answer.devices.begin(),
                                    answer.devices.end(), same_description))
        return;
    none_ = none;
    platforms_ = answer.platforms;
    session_.take_opencl(answer.devices);
    if (!answer.devices.empty() && !answer.errors.empty())
        session_.report(answer.errors); // of those that were left out
    emit changed();
}

} // namespace loopscope::session
