#include "app/session/gpus_elsewhere.h"

#include "app/session/session.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/remote/known_places.h"

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kTrySeconds = 600; // a queue of Slurm's may be long

std::vector<DevicePtr> devices_of(const nlohmann::json& gpus, Diagnostics& left_out) {
    std::vector<DevicePtr> devices;
    for (auto& device : measure::devices_of_gpus(gpus, left_out))
        devices.push_back(std::make_shared<const device::Device>(std::move(device)));
    return devices;
}

} // namespace

GpusElsewhere::GpusElsewhere(Session& session) : session_(session) {
    job_ = std::make_unique<Job>(
        [this](const Request& request, const views::CancelToken& token) {
            return ask(request, token);
        },
        [this](const Request&, const Answer& answer) {
            answer_ = answer;
            emit tried(answer.devices, answer.errors);
        });
    connect(job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { emit tried({}, {error(text.toStdString())}); });
}

GpusElsewhere::~GpusElsewhere() { job_.reset(); }

void GpusElsewhere::read() {
    auto places = remote::known_places();
    errors_ = places ? Diagnostics() : places.errors();
    places_ = places ? std::move(*places) : std::vector<remote::Place>();
    clients_.clear(); // what they know of GPUs may be of yesterday
    publish();
}

void GpusElsewhere::publish() {
    std::vector<DevicePtr> gpus;
    Diagnostics left_out;
    for (const auto& place : places_)
        for (auto& device : devices_of(remote::kept_gpus(place), left_out))
            gpus.push_back(std::move(device));
    session_.take_gpus_elsewhere(std::move(gpus));
    emit changed();
}

// In the job's thread.
GpusElsewhere::Answer GpusElsewhere::ask(const Request& request, const views::CancelToken& token) {
    Answer answer;
    answer.place = request.place;
    remote::RemoteClient client(request.place);
    measure::WorkerClient worker; // compiles nothing yet
    measure::RequestOptions options;
    options.timeout_seconds = kTrySeconds;
    options.cancel = token.flag();
    options.on_progress = [this](const measure::Progress& p) {
        handover_.post([this, text = QString::fromStdString(p.text)] { emit progress(text); });
    };
    auto found = client.request(worker, "gpus", nlohmann::json::object(), options);
    if (!found) {
        answer.errors = found.errors();
        return answer;
    }
    answer.gpus = found->at("gpus");
    answer.devices = devices_of(answer.gpus, answer.errors);
    return answer;
}

void GpusElsewhere::try_place(const remote::Place& place) {
    answer_ = {};
    job_->request({place});
}

Status GpusElsewhere::add() {
    if (answer_.devices.empty())
        return error("no GPU has answered there");
    if (auto kept = remote::keep_gpus(answer_.place, answer_.gpus); !kept)
        return kept;
    if (auto added = remote::add_place(answer_.place); !added)
        return added;
    read();
    return success();
}

Status GpusElsewhere::remove(const remote::Place& place) {
    if (auto removed = remote::remove_place(place); !removed)
        return removed;
    read();
    return success();
}

std::shared_ptr<remote::RemoteClient> GpusElsewhere::client(const std::string& target) {
    if (!remote::is_place(target))
        return nullptr;
    auto& known = clients_[target];
    if (!known)
        if (auto place = remote::read_place(target))
            known = std::make_shared<remote::RemoteClient>(std::move(*place));
    return known;
}

} // namespace loopscope::session
