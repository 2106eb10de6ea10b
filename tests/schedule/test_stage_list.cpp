// The list of a state's stages: in order and by name, whatever was inserted where, and shared by
// copies of it.
#include "tests/schedule/scheduling.h"

#include "core/base/work.h"
#include "core/schedule/reads.h"

#include <random>

namespace loopscope::test {
namespace test_stage_list {
namespace {

StageList::Item stage_named(const std::string& name, bool inlined = false) {
    StageState stage;
    stage.name = name;
    if (inlined)
        stage.compute.kind = Placement::Kind::Inline;
    return std::make_shared<const StageState>(std::move(stage));
}

std::vector<std::string> names_of(const StageList& list) {
    std::vector<std::string> out;
    for (const auto& stage : list)
        out.push_back(stage->name);
    return out;
}

TEST(StageList, IsTheListThatInsertionsMake) {
    std::mt19937 engine(7);
    auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine);
    };
    for (int round = 0; round < 20; ++round) {
        StageList list;
        std::vector<std::string> plain;
        std::vector<std::pair<StageList, std::vector<std::string>>> copies;
        for (int i = 0; i < 400; ++i) {
            // At the front, at the end, at one place, or anywhere.
            const auto place = round % 4 == 0   ? 0
                               : round % 4 == 1 ? plain.size()
                               : round % 4 == 2 ? plain.size() / 2
                                                : below(plain.size() + 1);
            const auto name = "s" + std::to_string(i);
            list.insert(place, stage_named(name));
            plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(place), name);
            if (i % 7 == 0)
                list.settle();
            if (i % 50 == 0)
                copies.emplace_back(list, plain);
            ASSERT_EQ(list.size(), plain.size());
            const auto asked = below(plain.size());
            ASSERT_EQ(list[asked]->name, plain[asked]);
            ASSERT_EQ(list.index_of(plain[asked]), static_cast<int>(asked));
        }
        EXPECT_EQ(list.index_of("t"), -1);
        copies.emplace_back(list, plain);
        for (const auto& [copy, names] : copies) {
            EXPECT_EQ(names_of(copy), names);
            std::vector<std::string> back;
            for (auto stage = copy.rbegin(); stage != copy.rend(); ++stage)
                back.insert(back.begin(), (*stage)->name);
            EXPECT_EQ(back, names);
            for (std::size_t i = 0; i < names.size(); ++i)
                ASSERT_EQ(copy.index_of(names[i]), static_cast<int>(i));
        }
    }
}

TEST(StageList, KnowsWhichStagesHaveATrait) {
    StageList list;
    for (int i = 0; i < 300; ++i)
        list.insert(list.size(), stage_named("s" + std::to_string(i)));
    list.settle();
    EXPECT_FALSE(list.any(StageTrait::Inlined));
    for (std::size_t place : {5u, 6u, 250u}) {
        const auto before = list;
        list.replace(place, stage_named("s" + std::to_string(place), true));
        if (place == 6)
            list.settle();
        EXPECT_TRUE(list.any(StageTrait::Inlined));
        EXPECT_EQ(before.having(StageTrait::Inlined).size() + 1,
                  list.having(StageTrait::Inlined).size());
    }
    std::vector<std::string> names;
    for (const auto* stage : list.having(StageTrait::Inlined))
        names.push_back(stage->name);
    EXPECT_EQ(names, (std::vector<std::string>{"s5", "s6", "s250"}));
    EXPECT_FALSE(list.any(StageTrait::Copy));
    EXPECT_TRUE(list.any(StageTrait::Placed));
    // and which had it
    for (std::size_t place : {5u, 6u, 250u}) {
        EXPECT_TRUE(list.any(StageTrait::Inlined)) << place;
        list.replace(place, stage_named("s" + std::to_string(place)));
        if (place == 5)
            list.settle();
    }
    EXPECT_FALSE(list.any(StageTrait::Inlined));
    EXPECT_TRUE(list.having(StageTrait::Placed).empty());
    list.settle();
    EXPECT_FALSE(list.any(StageTrait::Inlined));
}

// What is changed after it was inserted, as directives do, is not taken for what it was.
TEST(StageList, WhatIsBeingEditedIsLookedAtAgain) {
    auto state = ScheduleState::initial(chain());
    EXPECT_FALSE(state.stages.any(StageTrait::Placed));
    auto& edited = state.edit("a");
    EXPECT_FALSE(state.stages.any(StageTrait::Placed));
    edited.pipeline = 3;
    EXPECT_TRUE(state.stages.any(StageTrait::Placed));
    state.stages.settle();
    EXPECT_TRUE(state.stages.any(StageTrait::Placed));
}

// Copies of one thing after the other, in the three ways that they can follow one another.
std::pair<std::string, std::string> copies(int count, int way) {
    std::string pipeline = "pipeline p\ninput a[x]: f32[64]\n", lines;
    auto name = [](const char* of, int i) { return of + std::to_string(i); };
    if (way < 2) {
        pipeline += "stage o[x] = a[x] + 1.0\noutput o: [64]\n";
        for (int i = 0; i < count; ++i)
            lines += way == 0 ? name("c", i) + " = o.cache_read(" +
                                    (i == 0 ? "a" : name("c", i - 1)) + ", local)\n"
                              : name("c", i) + " = " + (i == 0 ? "o" : name("c", i - 1)) +
                                    ".cache_read(a, local)\n";
        return {pipeline, lines};
    }
    pipeline += "stage s0[x] = a[x]\n";
    for (int i = 1; i < count; ++i)
        pipeline += "stage " + name("s", i) + "[x] = " + name("s", i - 1) + "[x] + a[x]\n";
    for (int i = 0; i < count; ++i)
        lines += name("c", i) + " = " + name("s", i) + ".cache_read(a, local)\n";
    return {pipeline + "output " + name("s", count - 1) + ": [64]\n", lines};
}

TEST(StageList, ALineOfThousandsLooksAtFewStages) {
    constexpr int kCopies = 1500;
    for (int way = 0; way < 3; ++way) {
        const auto [text, lines] = copies(kCopies, way);
        const auto pipeline = parsed(text);
        const auto graphs = work_of_thread(Work::ReadGraphs);
        const auto looked_at = work_of_thread(Work::NamesCompared);
        const auto applied = scheduled(pipeline, lines);
        ASSERT_EQ(refusal(applied), "applied");
        EXPECT_EQ(work_of_thread(Work::ReadGraphs), graphs) << "of the whole state";
        const auto tree = tree_of(applied);
        EXPECT_EQ(tree->stages.size(),
                  static_cast<std::size_t>(way < 2 ? kCopies + 1 : 2 * kCopies));
        EXPECT_LT(work_of_thread(Work::NamesCompared) - looked_at, 200 * kCopies);
    }
}

} // namespace
} // namespace test_stage_list
} // namespace loopscope::test
