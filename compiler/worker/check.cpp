// check: compiles a scheduled pipeline, runs it on random inputs, and compares with the reference interpreter.
#include "compiler/worker/check.h"

#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "compiler/worker/element_text.h"
#include "compiler/worker/exactness.h"
#include "compiler/worker/float_values.h"
#include "compiler/worker/runner.h"
#include "compiler/worker/tolerance.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace loopscope::worker {

using nlohmann::json;
using Buffers = std::map<std::string, Buffer>;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::int64_t> values(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> list;
    for (const auto& extent : extents)
        list.push_back(extent.hint());
    return list;
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
          marks_(marks_of(*loaded.tree)),
          tolerance_(pipeline_, marks_, request.tolerance),
          runner_(loaded, compiled, request.threads, request.seed, context) {}

    Result<json> run() {
        auto done =
            marks_.reassociated.empty() && marks_.approximated.empty() ? in_bits() : twice();
        if (!done)
            return done.errors();
        const bool sound = runner_.findings().empty();
        answer_["status"] = right_ && sound ? "right" : "wrong";
        runner_.report(answer_);
        answer_["conclusive"] = conclusive_;
        answer_["seed"] = request_.seed;
        answer_["threads"] = request_.threads;
        answer_["reassociates"] = !marks_.reassociated.empty();
        answer_["approximates"] = !marks_.approximated.empty();
        answer_["seconds_compile"] = compiled_.seconds;
        answer_["seconds_run"] = runner_.seconds();
        answer_["seconds_reference"] = seconds_reference_;
        add_warnings(answer_, compiled_.scalar_loops);
        return std::move(answer_);
    }

private:
    Status in_bits() {
        answer_["method"] = "random inputs, every bit compared with the reference";
        auto inputs = make_inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        auto actual = runner_.run(*inputs);
        if (!actual)
            return actual.errors();
        auto expected = reference(pipeline_, *inputs, marks_.contracted);
        if (!expected)
            return expected.errors();
        report(*actual, *expected, Precision::Bits);
        return success();
    }

    // Small whole numbers, where the bits must be equal if the sums are exact in any order, and random reals, where the
    // bound must hold. Says which of the two it could do. The answer's figures are those of the reals.
    Status twice() {
        auto whole = compare_whole_numbers();
        if (!whole)
            return whole.errors();
        const bool whole_right = right_;
        if (auto done = compare_reals(); !done)
            return done;
        std::string doing = marks_.approximated.empty()   ? "reassociates"
                            : marks_.reassociated.empty() ? "approximates"
                                                          : "reassociates and approximates";
        auto method = "the schedule " + doing + "; ";
        if (*whole == Whole::Compared)
            method += std::string("small whole numbers, sums exact in any order: bits ") +
                      (whole_right ? "equal" : "differ");
        else if (*whole == Whole::NotExact)
            method += "small whole numbers do not make its sums exact, so bits were not compared";
        else
            method += "approximations have bits of their own, so bits were not compared";
        method += "; random reals within " + tolerance_.text() + widest_text() +
                  (last_right_ ? "" : ": exceeded");
        if (!unbounded_.empty())
            method += "; not compared there, as rounding may decide it: " + unbounded_;
        if (!loose_.empty())
            method += "; that bound excludes nothing for " + loose_ +
                      ", where one value for all would pass too";
        conclusive_ = *whole == Whole::Compared || held_;
        answer_["whole_numbers"] = *whole != Whole::Compared ? "not compared"
                                   : whole_right             ? "equal"
                                                             : "differ";
        answer_["method"] = method;
        return success();
    }

    enum class Whole { Compared, NotExact, Approximated };
    Result<Whole> compare_whole_numbers() {
        if (!marks_.approximated.empty())
            return Whole::Approximated;
        auto witnesses = with_witnesses(loaded_.pipeline, marks_.reassociated, marks_.contracted);
        if (!witnesses)
            return witnesses.errors();
        auto contracted = marks_.contracted;
        contracted.merge(witnesses->contracted);
        // The greater numbers tell more errors from each other; the smaller ones stay exact longer.
        for (auto mode : {RandomMode::SmallWhole, RandomMode::TinyWhole}) {
            auto inputs = make_inputs(mode);
            if (!inputs)
                return inputs.errors();
            auto expected = reference(*witnesses->pipeline, *inputs, contracted);
            if (!expected)
                return expected.errors();
            auto exactness = exactness_of(*expected);
            if (exactness == Exactness::NoGrain)
                break; // smaller numbers would make no difference
            if (exactness == Exactness::TooLarge)
                continue;
            auto actual = runner_.run(*inputs);
            if (!actual)
                return actual.errors();
            report(*actual, *expected, Precision::Bits);
            return Whole::Compared;
        }
        return Whole::NotExact;
    }

    Status compare_reals() {
        auto inputs = make_inputs(RandomMode::Reals);
        if (!inputs)
            return inputs.errors();
        auto actual = runner_.run(*inputs);
        if (!actual)
            return actual.errors();
        const auto& enclosed = tolerance_.enclosed();
        auto expected = request_.tolerance
                            ? reference(pipeline_, *inputs, marks_.contracted)
                            : reference(*enclosed.pipeline, *inputs, enclosed.contracted);
        if (!expected)
            return expected.errors();
        report(*actual, *expected, Precision::ByRule);
        return success();
    }

    // How much of an output its bounds admit, where the most.
    std::string widest_text() const {
        if (!widest_)
            return {};
        char text[64];
        std::snprintf(text, sizeof text, ", at most %.2g max|ref|", *widest_);
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

    Result<Buffers> reference(const Pipeline& pipeline, const Buffers& inputs,
                              const DefinitionSet& contracted) {
        if (context_.cancelled())
            return cancelled_error();
        context_.progress("reference", "evaluating the definitions");
        ReferenceOptions options;
        options.contracted = contracted;
        options.cancel = context_.cancel_flag();
        const auto start = Clock::now();
        auto outputs = evaluate(pipeline, inputs, options);
        seconds_reference_ += since(start);
        return context_.cancelled() ? Result<Buffers>(cancelled_error()) : std::move(outputs);
    }

    enum class Precision { Bits, ByRule };

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
                bounded = tolerance_.judge(name, array, expected);
            const auto* status = !bounded ? (c.equal ? "equal" : "WRONG")
                                          : status_within(name, *bounded, array, wanted, c.equal);
            const auto first = bounded ? bounded->first : c.first_difference;
            last_right_ = last_right_ && first < 0;
            worst = std::max(worst, c.max_abs_error);
            ulp = std::max(ulp, c.max_ulp);
            outputs.push_back({{"name", name},
                               {"type", loopscope::name(array.type)},
                               {"extents", array.extents},
                               {"status", status},
                               {"allowed", bounded ? json(bounded->allowed) : json()},
                               {"unbounded", bounded ? bounded->unbounded : 0},
                               {"different", c.differences},
                               {"max_abs_error", c.max_abs_error}, // infinite becomes null
                               {"max_ulp", c.max_ulp}});
            if (first >= 0 && !answer_.contains("first_difference"))
                answer_["first_difference"] = name + index_text(array, first) + " is " +
                                              element_text(array, first) + ", the reference has " +
                                              element_text(wanted, first);
        }
        right_ = right_ && last_right_;
        answer_["outputs"] = std::move(outputs);
        answer_["max_abs_error"] = worst;
        answer_["max_ulp"] = ulp;
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

    const Pipeline& pipeline_;
    const LoadedProgram& loaded_;
    const CompiledProgram& compiled_;
    const CheckRequest& request_;
    const Context& context_;
    const Marks marks_;
    const Tolerance tolerance_;
    Runner runner_;
    bool right_ = true, last_right_ = true;
    // Could it have found a wrong result in every output?
    bool conclusive_ = true;
    // Of the outputs on random reals.
    bool held_ = true;              // each to bounds that exclude something
    std::string unbounded_, loose_; // names
    std::optional<double> widest_;  // of their bounds, in units of max|ref|
    double seconds_reference_ = 0;
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
