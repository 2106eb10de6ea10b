// The device of a session: chosen by a person, and followed as GPUs come, go and are measured.

#include "app/session/gpu_script.h"
#include "app/session/script_target.h"
#include "app/session/session.h"
#include "compiler/measure/host_device.h"
#include "core/language/intrinsics.h"

namespace loopscope::session {

Status Session::set_device(const std::string& name_or_path) {
    const auto here = device_.device_of_target(name_or_path);
    auto device = here ? Result<DevicePtr>(here) : device_.find(name_or_path);
    if (!device)
        return device.errors();
    if (!document_) {
        device_.choose((*device)->target);
        device_.show(*device);
        device_.set_own(*device);
        emit deviceChanged();
        return success();
    }
    // A file of a person's own has no name that a script could say.
    const bool attached = (*device)->gpu && (*device)->is_here();
    const bool of_document =
        (*device)->gpu && name_or_path == name_of_carried((*device)->name); // and one is here, too
    const bool named =
        attached || of_document || ((*device)->gpu && (*device)->name == name_or_path);
    const auto script = with_target(script_, named ? (*device)->name : std::string());
    if (script != script_)
        if (auto status = no_draft(); !status)
            return status;
    // `native` may stand for another factor there: the script must still apply.
    auto scheduled = scheduled_for(*device, script);
    if (!scheduled)
        return scheduled.errors();
    if (attached)
        device_.choose((*device)->target);
    else if (of_document)
        device_.choose(name_or_path);
    if (!named) {
        if (auto status = document_->set_device(name_or_path); !status)
            return status;
        device_.set_own(*device);
    }
    if (script != script_)
        return commit(script, "for " + (*device)->name, std::move(*scheduled), *device);
    auto draft = draft_;
    show(script_, std::move(*scheduled), *device);
    if (draft != script_)
        edit_script(QString::fromStdString(draft));
    return success();
}

void Session::take_host(DevicePtr host) {
    // verdicts and forecasts are of the machine without its peaks
    if (device_.take_host(std::move(host)))
        present_.reset();
    emit deviceChanged();
}

void Session::take_gpu(DevicePtr gpu) {
    auto renewed = [&](std::vector<DevicePtr> devices) {
        for (auto& each : devices)
            if (each->target == gpu->target)
                each = gpu;
        return devices;
    };
    device_.take_attached(renewed(device_.attached()));
    device_.take_elsewhere(renewed(device_.elsewhere()));
    device_.take_opencl(renewed(device_.opencl()));
    gpus_changed();
}

void Session::take_gpus(std::vector<DevicePtr> attached) {
    device_.take_attached(std::move(attached));
    gpus_changed();
}

void Session::take_gpus_elsewhere(std::vector<DevicePtr> gpus) {
    device_.take_elsewhere(std::move(gpus));
    gpus_changed();
}

void Session::take_opencl(std::vector<DevicePtr> devices) {
    device_.take_opencl(std::move(devices));
    gpus_changed();
}

void Session::gpus_changed() {
    if (document_ && has_draft() && target_of(draft_) != target_of(script_))
        edit_script(QString::fromStdString(draft_)); // its device may be here now
    if (!document_ || !move_to_better_gpu())
        follow_gpus();
}

// A document that was opened for a described GPU, as nobody knew of an attached one, is for that if
// it can run the schedule. True: it is now.
bool Session::move_to_better_gpu() {
    if (chosen_at_ == 0 || document_->current().id != chosen_at_ || has_draft() || undo_.can_redo())
        return false;
    const auto script = with_target(script_, {});
    const auto gpu = gpu_for(script, pipeline_, device_);
    if (!gpu || !gpu->is_here())
        return false;
    auto target = with_target(script_, gpu->name);
    auto scheduled = scheduled_for(gpu, target);
    if (!scheduled || !document_->amend_revision(chosen_at_, target).ok())
        return false;
    device_.choose(gpu->target);
    show(target, std::move(*scheduled), gpu);
    say_chosen(gpu);
    return true;
}

// The present device is one that came, went or was measured: the one of its name takes its place.
// One of a person's own file is nobody else.
void Session::follow_gpus() {
    const auto before = device_.now();
    const auto named = document_ ? target_of(script_) : std::string();
    const auto name = named.empty() ? before->name : named;
    const bool own_file =
        before->gpu && !before->is_here() && before->file != measure::device_file(before->name);
    if ((named.empty() && !before->gpu) || (named.empty() && own_file))
        return;
    const auto device = device_.find(name);
    if (!device || *device == before || (!(*device)->is_here() && !before->is_here()))
        return;
    if (device_.own() == before)
        device_.set_own(*device);
    if (!document_) {
        device_.show(*device);
        emit deviceChanged();
        return;
    }
    // What the card itself does not take stays on its description, which a person sees.
    auto scheduled = scheduled_for(*device, script_);
    if (!scheduled)
        return report(scheduled.errors());
    const auto draft = draft_;
    show(script_, std::move(*scheduled), *device);
    if (draft != script_)
        edit_script(QString::fromStdString(draft));
}

Result<Scheduled> Session::scheduled_for(const DevicePtr& device, const std::string& script) const {
    ApplyContext at;
    at.device = device.get();
    at.intrinsics = &declared_intrinsics();
    return schedule_script(pipeline_, script, at);
}

} // namespace loopscope::session
