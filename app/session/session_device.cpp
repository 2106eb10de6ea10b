// The device that estimates are for: the script's `target`, else the document's own.

#include "app/session/script_target.h"
#include "app/session/session.h"
#include "compiler/measure/host_device.h"
#include "core/language/intrinsics.h"
#include "core/language/schedule_syntax.h"

namespace loopscope::session {

Result<DevicePtr> Session::find_device(const std::string& name_or_path) const {
    if (name_or_path.empty() || name_or_path == "host" || name_or_path == host_->name)
        return host_;
    // A file of a person's own may call its device by the same name.
    if (device_ && device_->file == measure::device_file(name_or_path))
        return device_;
    auto device = measure::find_device(name_or_path);
    if (!device)
        return device.errors();
    return std::make_shared<const device::Device>(std::move(*device));
}

// Errors: the script names a device that is not there, at its place.
Result<DevicePtr> Session::device_for(const std::string& script, const std::string& name) const {
    const auto target = target_of(script);
    if (target.empty())
        return own_device_;
    auto device = find_device(target);
    if (device)
        return device;
    auto errors = device.errors();
    for (const auto& statement :
         read_schedule(std::make_shared<SourceFile>(name, script)).statements)
        if (statement.kind == ScheduleStatement::Kind::Target)
            errors.front().range = statement.name_range;
    return errors;
}

Result<Session::ReadScript> Session::read_script(const std::string& script,
                                                 const std::string& name) {
    auto device = device_for(script, name);
    if (!device)
        return device.errors();
    ApplyContext at;
    at.device = device->get();
    at.intrinsics = &declared_intrinsics();
    // What the present script means on its device says nothing of another one.
    const auto* known = *device == device_ ? scheduled_.get() : nullptr;
    auto scheduled = schedule_script(pipeline_, script, at, name, known);
    if (!scheduled)
        return scheduled.errors();
    return ReadScript{std::move(*device), std::move(*scheduled)};
}

Status Session::set_device(const std::string& name_or_path) {
    auto device = find_device(name_or_path);
    if (!device)
        return device.errors();
    if (!document_) {
        device_ = own_device_ = *device;
        emit deviceChanged();
        return success();
    }
    // A file of a person's own has no name that a script could say.
    const bool named = (*device)->gpu && (*device)->name == name_or_path;
    const auto script = with_target(script_, named ? name_or_path : std::string());
    if (script != script_)
        if (auto status = no_draft(); !status)
            return status;
    // `native` may stand for another factor there: the script must still apply.
    ApplyContext at;
    at.device = device->get();
    at.intrinsics = &declared_intrinsics();
    auto scheduled = schedule_script(pipeline_, script, at);
    if (!scheduled)
        return scheduled.errors();
    if (!named) {
        if (auto status = document_->set_device(name_or_path); !status)
            return status;
        own_device_ = *device;
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
    host_ = std::move(host);
    if (own_device_->is_host)
        own_device_ = host_;
    if (device_->is_host) {
        device_ = host_;
        present_.reset(); // verdicts and forecasts are of the machine without its peaks
    }
    emit deviceChanged();
}

} // namespace loopscope::session
