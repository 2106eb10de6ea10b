#include "app/session/handed_on.h"

#include "app/session/script_target.h"
#include "core/base/printable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace loopscope::session {

namespace {

constexpr const char* kDeviceKey = "carried_device:"; // of a source's row, before the name
constexpr std::size_t kMaxCarried = 64;               // devices of a document
constexpr std::size_t kMaxCarriedBytes = 1 << 20;     // of one

bool is_carried(const std::string& key) { return key.starts_with(kDeviceKey); }

Result<DevicePtr> read_carried(const std::string& name, const std::string& text) {
    auto device = device::read_device(std::make_shared<SourceFile>(name, text));
    if (!device)
        return device.errors();
    return std::make_shared<const device::Device>(std::move(*device));
}

// Errors: whoever gets it could not read it.
Status carry(DocumentSource& source, const std::string& name, device::Device device) {
    device.is_host = false;
    auto text =
        device::to_json(device).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (auto read = read_carried(name, text); !read || text.size() > kMaxCarriedBytes)
        return error(
            "the device " + name + " cannot be handed on" +
                (read ? ": its description is too long" : ": " + read.errors().front().message),
            "choose another device");
    source.other[kDeviceKey + name] = std::move(text);
    return success();
}

// The document's own device, and what it is called from now on.
Status carry_own(DocumentSource& source, const DocumentDevice& devices) {
    auto own = *devices.own();
    if (own.is_host) {
        if (source.device != "host") // it only stands in for one that is not here
            return success();
        source.device = own.name = kHandedOnHost;
    } else {
        source.device = std::filesystem::path(source.device).filename().string();
    }
    return carry(source, source.device, std::move(own));
}

// That the scripts of the document name.
std::set<std::string> targets_of(const Document& document) {
    std::set<std::string> names;
    for (const auto& revision : document.revisions())
        names.insert(target_of(revision.script));
    return names;
}

} // namespace

Result<CarriedDevices> carried_devices(const DocumentSource& source, const std::string& path) {
    CarriedDevices out;
    const auto damaged = [&](const std::string& what) {
        return error(path + " is damaged: " + what, "ask for another copy of it");
    };
    for (const auto& [key, text] : source.other) {
        if (!is_carried(key))
            continue;
        const auto name = key.substr(std::string_view(kDeviceKey).size());
        const auto shown = "its device " + printable_text(name, kMaxName);
        if (out.size() == kMaxCarried)
            return damaged("it has more than " + std::to_string(kMaxCarried) + " devices");
        if (name.empty() || text.size() > kMaxCarriedBytes)
            return damaged(shown + " is no description of a device");
        auto device = read_carried(name, text);
        if (!device)
            return damaged(shown + " cannot be read: " + device.errors().front().message);
        out[name] = std::move(*device);
    }
    return out;
}

Result<DocumentSource> handed_on_source(const Document& document, const DocumentDevice& devices) {
    auto source = document.source();
    std::erase_if(source.other, [](const auto& each) { return is_carried(each.first); });
    source.pipeline_file = std::filesystem::path(source.pipeline_file).filename().string();
    if (auto status = carry_own(source, devices); !status)
        return status.errors();
    for (const auto& name : targets_of(document)) {
        const auto device = devices.find(name);
        if (!device || (*device)->is_host) // what is missing here is missing there, too
            continue;
        if (auto status = carry(source, name, **device); !status)
            return status.errors();
    }
    const auto count = std::count_if(source.other.begin(), source.other.end(),
                                     [](const auto& each) { return is_carried(each.first); });
    if (static_cast<std::size_t>(count) > kMaxCarried)
        return error("the document names more than " + std::to_string(kMaxCarried) + " devices",
                     "save the present schedule (.sched), and hand on a document of that");
    return source;
}

} // namespace loopscope::session
