// Every verb of the real program: what it prints, its stable keys, status 0.
#include "core/base/sanitized.h"
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <thread>

namespace loopscope {
namespace {

using nlohmann::json;
using test::Outcome;
using test::pipeline;
using test::run_cli;
using test::schedule;
using testing::HasSubstr;

std::vector<std::string> arguments(std::initializer_list<std::vector<std::string>> parts) {
    std::vector<std::string> all;
    for (const auto& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

json parsed(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    auto object = json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(object.is_object()) << outcome.out;
    return object;
}

TEST(Show, DrawsEveryStage) {
    auto outcome = run_cli({"show", pipeline("harris")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("pipeline harris: 13 stages, 1 input; H = 1024, W = 1920"));
    for (auto stage : {"img", "gray", "ixx", "sxy", "det", "peak", "corners"})
        EXPECT_THAT(outcome.out, HasSubstr(stage));
    EXPECT_THAT(outcome.out, HasSubstr("[3, 1034, 1930]")) << "the region that is read";
    EXPECT_EQ(outcome.err, "");
}

TEST(Show, ParamsAreTaken) {
    auto object = parsed(
        run_cli({"show", pipeline("harris"), "--param", "H=64", "--param", "W=32", "--json"}));
    EXPECT_EQ(object.at("params"), (json{{"H", 64}, {"W", 32}}));
    EXPECT_EQ(object.at("outputs").at(0).at("extents"), (json{64, 32}));
}

TEST(Show, JsonHasTheGraph) {
    auto object = parsed(run_cli({"show", pipeline("harris"), "--json"}));
    EXPECT_EQ(object.at("pipeline"), "harris");
    std::map<std::string, json> stages;
    for (const auto& stage : object.at("stages"))
        stages[stage.at("name")] = stage;
    ASSERT_EQ(stages.size(), 14u);
    EXPECT_EQ(stages["img"].at("kind"), "input");
    EXPECT_EQ(stages["img"].at("boundary"), "edge");
    EXPECT_EQ(stages["det"].at("reads"), (json{"sxx", "syy", "sxy"}));
    EXPECT_EQ(stages["corners"].at("output"), true);
    EXPECT_EQ(stages["gray"].at("box"), (json{{-5, 1034}, {-5, 1930}}));
}

TEST(Show, DotHasEveryEdgeOnce) {
    auto outcome = run_cli({"show", pipeline("blur"), "--dot"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, testing::StartsWith("digraph \"blur\" {"));
    EXPECT_THAT(outcome.out, HasSubstr("\"img\" -> \"blur_x\";"));
    EXPECT_THAT(outcome.out, HasSubstr("\"blur_x\" -> \"out\";"));
    auto arrows = std::count(outcome.out.begin(), outcome.out.end(), '>');
    EXPECT_EQ(arrows, 2);
}

TEST(Tree, TextHasLoopsAndStorage) {
    auto outcome = run_cli({"tree", pipeline("blur"), "-s", schedule("blur")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("parallel"));
    EXPECT_THAT(outcome.out, HasSubstr("blur_x"));
}

TEST(Tree, JsonHasTheStableKeys) {
    auto object = parsed(run_cli({"tree", pipeline("blur"), "-s", schedule("blur"), "--json"}));
    int loops = 0;
    std::set<std::string> ids;
    std::function<void(const json&)> visit = [&](const json& node) {
        for (auto key : {"id", "kind", "children"})
            EXPECT_TRUE(node.contains(key)) << node.dump();
        EXPECT_TRUE(ids.insert(node.at("id").get<std::string>()).second)
            << "ids are unique: " << node.at("id");
        if (node.at("kind") == "loop") {
            ++loops;
            EXPECT_TRUE(node.contains("axis") && node.contains("extent") &&
                        node.contains("binding"))
                << node.dump();
        }
        for (const auto& child : node.at("children"))
            visit(child);
    };
    for (const auto& node : object.at("nodes"))
        visit(node);
    EXPECT_GE(loops, 6);
}

TEST(Tree, DefaultScheduleWithoutS) {
    auto outcome = run_cli({"tree", pipeline("blur")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("parallel")));
}

TEST(Tree, NativeFollowsTheDevice) {
    auto on = [&](const char* device) {
        return run_cli({"tree", pipeline("blur"), "-s", schedule("blur"), "--device", device}).out;
    };
    EXPECT_THAT(on("i7-6700"), HasSubstr("x_v 16 vectorised")) << "256 bits of u16";
}

TEST(Check, RightIsZeroAndHasItsKeys) {
    for (auto name : {"blur", "harris", "matmul"}) {
        auto object = parsed(run_cli(
            arguments({{"check", pipeline(name), "-s", schedule(name), "--seed", "7", "--json"},
                       test::small(name)})));
        EXPECT_EQ(object.at("status"), "right") << name;
        EXPECT_EQ(object.at("max_abs_error"), 0) << name;
        EXPECT_EQ(object.at("max_ulp"), 0) << name;
        EXPECT_EQ(object.at("seed"), 7) << name;
    }
}

TEST(Check, TextSaysRight) {
    auto outcome = run_cli(arguments({{"check", pipeline("blur")}, test::small("blur")}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::StartsWith("right: "));
}

// Rows of eight of which the last is shorter: no vector can run eight of them at once.
TEST(Check, TellsOfLoopsThatAreVectorizedInVain) {
    auto loop =
        test::write_file("rows.loop", "pipeline rows\ninput a[i]: f32[20]\nstage s[i]: f32 = "
                                      "a[i]*2.0\noutput s: [20]\n");
    auto sched = test::write_file("rows.sched", "schedule for rows\ns.split(i, io, ii, 8)\n"
                                                "s.vectorize(io)\n");
    const std::string warning =
        "warning: the vectorised loop s/io runs element by element: the bounds";
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"check"}, {"measure", "--budget", "0.1"}, {"emit"}}) {
        auto text = run_cli(arguments({verb, {loop, "-s", sched}}));
        EXPECT_EQ(text.status, 0) << text.err;
        EXPECT_THAT(text.err, HasSubstr(warning)) << verb.front();
        auto object = parsed(run_cli(arguments({verb, {loop, "-s", sched, "--json"}})));
        EXPECT_THAT(object.at("warnings").get<std::string>(), HasSubstr(warning)) << verb.front();
        auto without = parsed(run_cli(arguments({verb, {loop, "--json"}})));
        EXPECT_FALSE(without.contains("warnings")) << verb.front();
    }
}

TEST(Measure, JsonHasTheStableKeys) {
    auto object = parsed(run_cli(arguments(
        {{"measure", pipeline("matmul"), "--threads", "1", "--budget", "0.5", "--json", "--check"},
         test::small("matmul")})));
    for (auto key :
         {"median_s", "min_s", "ci95_s", "gflops", "gbytes_per_s", "threads", "device", "samples"})
        EXPECT_TRUE(object.contains(key)) << key;
    EXPECT_GT(object.at("median_s"), 0);
    EXPECT_LE(object.at("min_s"), object.at("median_s"));
    EXPECT_EQ(object.at("threads"), 1);
    EXPECT_GE(object.at("samples"), 1);
    EXPECT_EQ(object.at("flops"), 2 * 24 * 40 * 32);
    EXPECT_EQ(object.at("bytes"), 4 * (24 * 32 + 32 * 40 + 24 * 40));
    EXPECT_NEAR(object.at("gflops").get<double>(),
                object.at("flops").get<double>() / object.at("median_s").get<double>() * 1e-9,
                1e-6);
    EXPECT_EQ(object.at("check").at("status"), "right");
    if (object.at("ci95_s").is_array()) {
        EXPECT_LE(object.at("ci95_s")[0], object.at("median_s"));
        EXPECT_GE(object.at("ci95_s")[1], object.at("median_s"));
    }
}

TEST(Measure, TextNamesUnits) {
    auto outcome =
        run_cli(arguments({{"measure", pipeline("blur"), "--budget", "0.3"}, test::small("blur")}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("median"));
    EXPECT_THAT(outcome.out, HasSubstr("samples"));
}

TEST(Estimate, JsonHasTheStableKeys) {
    auto object = parsed(run_cli({"estimate", pipeline("harris"), "-s", schedule("harris"),
                                  "--device", "i7-6700", "--model", "all", "--json"}));
    ASSERT_GE(object.at("estimates").size(), 2u);
    for (const auto& estimate : object.at("estimates"))
        for (auto key : {"model", "seconds", "bound", "kernels"})
            EXPECT_TRUE(estimate.contains(key)) << key;
    EXPECT_EQ(object.at("device"), "i7-6700");
    EXPECT_EQ(object.at("described"), true);
    EXPECT_GT(object.at("estimates")[0].at("seconds"), 0);
}

TEST(Estimate, TextHasBoundAndBreakdown) {
    auto outcome =
        run_cli({"estimate", pipeline("blur"), "-s", schedule("blur"), "--device", "i7-6700"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("bound by"));
    EXPECT_THAT(outcome.out, HasSubstr("from memory"));
    EXPECT_THAT(outcome.out, HasSubstr("out"));
}

TEST(Estimate, CountsNoMoreThreadsThanTheDeviceHas) {
    auto many = run_cli({"estimate", pipeline("blur"), "-s", schedule("blur"), "--device",
                         "i7-6700", "--threads", "4096"});
    EXPECT_EQ(many.status, 0) << many.err;
    EXPECT_THAT(many.err,
                HasSubstr("note: i7-6700 runs 8 threads at once: the estimate is for those"));
    auto all = run_cli({"estimate", pipeline("blur"), "-s", schedule("blur"), "--device", "i7-6700",
                        "--threads", "8"});
    EXPECT_EQ(all.err, "");
    EXPECT_EQ(all.out, many.out);
}

TEST(Emit, EveryForm) {
    auto emit = [&](const std::string& form) {
        return run_cli(arguments({{"emit", pipeline("blur"), "-s", schedule("blur"), "--as", form},
                                  {"--param", "H=256", "--param", "W=1024"}}));
    };
    EXPECT_THAT(emit("loops").out, HasSubstr("parallel for"));
    EXPECT_THAT(emit("after:build").out, HasSubstr("vectorised"));
    EXPECT_THAT(emit("llvm").out, HasSubstr("define "));
    EXPECT_THAT(emit("asm").out, HasSubstr("ret"));
    EXPECT_THAT(emit("c").out, HasSubstr("void blur(const uint16_t *restrict img"));
    auto passes = emit("after:help");
    EXPECT_EQ(passes.status, 0) << passes.err;
    EXPECT_THAT(passes.out, HasSubstr("build"));
    EXPECT_THAT(passes.out, HasSubstr("flatten"));
    auto unknown = emit("after:flaten");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean `flatten`?"));
}

TEST(Emit, LinesAreLinkedToTheTree) {
    for (auto form : {"loops", "c", "llvm", "asm"}) {
        auto object = parsed(run_cli(
            arguments({{"emit", pipeline("blur"), "-s", schedule("blur"), "--as", form, "--json"},
                       test::small("blur")})));
        const auto& text = object.at("text").get_ref<const std::string&>();
        auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        EXPECT_EQ(object.at("lines").size(), lines) << form;
        EXPECT_THAT(object.at("lines").get<std::vector<json>>(),
                    testing::Contains(json("out/@compute")))
            << form;
    }
}

TEST(Emit, MainIsForC) {
    auto with = run_cli({"emit", pipeline("blur"), "--as", "c", "--main"});
    EXPECT_EQ(with.status, 0) << with.err;
    EXPECT_THAT(with.out, HasSubstr("int main(int argc, char **argv)"));
    EXPECT_THAT(run_cli({"emit", pipeline("blur"), "--as", "c"}).out, Not(HasSubstr("int main(")));
    auto other = run_cli({"emit", pipeline("blur"), "--as", "asm", "--main"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("`--main` goes with `--as` c, cuda and opencl"));
}

TEST(Emit, WritesAFile) {
    auto path = test::scratch_folder() + "/blur.txt";
    auto outcome = run_cli({"emit", pipeline("blur"), "-o", path});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(test::read_file(path), HasSubstr("for"));
}

TEST(Devices, ListsHostAndDescribed) {
    auto object = parsed(run_cli({"devices", "--json"}));
    std::set<std::string> names;
    for (const auto& device : object.at("devices"))
        names.insert(device.at("name").get<std::string>());
    EXPECT_THAT(names, testing::IsSupersetOf({"host", "i7-6700", "i7-5930K", "cortex-a15"}));
    auto text = run_cli({"devices"});
    EXPECT_EQ(text.status, 0);
    EXPECT_THAT(text.out, HasSubstr("f32 peak"));
}

// A limit on addresses, which a program and its worker share. Sanitizers need terabytes of them.
#if defined(LOOPSCOPE_SANITIZED)
constexpr bool kMayLimit = false;
#else
constexpr bool kMayLimit = true;
#endif
// KiB: each thread has its stack and its heap.
const auto kLittleMemory = 1'500'000 + 80'000 * std::thread::hardware_concurrency();

std::string with_little_memory() {
    return kMayLimit ? "ulimit -v " + std::to_string(kLittleMemory) : "";
}

TEST(Devices, ProbeMeasuresAndKeepsAlsoWhereMemoryIsShort) {
    auto object = parsed(run_cli({"devices", "--probe", "--json"}, "", with_little_memory()));
    const auto& host = object.at("devices").at(0);
    EXPECT_EQ(host.at("name"), "host");
    EXPECT_GT(host.at("flops_per_second").at("f32").at("value"), 1e8);
    EXPECT_THAT(host.at("flops_per_second").at("f32").at("source").get<std::string>(),
                testing::StartsWith("measured 20"));
    EXPECT_GT(host.at("memory_bytes_per_second_all").at("value"), 1e8);
    auto again = parsed(run_cli({"devices", "--json"}));
    EXPECT_EQ(again.at("devices").at(0), host) << "the kept figures";
    auto text = run_cli({"devices"});
    EXPECT_THAT(text.out, HasSubstr("figures: measured 20"));
}

TEST(Check, SaysWhoseMemoryIsShort) {
    if (!kMayLimit)
        GTEST_SKIP() << "there is no limit under sanitizers";
    auto outcome = run_cli({"check", pipeline("copy"), "--param", "H=60000", "--param", "W=60000"},
                           "", with_little_memory());
    EXPECT_EQ(outcome.status, 4) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("for `ulimit -v` allows " +
                                       std::to_string(kLittleMemory >> 10) + " MiB"));
}

TEST(Lint, SilentWhenAllIsWell) {
    for (auto name : {"blur", "matmul"}) {
        auto outcome = run_cli({"lint", pipeline(name), "-s", schedule(name)});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Lint, WarnsOfUnusedThings) {
    auto path = test::write_file("p.loop", "pipeline p\nparam N = 4\ninput a[x]: f32[N]\ninput "
                                           "b[x]: f32[N]\nstage out[x] = a[x]\noutput out: [N]\n");
    auto outcome = run_cli({"lint", path});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr("warning"));
    EXPECT_THAT(outcome.err, HasSubstr("b"));
}

TEST(Format, IsCanonicalAndIdempotent) {
    auto path = test::write_file(
        "p.loop",
        "pipeline p\nparam   N=4 # size\ninput a[x]:f32[N]\nstage out[x]=a[x]+1\noutput out:[N]\n");
    auto once = run_cli({"format", path});
    EXPECT_EQ(once.status, 0) << once.err;
    EXPECT_THAT(once.out, HasSubstr("param N = 4"));
    EXPECT_THAT(once.out, HasSubstr("# size"));
    auto twice = run_cli({"format", test::write_file("p.loop", once.out)});
    EXPECT_EQ(twice.out, once.out);
    auto script = run_cli({"format", schedule("blur")});
    EXPECT_EQ(script.status, 0) << script.err;
    EXPECT_THAT(script.out, HasSubstr("schedule for blur"));
}

TEST(Help, ListsVerbsStatusesAndKeys) {
    auto help = run_cli({"--help"});
    EXPECT_EQ(help.status, 0);
    for (auto verb : {"show", "tree", "check", "run", "estimate", "measure", "emit", "devices",
                      "lint", "format", "expand"}) {
        EXPECT_THAT(help.out, HasSubstr(verb));
        auto own = run_cli({verb, "--help"});
        EXPECT_EQ(own.status, 0) << verb;
        EXPECT_EQ(own.err, "") << verb;
    }
    EXPECT_THAT(help.out, HasSubstr("Exit status"));
    EXPECT_THAT(help.out, HasSubstr("70 a bug"));
    EXPECT_THAT(run_cli({"measure", "--help"}).out, HasSubstr("median_s"));
    EXPECT_THAT(run_cli({"--version"}).out, HasSubstr("0.1.0"));
}

} // namespace
} // namespace loopscope
