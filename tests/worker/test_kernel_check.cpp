// What exported programs check by: how much the host computes for it.
#include "compiler/worker/kernel_check.h"

#include "compiler/lower/known_facts.h"
#include "compiler/lower/statements.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace loopscope::worker {
namespace test_kernel_check {

namespace fs = std::filesystem;
using test::must;

// Stores that run, at the most: an extent that depends on outer loops counts as the greatest that
// it may be.
double stores(const lower::StatementPtr& s, lower::KnownFacts& scope) {
    scope.bind(*s);
    double times = 1, inside = s->kind == lower::StatementKind::Store ||
                                       s->kind == lower::StatementKind::Atomic
                                   ? 1
                                   : 0;
    if (s->kind == lower::StatementKind::For) {
        const auto extent = scope.range(s->loop->extent);
        EXPECT_TRUE(extent) << "an extent without a bound: " << s->variable;
        times = extent ? std::max<double>(0, static_cast<double>(extent->greatest)) : 0;
    }
    for (const auto& child : s->children)
        inside += stores(child, scope);
    return times * inside;
}

double points(const codegen::KernelCheck& check) {
    double all = 0;
    for (const auto& reference : check.references)
        for (const auto& launch : reference.program.launches) {
            lower::KnownFacts scope;
            if (launch.body)
                all += stores(launch.body, scope);
        }
    return all;
}

std::vector<std::string> gpu_schedules() {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(test::source_path("resources/pipelines")))
        if (const auto name = entry.path().filename().string();
            name.find(".gpu") != name.npos && name.ends_with(".sched"))
            list.push_back(name.substr(0, name.size() - 6));
    std::sort(list.begin(), list.end());
    return list;
}

LoadedProgram shipped(const std::string& name) {
    const auto base = test::source_path("resources/pipelines/");
    auto arguments =
        test::arguments(test::read_file(base + name.substr(0, name.find('.')) + ".loop"),
                        test::read_file(base + name + ".sched"));
    arguments["target"] = "simt";
    return must(load_program(arguments));
}

class ShippedGpuSchedules : public testing::TestWithParam<std::string> {};

// Some seconds of a processor, at a nanosecond or two for each.
TEST_P(ShippedGpuSchedules, AreCheckedByWorkThatHasABound) {
    const auto check = must(kernel_check(*shipped(GetParam()).tree));
    ASSERT_FALSE(check.references.empty());
    const double count = points(check);
    RecordProperty("points", std::to_string(count));
    EXPECT_GT(count, 0);
    EXPECT_LE(count, 2e9) << check.compared;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedGpuSchedules, testing::ValuesIn(gpu_schedules()),
                         [](const auto& parameter) {
                             auto name = parameter.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

} // namespace test_kernel_check
} // namespace loopscope::worker
