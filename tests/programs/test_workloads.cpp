// The tables of resources/workloads: each operator is a bundled program under all of its params,
// its output is as large as the table says, and the shipped schedule applies.

#include "tests/programs/workload_tables.h"

#include <gtest/gtest.h>

#include <set>

using namespace loopscope;
using namespace loopscope::test;
using nlohmann::json;

namespace test_workloads {

std::set<std::string> keys(const json& object) {
    std::set<std::string> out;
    for (const auto& [key, value] : object.items())
        out.insert(key);
    return out;
}

TEST(Workloads, OperatorsAreProgramsAndAsLargeAsTheTablesSay) {
    for (const auto& [file, table] : workload_tables()) {
        EXPECT_EQ(keys(table), (std::set<std::string>{"format", "about", "operators"})) << file;
        EXPECT_EQ(table.at("format"), "loopscope-workloads/1") << file;
        EXPECT_FALSE(table.at("about").get<std::string>().empty()) << file;
        for (const auto& [name, one] : table.at("operators").items()) {
            SCOPED_TRACE(file + ", " + name);
            EXPECT_EQ(keys(one),
                      (std::set<std::string>{"program", "schedule", "params", "output", "source"}));
            EXPECT_FALSE(one.at("source").get<std::string>().empty());
            const auto params = one.at("params").get<Params>();
            const auto loaded = load_bundled(one.at("program"), params, true);
            std::set<std::string> names;
            for (const auto& param : loaded.pipeline->params)
                names.insert(param.name);
            EXPECT_EQ(keys(one.at("params")), names) << "no param is left to its default";
            ASSERT_EQ(loaded.pipeline->outputs.size(), 1u);
            EXPECT_EQ(hints(loaded.pipeline->outputs[0].extents),
                      one.at("output").get<std::vector<std::int64_t>>());
        }
    }
}

// As many as the papers have.
TEST(Workloads, TablesAreWhole) {
    const auto all = workload_tables();
    EXPECT_EQ(all.at("alcop").at("operators").size(), 22u);
    EXPECT_EQ(all.at("resnet18").at("operators").size(), 12u);
    EXPECT_EQ(all.at("mobilenet").at("operators").size(), 9u);
    EXPECT_EQ(all.at("resnet18_f16").at("operators").size(), 12u);
    EXPECT_EQ(all.at("mobilenet_f16").at("operators").size(), 11u);
}

} // namespace test_workloads
