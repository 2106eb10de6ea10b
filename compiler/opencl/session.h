#pragma once
// One program at a time on the device: built, its memory made, its kernels run. In the worker's
// process alone.

#include "compiler/opencl/device.h"
#include "compiler/opencl/shared_bytes.h"

#include <map>
#include <memory>

namespace loopscope::opencl {

class Session {
public:
    // On the device of that number, as find_devices counts them: 0 is a GPU where there is one.
    // Errors (kCodeTarget): there is none.
    static Result<std::unique_ptr<Session>> open(int number);

    const Device& device() const { return device_; }

    // Builds the kernels, unless they are those that are there already, and makes new memory.
    // Errors: what `lacks` says; what the device's compiler says; memory that it does not give.
    loopscope::Status prepare(Program program);
    // Fills all memory with a pattern, so that what kernels leave out cannot look right by chance,
    // writes `inputs`, by their indices, runs all launches, and reads `outputs`. The seconds as of
    // `execute`.
    Result<double> run(const std::map<std::size_t, SharedBytes>& inputs,
                       const std::map<std::size_t, SharedBytes>& outputs);
    // Runs all launches on the memory as it is: seconds by the device's clock, from the first one's
    // start to the last one's end.
    Result<double> execute();

private:
    Session(Api api, FoundDevice found) : api_(api), handle_(found.handle), device_(found.device) {}
    Session(const Session&) = delete; // kept until the process ends

    loopscope::Status build(const std::string& source);
    loopscope::Status make_memories();
    loopscope::Status make_kernels();
    void drop_kernels();
    void drop_memories();
    std::string build_log() const;

    const Api api_;
    const Handle handle_;
    const Device device_;
    Handle context_ = nullptr, queue_ = nullptr;
    Program program_;
    Handle built_ = nullptr;
    std::string built_source_; // what `built_` was made of
    std::vector<Handle> memories_, kernels_;
};

} // namespace loopscope::opencl
