#include "compiler/remote/answers.h"

#include "compiler/protocol/worker_client.h"
#include "compiler/run/buffer_text.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace loopscope::remote {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxMessage = 2000;

Diagnostics errors_of(const json& result, const JobFacts& facts) {
    Diagnostics errors;
    for (const auto& one : list_or_none(result, "errors"))
        if (one.is_object())
            errors.push_back(coded_error(
                text_or(one, "code", ""),
                facts.where + ": " + printable_text(text_or(one, "message", "failed"), kMaxMessage),
                printable_text(text_or(one, "remedy", ""), kMaxMessage)));
    if (errors.empty())
        errors.push_back(coded_error(measure::kCodeProtocol, facts.where + ": the job failed"));
    return errors;
}

std::string place_text(const json& place) {
    std::string text;
    for (const auto& index : place)
        text += (text.empty() ? "[" : ", ") + std::to_string(index.get<std::int64_t>());
    return text + "]";
}

// A part of an output by its name, and where it is not all of it its place.
std::string part_text(const json& part) {
    const auto name = printable_text(part.at("output").get<std::string>(), kMaxMessage);
    const bool begins = std::all_of(part.at("offset").begin(), part.at("offset").end(),
                                    [](const json& index) { return index == 0; });
    return begins ? name : name + " from " + place_text(part["offset"]);
}

std::string word(const json& object, const char* key) {
    return printable_text(object.at(key).get<std::string>(), kMaxMessage);
}

json number_or_null(const json& value) { return value.is_number() ? value : json(); }

json part_answer(const json& part) {
    const auto different = number_or_null(part.at("different"));
    return {{"name", part_text(part)},
            {"type", word(part, "type")},
            {"extents", part.at("extents").get<std::vector<std::int64_t>>()},
            {"status", word(part, "status")},
            {"different", different.is_null() ? json(0) : different},
            {"allowed", number_or_null(part.value("allowed", json()))}, // not of older agents
            {"max_abs_error", number_or_null(part.at("max_abs_error"))},
            {"max_ulp", number_or_null(part.at("max_ulp"))}};
}

json kernels_of(const json& result) {
    auto kernels = json::array();
    for (const auto& kernel : result.at("kernels")) {
        json one{{"name", word(kernel, "name")}, {"launch", word(kernel, "launch")}};
        for (const auto* extents : {"grid", "block", "cluster"})
            one[extents] = kernel.at(extents).get<std::array<std::int64_t, 3>>();
        for (const auto* count : {"registers", "local_bytes", "shared_bytes", "shared_bytes_static",
                                  "threads_per_block_most", "blocks_per_multiprocessor"})
            one[count] = kernel.at(count).get<std::int64_t>();
        kernels.push_back(std::move(one));
    }
    return kernels;
}

json clocks_of(const json& clocks) {
    if (clocks.is_null())
        return {};
    auto known = json::object();
    for (const auto& [name, value] : clocks.items())
        known[printable_text(name, 40)] = number_or_null(value);
    for (const auto* needed : {"multiprocessor_hertz", "memory_hertz"})
        static_cast<void>(known.at(needed).get<double>());
    return known;
}

json time_of(const json& time) {
    json answer{{"cache", word(time, "cache")},
                {"graph", time.at("graph").get<bool>()},
                {"samples", time.at("samples").get<std::int64_t>()},
                {"executions_per_sample", time.at("executions_per_sample").get<std::int64_t>()},
                {"median_s", time.at("median_s").get<double>()},
                {"min_s", time.at("min_s").get<double>()},
                {"gflops", number_or_null(time.at("gflops"))},
                {"gbytes_per_s", number_or_null(time.at("gbytes_per_s"))},
                {"clocks",
                 {{"before", clocks_of(time.at("clocks").at("before"))},
                  {"after", clocks_of(time.at("clocks").at("after"))}}},
                {"ci95_s", nullptr}};
    if (!time.at("ci95_s").is_null())
        answer["ci95_s"] = time["ci95_s"].get<std::array<double, 2>>();
    return answer;
}

// Of large outputs, windows were compared: several parts of one, or one that begins elsewhere.
bool are_windows(const json& parts) {
    std::set<std::string> outputs;
    for (const auto& part : parts)
        if (!outputs.insert(part.at("output").get<std::string>()).second ||
            std::any_of(part.at("offset").begin(), part.at("offset").end(),
                        [](const json& index) { return index != 0; }))
            return true;
    return false;
}

// The element at a position of the part, by its index in the whole output; nothing: there is none.
std::optional<std::vector<std::int64_t>> index_in_whole(const json& part, const json& position) {
    // Two of them have a sum that 64 bits hold.
    constexpr auto kMost = std::int64_t{1} << 62;
    const auto extents = part.at("extents").get<std::vector<std::int64_t>>();
    const auto offset = part.at("offset").get<std::vector<std::int64_t>>();
    const auto at = whole_number(position);
    auto is_size = [](std::int64_t each) { return each > 0 && each < kMost; };
    auto is_begin = [](std::int64_t each) { return each >= 0 && each < kMost; };
    if (!at || *at < 0 || extents.size() != offset.size() ||
        !std::all_of(extents.begin(), extents.end(), is_size) ||
        !std::all_of(offset.begin(), offset.end(), is_begin))
        return std::nullopt;
    auto index = index_of_position(extents, *at);
    for (std::size_t d = 0; d < index.size(); ++d)
        index[d] += offset[d];
    return index;
}

// Puts the first element that is wrong into the answer, as the worker's `check` does.
void add_difference(const json& part, json& answer) {
    const auto first = part.find("first_difference");
    const bool known = first != part.end() && first->is_object();
    const auto index = known ? index_in_whole(part, first->at("position")) : std::nullopt;
    if (!index) {
        answer["first_difference"] =
            part_text(part) + ": its elements are others than the reference's";
        return;
    }
    const auto array = word(part, "output");
    const auto is = printable_text(first->at("is").dump(), 40);
    const auto reference = printable_text(first->at("reference").dump(), 40);
    answer["first_difference"] =
        array + index_text(*index) + " is " + is + ", the reference has " + reference;
    answer["difference"] = {{"array", array}, {"at", *index}, {"is", is}, {"reference", reference}};
}

json check_of(const json& result, const JobFacts& facts) {
    const bool right = result.at("status") == "right";
    json answer{{"status", right ? "right" : "wrong"},
                {"seed", facts.seed},
                {"threads", 1},
                {"device", word(result.at("gpu"), "name")},
                {"architecture", word(result, "architecture")},
                {"kernels", kernels_of(result)},
                {"seconds_compile", facts.seconds_compile},
                {"seconds_run", result.at("seconds_run").get<double>()},
                {"max_abs_error", nullptr},
                {"max_ulp", nullptr},
                {"outputs", json::array()}};
    std::string method;
    bool conclusive = true, in_bits = false;
    for (const auto& check : result.at("checks")) {
        method += (method.empty() ? "" : "; ") + word(check, "kind") +
                  (check.at("status") == "right" ? "" : ": WRONG");
        bool all_equal = true;
        answer["outputs"] = json::array(); // the last check's: of reals
        for (const auto& part : check.at("outputs")) {
            answer["outputs"].push_back(part_answer(part));
            conclusive = conclusive && part.at("conclusive").get<bool>();
            all_equal = all_equal && part.at("status") == "equal";
            for (const auto* figure : {"max_abs_error", "max_ulp"})
                if (part.at(figure).is_number() &&
                    (answer[figure].is_null() || part[figure] > answer[figure]))
                    answer[figure] = part[figure];
            if (part.at("status") == "WRONG" && !answer.contains("first_difference"))
                add_difference(part, answer);
        }
        in_bits = in_bits || all_equal;
        answer["windows"] = are_windows(check.at("outputs"));
        if (word(check, "kind").rfind("whole numbers", 0) == 0)
            answer["whole_numbers"] = check.at("status") == "right" ? "equal" : "differ";
    }
    answer["conclusive"] = conclusive || in_bits;
    answer["method"] = "on " + facts.where + ": " + method;
    return answer;
}

json measure_of(const json& result, const JobFacts& facts) {
    json answer{{"median_s", nullptr}};
    auto check = check_of(result, facts);
    auto kernels = kernels_of(result);
    if (result.at("status") == "right") {
        answer = time_of(result.at("times").at(0));
        const auto each = result["times"][0].at("kernels_s").get<std::vector<double>>();
        for (std::size_t i = 0; i < each.size() && i < kernels.size(); ++i)
            kernels[i]["median_s"] = each[i];
    }
    answer.update({{"kernels", std::move(kernels)},
                   {"flops", result.at("flops").get<double>()},
                   {"flops_exact", result.at("flops_exact").get<bool>()},
                   {"bytes", result.at("bytes").get<double>()},
                   {"device", word(result.at("gpu"), "name")},
                   {"architecture", word(result, "architecture")},
                   {"threads", 1},
                   {"seed", facts.seed},
                   {"seconds_compile", facts.seconds_compile},
                   {"check", std::move(check)}});
    return answer;
}

json run_of(const json& result, const JobFacts& /*facts*/) {
    return {{"seconds", result.at("seconds_run").get<double>()},
            {"threads", 1},
            {"device", word(result.at("gpu"), "name")},
            {"architecture", word(result, "architecture")},
            {"kernels", kernels_of(result)}};
}

// What comes from elsewhere may lack anything.
Result<json> answer_of(const json& result, const JobFacts& facts,
                       json (*make)(const json&, const JobFacts&)) {
    if (text_or(result, "status", "failed") == "failed")
        return errors_of(result, facts);
    try {
        return make(result, facts);
    } catch (const json::exception& reason) {
        return coded_error(measure::kCodeProtocol,
                           facts.where + ": the agent's result is none: " + words_of(reason));
    }
}

} // namespace

Result<json> check_answer(const json& result, const JobFacts& facts) {
    return answer_of(result, facts, check_of);
}

Result<json> measure_answer(const json& result, const JobFacts& facts) {
    return answer_of(result, facts, measure_of);
}

Result<json> run_answer(const json& result, const JobFacts& facts) {
    return answer_of(result, facts, run_of);
}

} // namespace loopscope::remote
