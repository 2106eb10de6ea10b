// Who reads whom in a state: graphs that are kept are those that would be made anew.
#include "tests/schedule/scheduling.h"

#include "core/schedule/reads.h"

namespace loopscope::test {
namespace test_reads {

std::string number_of(int i) { return std::to_string(i); }

// Each stage reads the one before it, and every fifth the input too.
PipelinePtr chain_of(int stages) {
    std::string text = "pipeline p\ninput a[x]: f32[100]\nstage s0[x] = a[x]\n";
    for (int i = 1; i < stages; ++i)
        text += "stage s" + number_of(i) + "[x] = s" + number_of(i - 1) +
                (i % 5 == 0 ? "[x] + a[x]\n" : "[x] + 1.0\n");
    return parsed(text + "output s" + number_of(stages - 1) + ": [100]\n");
}

void expect_as_made_anew(const ScheduleState& state, const std::string& which) {
    const auto kept = read_graph(state);
    const ReadGraph anew(state);
    for (const auto& stage : state.stages) {
        EXPECT_EQ(kept->reads(stage->name, 0), anew.reads(stage->name, 0)) << which;
        EXPECT_EQ(kept->readers(stage->name), anew.readers(stage->name)) << which;
        EXPECT_EQ(reads_in_the_end(state, {stage->name, 0}), anew.reads(stage->name, 0)) << which;
    }
    EXPECT_EQ(kept->readers("a"), anew.readers("a")) << which;
}

TEST(Reads, OfStatesInTurns) {
    auto p = chain_of(12), q = chain_of(13);
    const std::string scripts[] = {
        "",
        "s3.inline()\n",
        "s3.inline()\ns4.inline()\n",
        "c = s5.cache_read(a, local)\n",
        "c = s10.cache_read(a, local)\n",
        "c = s5.cache_read(a, local, s10)\n",
        "c = s5.cache_read(a, local)\nd = s10.cache_read(a, local)\n",
        "c = s5.cache_read(s4, local)\ns4.inline()\n",
    };
    // Those of one pipeline are of one initial state, and share what is kept.
    for (const auto& pipeline : {p, q}) {
        const auto initial = ScheduleState::initial(pipeline);
        std::vector<ScheduleState> states;
        for (const auto& script : scripts) {
            auto state = initial;
            auto lines = scheduled(pipeline, script);
            ASSERT_EQ(refusal(lines), "applied") << script;
            lines.state.reads = state.reads;
            states.push_back(std::move(lines.state));
        }
        for (int round = 0; round < 2; ++round)
            for (std::size_t i = 0; i < states.size(); ++i)
                expect_as_made_anew(states[i], scripts[i]);
        EXPECT_EQ(read_graph(states[1]), read_graph(states[1]));
        EXPECT_NE(read_graph(states[1]), read_graph(states[2]));
    }
}

TEST(Reads, OfMoreStatesThanAreKept) {
    constexpr int kStages = 400;
    const auto p = chain_of(kStages);
    auto state = ScheduleState::initial(p);
    std::vector<ScheduleState> states;
    for (int i = 1; i < 100; ++i) {
        state.edit("s" + number_of(i)).compute.kind = Placement::Kind::Inline;
        states.push_back(state);
    }
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < states.size(); i += 7)
            expect_as_made_anew(states[i], number_of(static_cast<int>(i)));
    for (const auto& each : states)
        read_graph(each);
    expect_as_made_anew(states[0], "the first");
    // What was asked for last is there, however much was let go for it.
    EXPECT_EQ(read_graph(states[0]), read_graph(states[0]));
}

TEST(Reads, OfAPipelineLargerThanWhatIsKept) {
    const auto state = ScheduleState::initial(chain_of(13'000));
    const auto graph = read_graph(state);
    EXPECT_EQ(read_graph(state), graph);
    EXPECT_EQ(graph->readers("s12998"), (std::vector<DefinitionKey>{{"s12999", 0}}));
}

} // namespace test_reads
} // namespace loopscope::test
