// Runs the examples of the schedule language's reference.
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

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

// "applied", or the first refusal with its remedy.
std::string outcome(const PipelinePtr& pipeline, const Block& block) {
    auto source =
        std::make_shared<SourceFile>("schedules.md:" + std::to_string(block.line), block.text);
    auto schedule = parse_schedule(source, pipeline.get());
    if (!schedule)
        return format(schedule.errors());
    auto tree = schedule_tree(pipeline, *schedule, {});
    if (tree)
        return "applied\n";
    const auto& d = tree.errors().front();
    return d.message + (d.remedy.empty() ? "" : "; " + d.remedy) + "\n";
}

TEST(ScheduleReference, ExamplesDoWhatTheTextSays) {
    PipelinePtr pipeline;
    auto all = blocks(read_file(source_path("resources/help/schedules.md")));
    int applied = 0, refused = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& block = all[i];
        if (block.mark == "loop") {
            auto loaded = load_pipeline(std::make_shared<SourceFile>("schedules.md", block.text));
            ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
            pipeline = loaded->pipeline;
        } else if (block.mark == "sched") {
            EXPECT_EQ(outcome(pipeline, block), "applied\n") << "line " << block.line;
            ++applied;
        } else if (block.mark == "sched refused") {
            ASSERT_TRUE(i + 1 < all.size() && all[i + 1].mark == "text") << "line " << block.line;
            EXPECT_EQ(outcome(pipeline, block), all[i + 1].text) << "line " << block.line;
            ++refused;
        }
    }
    EXPECT_GE(applied, 6);
    EXPECT_GE(refused, 5);
}

TEST(ScheduleReference, NamesEveryDirective) {
    auto text = read_file(source_path("resources/help/schedules.md"));
    for (const auto& kind : directive_kinds())
        EXPECT_NE(text.find(std::string(kind.verb) + "("), std::string::npos) << kind.verb;
    for (const auto& verb : later_verbs())
        EXPECT_NE(text.find("`" + verb + "`"), std::string::npos) << verb;
}

TEST(ScheduleReference, ShippedSchedulesApplyAndAreCanonical) {
    for (std::string name : {"blur", "conv_relu", "copy", "harris", "histogram_equalise",
                             "iir_blur", "matmul", "unsharp"}) {
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
}

} // namespace
} // namespace loopscope::test
