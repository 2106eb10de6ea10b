#include "app/session/document_device.h"

#include "app/session/script_target.h"
#include "compiler/measure/host_device.h"
#include "core/language/schedule_syntax.h"

#include <algorithm>

namespace loopscope::session {

namespace {
const std::string kOfDocument = "document:";

bool names_carried(const std::string& name) { return name.starts_with(kOfDocument); }
} // namespace

std::string name_of_carried(const std::string& name) { return kOfDocument + name; }

DocumentDevice::DocumentDevice()
    : host_(std::make_shared<const device::Device>(measure::host_device())),
      now_(host_),
      own_(host_) {}

DevicePtr DocumentDevice::device_of_target(const std::string& target) const {
    for (const auto& device : here_)
        if (device->target == target)
            return device;
    return nullptr;
}

DevicePtr DocumentDevice::here_named(const std::string& name) const {
    DevicePtr found;
    for (const auto& device : here_)
        if (device->name == name && (!found || device->target == chosen_))
            found = device;
    return found;
}

DevicePtr DocumentDevice::carried_named(const std::string& name) const {
    const auto found = carried_.find(name);
    return found == carried_.end() ? nullptr : found->second;
}

Result<DevicePtr> DocumentDevice::find(const std::string& name_or_path) const {
    if (name_or_path.empty() || name_or_path == "host" || name_or_path == host_->name)
        return host_;
    if (names_carried(name_or_path))
        if (auto device = carried_named(name_or_path.substr(kOfDocument.size())))
            return device;
    auto carried = carried_named(name_or_path);
    if (carried && chosen_ == name_of_carried(name_or_path))
        return carried;
    if (auto device = here_named(name_or_path))
        return device;
    if (carried)
        return carried;
    // A file of a person's own may call its device by the same name. (One that is not here any more
    // has a file, too: it is only described now.)
    if (!now_->is_here() && now_->file == measure::device_file(name_or_path))
        return now_;
    auto device = measure::find_device(name_or_path);
    if (!device)
        return device.errors();
    return std::make_shared<const device::Device>(std::move(*device));
}

Result<DevicePtr> DocumentDevice::of_script(const std::string& script,
                                            const std::string& name) const {
    const auto target = target_of(script);
    if (target.empty())
        return own_;
    auto device = find(target);
    if (device)
        return device;
    auto errors = device.errors();
    for (const auto& statement :
         read_schedule(std::make_shared<SourceFile>(name, script)).statements)
        if (statement.kind == ScheduleStatement::Kind::Target)
            errors.front().range = statement.name_range;
    return errors;
}

std::string DocumentDevice::name_of_now() const {
    if (now_->is_host)
        return {};
    // A file of a person's own may call its device by the name of another.
    const bool named = now_->is_here() || now_->file == measure::device_file(now_->name);
    return named ? now_->name : now_->file;
}

DocumentDevice DocumentDevice::without_carried() const {
    auto alone = *this;
    alone.carried_.clear();
    return alone;
}

void DocumentDevice::carry(CarriedDevices devices) {
    carried_ = std::move(devices);
    if (names_carried(chosen_)) // of the document before
        chosen_.clear();
}

bool DocumentDevice::end_carried() {
    const bool was_now = std::any_of(carried_.begin(), carried_.end(),
                                     [this](const auto& each) { return each.second == now_; });
    carry({});
    if (was_now)
        now_ = own_ = host_;
    return was_now;
}

void DocumentDevice::take_attached(std::vector<DevicePtr> gpus) {
    attached_ = std::move(gpus);
    join();
}

void DocumentDevice::take_elsewhere(std::vector<DevicePtr> gpus) {
    elsewhere_ = std::move(gpus);
    join();
}

void DocumentDevice::take_opencl(std::vector<DevicePtr> devices) {
    opencl_ = std::move(devices);
    join();
}

void DocumentDevice::join() {
    gpus_ = attached_;
    gpus_.insert(gpus_.end(), elsewhere_.begin(), elsewhere_.end());
    here_ = gpus_;
    here_.insert(here_.end(), opencl_.begin(), opencl_.end());
}

bool DocumentDevice::take_host(DevicePtr host) {
    host_ = std::move(host);
    if (own_->is_host)
        own_ = host_;
    if (!now_->is_host)
        return false;
    now_ = host_;
    return true;
}

} // namespace loopscope::session
