// check: compiles a scheduled pipeline, runs it on random inputs, and compares with the reference
// interpreter.
#include "compiler/worker/check.h"

#include "compiler/measure/targets.h"
#include "compiler/run/buffer_text.h"
#include "compiler/run/compare.h"
#include "compiler/run/float_values.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/check_cases.h"
#include "compiler/worker/runner.h"
#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::worker {

using nlohmann::json;

namespace {

// A part of the greatest magnitude: how far outputs may be off where a device does not compute
// quotients, roots or denormals as the specification of pipelines says. OpenCL admits 2.5 to 3 ulp
// for each of them; rounding carries these on.
constexpr double kInexactDevice = 1e-5;

class Check {
public:
    Check(const LoadedProgram& loaded, const CompiledProgram& compiled, const CheckRequest& request,
          CheckCases cases, Runner& runner)
        : loaded_(loaded),
          compiled_(compiled),
          request_(request),
          cases_(std::move(cases)),
          runner_(runner) {}

    Result<json> run() {
        auto done = cases_.in_bits() ? in_bits() : twice();
        if (!done)
            return done.errors();
        if (cases_.windows())
            answer_["method"] = answer_["method"].get<std::string>() +
                                "; compared: " + cases_.windows()->summary(*loaded_.pipeline);
        if (!inexact_.empty())
            say_inexact();
        const bool sound = runner_.findings().empty();
        answer_["status"] = right_ && sound ? "right" : "wrong";
        runner_.report(answer_);
        answer_["conclusive"] = conclusive_;
        answer_["windows"] = cases_.windows().has_value();
        answer_["seed"] = request_.seed;
        answer_["threads"] = request_.threads;
        answer_["reassociates"] = !cases_.marks().reassociated.empty();
        answer_["approximates"] = !cases_.marks().approximated.empty();
        answer_["seconds_compile"] = compiled_.seconds;
        answer_["seconds_run"] = runner_.seconds();
        answer_["seconds_reference"] = cases_.seconds_reference();
        add_warnings(answer_, compiled_.scalar_loops);
        return std::move(answer_);
    }

private:
    enum class Precision { Bits, ByRule };

    void say_inexact() {
        auto method = answer_.at("method").get<std::string>() + "; " + inexact_ +
                      ": floats within 1e-5 max|ref|, or 4 u of their type, in place of bits";
        if (!unbounded_.empty() &&
            answer_.at("method").get<std::string>().find(unbounded_) == std::string::npos)
            method += "; not compared, as rounding may decide it: " + unbounded_;
        answer_["method"] = method;
        conclusive_ = conclusive_ && held_;
    }

    Status in_bits() {
        answer_["method"] = "random inputs, every bit compared with the reference";
        return compare_reals(&CheckCases::expected_bits, Precision::Bits);
    }

    // Small whole numbers, where the bits must be equal if the sums are exact in any order, and
    // random reals, where the bound must hold. Says which of the two it could do. The answer's
    // figures are those of the reals.
    Status twice() {
        using Status = CheckCases::WholeNumbers::Status;
        auto whole = cases_.whole_numbers();
        if (!whole)
            return whole.errors();
        const auto status = whole->status;
        if (status == Status::Compared) {
            auto actual = run(whole->inputs);
            if (!actual)
                return actual.errors();
            report(*actual, whole->expected, Precision::Bits);
        }
        const bool whole_right = right_;
        if (auto done = compare_reals(&CheckCases::expected_reals, Precision::ByRule); !done)
            return done;
        std::string doing = cases_.marks().approximated.empty()   ? "reassociates"
                            : cases_.marks().reassociated.empty() ? "approximates"
                                                                  : "reassociates and approximates";
        auto method = "the schedule " + doing + "; ";
        if (status == Status::Compared)
            method += std::string("small whole numbers, sums exact in any order: bits ") +
                      (whole_right ? "equal" : "differ");
        else if (status == Status::NotExact)
            method += "small whole numbers do not make its sums exact, so bits were not compared";
        else
            method += "approximations have bits of their own, so bits were not compared";
        method += "; random reals within " + cases_.tolerance_text() + widest_text() +
                  (last_right_ ? "" : ": exceeded");
        if (!unbounded_.empty())
            method += "; not compared there, as rounding may decide it: " + unbounded_;
        if (!loose_.empty())
            method += "; that bound excludes nothing for " + loose_ +
                      ", where one value for all would pass too";
        conclusive_ = status == Status::Compared || held_;
        answer_["whole_numbers"] = status != Status::Compared ? "not compared"
                                   : whole_right              ? "equal"
                                                              : "differ";
        answer_["method"] = method;
        return success();
    }

    Status compare_reals(Result<Buffers> (CheckCases::*expected_of)(const Buffers& inputs),
                         Precision precision) {
        auto inputs = cases_.inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        auto actual = run(*inputs);
        if (!actual)
            return actual.errors();
        auto expected = (cases_.*expected_of)(*inputs);
        if (!expected)
            return expected.errors();
        report(*actual, *expected, precision);
        return success();
    }

    Result<Buffers> run(const Buffers& inputs) {
        auto outputs = runner_.run(inputs);
        return outputs ? cases_.compared(std::move(*outputs)) : std::move(outputs);
    }

    // How much of an output its bounds admit, where the most.
    std::string widest_text() const {
        if (!widest_)
            return {};
        return ", at most " + general_text(*widest_, 2) + " max|ref|";
    }

    // Puts the comparison of all outputs into the answer; `right_` stays false once it is.
    void report(const Buffers& actual, const Buffers& expected, Precision precision) {
        auto outputs = json::array();
        double worst = 0;
        std::uint64_t ulp = 0;
        last_right_ = true;
        for (const auto& [name, array] : actual) {
            const auto& wanted = expected.at(name);
            auto c = compare(array, wanted);
            std::optional<Judgement> bounded;
            if (precision == Precision::ByRule)
                bounded = cases_.judge(name, array, expected);
            if (const auto* device = runner_.opencl_device();
                device && !device->exact() && has_floats())
                bounded = judge_by_inexact(*device, array, wanted, bounded);
            const auto* status = !bounded ? (c.equal ? "equal" : "WRONG")
                                          : status_within(name, *bounded, array, wanted, c.equal);
            const auto first = bounded ? bounded->first : c.first_difference;
            last_right_ = last_right_ && first < 0;
            worst = std::max(worst, c.max_abs_error);
            ulp = std::max(ulp, c.max_ulp);
            const auto text = cases_.windows() ? cases_.windows()->text(name) : name;
            outputs.push_back({{"name", text},
                               {"type", loopscope::name(array.type)},
                               {"extents", array.extents},
                               {"status", status},
                               {"allowed", bounded ? json(bounded->allowed) : json()},
                               {"unbounded", bounded ? bounded->unbounded : 0},
                               {"different", c.differences},
                               {"max_abs_error", c.max_abs_error}, // infinite becomes null
                               {"max_ulp", c.max_ulp}});
            if (first >= 0 && !answer_.contains("first_difference")) {
                answer_["first_difference"] = text + index_text(array, first) + " is " +
                                              element_text(array, first) + ", the reference has " +
                                              element_text(wanted, first);
                answer_["difference"] = difference_at(name, array, wanted, first);
            }
        }
        right_ = right_ && last_right_;
        answer_["outputs"] = std::move(outputs);
        answer_["max_abs_error"] = worst;
        answer_["max_ulp"] = ulp;
    }

    // An element by its place in the whole output, whatever part of it is compared.
    json difference_at(const std::string& name, const Buffer& array, const Buffer& wanted,
                       std::int64_t position) const {
        std::pair place{name, index_of_position(array.extents, position)};
        if (cases_.windows())
            place = cases_.windows()->place(name, std::move(place.second));
        return {{"array", place.first},
                {"at", place.second},
                {"is", element_text(array, position)},
                {"reference", element_text(wanted, position)}};
    }

    // On a device that does not compute to the bit. Elements that are no floats follow from
    // comparisons of floats, where there are some: nothing is known of them then.
    Judgement judge_by_inexact(const opencl::Device& device, const Buffer& array,
                               const Buffer& wanted, const std::optional<Judgement>& bounded) {
        inexact_ = device.name + " " + device.inexact_text();
        double allowed = bounded ? bounded->allowed : 0;
        if (is_float(wanted.type))
            allowed = std::max(allowed, std::max(kInexactDevice, 4 * unit_roundoff(wanted.type)) *
                                            greatest_magnitude(wanted));
        auto judged = judge_by(allowed, array, wanted);
        if (!is_float(wanted.type) && judged.beyond > 0) {
            judged.beyond = 0;
            judged.first = -1;
            judged.unbounded = judged.elements;
        }
        return judged;
    }

    bool has_floats() const {
        const auto& stages = loaded_.pipeline->stages;
        return std::any_of(stages.begin(), stages.end(), [](const Stage& stage) {
            return std::any_of(stage.types.begin(), stage.types.end(), is_float);
        });
    }

    const char* status_within(const std::string& name, const Judgement& bounded,
                              const Buffer& array, const Buffer& wanted, bool equal) {
        const double greatest = greatest_magnitude(wanted);
        if (!request_.tolerance && greatest > 0 && bounded.unbounded < array.count())
            widest_ = std::max(widest_.value_or(0), bounded.allowed / greatest);
        if (bounded.beyond > 0)
            return "WRONG";
        if (equal)
            return "equal";
        held_ = held_ && bounded.conclusive();
        const bool none = bounded.unbounded == array.count();
        if (bounded.unbounded > 0)
            add_name(unbounded_, none ? name
                                      : std::to_string(bounded.unbounded) + " of " +
                                            std::to_string(array.count()) + " elements of " + name);
        if (bounded.excludes_nothing && !none)
            add_name(loose_, name);
        return none ? "not compared" : "within bound";
    }

    static void add_name(std::string& list, const std::string& name) {
        list += (list.empty() ? "" : ", ") + name;
    }

    const LoadedProgram& loaded_;
    const CompiledProgram& compiled_;
    const CheckRequest& request_;
    CheckCases cases_;
    Runner& runner_;
    bool right_ = true, last_right_ = true;
    // Could it have found a wrong result in every output?
    bool conclusive_ = true;
    // Outcome for the outputs on random reals.
    bool held_ = true;              // each to bounds that exclude something
    std::string unbounded_, loose_; // names
    std::string inexact_;           // what a device lacks to compute to the bit
    std::optional<double> widest_;  // of their bounds, in units of max|ref|
    json answer_ = json::object();
};

} // namespace

CheckRequest check_request(const json& arguments) {
    CheckRequest request;
    request.seed = seed_of(arguments);
    request.threads = threads_of(arguments);
    request.kernel_seconds = seconds_or(arguments, "kernel_timeout_s", request.kernel_seconds);
    if (const auto target = measure::read_target(arguments.value("target", "cpu"));
        target && target->kind == "cuda")
        request.most_work = kReferenceFlops;
    request.tolerance = tolerance_of(arguments);
    return request;
}

Result<json> check_program(const LoadedProgram& loaded, const CompiledProgram& compiled,
                           const CheckRequest& request, const Context& context) {
    Runner runner(loaded, compiled, request, context);
    return check_program(loaded, compiled, request, runner, context);
}

Result<json> check_program(const LoadedProgram& loaded, const CompiledProgram& compiled,
                           const CheckRequest& request, Runner& runner, const Context& context) {
    auto cases = CheckCases::create(loaded, request, context);
    if (!cases)
        return cases.errors();
    return Check(loaded, compiled, request, std::move(*cases), runner).run();
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
