#include "compiler/opencl/verbs.h"

#include "compiler/opencl/session.h"
#include "compiler/server/arguments.h"

#include <nlohmann/json.hpp>

#include <climits>
#include <map>

namespace loopscope::opencl {

using nlohmann::json;
using worker::Context;

namespace {

constexpr int kMaxNumber = 1 << 12; // as many devices as find_devices looks at

// A device is opened by the first request that needs it, and kept.
struct State {
    std::map<int, std::unique_ptr<Session>> opened; // by the device's number
    Session* session = nullptr;                     // that a program was last prepared for
    int ticket = 0;                                 // of the program that is prepared; 0: none is
    std::vector<std::int64_t> memories;             // its
};
State& state() {
    static State kept;
    return kept;
}

Result<json> devices(const json&, const Context&) {
    auto api = load_api();
    if (!api)
        return api.errors();
    auto found = find_devices(*api);
    if (!found)
        return found.errors();
    auto list = json::array();
    for (const auto& one : *found)
        list.push_back(to_json(one.device));
    return json{{"devices", std::move(list)}};
}

Result<json> prepare(const json& arguments, const Context& context) {
    static int last_ticket = 0;
    auto& kept = state();
    kept.ticket = 0;
    const int number = worker::whole_or(arguments, "number", 0, 0, kMaxNumber);
    auto& session = kept.opened[number];
    if (!session) {
        auto opened = Session::open(number);
        if (!opened)
            return opened.errors();
        session = std::move(*opened);
    }
    kept.session = session.get();
    context.progress("compile", "compiling for " + kept.session->device().name);
    auto program = program_from_json(arguments);
    auto memories = program.memories;
    if (auto done = kept.session->prepare(std::move(program)); !done)
        return done.errors();
    kept.memories = std::move(memories);
    kept.ticket = ++last_ticket;
    return json{{"device", to_json(kept.session->device())}, {"ticket", kept.ticket}};
}

Result<std::map<std::size_t, SharedBytes>> shared(const json& list,
                                                  const std::vector<std::int64_t>& memories) {
    std::map<std::size_t, SharedBytes> out;
    for (const auto& entry : list) {
        const auto index = entry.at(0).get<std::size_t>();
        auto bytes = SharedBytes::open(entry.at(1).get<std::string>(),
                                       static_cast<std::size_t>(memories.at(index)));
        if (!bytes)
            return bytes.errors();
        out.emplace(index, std::move(*bytes));
    }
    return out;
}

Diagnostic another_program() {
    return coded_error(measure::kCodeProtocol, "another program was prepared since");
}

bool is_prepared(const json& arguments) {
    return state().ticket != 0 && arguments.at("ticket") == state().ticket;
}

Result<json> run(const json& arguments, const Context&) {
    if (!is_prepared(arguments))
        return another_program();
    auto& kept = state();
    auto inputs = shared(arguments.at("inputs"), kept.memories);
    if (!inputs)
        return inputs.errors();
    auto outputs = shared(arguments.at("outputs"), kept.memories);
    if (!outputs)
        return outputs.errors();
    auto seconds = kept.session->run(*inputs, *outputs);
    if (!seconds)
        return seconds.errors();
    return json{{"seconds", *seconds}};
}

Result<json> repeat(const json& arguments, const Context& context) {
    if (!is_prepared(arguments))
        return another_program();
    double all = 0;
    const int executions = worker::whole_of(arguments, "executions", 1, INT_MAX);
    for (int n = 0; n < executions; ++n) {
        if (context.cancelled())
            return worker::cancelled_error();
        auto seconds = state().session->execute();
        if (!seconds)
            return seconds.errors();
        all += *seconds;
    }
    return json{{"seconds", all}};
}

} // namespace

const std::vector<worker::Verb>& verbs() {
    static const std::vector<worker::Verb> all{
        {"devices", devices}, {"prepare", prepare}, {"run", run}, {"repeat", repeat}};
    return all;
}

} // namespace loopscope::opencl
