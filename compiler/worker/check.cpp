// check: compiles a scheduled pipeline, runs it on random inputs, and compares with the reference interpreter.
#include "compiler/worker/check.h"

#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "compiler/worker/element_text.h"
#include "compiler/worker/exactness.h"
#include "compiler/worker/execution.h"
#include "core/ir/box.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>

namespace loopscope::worker {

using nlohmann::json;
using Buffers = std::map<std::string, Buffer>;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of the pipeline's own stages: copies that the schedule makes are not the reference's business.
DefinitionSet marked_definitions(const ScheduleTree& tree,
                                 std::vector<bool> DerivedStage::* marks) {
    DefinitionSet set;
    for (const auto& stage : tree.stages)
        for (std::size_t d = 0; d < (stage.*marks).size(); ++d)
            if ((stage.*marks)[d] && tree.pipeline->find(stage.stage.name))
                set.emplace(stage.stage.name, static_cast<int>(d));
    return set;
}

std::vector<std::int64_t> values(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> list;
    for (const auto& extent : extents)
        list.push_back(extent.hint());
    return list;
}

// The greatest finite |value| of a float array.
double greatest_magnitude(const Buffer& buffer) {
    double greatest = 0;
    for (std::int64_t i = 0; i < buffer.count(); ++i) {
        double value = buffer.type == ScalarType::F32 ? std::fabs(double(buffer.as<float>()[i]))
                                                      : std::fabs(buffer.as<double>()[i]);
        if (std::isfinite(value))
            greatest = std::max(greatest, value);
    }
    return greatest;
}

// n of the bound 4 n u max|ref|: the most terms that one reassociated result combines.
double longest_reduction(const Pipeline& pipeline, const DefinitionSet& reassociated) {
    double longest = 1;
    for (const auto& [name, index] : reassociated) {
        const auto* stage = pipeline.find(name);
        if (!stage)
            continue;
        double terms = 1;
        for (const auto& axis : stage->definitions[static_cast<std::size_t>(index)].axes)
            terms *= static_cast<double>(axis.extent().hint());
        longest = std::max(longest, terms);
    }
    return longest;
}

double unit_roundoff(ScalarType type) {
    return type == ScalarType::F32 ? std::ldexp(1, -24) : std::ldexp(1, -53);
}

class Check {
public:
    Check(const LoadedProgram& loaded, const CompiledProgram& compiled, const CheckRequest& request,
          const Context& context)
        : pipeline_(*loaded.pipeline),
          loaded_(loaded),
          compiled_(compiled),
          request_(request),
          context_(context),
          contracted_(marked_definitions(*loaded.tree, &DerivedStage::contracted)),
          reassociated_(marked_definitions(*loaded.tree, &DerivedStage::reassociates)) {}

    Result<json> run() {
        auto failed = reassociated_.empty() ? in_bits() : reassociating();
        if (!failed)
            return failed.errors();
        answer_["status"] = right_ ? "right" : "wrong";
        answer_["seed"] = request_.seed;
        answer_["threads"] = request_.threads;
        answer_["reassociates"] = !reassociated_.empty();
        answer_["seconds_compile"] = compiled_.seconds;
        answer_["seconds_run"] = seconds_run_;
        answer_["seconds_reference"] = seconds_reference_;
        return std::move(answer_);
    }

private:
    Status in_bits() {
        answer_["method"] = "random inputs, every bit compared with the reference";
        auto inputs = make_inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        return compare_outputs(*inputs, pipeline_, {});
    }

    // Small whole numbers, where the bits must be equal if the sums are exact in any order, and random reals, where the
    // bound must hold. Says which of the two it could do. The answer's figures are those of the reals.
    Status reassociating() {
        std::string method;
        auto witnessed = with_witnesses(loaded_.pipeline, reassociated_);
        if (!witnessed)
            return witnessed.errors();
        bool exact = false;
        if (*witnessed) {
            auto inputs = make_inputs(RandomMode::SmallWhole);
            if (!inputs)
                return inputs.errors();
            if (auto done = compare_whole_numbers(*inputs, **witnessed, exact); !done)
                return done;
        }
        auto reals = make_inputs(RandomMode::Reals);
        if (!reals)
            return reals.errors();
        const bool whole_right = right_;
        if (auto done = compare_outputs(*reals, pipeline_, bound()); !done)
            return done;
        method = "the schedule reassociates; ";
        method += exact
                      ? std::string("small whole numbers, sums exact in any order: bits ") +
                            (whole_right ? "equal" : "differ")
                      : "small whole numbers do not make its sums exact, so bits were not compared";
        method += std::string("; random reals within ") + bound_text() +
                  (last_right_ ? "" : ": exceeded");
        answer_["method"] = method;
        return success();
    }

    Status compare_whole_numbers(const Buffers& inputs, const Pipeline& witnessed, bool& exact) {
        auto expected = reference(witnessed, inputs);
        if (!expected)
            return expected.errors();
        exact = witnesses_say_exact(*expected);
        if (!exact)
            return success();
        auto actual = execute(inputs);
        if (!actual)
            return actual.errors();
        report(*actual, *expected, {});
        return success();
    }

    struct Bound {
        bool on = false;
        double absolute = 0; // when given by the caller
        double factor = 0;   // 4 n, of u max|ref|
    };
    Bound bound() const {
        if (request_.tolerance)
            return {true, *request_.tolerance, 0};
        return {true, 0, 4 * longest_reduction(pipeline_, reassociated_)};
    }
    std::string bound_text() const {
        char text[64];
        auto b = bound();
        if (request_.tolerance)
            std::snprintf(text, sizeof text, "the tolerance %g", b.absolute);
        else
            std::snprintf(text, sizeof text, "4 n u max|ref| (n = %.0f)", b.factor / 4);
        return text;
    }

    Result<Buffers> make_inputs(RandomMode mode) {
        Buffers inputs;
        auto seed = request_.seed;
        for (const auto& stage : pipeline_.stages) {
            if (!stage.is_input)
                continue;
            seed = combine(seed, hash_of(stage.name));
            auto buffer = random_buffer(stage.types.front(), values(stage.extents), seed, mode);
            if (!buffer)
                return buffer.errors();
            inputs.emplace(stage.name, std::move(*buffer));
        }
        return inputs;
    }

    Result<Buffers> execute(const Buffers& inputs) {
        context_.progress("run", "running the compiled program");
        auto execution = Execution::prepare(compiled_.program, inputs);
        if (!execution)
            return execution.errors();
        execution->poison();
        const auto start = Clock::now();
        if (auto done = compiled_.code->run(execution->pointers(), request_.threads); !done)
            return done.errors();
        seconds_run_ += since(start);
        return execution->outputs(compiled_.program);
    }

    Result<Buffers> reference(const Pipeline& pipeline, const Buffers& inputs) {
        context_.progress("reference", "evaluating the definitions");
        ReferenceOptions options;
        options.contracted = contracted_;
        options.cancel = context_.cancel_flag();
        const auto start = Clock::now();
        auto outputs = evaluate(pipeline, inputs, options);
        seconds_reference_ += since(start);
        return context_.cancelled() ? Result<Buffers>(cancelled_error()) : std::move(outputs);
    }

    Status compare_outputs(const Buffers& inputs, const Pipeline& pipeline, const Bound& bound) {
        auto actual = execute(inputs);
        if (!actual)
            return actual.errors();
        if (context_.cancelled())
            return cancelled_error();
        auto expected = reference(pipeline, inputs);
        if (!expected)
            return expected.errors();
        report(*actual, *expected, bound);
        return success();
    }

    // Puts the comparison of all outputs into the answer; `right_` stays false once it is.
    void report(const Buffers& actual, const Buffers& expected, const Bound& bound) {
        auto outputs = json::array();
        double worst = 0;
        std::uint64_t ulp = 0;
        last_right_ = true;
        for (const auto& [name, array] : actual) {
            const auto& wanted = expected.at(name);
            auto c = compare(array, wanted);
            bool good = c.equal || (bound.on && is_float(array.type) &&
                                    c.max_abs_error <= allowed(bound, wanted));
            last_right_ = last_right_ && good;
            worst = std::max(worst, c.max_abs_error);
            ulp = std::max(ulp, c.max_ulp);
            outputs.push_back({{"name", name},
                               {"type", loopscope::name(array.type)},
                               {"extents", array.extents},
                               {"status", c.equal ? "equal"
                                          : good  ? "within bound"
                                                  : "WRONG"},
                               {"different", c.differences},
                               {"max_abs_error", c.max_abs_error}, // infinite becomes null
                               {"max_ulp", c.max_ulp}});
            if (!good && !answer_.contains("first_difference"))
                answer_["first_difference"] = name + index_text(array, c.first_difference) +
                                              " is " + element_text(array, c.first_difference) +
                                              ", the reference has " +
                                              element_text(wanted, c.first_difference);
        }
        right_ = right_ && last_right_;
        answer_["outputs"] = std::move(outputs);
        answer_["max_abs_error"] = worst;
        answer_["max_ulp"] = ulp;
    }

    static double allowed(const Bound& bound, const Buffer& expected) {
        return bound.factor > 0
                   ? bound.factor * unit_roundoff(expected.type) * greatest_magnitude(expected)
                   : bound.absolute;
    }

    const Pipeline& pipeline_;
    const LoadedProgram& loaded_;
    const CompiledProgram& compiled_;
    const CheckRequest& request_;
    const Context& context_;
    const DefinitionSet contracted_, reassociated_;
    bool right_ = true, last_right_ = true;
    double seconds_run_ = 0, seconds_reference_ = 0;
    json answer_ = json::object();
};

} // namespace

CheckRequest check_request(const json& arguments) {
    CheckRequest request;
    request.seed = arguments.value("seed", std::uint64_t(1));
    request.threads = threads_of(arguments);
    if (arguments.contains("tolerance"))
        request.tolerance = arguments.at("tolerance").get<double>();
    return request;
}

Result<json> check_program(const LoadedProgram& loaded, const CompiledProgram& compiled,
                           const CheckRequest& request, const Context& context) {
    return Check(loaded, compiled, request, context).run();
}

Result<json> serve_check(const json& arguments, const Context& context) {
    if (auto target = check_target(arguments); !target)
        return target.errors();
    auto loaded = load_program(arguments);
    if (!loaded)
        return loaded.errors();
    context.progress("compile", "compiling");
    auto compiled = compile_program(*loaded);
    if (!compiled)
        return compiled.errors();
    if (context.cancelled())
        return cancelled_error();
    return check_program(*loaded, *compiled, check_request(arguments), context);
}

} // namespace loopscope::worker
