#include "compiler/gpu/bundle/job_run.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/timing.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/run/compare.h"
#include "compiler/run/float_values.h"
#include "compiler/run/judgement.h"
#include "compiler/run/window.h"

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
                   {"kernels", kernels(*run)},
                   {"checks", json::array()},
                   {"times", json::array()},
                   {"flops", job_.flops},
                   {"flops_exact", job_.flops_exact},
                   {"bytes", job_.bytes}};
        for (const auto& check : job_.checks)
            if (auto done = this->check(*run, check); !done)
                return done.errors();
        answer_["status"] = right_ ? "right" : "wrong";
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

    static json kernels(const PlanRun& run) {
        auto list = json::array();
        for (std::size_t i = 0; i < run.kernels().size(); ++i) {
            auto one = to_json(run.kernels()[i]);
            const auto& planned = run.plan().kernels[i];
            one.update({{"grid", planned.grid},
                        {"block", planned.block},
                        {"cluster", planned.cluster},
                        {"shared_bytes", planned.shared_bytes}});
            list.push_back(std::move(one));
        }
        return list;
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

    Status check(PlanRun& run, const BundleCheck& check) {
        auto inputs = inputs_of(check);
        if (!inputs)
            return inputs.errors();
        if (auto done = run.upload(*inputs); !done)
            return done;
        if (auto done = run.poison(); !done)
            return done;
        if (auto done = run.run({options_.kernel_seconds, nullptr}); !done)
            return done;
        auto outputs = run.outputs();
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

    Result<Buffer> expected(const BundleExpected& part, const BundleFile& file,
                            ScalarType type) const {
        auto bytes = read_file(bundle_.folder, file);
        if (!bytes)
            return bytes.errors();
        auto buffer = make_buffer(type, part.extents);
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
                {"offset", part.offset},
                {"extents", part.extents},
                {"different", none},
                {"beyond", none},
                {"max_abs_error", none},
                {"status", equal ? "equal" : "WRONG"}};
    }

    Result<json> compare_part(const BundleExpected& part, const Buffers& outputs) const {
        const auto& whole = outputs.at(part.output);
        auto actual = window_of(whole, part.offset, part.extents);
        if (actual && part.elements)
            return compare_hash(part, *actual);
        auto reference = expected(part, part.reference, whole.type);
        if (!actual || !reference)
            return actual ? reference.errors() : actual.errors();
        const auto c = compare(*actual, *reference);
        std::int64_t beyond = c.differences, first = c.first_difference;
        if (part.low) {
            auto low = expected(part, *part.low, whole.type);
            auto high = expected(part, *part.high, whole.type);
            if (!low || !high)
                return low ? high.errors() : low.errors();
            const auto judged = judge_within(*actual, *reference, *low, *high);
            beyond = judged.beyond;
            first = judged.first;
        }
        json one{{"output", part.output},
                 {"offset", part.offset},
                 {"extents", part.extents},
                 {"different", c.differences},
                 {"beyond", beyond},
                 {"max_abs_error", c.max_abs_error},
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
            options.watch.seconds = options_.kernel_seconds;
            auto timing = time_plan(run, options);
            if (!timing)
                return timing.errors();
            auto one = to_json(*timing);
            const double median = one.at("median_s");
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
    json answer_;
};

} // namespace

Result<json> run_job(const Bundle& bundle, const BundleJob& job, const JobOptions& options) {
    return JobRun(bundle, job, options).run();
}

} // namespace loopscope::gpu
