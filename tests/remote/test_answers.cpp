// What another machine says may be anything: each value of what an agent says is replaced by
// others.
#include "compiler/remote/answers.h"

#include "compiler/measure/gpu_devices.h"
#include "compiler/remote/said_gpus.h"
#include "tests/gpu/bundle_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::remote {
namespace {

using nlohmann::json;

const std::vector<json>& others() {
    static const std::vector<json> all{nullptr,
                                       true,
                                       -1,
                                       1e300,
                                       "\x1b]0;x\a",
                                       json::array(),
                                       json::object(),
                                       json::array({1, "x"}),
                                       std::string(100'000, 'x')};
    return all;
}

// Calls `use` with `whole` in which one value after another is another, or missing.
template <typename Use> int with_each_replaced(const json& whole, Use use) {
    int cases = 0;
    const auto flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items())
        for (auto place = json::json_pointer(pointer); !place.empty();
             place = place.parent_pointer()) {
            for (const auto& other : others()) {
                auto changed = whole;
                changed[place] = other;
                use(changed);
                ++cases;
            }
            auto changed = whole;
            if (auto& parent = changed[place.parent_pointer()]; parent.is_object()) {
                parent.erase(place.back());
                use(changed);
            }
        }
    return cases;
}

void expect_clean(const json& answer) {
    EXPECT_EQ(answer.dump().find("\\u001b"), std::string::npos) << answer.dump().substr(0, 2000);
}

TEST(StrangersAnswers, AreReadOrRefused) {
    const test::Bundled bundle;
    const auto file = test::scratch_folder() + "/results.json";
    ASSERT_EQ(test::run_bundle(bundle, file).status, 0);
    const auto result = json::parse(test::read_file(file)).at("jobs").at(0);
    const JobFacts facts{"ssh:gpu1", 1, 0.5};
    ASSERT_TRUE(measure_answer(result, facts));
    int answered = 0;
    const int cases = with_each_replaced(result, [&](const json& changed) {
        for (auto* make : {measure_answer, check_answer, run_answer})
            if (auto answer = make(changed, facts)) {
                expect_clean(*answer);
                ++answered;
            } else {
                EXPECT_EQ(format(answer.errors()).find('\x1b'), std::string::npos);
            }
    });
    EXPECT_GT(cases, 1000);
    EXPECT_GT(answered, 100) << "of what nobody asks for any value will do";
}

TEST(Answers, AWrongElementOfAPartHasItsPlaceInTheWhole) {
    const test::Bundled bundle;
    const auto file = test::scratch_folder() + "/results.json";
    ASSERT_EQ(test::run_bundle(bundle, file).status, 0);
    auto result = json::parse(test::read_file(file)).at("jobs").at(0);
    result["status"] = result["checks"][0]["status"] = "wrong";
    auto& part = result["checks"][0]["outputs"][0];
    part["status"] = "WRONG";
    part["offset"] = {8, 4};
    part["extents"] = {4, 5};
    part["first_difference"] = {{"position", 7}, {"is", 9}, {"reference", 6}};
    const auto answer = test::must(check_answer(result, {"ssh:gpu1", 1, 0.5}));
    const auto name = part["output"].get<std::string>();
    EXPECT_EQ(answer.at("first_difference"), name + "[9, 6] is 9, the reference has 6");
    EXPECT_EQ(answer.at("difference").at("array"), name);
    EXPECT_EQ(answer.at("difference").at("at"), (json{9, 6}));
    part["extents"] = {4, 0}; // a stranger's
    EXPECT_FALSE(test::must(check_answer(result, {"ssh:gpu1", 1, 0.5})).contains("difference"));
}

TEST(StrangersAnswers, AreGpusOrRefused) {
    const auto said = json::parse(test::run_agent({"devices", "--measure"}).out);
    const auto place = test::must(read_place("ssh:gpu1"));
    ASSERT_EQ(test::must(said_gpus(place, said)).size(), 1u);
    with_each_replaced(said, [&](const json& changed) {
        auto gpus = said_gpus(place, changed);
        if (!gpus)
            return;
        expect_clean(*gpus);
        for (const auto& gpu : *gpus)
            static_cast<void>(measure::device_of_gpu(gpu)); // a device, or why it is none
    });
    json many{{"gpus", json::array()}};
    for (int i = 0; i < 1000; ++i)
        many["gpus"].push_back(said["gpus"][0]);
    EXPECT_FALSE(said_gpus(place, many));
}

} // namespace
} // namespace loopscope::remote
