#include "tests/gpu/gpu_support.h"

#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/nvml.h"
#include "compiler/worker/program.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

#include <dlfcn.h>

namespace loopscope::test {

namespace {

// Before anything asks for a driver: it is looked for once a process.
const bool kNamed = [] {
    ::setenv(gpu::kCudaLibraryVariable, LOOPSCOPE_FAKE_DRIVER, 1);
    ::setenv(gpu::kNvmlLibraryVariable, LOOPSCOPE_FAKE_DRIVER, 1);
    return true;
}();

void reset() {
    void* library = ::dlopen(LOOPSCOPE_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!kNamed || !library)
        throw std::runtime_error(::dlerror());
    reinterpret_cast<void (*)()>(::dlsym(library, "fake_cuda_reset"))();
}

} // namespace

FakeDriver::FakeDriver(Settings settings) : settings_(std::move(settings)) {
    reset();
    for (const auto& [name, value] : settings_)
        ::setenv(name.c_str(), value.c_str(), 1);
}

FakeDriver::~FakeDriver() {
    for (const auto& [name, value] : settings_)
        ::unsetenv(name.c_str());
}

std::string driver_variables(const Settings& settings) {
    std::string text = std::string("export ") + gpu::kCudaLibraryVariable + "='" +
                       LOOPSCOPE_FAKE_DRIVER + "' " + gpu::kNvmlLibraryVariable + "='" +
                       LOOPSCOPE_FAKE_DRIVER + "'";
    for (const auto& [name, value] : settings)
        text += " " + name + "='" + value + "'";
    return text;
}

Outcome run_with_driver(const std::vector<std::string>& arguments, const Settings& settings) {
    return run_cli(arguments, "", driver_variables(settings));
}

std::string meaning_of(const std::string& pipeline, const std::string& schedule,
                       const std::map<std::string, std::int64_t>& params,
                       std::optional<int> multiprocessors) {
    nlohmann::json arguments{{"pipeline", {{"name", pipeline}, {"text", read_file(pipeline)}}},
                             {"schedule", {{"name", schedule}, {"text", read_file(schedule)}}},
                             {"params", params},
                             {"target", "simt"}};
    auto loaded = must(worker::load_program(arguments));
    loaded.device.gpu->multiprocessors =
        multiprocessors.value_or(loaded.device.gpu->multiprocessors);
    auto program = must(worker::lower_program(loaded));
    auto folder = scratch_folder();
    std::ofstream(folder + "/" + program.name + ".program") << lower::to_text_with_origins(program);
    return folder;
}

} // namespace loopscope::test
