#include "compiler/worker/bundle_job.h"

#include "compiler/gpu/bundle/bundle.h"
#include "compiler/run/compare.h"
#include "compiler/run/window.h"
#include "compiler/worker/check_cases.h"
#include "compiler/worker/gpu_plan.h"
#include "compiler/worker/run_arrays.h"
#include "compiler/worker/work_count.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace loopscope::worker {

using nlohmann::json;

namespace {

// A bundle travels. Of what would take more than this, every bit is compared by hashes, and bounds
// in windows.
constexpr std::int64_t kMaxBytes = 256 << 10;
// of a part that is compared by hashes: a difference has its slab as its place
constexpr std::int64_t kMaxSlabs = 64;

class Packer {
public:
    Packer(const LoadedProgram& loaded, const json& arguments, const CheckRequest& request,
           const Context& context)
        : loaded_(loaded), arguments_(arguments), request_(request), context_(context) {
        job_.name = arguments.at("name");
        folder_ = arguments.at("folder");
    }

    Result<json> pack() {
        if (auto done = head(); !done)
            return done.errors();
        job_.peer = arguments_.value("peer", json());
        auto cases = CheckCases::create(loaded_, request_, context_);
        if (!cases)
            return cases.errors();
        if (auto done = cases->in_bits() ? bits(*cases) : both(*cases); !done)
            return done.errors();
        return gpu::to_json(job_);
    }

    // A run on the person's arrays, with what its answer begins with as "answer".
    Result<json> pack_run(const RunArrays& run) {
        if (auto done = head(); !done)
            return done.errors();
        gpu::BundleExecution execution;
        for (const auto& [name, array] : run.arrays) {
            auto file = gpu::write_file(
                folder_, path("input." + name + ".bin"),
                {reinterpret_cast<const char*>(array.data.data()), array.data.size()});
            if (!file)
                return file.errors();
            execution.inputs.emplace(name, std::move(*file));
        }
        for (const auto& [name, file] : run.outputs)
            execution.outputs.push_back(name);
        job_.run = std::move(execution);
        auto packed = gpu::to_json(job_);
        packed["answer"] = run_facts(run);
        return packed;
    }

private:
    Status head() {
        if (auto done = kernels(); !done)
            return done;
        auto work = count_work(*loaded_.pipeline);
        if (!work)
            return work.errors();
        job_.flops = work->flops;
        job_.flops_exact = work->flops_exact;
        job_.bytes = work->bytes;
        job_.pipeline = arguments_.at("pipeline").at("name");
        job_.schedule = arguments_.contains("schedule")
                            ? arguments_["schedule"].at("name").get<std::string>()
                            : "";
        for (const auto& param : loaded_.pipeline->params)
            job_.params[param.name] = param.value;
        return success();
    }

    std::string path(const std::string& file) const { return "jobs/" + job_.name + "/" + file; }

    Status kernels() {
        context_.progress("compile", "compiling");
        auto program = lower_program(loaded_);
        if (!program)
            return program.errors();
        auto architectures = arguments_.value("architectures", std::vector<std::string>());
        if (architectures.empty() && loaded_.schedule.target.empty())
            architectures = {
                arguments_.value("architecture_there", loaded_.device.gpu->architecture)};
        else if (architectures.empty())
            architectures = {loaded_.device.gpu->architecture};
        for (const auto& architecture : architectures) {
            auto plan = plan_of(*program, architecture);
            if (!plan)
                return plan.errors();
            auto file =
                gpu::write_file(folder_, path("kernels." + plan->architecture + ".ptx"), plan->ptx);
            if (!file)
                return file.errors();
            job_.variants.push_back({plan->architecture, std::move(*file)});
            job_.plan = std::move(*plan);
        }
        job_.plan.ptx.clear();
        return success();
    }

    Status bits(CheckCases& cases) {
        auto inputs = cases.inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        auto expected = cases.expected_bits(*inputs);
        if (!expected)
            return expected.errors();
        return add("reals, every bit", cases, RandomMode::Reals, *expected, false);
    }

    // As `check` compares a schedule that reassociates or approximates.
    Status both(CheckCases& cases) {
        auto whole = cases.whole_numbers();
        if (!whole)
            return whole.errors();
        if (whole->status == CheckCases::WholeNumbers::Status::Compared)
            if (auto done =
                    add("whole numbers, every bit", cases, whole->mode, whole->expected, false);
                !done)
                return done;
        auto inputs = cases.inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        auto expected = cases.expected_reals(*inputs);
        if (!expected)
            return expected.errors();
        return add("reals, within " + cases.tolerance_text(), cases, RandomMode::Reals, *expected,
                   true);
    }

    Status add(const std::string& kind, const CheckCases& cases, RandomMode mode,
               const Buffers& expected, bool bounded) {
        gpu::BundleCheck check;
        check.kind = kind;
        for (const auto& [name, seed] : cases.input_seeds())
            check.inputs.push_back({name, mode, seed});
        for (const auto& part : cases.parts_of_outputs()) {
            const auto& array = expected.at(part.array);
            if (!bounded && static_cast<std::int64_t>(array.data.size()) > kMaxBytes) {
                if (auto done = add_slabs(part, array, check); !done)
                    return done;
                continue;
            }
            auto added = add_part(part, cases, expected, bounded);
            if (!added)
                return added.errors();
            check.expected.push_back(std::move(*added));
        }
        job_.checks.push_back(std::move(check));
        return success();
    }

    // Slabs along the outermost dimension that has any extent.
    static Status add_slabs(const CheckCases::OutputPart& part, const Buffer& array,
                            gpu::BundleCheck& check) {
        std::size_t d = 0;
        while (d + 1 < part.extents.size() && part.extents[d] == 1)
            ++d;
        const auto whole = part.extents[d], rows = (whole + kMaxSlabs - 1) / kMaxSlabs;
        for (std::int64_t row = 0; row < whole; row += rows) {
            gpu::BundleExpected slab;
            slab.output = part.output;
            slab.offset = part.offset;
            slab.extents = part.extents;
            std::vector<std::int64_t> offset(part.extents.size(), 0);
            offset[d] = row;
            slab.offset[d] += row;
            slab.extents[d] = std::min(rows, whole - row);
            auto elements = window_of(array, offset, slab.extents);
            if (!elements)
                return elements.errors();
            slab.elements = hash_of_elements(*elements);
            check.expected.push_back(std::move(slab));
        }
        return success();
    }

    Result<gpu::BundleExpected> add_part(const CheckCases::OutputPart& part,
                                         const CheckCases& cases, const Buffers& expected,
                                         bool bounded) {
        gpu::BundleExpected out;
        out.output = part.output;
        out.offset = part.offset;
        out.extents = part.extents;
        auto written = write("reference", part, expected.at(part.array));
        if (!written)
            return written.errors();
        out.reference = std::move(*written);
        const auto ends = bounded ? cases.bounds(part.array, expected) : std::nullopt;
        if (!ends)
            return out;
        auto low = write("low", part, *ends->first), high = write("high", part, *ends->second);
        if (!low || !high)
            return low ? high.errors() : low.errors();
        out.low = std::move(*low);
        out.high = std::move(*high);
        return out;
    }

    Result<gpu::BundleFile> write(const char* what, const CheckCases::OutputPart& part,
                                  const Buffer& array) const {
        auto name = part.array;
        for (char& c : name)
            c = c == '@' ? '.' : c;
        return gpu::write_file(
            folder_, path(std::to_string(job_.checks.size()) + "." + name + "." + what + ".bin"),
            {reinterpret_cast<const char*>(array.data.data()), array.data.size()});
    }

    const LoadedProgram& loaded_;
    const json& arguments_;
    const CheckRequest& request_;
    const Context& context_;
    std::string folder_;
    gpu::BundleJob job_;
};

} // namespace

Result<json> serve_bundle(const json& arguments, const Context& context) {
    auto request = check_request(arguments);
    request.most_work = kReferenceFlops;
    request.most_bounded_bytes = kMaxBytes;
    auto for_gpu = arguments;
    for_gpu["target"] = "simt"; // lowered for a GPU that need not be here
    if (arguments.contains("outputs")) {
        auto run = run_arrays(for_gpu, context);
        if (!run)
            return run.errors();
        return Packer(run->loaded, for_gpu, request, context).pack_run(*run);
    }
    auto loaded = load_program(for_gpu);
    if (!loaded)
        return loaded.errors();
    return Packer(*loaded, for_gpu, request, context).pack();
}

} // namespace loopscope::worker
