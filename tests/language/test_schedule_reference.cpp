// Runs the examples of the schedule language's reference.
#include "core/device/device.h"
#include "core/language/expand_schedule.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/recipe.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

namespace loopscope::test {
namespace {

struct Block {
    std::string mark, text;
    int line = 0;
};

std::vector<Block> blocks(const std::string& markdown) {
    std::vector<Block> out;
    std::istringstream in(markdown);
    std::string line;
    bool inside = false;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.rfind("```", 0) == 0) {
            inside = !inside;
            if (inside)
                out.push_back({line.substr(3), "", number});
        } else if (inside) {
            out.back().text += line + "\n";
        }
    }
    return out;
}

// That a `target` line names, where it is described.
std::optional<device::Device> device_of(const std::string& target) {
    const auto file = source_path("resources/devices/" + target + ".json");
    if (target.empty() || !std::filesystem::exists(file))
        return std::nullopt;
    return must(device::read_device(std::make_shared<SourceFile>(file, read_file(file))));
}

// "applied", or the first refusal with its remedy.
std::string outcome(const PipelinePtr& pipeline, const Block& block) {
    auto source =
        std::make_shared<SourceFile>("schedules.md:" + std::to_string(block.line), block.text);
    auto schedule = parse_schedule(source, pipeline.get());
    if (!schedule)
        return format(schedule.errors());
    const auto device = device_of(schedule->target);
    auto tree = schedule_tree(pipeline, *schedule, {device ? &*device : nullptr});
    if (tree)
        return "applied\n";
    const auto& d = tree.errors().front();
    return d.message + (d.remedy.empty() ? "" : "; " + d.remedy) + "\n";
}

struct Counts {
    int applied = 0, refused = 0;
};

Counts run_examples(const std::string& page) {
    Counts counts;
    std::map<std::string, PipelinePtr> pipelines;
    // The pipeline that a schedule's first line names, or the last one: scripts that are refused
    // for their first line.
    PipelinePtr last;
    auto named = [&](const std::string& schedule) {
        for (const auto& [name, pipeline] : pipelines)
            if (schedule.rfind("schedule for " + name + "\n", 0) == 0)
                return pipeline;
        return last;
    };
    auto all = blocks(read_file(source_path("resources/help/" + page)));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& block = all[i];
        auto where = page + ", line " + std::to_string(block.line);
        if (block.mark == "loop") {
            auto loaded = load_pipeline(std::make_shared<SourceFile>(page, block.text));
            EXPECT_TRUE(loaded.ok()) << where << "\n" << format(loaded.errors());
            if (!loaded)
                return counts;
            last = pipelines[loaded->pipeline->name] = loaded->pipeline;
        } else if (block.mark == "sched") {
            EXPECT_EQ(outcome(named(block.text), block), "applied\n") << where;
            ++counts.applied;
        } else if (block.mark == "sched refused") {
            bool says = i + 1 < all.size() && all[i + 1].mark == "text";
            EXPECT_TRUE(says) << where << ": no message follows";
            if (says) {
                EXPECT_EQ(outcome(named(block.text), block), all[i + 1].text) << where;
            }
            ++counts.refused;
        }
    }
    return counts;
}

TEST(ScheduleReference, ExamplesDoWhatTheTextSays) {
    auto counts = run_examples("schedules.md");
    EXPECT_GE(counts.applied, 6);
    EXPECT_GE(counts.refused, 5);
}

TEST(Tutorial, EveryScheduleApplies) {
    auto counts = run_examples("tutorial.md");
    EXPECT_GE(counts.applied, 10);
}

TEST(ScheduleReference, NamesEveryDirective) {
    auto text = read_file(source_path("resources/help/schedules.md"));
    for (const auto& kind : directive_kinds())
        EXPECT_NE(text.find(std::string(kind.verb) + "("), std::string::npos) << kind.verb;
}

// What the page says that a recipe stands for: the block after the one that says it.
TEST(ScheduleReference, WritesARecipeOut) {
    const auto all = blocks(read_file(source_path("resources/help/schedules.md")));
    int recipes = 0;
    PipelinePtr last;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].mark == "loop")
            last = must(load_pipeline(std::make_shared<SourceFile>("loop", all[i].text))).pipeline;
        if (all[i].mark != "sched")
            continue;
        const auto source = std::make_shared<SourceFile>("sched", all[i].text);
        const auto schedule = must(parse_schedule(source));
        const auto is_recipe = [](const auto& line) { return as_recipe(*line) != nullptr; };
        if (std::none_of(schedule.directives.begin(), schedule.directives.end(), is_recipe))
            continue;
        const auto device = schedule.target.empty() ? std::nullopt : device_of(schedule.target);
        ASSERT_TRUE(device || schedule.target.empty()) << all[i].line;
        EXPECT_EQ(must(expand_schedule_source(source, last, {device ? &*device : nullptr})),
                  all.at(i + 1).text)
            << all[i].line;
        ++recipes;
    }
    EXPECT_EQ(recipes, 2);
}

TEST(ScheduleReference, ShippedSchedulesApplyAndAreCanonical) {
    int schedules = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/pipelines"))) {
        if (entry.path().extension() != ".loop")
            continue;
        auto name = entry.path().stem().string();
        ++schedules;
        auto loaded = load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"));
        ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
        auto path = source_path("resources/pipelines/" + name + ".cpu.sched");
        auto schedule = parse_schedule_file(path, loaded->pipeline.get());
        ASSERT_TRUE(schedule.ok()) << format(schedule.errors());
        auto tree = schedule_tree(loaded->pipeline, *schedule, {});
        EXPECT_TRUE(tree.ok()) << format(tree.errors());
        auto formatted = format_schedule_source(schedule->source);
        ASSERT_TRUE(formatted.ok());
        EXPECT_EQ(*format_schedule_source(std::make_shared<SourceFile>(path, *formatted)),
                  *formatted);
        auto again = parse_schedule(std::make_shared<SourceFile>(path, schedule->text()),
                                    loaded->pipeline.get());
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(again->text(), schedule->text());
    }
    EXPECT_GE(schedules, 19);
}

} // namespace
} // namespace loopscope::test
