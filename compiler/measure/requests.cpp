#include "compiler/measure/requests.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <climits>

namespace loopscope::measure {

using nlohmann::json;

namespace {

std::optional<double> number(const json& object, const char* key) {
    auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional<double>(found->get<double>())
                                                       : std::nullopt;
}

// Documents keep answers, and a stranger's may hold any number.
int count(const json& object, const char* key) {
    const auto n = whole_number(object.at(key));
    return static_cast<int>(std::clamp<std::int64_t>(n.value_or(0), 0, INT_MAX));
}

CheckDifference difference_in(const json& object) {
    CheckDifference difference{object.at("array"), {}, object.at("is"), object.at("reference")};
    for (const auto& index : object.at("at"))
        difference.at.push_back(whole_number(index).value_or(0));
    return difference;
}

CheckedArray checked_array(const json& output) {
    CheckedArray array;
    array.name = output.at("name");
    array.status = output.at("status");
    array.elements = 1;
    for (const auto& extent : output.at("extents"))
        array.elements *= extent.get<double>();
    array.different = number(output, "different").value_or(0);
    array.unbounded = number(output, "unbounded").value_or(0);
    array.allowed = number(output, "allowed");
    array.max_abs_error = number(output, "max_abs_error");
    return array;
}

Diagnostic unreadable(const char* verb, const json::exception& reason) {
    return error(std::string("the worker's answer to `") + verb +
                 "` is not readable: " + words_of(reason));
}

} // namespace

json program_json(const ProgramText& program) {
    json arguments{{"pipeline", {{"name", program.name}, {"text", program.text}}},
                   {"params", program.params}};
    if (program.has_schedule)
        arguments["schedule"] = {{"name", program.schedule_name}, {"text", program.schedule}};
    if (program.vector_bits > 0)
        arguments["vector_bits"] = program.vector_bits;
    return arguments;
}

Result<Measurement> measurement_from_json(const json& answer) {
    try {
        Measurement m;
        m.median_s = answer.at("median_s");
        m.min_s = answer.at("min_s");
        if (const auto& interval = answer.at("ci95_s"); interval.is_array())
            m.ci95_s = {interval.at(0).get<double>(), interval.at(1).get<double>()};
        m.gflops = number(answer, "gflops");
        m.gbytes_per_s = number(answer, "gbytes_per_s");
        m.threads = count(answer, "threads");
        m.samples = count(answer, "samples");
        m.device = answer.at("device");
        if (const auto kernels = answer.find("kernels"); kernels != answer.end())
            for (const auto& kernel : *kernels)
                m.kernels.push_back({kernel.at("launch"), number(kernel, "median_s"),
                                     count(kernel, "registers"), count(kernel, "local_bytes"),
                                     count(kernel, "blocks_per_multiprocessor")});
        m.cold = answer.contains("cache") && answer.at("cache") == "cold";
        if (answer.contains("other_work_cores"))
            m.other_work_cores = number(answer, "other_work_cores");
        if (const auto clocks = answer.find("clocks");
            clocks != answer.end() && clocks->is_object())
            if (const auto after = clocks->find("after");
                after != clocks->end() && after->is_object())
                m.clock_hertz = number(*after, "multiprocessor_hertz");
        return m;
    } catch (const json::exception& reason) {
        return unreadable("measure", reason);
    }
}

Result<CheckResult> check_from_json(const json& answer) {
    try {
        CheckResult result;
        result.right = answer.at("status") == "right";
        result.max_abs_error = number(answer, "max_abs_error");
        result.max_ulp = number(answer, "max_ulp");
        result.seed = answer.at("seed");
        result.method = answer.at("method");
        if (auto found = answer.find("first_difference");
            found != answer.end() && found->is_string())
            result.first_difference = found->get<std::string>();
        if (auto found = answer.find("difference"); found != answer.end())
            result.difference = difference_in(*found);
        for (const auto& output : answer.value("outputs", json::array()))
            result.outputs.push_back(checked_array(output));
        result.reassociates = answer.value("reassociates", false);
        result.approximates = answer.value("approximates", false);
        result.whole_numbers = answer.value("whole_numbers", "");
        result.conclusive = answer.value("conclusive", true);
        result.windows = answer.value("windows", false);
        return result;
    } catch (const json::exception& reason) {
        return unreadable("check", reason);
    }
}

} // namespace loopscope::measure
