// What the real worker answers where a request's arguments are of other types than the verb's: a
// message, and never its end.
#include "compiler/protocol/worker_client.h"
#include "compiler/run/array_file.h"
#include "compiler/run/buffer.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::measure {
namespace {

using nlohmann::json;

struct Request {
    const char* verb;
    json more; // beside the program
};

std::vector<Request> requests() {
    const auto folder = test::scratch_folder();
    const auto input = folder + "/a.npy";
    EXPECT_TRUE(write_array(input, *make_buffer(ScalarType::F32, {8})));
    const json on_gpu{{"name", "p.sched"}, {"text", "schedule for p\ns.bind(x, thread.x)\n"}};
    return {
        {"check", {{"seed", 7}, {"threads", 1}, {"tolerance", 0}, {"timeout_s", 60}}},
        {"check", {{"target", "simt"}, {"kernel_timeout_s", 10}}},
        {"measure", {{"check", true}, {"budget_s", 0.01}, {"threads", 1}}},
        {"run", {{"inputs", {{"a", input}}}, {"outputs", {{"s", folder + "/s.npy"}}}}},
        {"emit", {{"as", "c"}, {"main", true}, {"vector_bits", 256}}},
        {"emit", {{"as", "ptx"}, {"target", "cuda"}, {"arch", "sm_80"}}},
        {"bundle",
         {{"name", "n"}, {"folder", folder}, {"architectures", {"sm_80"}}, {"schedule", on_gpu}}},
    };
}

json program() {
    return {{"pipeline",
             {{"name", "p.loop"},
              {"text", "pipeline p\nparam N = 4\ninput a[x]: f32[N]\nstage s[x] = a[x] * 2.0\n"
                       "output s: [N]\n"}}},
            {"schedule", {{"name", "p.sched"}, {"text", "schedule for p\ns.vectorize(x, 4)\n"}}},
            {"params", {{"N", 8}}}};
}

// Every value within, by its pointer.
void collect(const json& value, const json::json_pointer& at,
             std::vector<json::json_pointer>& out) {
    if (!at.empty())
        out.push_back(at);
    if (value.is_object())
        for (const auto& [key, member] : value.items())
            collect(member, at / key, out);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
            collect(value[i], at / i, out);
}

std::string shown(const json& value) {
    return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

// A number that the verb's own does not hold.
bool is_too_large(const std::string& place, const json& value) {
    const bool below_0 = value.is_number_integer() && !value.is_number_unsigned();
    if (place == "/seed")
        return value.is_number_float() || below_0;
    return (place == "/threads" || place == "/vector_bits" || place == "/params/N") &&
           (value.is_number_float() || value == std::uint64_t(1) << 63);
}

TEST(HostileArguments, AreAnsweredAndEndNoWorker) {
    const json values[] = {nullptr,
                           true,
                           -1,
                           std::uint64_t(1) << 63,
                           INT64_MIN,
                           1e300,
                           "x",
                           "",
                           json::array(),
                           json::array({json::array()}),
                           json::object(),
                           std::string("\x1b[31m\0\xff", 7)};
    WorkerOptions options;
    options.program = test::program_path("loopscope-worker");
    WorkerClient client(options);
    const auto worker = [&] {
        EXPECT_TRUE(client.request("info", json::object()));
        return client.process_id();
    };
    const auto first = worker();
    int refused = 0, all = 0;
    for (const auto& one : requests()) {
        auto whole = program();
        whole.update(one.more);
        const auto answered = client.request(one.verb, whole);
        EXPECT_TRUE(answered) << one.verb << ": " << format(answered.errors());
        std::vector<json::json_pointer> places;
        collect(whole, json::json_pointer(), places);
        for (const auto& place : places)
            for (const auto& value : values) {
                // It writes where it is told to.
                if (place.to_string() == "/folder" && value.is_string())
                    continue;
                auto arguments = whole;
                arguments[place] = value;
                RequestOptions limit;
                limit.timeout_seconds = 60;
                const auto answer = client.request(one.verb, arguments, limit);
                EXPECT_FALSE(answer && is_too_large(place.to_string(), value))
                    << one.verb << " takes " << place << " = " << shown(value);
                ++all;
                refused += !answer;
                for (const auto& e : answer ? Diagnostics{} : answer.errors()) {
                    for (const auto* bad : {kCodeCrash, kCodeInternal, kCodeTimeout})
                        EXPECT_NE(e.code, bad) << one.verb << " with " << place << " = "
                                               << shown(value) << ": " << e.message;
                    EXPECT_EQ(e.message.find("json.exception"), std::string::npos) << e.message;
                }
            }
    }
    EXPECT_EQ(worker(), first) << "the worker was replaced";
    EXPECT_GT(refused, all / 2);
}

} // namespace
} // namespace loopscope::measure
