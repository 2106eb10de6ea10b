#include "compiler/worker/program.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/runtime.h"
#include "compiler/codegen/opencl/opencl_source.h"
#include "compiler/lower/build.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "compiler/measure/targets.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/context.h"
#include "compiler/worker/emit_kernels.h"
#include "compiler/worker/gpu_plan.h"
#include "compiler/worker/schedule_lines.h"
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_syntax.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/recipe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <chrono>

namespace loopscope::worker {

using nlohmann::json;

namespace {
// That a client gives an answer: the rest is for what is said of it.
constexpr double kOfTheTime = 0.9;
constexpr double kLimitSeconds = 600; // where it does not say
constexpr int kMaxMultiprocessors = 1 << 16;
constexpr double kMaxSeconds = 1e8; // a clock's range ends somewhere
} // namespace

bool is_device_target(const std::string& target) {
    const auto read = measure::read_target(target);
    return read && read->kind != "cpu";
}

namespace {

Result<device::Device> device_of(const LoadedProgram& program, const Schedule& schedule) {
    device::Device device;
    device.vector_bits = program.vector_bits;
    if (!program.on_device) {
        // What the script's lines mean its GPU decides, also where they run as plain loops of a
        // processor.
        auto named = schedule.target.empty() ? Result<device::Device>(device)
                                             : measure::find_device(schedule.target);
        if (!named || !named->gpu)
            return device;
        named->vector_bits = program.vector_bits;
        return named;
    }
    if (schedule.target.empty()) {
        device = device::generic_gpu();
        if (program.multiprocessors > 0)
            device.gpu->multiprocessors = program.multiprocessors;
        // What the schedule may ask for is any GPU's; of blocks that stay that one is given as many
        // as it holds. Where there is none, what runs kernels says so.
        if (program.target == "cuda")
            if (auto session = gpu_session(program.number))
                device.gpu->multiprocessors = (*session)->gpu().multiprocessors;
        return device;
    }
    auto named = measure::find_device(schedule.target);
    if (named && !named->gpu)
        return error("the script is for " + schedule.target + ", which is no GPU",
                     "leave out --target, or the script's `target` line");
    return named;
}

// Recipes become the lines that they stand for on the GPU that the script is for.
Status write_recipes_out(const LoadedProgram& program, Schedule& schedule) {
    if (std::none_of(schedule.directives.begin(), schedule.directives.end(),
                     [](const auto& directive) { return as_recipe(*directive) != nullptr; }))
        return success();
    auto lines = written_out(program.pipeline, schedule,
                             ApplyContext{&program.device, &declared_intrinsics()});
    if (!lines)
        return lines.errors();
    schedule = std::move(*lines);
    return success();
}

// Refuses a schedule whose launches the GPU cannot hold, with all reasons at once.
Status check_runnable(const LoadedProgram& loaded) {
    auto errors = with_lines(loaded, not_runnable(*loaded.tree, *loaded.device.gpu));
    return errors.empty() ? success() : Status(std::move(errors));
}

} // namespace

Result<LoadedProgram> load_program(const json& arguments) {
    return load_program(arguments, params_of(arguments));
}

Result<LoadedProgram> load_program(const json& arguments,
                                   const std::map<std::string, std::int64_t>& params) {
    const auto& text = arguments.at("pipeline");
    LoadOptions options;
    options.params = params;
    auto loaded =
        load_pipeline(std::make_shared<SourceFile>(text.at("name"), text.at("text")), options);
    if (!loaded)
        return loaded.errors();
    LoadedProgram program;
    program.pipeline = loaded->pipeline;
    program.vector_bits = whole_or(arguments, "vector_bits", codegen::host_info().vector_bits,
                                   device::kMinVectorBits, device::kMaxVectorBits);
    if (!std::has_single_bit(static_cast<unsigned>(program.vector_bits)))
        return coded_error(measure::kCodeProtocol, "vector_bits must be a power of two, and is " +
                                                       std::to_string(program.vector_bits));
    // Forms of source may ask for `auto`, or for nothing that runs.
    const auto asked = arguments.value("target", program.target);
    const auto target = measure::read_target(asked);
    program.target = target ? target->kind : asked;
    program.number = target ? target->number : 0;
    program.multiprocessors = whole_or(arguments, "multiprocessors", 0, 0, kMaxMultiprocessors);
    program.on_device = target && target->kind != "cpu";
    program.kernels_until =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(
                kOfTheTime *
                std::min(seconds_or(arguments, "timeout_s", kLimitSeconds), kMaxSeconds)));

    PartialSchedule script;
    script.schedule.pipeline = program.pipeline->name;
    if (auto given = arguments.find("schedule"); given != arguments.end())
        script = parse_lines(std::make_shared<SourceFile>(given->at("name"), given->at("text")),
                             program.pipeline.get());
    auto& schedule = script.schedule;
    auto device = device_of(program, schedule);
    if (!device) { // what is refused of the lines only the device could say
        script.errors.insert(script.errors.end(), device.errors().begin(), device.errors().end());
        return std::move(script.errors);
    }
    program.device = std::move(*device);
    program.vector_bits = program.device.vector_bits;
    if (!script.errors.empty())
        return schedule_tree(program.pipeline, script, ApplyContext{&program.device}).errors();
    if (auto lines = write_recipes_out(program, schedule); !lines)
        return lines.errors();
    auto tree = schedule_tree(program.pipeline, schedule, ApplyContext{&program.device});
    if (!tree)
        return tree.errors();
    program.schedule = std::move(schedule);
    program.tree = std::move(*tree);
    return program;
}

Result<lower::Program> lower_program(const LoadedProgram& loaded, const std::string& stop_after,
                                     std::vector<lower::ScalarLoop>* scalar_loops) {
    if (loaded.on_device)
        if (auto runnable = check_runnable(loaded); !runnable)
            return runnable.errors();
    auto built = loaded.on_device ? lower::build_for_device(*loaded.tree, loaded.device)
                                  : lower::build(*loaded.tree);
    if (!built)
        return built;
    lower::LowerOptions options;
    options.target.vector_bits = loaded.vector_bits;
    options.target.bulk_tensor_copies =
        loaded.on_device && loaded.device.gpu && loaded.device.gpu->has("bulk_tensor_copy");
    options.verify_each = true;
    options.stop_after = stop_after;
    options.scalar_loops = scalar_loops;
    const auto& passes = loaded.on_device ? lower::device_passes() : lower::cpu_passes();
    auto program = lower::run_passes(*built, passes, options);
    if (!program)
        return with_unrolling_lines(loaded, program.errors());
    return program;
}

void add_warnings(json& answer, const std::vector<lower::ScalarLoop>& scalar_loops) {
    std::string text;
    for (const auto& left : scalar_loops)
        text += (text.empty() ? "" : "\n") + ("warning: the vectorised loop " + left.loop.text()) +
                " runs element by element: " + left.why;
    if (!text.empty())
        answer["warnings"] = text;
}

Result<CompiledProgram> compile_program(const LoadedProgram& loaded,
                                        const codegen::HostOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<lower::ScalarLoop> scalar_loops;
    const bool as_source = loaded.target == "opencl";
    auto lowered = as_source ? lower_for_kernel_source(loaded, &scalar_loops)
                             : lower_program(loaded, {}, &scalar_loops);
    if (!lowered)
        return lowered.errors();
    if (auto fits = check_memory(loaded, *lowered); !fits)
        return fits.errors();
    std::unique_ptr<codegen::HostProgram> host;
    if (!loaded.on_device) {
        auto code = codegen::HostProgram::compile(*lowered, options);
        if (!code)
            return code.errors();
        host = std::move(*code);
    }
    std::shared_ptr<const gpu::Plan> plan;
    if (loaded.target == "cuda") {
        auto made = plan_for_attached(loaded, *lowered);
        if (!made)
            return made.errors();
        plan = std::make_shared<const gpu::Plan>(std::move(*made));
    }
    std::optional<opencl::Program> kernels;
    if (as_source) {
        auto made = codegen::opencl_program(*lowered);
        if (!made)
            return made.errors();
        kernels = std::move(*made);
    }
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return CompiledProgram{std::move(*lowered), std::move(host), std::move(plan),
                           std::move(kernels),  seconds.count(), std::move(scalar_loops)};
}

namespace {

// A script's `target` line may name a described device, which is not here to run anything.
Status check_target_line(const json& arguments) {
    auto script = arguments.find("schedule");
    if (script == arguments.end())
        return success();
    auto source = std::make_shared<SourceFile>(script->at("name"), script->at("text"));
    auto parsed = parse_schedule(source);
    // errors of the text are found where the program is loaded
    if (!parsed || parsed->target.empty())
        return success();
    auto device = measure::find_device(parsed->target);
    if (!device || device->is_host)
        return device ? success() : Status(device.errors());
    auto refused = measure::only_estimates(*device);
    for (const auto& statement : read_schedule(source).statements)
        if (statement.kind == ScheduleStatement::Kind::Target)
            refused.range = statement.name_range;
    return refused;
}

} // namespace

Status check_target(const json& arguments) {
    const auto target = measure::read_target(arguments.value("target", "cpu"));
    if (!target)
        return target.errors();
    if (target->kind == "cpu")
        return check_target_line(arguments);
    if (target->kind == "cuda") {
        auto session = gpu_session(target->number);
        return session ? success() : Status(session.errors());
    }
    return success();
}

int threads_of(const json& arguments) {
    const int threads = whole_or(arguments, "threads", 0, 0, measure::kMaxThreads);
    return threads > 0 ? threads : codegen::available_threads();
}

} // namespace loopscope::worker
