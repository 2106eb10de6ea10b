#pragma once
// The device that estimates are for: the script's `target`, else the document's own, which is this
// machine unless a person chose another.

#include "core/base/result.h"
#include "core/device/device.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

using DevicePtr = std::shared_ptr<const device::Device>;

// Described by a document that was handed on (handed_on.h), by the names that it has for them.
using CarriedDevices = std::map<std::string, DevicePtr>;

// The document's own of several devices of one name: "document:h200". The name alone is that of one
// that is here. No device is called so.
std::string name_of_carried(const std::string& name);

class DocumentDevice {
public:
    DocumentDevice(); // this machine, by what is known of it

    const DevicePtr& host() const { return host_; } // none of these is ever null
    const DevicePtr& now() const { return now_; }
    const DevicePtr& own() const { return own_; }

    // On which programs can be run: those that are attached, then those elsewhere that the person
    // has added. A script for no device in particular may open on them.
    const std::vector<DevicePtr>& gpus() const { return gpus_; }
    const std::vector<DevicePtr>& attached() const { return attached_; }
    const std::vector<DevicePtr>& elsewhere() const { return elsewhere_; }
    // Those that OpenCL has here, which a person chooses.
    const std::vector<DevicePtr>& opencl() const { return opencl_; }

    // The device of a target ("cuda:1", "ssh:gpu1", "opencl:0"), as requests say it; null: there is
    // none.
    DevicePtr device_of_target(const std::string& target) const;
    // "host", the name of a described device, or the path of its file; what the document carries
    // stands before what is described here under the same name. One of that name on which programs
    // can be run stands for both, of several the one that was chosen, else the first; but for the
    // document's own where that was chosen, or is asked for by name_of_carried. Errors: there is
    // none.
    Result<DevicePtr> find(const std::string& name_or_path) const;
    // That a script is for. Errors: it names a device that is not there, at its place; `name` is
    // the script's.
    Result<DevicePtr> of_script(const std::string& script, const std::string& name) const;

    // What find() finds the device of now by; empty: it is this machine.
    std::string name_of_now() const;

    void show(DevicePtr device) { now_ = std::move(device); }
    void set_own(DevicePtr device) { own_ = std::move(device); }
    // The host with its peaks, in place of the one that was known. True: it is the one of now.
    bool take_host(DevicePtr host);
    const CarriedDevices& carried() const { return carried_; }
    // As the next document finds them: what this one carries is its own.
    DocumentDevice without_carried() const;
    void carry(CarriedDevices devices);
    // The document is let go. True: the device of now was its, and this machine takes its place.
    bool end_carried();
    // In place of those that were known.
    void take_attached(std::vector<DevicePtr> gpus);
    void take_elsewhere(std::vector<DevicePtr> gpus);
    void take_opencl(std::vector<DevicePtr> devices);
    // "cuda:1" or "document:h200", of those of one name.
    void choose(const std::string& target) { chosen_ = target; }

private:
    DevicePtr here_named(const std::string& name) const; // null: none is
    DevicePtr carried_named(const std::string& name) const;
    void join();

    DevicePtr host_, now_, own_;
    std::vector<DevicePtr> attached_, elsewhere_, gpus_, opencl_;
    std::vector<DevicePtr> here_; // all of these
    CarriedDevices carried_;
    std::string chosen_;
};

} // namespace loopscope::session
