#include "compiler/opencl/client.h"

#include "compiler/protocol/paths.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace loopscope::opencl {

using nlohmann::json;

namespace {

json paths(const Client::Prepared& prepared, const std::vector<std::size_t>& indices) {
    auto list = json::array();
    for (auto i : indices)
        list.push_back({i, prepared.memories.at(i).path()});
    return list;
}

Diagnostic unreadable(const json::exception& reason) {
    return coded_error(measure::kCodeProtocol,
                       "the answer of the OpenCL worker is not readable: " + words_of(reason),
                       "build both programs from one checkout");
}

} // namespace

measure::WorkerOptions beside_this_program() {
    measure::WorkerOptions options;
    options.program = measure::executable_folder() + "/loopscope-opencl-worker";
    return options;
}

Client::Client(measure::WorkerOptions options) : worker_(std::move(options)) {}

Result<std::vector<Device>> Client::devices(const measure::RequestOptions& options) {
    auto answer = worker_.request("devices", json::object(), options);
    if (!answer)
        return answer.errors();
    try {
        std::vector<Device> list;
        for (const auto& device : answer->at("devices"))
            list.push_back(device_from_json(device));
        return list;
    } catch (const json::exception& reason) {
        return unreadable(reason);
    }
}

Result<Client::Prepared> Client::prepare(const Program& program, std::size_t shared,
                                         const measure::RequestOptions& options, int number) {
    auto arguments = to_json(program);
    arguments["number"] = number;
    auto answer = worker_.request("prepare", arguments, options);
    if (!answer)
        return answer.errors();
    Prepared prepared;
    try {
        prepared.device = device_from_json(answer->at("device"));
        prepared.ticket = answer->at("ticket");
    } catch (const json::exception& reason) {
        return unreadable(reason);
    }
    for (std::size_t i = 0; i < shared; ++i) {
        auto bytes = SharedBytes::make(static_cast<std::size_t>(program.memories.at(i)));
        if (!bytes)
            return bytes.errors();
        prepared.memories.push_back(std::move(*bytes));
    }
    return prepared;
}

Result<double> Client::run(const Prepared& prepared, const std::vector<std::size_t>& inputs,
                           const std::vector<std::size_t>& outputs,
                           const measure::RequestOptions& options) {
    return seconds("run",
                   {{"ticket", prepared.ticket},
                    {"inputs", paths(prepared, inputs)},
                    {"outputs", paths(prepared, outputs)}},
                   options);
}

Result<double> Client::repeat(const Prepared& prepared, int executions,
                              const measure::RequestOptions& options) {
    return seconds("repeat", {{"ticket", prepared.ticket}, {"executions", executions}}, options);
}

Result<double> Client::seconds(const char* verb, const json& arguments,
                               const measure::RequestOptions& options) {
    auto answer = worker_.request(verb, arguments, options);
    if (!answer)
        return answer.errors();
    try {
        return answer->at("seconds").get<double>();
    } catch (const json::exception& reason) {
        return unreadable(reason);
    }
}

} // namespace loopscope::opencl
