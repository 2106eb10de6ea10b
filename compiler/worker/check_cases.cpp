#include "compiler/worker/check_cases.h"

#include "core/base/clock.h"

#include <algorithm>
#include <chrono>

namespace loopscope::worker {

namespace {

bool is_large(const LoadedProgram& loaded, const CheckRequest& request) {
    const auto marks = marks_of(*loaded.tree);
    if (request.most_bounded_bytes == 0 ||
        (marks.reassociated.empty() && marks.approximated.empty()))
        return false;
    std::int64_t all = 0;
    for (const auto& output : loaded.pipeline->outputs) {
        std::int64_t size = 0;
        for (auto type : loaded.pipeline->find(output.stage)->types)
            size += bytes(type);
        for (const auto& extent : output.extents)
            size *= extent.hint();
        all += size;
    }
    return all > request.most_bounded_bytes;
}

} // namespace

Result<CheckCases> CheckCases::create(const LoadedProgram& loaded, const CheckRequest& request,
                                      const Context& context) {
    std::optional<WindowedPipeline> windows;
    if (request.most_work > 0) {
        auto parts = windows_of_large(*loaded.pipeline, request.seed, request.most_work);
        if (!parts)
            return parts.errors();
        windows = std::move(*parts);
        if (!windows && is_large(loaded, request)) {
            auto small = with_windows(*loaded.pipeline, request.seed, request.most_work);
            if (!small)
                return small.errors();
            windows = std::move(*small);
        }
    }
    return CheckCases(loaded, request, context, std::move(windows));
}

CheckCases::CheckCases(const LoadedProgram& loaded, const CheckRequest& request,
                       const Context& context, std::optional<WindowedPipeline> windows)
    : request_(request),
      context_(context),
      windows_(std::move(windows)),
      marks_(marks_of(*loaded.tree)) {
    const auto pipelines =
        windows_ ? windows_->pipelines : std::vector<PipelinePtr>{loaded.pipeline};
    for (const auto& pipeline : pipelines)
        parts_.push_back({pipeline, Tolerance(*pipeline, marks_, request.tolerance)});
}

std::optional<Judgement> CheckCases::judge(const std::string& array, const Buffer& actual,
                                           const Buffers& evaluated) const {
    for (const auto& part : parts_)
        if (auto judgement = part.tolerance.judge(array, actual, evaluated))
            return judgement;
    return std::nullopt;
}

Result<Buffers> CheckCases::compared(Buffers outputs) const {
    return windows_ ? windows_->cut(outputs) : std::move(outputs);
}

std::optional<std::pair<const Buffer*, const Buffer*>>
CheckCases::bounds(const std::string& array, const Buffers& evaluated) const {
    for (const auto& part : parts_)
        if (auto ends = part.tolerance.bounds(array, evaluated))
            return ends;
    return std::nullopt;
}

std::vector<CheckCases::OutputPart> CheckCases::parts_of_outputs() const {
    std::vector<OutputPart> list;
    auto add = [&](const std::string& stage, const std::string& output,
                   const std::vector<std::int64_t>& offset,
                   const std::vector<std::int64_t>& extents) {
        const auto components = parts_.front().pipeline->find(output)->types.size();
        for (std::size_t c = 0; c < components; ++c) {
            const auto component = components == 1 ? "" : "." + std::to_string(c);
            list.push_back({stage + component, output + component, offset, extents});
        }
    };
    if (windows_) {
        for (const auto& window : windows_->windows)
            add(window.stage, window.output, window.offset, window.extents);
        return list;
    }
    for (const auto& output : parts_.front().pipeline->outputs)
        add(output.stage, output.stage, std::vector<std::int64_t>(output.extents.size(), 0),
            hints(output.extents));
    return list;
}

Result<Buffers> CheckCases::expected_bits(const Buffers& inputs) {
    Buffers results;
    for (const auto& part : parts_)
        if (auto done = reference(*part.pipeline, inputs, marks_.contracted, results); !done)
            return done.errors();
    return results;
}

Result<Buffers> CheckCases::expected_reals(const Buffers& inputs) {
    if (request_.tolerance)
        return expected_bits(inputs);
    Buffers results;
    for (const auto& part : parts_) {
        const auto& enclosed = part.tolerance.enclosed();
        if (auto done = reference(*enclosed.pipeline, inputs, enclosed.contracted, results); !done)
            return done.errors();
    }
    return results;
}

Result<CheckCases::WholeNumbers> CheckCases::whole_numbers() {
    WholeNumbers out;
    if (!marks_.approximated.empty()) {
        out.status = WholeNumbers::Status::Approximated;
        return out;
    }
    // The greater numbers tell more errors from each other; the smaller ones stay exact longer.
    for (auto mode : {RandomMode::SmallWhole, RandomMode::TinyWhole}) {
        auto made = inputs(mode);
        if (!made)
            return made.errors();
        Buffers expected;
        auto exactness = expected_whole(*made, expected);
        if (!exactness)
            return exactness.errors();
        // smaller numbers would make no difference
        if (*exactness == Exactness::NoGrain)
            break;
        if (*exactness == Exactness::TooLarge)
            continue;
        out.status = WholeNumbers::Status::Compared;
        out.mode = mode;
        out.inputs = std::move(*made);
        out.expected = std::move(expected);
        return out;
    }
    return out;
}

// The least exact of the parts says how exact all are.
Result<Exactness> CheckCases::expected_whole(const Buffers& inputs, Buffers& results) {
    auto all = Exactness::Exact;
    for (const auto& part : parts_) {
        auto witnesses = with_witnesses(part.pipeline, marks_.reassociated, marks_.contracted);
        if (!witnesses)
            return witnesses.errors();
        auto contracted = marks_.contracted;
        contracted.merge(witnesses->contracted);
        Buffers evaluated;
        if (auto done = reference(*witnesses->pipeline, inputs, contracted, evaluated); !done)
            return done.errors();
        all = std::max(all, exactness_of(evaluated));
        results.merge(evaluated);
    }
    return all;
}

// Adds to `results`.
Status CheckCases::reference(const Pipeline& pipeline, const Buffers& inputs,
                             const DefinitionSet& contracted, Buffers& results) {
    if (context_.cancelled())
        return cancelled_error();
    context_.progress("reference", "evaluating the definitions");
    ReferenceOptions options;
    options.contracted = contracted;
    options.cancel = context_.cancel_flag();
    const auto start = Clock::now();
    auto outputs = evaluate(pipeline, inputs, options);
    seconds_reference_ += seconds_since(start);
    if (context_.cancelled())
        return cancelled_error();
    if (!outputs)
        return outputs.errors();
    results.merge(*outputs);
    return success();
}

} // namespace loopscope::worker
