#include "compiler/gpu/bundle/job_run.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/timing.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/run/compare.h"
#include "compiler/run/float_values.h"
#include "compiler/run/judgement.h"
#include "compiler/run/window.h"
#include "core/base/clock.h"

#include <cmath>
#include <cstring>

#include <unistd.h>

namespace loopscope::gpu {

using nlohmann::json;

namespace {

// More than the machine has would be given by the system, and then end whoever writes to it.
Status check_host_memory(const Plan& plan) {
    const auto has =
        std::int64_t{::sysconf(_SC_PHYS_PAGES)} * std::int64_t{::sysconf(_SC_PAGESIZE)};
    std::int64_t needs = 0;
    for (const auto& b : plan.buffers)
        if (b.role != PlanRole::Scratch)
            needs += b.bytes();
    if (needs <= has / 10 * 9)
        return success();
    return coded_error(measure::kCodeMemoryLimit, "the arrays take " + std::to_string(needs >> 20) +
                                                      " MiB, and this machine has " +
                                                      std::to_string(has >> 20) + " MiB");
}

class JobRun {
public:
    JobRun(const Bundle& bundle, const BundleJob& job, const JobOptions& options)
        : bundle_(bundle), job_(job), options_(options), plan_(job.plan) {}

    Result<json> run() {
        auto session = GpuSession::open(options_.device);
        if (!session)
            return session.errors();
        if (auto fits = check_host_memory(plan_); !fits)
            return fits.errors();
        if (auto chosen = choose_variant((*session)->gpu()); !chosen)
            return chosen.errors();
        auto run = PlanRun::prepare(**session, plan_);
        if (!run)
            return run.errors();
        answer_ = {{"name", job_.name},
                   {"gpu", to_json((*session)->gpu())},
                   {"architecture", plan_.architecture},
                   {"kernels", kernels_json(*run)},
                   {"checks", json::array()},
                   {"times", json::array()},
                   {"flops", job_.flops},
                   {"flops_exact", job_.flops_exact},
                   {"bytes", job_.bytes}};
        if (job_.run)
            return execute(*run);
        for (const auto& check : job_.checks)
            if (auto done = this->check(*run, check); !done)
                return done.errors();
        answer_["status"] = right_ ? "right" : "wrong";
        answer_["seconds_run"] = seconds_run_;
        if (auto done = right_ ? times(*run) : success(); !done)
            return done.errors();
        return std::move(answer_);
    }

private:
    Status choose_variant(const AttachedGpu& gpu) {
        const auto* variant = variant_for(job_, gpu.capability());
        if (!variant)
            return coded_error(
                kCodeNotRunnable,
                "the bundle has no kernels for " + gpu.name + ", " + gpu.architecture(),
                "`loopscope-cli bundle --arch " + gpu.architecture() + "` makes them");
        auto ptx = read_file(bundle_.folder, variant->ptx);
        if (!ptx)
            return ptx.errors();
        plan_.architecture = variant->architecture;
        plan_.ptx = std::move(*ptx);
        return success();
    }

    Result<Buffers> inputs_of(const BundleCheck& check) const {
        Buffers inputs;
        for (const auto& input : check.inputs) {
            const auto& b = *plan_.find(input.name);
            auto array = random_buffer(b.type, b.extents, input.seed, input.mode);
            if (!array)
                return array.errors();
            inputs.emplace(input.name, std::move(*array));
        }
        return inputs;
    }

    // On the arrays that came with it.
    Result<json> execute(PlanRun& run) {
        Buffers inputs;
        for (const auto& [name, file] : job_.run->inputs) {
            const auto& planned = *plan_.find(name);
            auto array = array_in(file, planned.type, planned.extents);
            if (!array)
                return array.errors();
            inputs.emplace(name, std::move(*array));
        }
        if (auto outputs = outputs_on(run, inputs); !outputs)
            return outputs.errors();
        else
            for (const auto& name : job_.run->outputs) {
                const auto& data = outputs->at(name).data;
                if (auto written =
                        write_file(bundle_.folder, outputs_path(job_.name, name),
                                   {reinterpret_cast<const char*>(data.data()), data.size()});
                    !written)
                    return written.errors();
            }
        answer_["status"] = "done";
        answer_["seconds_run"] = seconds_run_;
        return std::move(answer_);
    }

    Result<Buffers> outputs_on(PlanRun& run, const Buffers& inputs) {
        if (auto done = run.upload(inputs); !done)
            return done.errors();
        if (auto done = run.poison(); !done)
            return done.errors();
        const auto begin = Clock::now();
        if (auto done = run.run({options_.kernel_seconds, nullptr}); !done)
            return done.errors();
        seconds_run_ += seconds_since(begin);
        return run.outputs();
    }

    Status check(PlanRun& run, const BundleCheck& check) {
        auto inputs = inputs_of(check);
        if (!inputs)
            return inputs.errors();
        auto outputs = outputs_on(run, *inputs);
        if (!outputs)
            return outputs.errors();
        json one{{"kind", check.kind}, {"status", "right"}, {"outputs", json::array()}};
        for (const auto& part : check.expected) {
            auto compared = compare_part(part, *outputs);
            if (!compared)
                return compared.errors();
            if (compared->at("status") == "WRONG") {
                one["status"] = "wrong";
                right_ = false;
            }
            one["outputs"].push_back(std::move(*compared));
        }
        answer_["checks"].push_back(std::move(one));
        return success();
    }

    Result<Buffer> array_in(const BundleFile& file, ScalarType type,
                            const std::vector<std::int64_t>& extents) const {
        auto bytes = read_file(bundle_.folder, file);
        if (!bytes)
            return bytes.errors();
        auto buffer = make_buffer(type, extents);
        if (!buffer)
            return buffer;
        std::memcpy(buffer->data.data(), bytes->data(), buffer->data.size());
        return buffer;
    }

    // How many elements differ, and by how much, a hash does not tell.
    static json compare_hash(const BundleExpected& part, const Buffer& actual) {
        const bool equal = hash_of_elements(actual) == *part.elements;
        const auto none = equal ? json(0) : json();
        return {{"output", part.output},
                {"type", name(actual.type)},
                {"offset", part.offset},
                {"extents", part.extents},
                {"different", none},
                {"beyond", none},
                {"allowed", json()},
                {"max_abs_error", none},
                {"max_ulp", none},
                {"conclusive", true},
                {"status", equal ? "equal" : "WRONG"}};
    }

    Result<json> compare_part(const BundleExpected& part, const Buffers& outputs) const {
        const auto& whole = outputs.at(part.output);
        auto actual = window_of(whole, part.offset, part.extents);
        if (actual && part.elements)
            return compare_hash(part, *actual);
        auto reference = array_in(part.reference, whole.type, part.extents);
        if (!actual || !reference)
            return actual ? reference.errors() : actual.errors();
        const auto c = compare(*actual, *reference);
        std::int64_t beyond = c.differences, first = c.first_difference;
        bool conclusive = true;
        json allowed;
        if (part.low) {
            auto low = array_in(*part.low, whole.type, part.extents);
            auto high = array_in(*part.high, whole.type, part.extents);
            if (!low || !high)
                return low ? high.errors() : low.errors();
            const auto judged = judge_within(*actual, *reference, *low, *high);
            beyond = judged.beyond;
            first = judged.first;
            allowed = judged.allowed;
            conclusive = judged.conclusive();
        }
        json one{{"output", part.output},
                 {"type", name(whole.type)},
                 {"offset", part.offset},
                 {"extents", part.extents},
                 {"different", c.differences},
                 {"beyond", beyond},
                 {"allowed", allowed},
                 {"max_abs_error", c.max_abs_error},
                 {"max_ulp", c.max_ulp},
                 {"conclusive", c.equal || conclusive},
                 {"status", beyond > 0 ? "WRONG"
                            : c.equal  ? "equal"
                                       : "within bound"}};
        if (beyond > 0)
            one["first_difference"] = {{"position", first},
                                       {"is", element_value(*actual, first)},
                                       {"reference", element_value(*reference, first)}};
        return one;
    }

    Status times(const PlanRun& run) {
        for (const bool cold : {false, true}) {
            if (!(cold ? options_.cold : options_.warm))
                continue;
            TimingOptions options;
            options.budget_seconds = options_.budget_seconds;
            options.cold = cold;
            options.each_kernel = true;
            options.watch.seconds = options_.kernel_seconds;
            auto timing = time_plan(run, options);
            if (!timing)
                return timing.errors();
            auto one = to_json(*timing);
            const double median = one.at("median_s");
            one["kernels_s"] = timing->kernel_seconds;
            one["gflops"] = one["gbytes_per_s"] = nullptr;
            if (job_.flops > 0)
                one["gflops"] = job_.flops / median * 1e-9;
            if (job_.bytes > 0)
                one["gbytes_per_s"] = job_.bytes / median * 1e-9;
            answer_["times"].push_back(std::move(one));
        }
        return success();
    }

    const Bundle& bundle_;
    const BundleJob& job_;
    const JobOptions& options_;
    Plan plan_;
    bool right_ = true;
    double seconds_run_ = 0;
    json answer_;
};

} // namespace

Result<json> run_job(const Bundle& bundle, const BundleJob& job, const JobOptions& options) {
    return JobRun(bundle, job, options).run();
}

} // namespace loopscope::gpu
