#include "app/session/expert_schedule.h"

#include "app/session/estimates.h"
#include "app/session/measured_medians.h"
#include "app/session/script_target.h"
#include "app/session/session.h"
#include "app/session/shipped_programs.h"
#include "compiler/protocol/paths.h"
#include "core/base/text_file.h"
#include "core/language/intrinsics.h"

#include <filesystem>

namespace loopscope::session {

namespace {

namespace fs = std::filesystem;

// A pipeline of a person's own may have the name of another.
bool is_shipped(const std::string& name, const std::string& text) {
    const auto file =
        read_text_file(measure::resource_folder() + "/pipelines/" + name + ".loop", {});
    return file && (*file)->text() == text;
}

// Nothing: it does not apply there, or cannot run there.
std::optional<Expert> expert_in(const std::string& file, const PipelinePtr& pipeline,
                                const DevicePtr& device, const std::string& target) {
    const auto text = read_text_file(file, {});
    if (!text)
        return std::nullopt;
    Expert expert;
    expert.file = file;
    expert.script = with_target((*text)->text(), target);
    ApplyContext at;
    at.device = device.get();
    at.intrinsics = &declared_intrinsics();
    const auto scheduled = schedule_script(pipeline, expert.script, at);
    if (!scheduled)
        return std::nullopt;
    expert.estimate = shared_estimate(*scheduled->tree, *device);
    if (!expert.estimate->seconds)
        return std::nullopt;
    expert.seconds = *expert.estimate->seconds;
    return expert;
}

} // namespace

ExpertSchedule::ExpertSchedule(Session& session) : session_(session) {
    job_ = std::make_unique<Job>(
        [](const Request& request, const views::CancelToken& token) {
            Answer best;
            if (!is_shipped(request.pipeline->name, request.text))
                return best;
            for (const auto& file :
                 ShippedSchedules().suited(request.pipeline->name, *request.device)) {
                if (token.cancelled())
                    break;
                auto one = expert_in(file, request.pipeline, request.device, request.target);
                if (one && (!best || one->seconds < best->seconds))
                    best = std::move(one);
            }
            return best;
        },
        [this](const Request&, const Answer& answer) {
            expert_ = answer;
            emit changed();
        });
    job_->give_way();
    connect(job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { session_.say(text, true); });
    connect(&session_, &Session::treeChanged, this, &ExpertSchedule::look);
    connect(&session_, &Session::deviceChanged, this, &ExpertSchedule::look);
    connect(&session_, &Session::released, this, [this] {
        job_->cancel();
        pipeline_.reset();
        device_.reset();
        target_.clear();
        expert_.reset();
        emit changed();
    });
}

ExpertSchedule::~ExpertSchedule() { job_.reset(); }

void ExpertSchedule::look() {
    if (!session_.is_open())
        return;
    const auto target = target_of(session_.script());
    if (session_.pipeline() == pipeline_ && session_.device() == device_ && target == target_)
        return;
    pipeline_ = session_.pipeline();
    device_ = session_.device();
    target_ = target;
    expert_.reset();
    emit changed();
    job_->request({pipeline_, device_, session_.document()->program()->text, target_});
}

std::optional<views::ExpertTime> ExpertSchedule::time(const MeasuredMedians& medians) const {
    if (!expert_ || !session_.is_open())
        return std::nullopt;
    const auto file = fs::path(expert_->file).filename().string();
    const auto expert = medians.of(expert_->script), present = medians.of(session_.script());
    if (expert && present && *present > 0)
        return views::ExpertTime{file, *expert, *present, true, false};
    const auto estimate = session_.estimates().now();
    if (!session_.estimates().current() || !estimate || !estimate->seconds ||
        *estimate->seconds <= 0)
        return std::nullopt;
    return views::ExpertTime{file, expert_->seconds, *estimate->seconds, false,
                             expert.has_value() != present.has_value()};
}

Status ExpertSchedule::take() {
    if (!expert_)
        return error("no schedule is shipped for this pipeline and device");
    return session_.take_script(expert_->script,
                                "expert: " + fs::path(expert_->file).filename().string());
}

} // namespace loopscope::session
