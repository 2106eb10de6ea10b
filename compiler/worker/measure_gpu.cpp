#include "compiler/worker/measure_gpu.h"

#include "compiler/gpu/timing.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/check.h"
#include "compiler/worker/program.h"
#include "compiler/worker/runner.h"
#include "compiler/worker/work_count.h"
#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

constexpr double kDefaultGpuBudgetSeconds = 5;

Result<gpu::TimingOptions> timing_options(const json& arguments, const CheckRequest& request,
                                          const Context& context) {
    gpu::TimingOptions options;
    options.budget_seconds = seconds_or(arguments, "budget_s", kDefaultGpuBudgetSeconds);
    const auto cache = arguments.value("cache", "warm");
    if (cache != "warm" && cache != "cold")
        return error("`cache` is `" + cache + "`", "it is `warm` or `cold`");
    options.cold = cache == "cold";
    options.each_kernel = true;
    options.watch = {request.kernel_seconds, context.cancel_flag()};
    options.report = [&context](std::size_t samples, double median, double fraction) {
        context.progress("measure",
                         std::to_string(samples) + " samples, median " +
                             general_text(median * 1e3, 4) + " ms",
                         fraction);
    };
    return options;
}

} // namespace

Result<json> measure_on_gpu(const json& arguments, const Context& context) {
    const auto request = check_request(arguments);
    auto options = timing_options(arguments, request, context);
    if (!options)
        return options.errors();
    auto loaded = load_program(arguments);
    if (!loaded)
        return loaded.errors();
    context.progress("compile", "compiling");
    auto compiled = compile_program(*loaded);
    if (!compiled)
        return compiled.errors();
    auto work = count_work(*loaded->pipeline);
    if (!work)
        return work.errors();
    Runner runner(*loaded, *compiled, request, context);
    auto checked = check_program(*loaded, *compiled, request, runner, context);
    if (!checked)
        return checked.errors();
    json answer{{"median_s", nullptr}};
    std::vector<double> kernel_seconds;
    if (checked->at("status") == "right") {
        context.progress("measure", "timing");
        auto timing = gpu::time_plan(*runner.on_gpu(), *options);
        if (!timing)
            return timing.errors();
        answer = gpu::to_json(*timing);
        kernel_seconds = std::move(timing->kernel_seconds);
        add_rates(answer, *work, answer.at("median_s"));
    }
    runner.report(answer);
    for (std::size_t k = 0; k < kernel_seconds.size(); ++k)
        answer["kernels"][k]["median_s"] = kernel_seconds[k];
    answer["check"] = std::move(*checked);
    answer["threads"] = 1;
    answer["seed"] = request.seed;
    answer["seconds_compile"] = compiled->seconds;
    add_warnings(answer, compiled->scalar_loops);
    return answer;
}

} // namespace loopscope::worker
