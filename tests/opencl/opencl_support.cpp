#include "tests/opencl/opencl_support.h"

#include "tests/support/support.h"

namespace loopscope::test {

measure::WorkerOptions opencl_options() {
    measure::WorkerOptions options;
    options.program = program_path("loopscope-opencl-worker");
    options.environment = {"POCL_KERNEL_CACHE=0"};
    return options;
}

opencl::Client& opencl_client() {
    static opencl::Client client(opencl_options());
    return client;
}

opencl::Client& plain_opencl_client() {
    static opencl::Client client = [] {
        auto options = opencl_options();
        options.environment.push_back("POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable");
        return opencl::Client(options);
    }();
    return client;
}

opencl::Client& other_opencl_client() {
    static opencl::Client client = [] {
        auto options = opencl_options();
        options.environment.push_back("POCL_WORK_GROUP_METHOD=loopvec");
        return opencl::Client(options);
    }();
    return client;
}

std::string no_opencl_device() {
    static const std::string reason = [] {
        auto devices = opencl_client().devices();
        return devices ? std::string() : devices.errors().front().message;
    }();
    return reason;
}

} // namespace loopscope::test
