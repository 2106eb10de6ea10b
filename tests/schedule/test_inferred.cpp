// What is kept with a state from line to line: the same answers as of the whole, for less work.
#include "tests/schedule/scheduling.h"

#include "core/language/loop_parser.h"
#include "core/schedule/inferred.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"

#include <cstdlib>
#include <random>

namespace loopscope::test {
namespace test_inferred {

std::string number_of(int i) { return std::to_string(i); }

// s0 reads an input at its edge, each stage the one before it; `o` is the output.
PipelinePtr long_chain(int stages) {
    std::string text = "pipeline p\ninput a[x]: f32[100] boundary edge\nstage s0[x] = a[x]\n";
    for (int i = 1; i < stages; ++i)
        text += "stage s" + number_of(i) + "[x] = s" + number_of(i - 1) + "[x] + 1.0\n";
    return parsed(text + "stage o[x] = s" + number_of(stages - 1) + "[x]\noutput o: [100]\n");
}

PipelinePtr sums(int stages) {
    std::string text = "pipeline p\ninput A[y, x]: f32[64, 64] boundary edge\n";
    for (int i = 0; i < stages; ++i)
        text += "stage s" + number_of(i) + "[y] = sum[k in 0..64](A[y, k]*" + number_of(i) +
                ".0)\noutput s" + number_of(i) + ": [64]\n";
    return parsed(text);
}

TEST(Inferred, APaddedLineLaysOutWhatItChanges) {
    constexpr int kStages = 200;
    std::string lines, back;
    for (int i = 0; i < kStages; ++i) {
        auto line = "s" + number_of(i) + ".split(x, xo, xi, 8, pad)\n";
        lines += line;
        back = line + back;
    }
    for (const auto& script : {lines, back}) {
        auto applied = scheduled(long_chain(kStages), script);
        ASSERT_EQ(refusal(applied), "applied");
        ASSERT_TRUE(applied.state.inferred);
        EXPECT_EQ(applied.state.inferred->boxes_found, kStages + 1);
        // All of them once, for the first line; then the stage of the line and the one that it
        // reads, at most twice.
        EXPECT_LE(applied.state.inferred->layouts_found, kStages + 1 + 3 * kStages);
    }
}

TEST(Inferred, ALineThatPadsNothingLaysOutItsStage) {
    auto p = long_chain(200);
    std::string lines = "s0.split(x, xo, xi, 8, pad)\n";
    auto once = scheduled(p, lines).state.inferred;
    for (int i = 1; i < 200; ++i)
        lines += "s" + number_of(i) + ".split(x, xo, xi, 5)\n";
    auto applied = scheduled(p, lines + "s7.contract()\n");
    ASSERT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.inferred->layouts_found, once->layouts_found + 199 + 1);
    EXPECT_EQ(applied.state.inferred->boxes_found, once->boxes_found + 1);
}

TEST(Inferred, AFactoredReductionFindsTwoBoxes) {
    constexpr int kStages = 100;
    std::string lines;
    for (int i = 0; i < kStages; ++i)
        lines += "R" + number_of(i) + " = s" + number_of(i) + ".rfactor(k)\n";
    auto applied = scheduled(sums(kStages), lines);
    ASSERT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.inferred->boxes_found, kStages + 2 * kStages);
}

// Each stage but the first shares the loop of the one before it.
TEST(Inferred, AMergedLineLaysOutItsStage) {
    constexpr int kStages = 100;
    std::string lines = "s1.compute_with(s0, x)\n";
    const auto once = scheduled(long_chain(kStages), lines).state.inferred;
    for (int i = 2; i < kStages; ++i)
        lines += "s" + number_of(i) + ".compute_with(s" + number_of(i - 1) + ", x)\n";
    const auto applied = scheduled(long_chain(kStages), lines);
    ASSERT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.inferred->boxes_found, once->boxes_found);
    EXPECT_EQ(applied.state.inferred->layouts_found, once->layouts_found + kStages - 2);
    // Only pairs of which one has changed are looked at again.
    const auto last = "s" + number_of(kStages - 1);
    const auto order =
        merged_order(applied.state, [&](const std::string& stage) { return stage == last; });
    EXPECT_EQ(order.trips.size(), 1u);
    EXPECT_EQ(order.pairs.size(), 1u);
    EXPECT_EQ(order.stages, (std::set<std::string>{"s0", last, "s" + number_of(kStages - 2)}));
}

TEST(Inferred, NothingIsInferredUntilALineAsks) {
    EXPECT_FALSE(
        scheduled(long_chain(3), "s0.split(x, xo, xi, 8)\ns1.contract()\n").state.inferred);
}

// The dimensions of a copy are those of what it copies, which another script rewrites otherwise.
TEST(Inferred, ACopyOfWhatIsRewrittenOtherwiseIsNotTakenOver) {
    auto p = parsed("pipeline p\ninput A[i, k, l]: f32[64, 64, 8]\n"
                    "stage C[i] = sum[k in 0..64, l in 0..8](A[i, k, l])\n"
                    "stage D[i, j] = sum[k in 0..64, l in 0..8](A[i, k, l]*A[j, k, l])\n"
                    "output C: [64]\noutput D: [64, 64]\n");
    const auto factored = [](const std::string& stage) {
        return "R = " + stage + ".rfactor(k)\nR2 = R.rfactor(l)\nB = R.cache_read(R2, local)\n";
    };
    const auto split = [](const std::string& loop) {
        return "C.split(k, ko, ki, 8)\nR = C.rfactor(" + loop +
               ")\nB = C.cache_read(R, local)\nB.compute_at(C, i)\n";
    };
    for (const auto& [before, after] :
         {std::pair(factored("C"), factored("D")), std::pair(factored("D"), factored("C")),
          std::pair(split("ko"), split("ki"))}) {
        const auto known = build_tree(scheduled(p, before).state);
        ASSERT_TRUE(known) << format(known.errors());
        const auto state = scheduled(p, after).state;
        const auto fresh = build_tree(state), tree = build_tree(state, known->get());
        ASSERT_TRUE(fresh && tree) << after;
        EXPECT_EQ(to_text(**tree), to_text(**fresh));
        EXPECT_EQ(to_text(*(*tree)->derived), to_text(*(*fresh)->derived)) << after;
    }
}

// A refusal of the language's limits in one stage must not hide what another stage's tail asks.
TEST(Inferred, AnErrorOfTheTreeWaitsForTheTree) {
    auto p = parsed("pipeline p\ninput raw[x]: f32[3001]\nstage a[x] = raw[x]\n"
                    "stage b[x] = a[x]\nstage o[x] = b[x]\noutput o: [3001]\n");
    auto wide = scheduled(p, "b.vectorize(x)\na.split(x, xo, xi, 8, pad)\n");
    EXPECT_EQ(refusal(wide), "applied");
    EXPECT_FALSE(build_tree(wide.state).ok());
    // Made short again, b is laid out, and with it a.
    auto again = scheduled(p, "b.vectorize(x)\na.split(x, xo, xi, 8, pad)\nb.serial(x)\n");
    EXPECT_EQ(again.applied, 2);
    EXPECT_EQ(refusal(again).substr(0, 46), "3:1 the tail pad of a computes 3008 points alo");
}

// Random lines: each is taken or refused as it is where nothing was kept, in the same words, and
// boxes are the same.
class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
    template <typename List> const auto& of(const List& list) {
        return *std::next(list.begin(), below(static_cast<int>(list.size())));
    }

private:
    std::mt19937 engine_;
};

const char* const kMixed = R"(pipeline mixed
input raw[y, x]: f32[40, 37]
input src[y, x]: f32[40, 37] boundary edge
input at[x]: u8[64] boundary edge
stage a[y, x] = src[y, x] * 2.0
stage b[y, x] = a[y, x - 1] + a[y, x + 1]
stage narrow[y, x] = raw[clamp(y, 0, 39), clamp(x, 0, 36)]
stage near[y, x] = raw[clamp(y, 0, 20), clamp(x, 0, 30)] + b[y + 1, x]
stage edge[y, x] = raw[y, x] + narrow[y, x]
stage index[x] = min(i32(at[x]), 30)
stage gathered[y, x] = b[y, index[x]] + near[y, x]
stage H[y, x] = edge[y, x]
update H[y, k] += b[y, k] over k in 0..37
stage total[y] = sum[k in 0..37](gathered[y, k])
stage o[y, x] = H[y, x] + total[y] + gathered[y, x]
output o: [40, 37]
)";

// Windows that slide, updates, and indices that depend on data by way of lets and of inlined
// stages.
const char* const kByData = R"(pipeline mixed
input raw[y, x]: f32[40, 37]
input src[y, x]: f32[40, 37] boundary edge
input at[x]: i32[64] boundary edge
stage a[y, x] = src[y, x] * 2.0
stage near[y] = y + clamp(at[y], 0, 3)
stage c[y, x] = a[y - 1, x] + a[y + 1, x]
stage d[y, x] = c[2*y, x] + c[2*y + 1, x]
stage index[x] = clamp(at[x], 0, 9)
stage e[y, x] = let s = index[x] + y/2 in let t = clamp(near[y], 0, 40) in d[s/2, x] + c[t, x]
stage v[y, x] = c[y, x]
update v[y, k] += e[y, k] over k in 0..36 where at[k] > 2
update v[y, k] = v[y, k - 1] + 1.0 over k in 1..37
stage best[y] = argmax[k in 0..37](e[y, k])
stage edge[y, x] = raw[y, x] + 1.0
stage o[y, x] = v[y, x] + f32(best[y].1) + e[y, x] + edge[y, x]
output o: [40, 37]
)";

std::string random_line(Random& random, const ScheduleState& state, int number) {
    const auto& stage = *random.of(state.stages);
    int d = random.below(static_cast<int>(stage.definitions.size()));
    const auto& loops = stage.definitions[static_cast<std::size_t>(d)].loops;
    auto receiver = DefinitionRef{stage.name, d}.text();
    auto loop = random.of(loops).name;
    auto n = number_of(number);
    const auto& host = *random.of(state.stages);
    switch (random.below(27)) {
    case 0: return receiver + ".contract()";
    case 1: return stage.name + ".inline()";
    case 2: return stage.name + ".compute_root()";
    case 3: return "c" + n + " = " + receiver + ".cache_read(" + host.name + ", local)";
    case 4: return "r" + n + " = " + receiver + ".rfactor(" + loop + ")";
    case 5:
    case 6:
        return stage.name + ".compute_at(" + host.name + ", " +
               random.of(host.definitions[0].loops).name + ")";
    case 7:
    case 8: // where it is read
        return stage.name + ".compute_at(o, " +
               random.of(state.find("o")->definitions[0].loops).name + ")";
    case 9: return stage.name + ".pad_storage(x, 3)";
    case 15:
        for (const auto& placed : state.stages)
            if (placed->compute.kind == Placement::Kind::At && random.below(2))
                return placed->name + ".store_root()";
        return stage.name + ".store_root()";
    case 16: return stage.name + ".pipeline(2)";
    case 17:
    case 18:
    case 19: {
        const auto h = random.below(static_cast<int>(host.definitions.size()));
        return receiver + ".compute_with(" + DefinitionRef{host.name, h}.text() + ", " +
               random.of(host.definitions[static_cast<std::size_t>(h)].loops).name + ")";
    }
    case 20: return receiver + ".reorder(" + random.of(loops).name + ", " + loop + ")";
    case 21:
    case 22:
        for (const auto& placed : state.stages)
            if (placed->compute.kind == Placement::Kind::At && random.below(2)) {
                const auto around = loops_around(state, placed->name);
                const auto& at = random.of(around);
                return placed->name + ".store_at(" + DefinitionRef{at.stage, at.definition}.text() +
                       ", " + loop_of(state, at).name + ")";
            }
        return stage.name + ".compute_root()";
    case 23: return receiver + ".prefetch(" + host.name + ", " + loop + ", 2)";
    case 24: return "w" + n + " = " + stage.name + ".cache_write(local)";
    case 25: return receiver + ".parallel(" + loop + ")";
    case 10: return receiver + ".vectorize(" + loop + ")";
    default:
        return receiver + ".split(" + loop + ", p" + n + ", q" + n + ", " +
               number_of(2 + random.below(9)) + (random.below(3) ? ", pad)" : ")");
    }
}

std::string text(const std::vector<LinearForm>& forms) {
    std::string out;
    for (const auto& form : forms)
        out += to_text(to_expr(form)) + "; ";
    return out;
}

// All that the tree takes from a stage's layout.
std::string text(const StageLayout& layout) {
    std::string out = "mins " + text(layout.mins);
    for (const auto& r : layout.region)
        out += "region " + text({r.least, r.greatest}) + (r.exact ? "exact " : "");
    for (const auto& d : layout.stored)
        out += "stored " + text({d.min}) + number_of(static_cast<int>(d.extent)) + " fold " +
               number_of(static_cast<int>(d.fold)) + " ";
    for (const auto& nest : layout.nests) {
        for (std::size_t l = 0; l < nest.variables.size(); ++l)
            out += nest.variables[l] + " " + number_of(static_cast<int>(nest.extents[l])) + " ";
        for (const auto& [axis, value] : nest.axes)
            out += axis + " = " + text({value});
        for (const auto& guard : nest.guards)
            out += "if " + text({guard.value}) + number_of(static_cast<int>(guard.limit)) + " ";
    }
    for (const auto& [loop, first] : layout.firsts)
        out += "first " + loop + " " + number_of(static_cast<int>(first)) + " ";
    for (const auto& [loop, form] : layout.moves)
        out += "moves " + loop + " " + text({form});
    return out;
}

std::string text(const Layout& layout) {
    std::string out;
    for (const auto& [name, stage] : layout.stages)
        out += name + ": " + text(stage) + "\n";
    for (const auto& [name, box] : layout.boxes)
        out += name + " " + testing::PrintToString(box) + "\n";
    for (const auto& [name, value] : layout.region_variables)
        out += name + " = " + text({value.least, value.greatest}) + "\n";
    for (const auto& [name, extent] : layout.loop_extents)
        out += name + " takes " + std::to_string(extent) + "\n";
    for (const auto& [name, begin] : layout.begins)
        out += name + " begins " + std::to_string(begin) + "\n";
    return out;
}

DirectivePtr compute_at(const std::string& stage, const ScheduleState& state,
                        const LoopRef& place) {
    const auto line = stage + ".compute_at(" + DefinitionRef{place.stage, place.definition}.text() +
                      ", " + loop_of(state, place).name + ")";
    auto parsed =
        parse_schedule(std::make_shared<SourceFile>("s", "schedule for mixed\n" + line + "\n"));
    return parsed->directives[0];
}

class AsWhereNothingIsKept : public testing::TestWithParam<const char*> {};

TEST_P(AsWhereNothingIsKept, LineByLine) {
    int applied = 0, refused_pads = 0, at_loops = 0, merged = 0, kept = 0;
    std::size_t found = 0, all_found = 0;  // layouts of stages
    ScheduleTreePtr known;                 // of the last schedule
    std::shared_ptr<const Inferred> other; // of the last schedule, of whichever seed
    auto p = parsed(GetParam());
    const unsigned seeds = std::getenv("LOOPSCOPE_EXHAUSTIVE") ? 1500 : 100;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        Random random(seed);
        auto state = ScheduleState::initial(p);
        for (int i = 0; i < 25; ++i) {
            auto line = random_line(random, state, i);
            auto parsed = parse_schedule(
                std::make_shared<SourceFile>("s", "schedule for mixed\n" + line + "\n"));
            ASSERT_TRUE(parsed.ok()) << line << "\n" << format(parsed.errors());
            auto forgetful = state;
            forgetful.inferred = nullptr;
            auto status = apply_line(state, *parsed->directives[0], {});
            auto fresh = apply_line(forgetful, *parsed->directives[0], {});
            ASSERT_EQ(status ? "" : format(status.errors()), fresh ? "" : format(fresh.errors()))
                << "seed " << seed << ", line " << i << ": " << line;
            refused_pads += !status && status.errors().front().code == kCodePadding;
            if (!status)
                continue;
            ++applied;
            at_loops += line.find("compute_at") != std::string::npos;
            merged += line.find("compute_with") != std::string::npos;
            kept += line.find("store_root") != std::string::npos;
            // What is said to be legal there, is.
            const auto& moved = random.of(state.stages)->name;
            for (const auto& place : legal_placements(state, moved)) {
                auto there = compute_at(moved, state, place);
                auto tried = state;
                auto taken = apply_line(tried, *there, {});
                EXPECT_TRUE(taken) << "seed " << seed << ": " << line << "\n"
                                   << there->text() << "\n"
                                   << format(taken.errors());
            }
            auto copy = state;
            auto boxes = required_boxes(*derive(state).pipeline);
            ASSERT_TRUE(boxes.ok());
            ASSERT_EQ(inferred_boxes(copy)->boxes, *boxes) << "seed " << seed << ": " << line;
            // The whole, laid out at once, says the same.
            auto layout = infer_layout(state, derive(state).pipeline);
            ASSERT_TRUE(layout.ok() || layout.errors().front().code != kCodePadding)
                << "seed " << seed << ": " << line;
            if (any_merges(state)) {
                ASSERT_TRUE(layout.ok()) << "seed " << seed << ": " << line;
                ASSERT_TRUE(check_merged_order(state, *layout)) << "seed " << seed << ": " << line;
            }
            // So it does where all is taken over that another schedule has in common with it.
            auto seeded = state;
            seeded.inferred = other;
            const auto taken_over = inferred_layout(seeded);
            ASSERT_EQ(taken_over ? text(*taken_over) : format(taken_over.errors()),
                      layout ? text(*layout) : format(layout.errors()))
                << "seed " << seed << ", line " << i << ": " << line;
            if (taken_over) {
                all_found += state.stages.size();
                found += seeded.inferred->layouts_found - (other ? other->layouts_found : 0);
                other = seeded.inferred;
                auto forgotten = state;
                forgotten.inferred = nullptr;
                const auto fresh_tree = build_tree(forgotten);
                const auto tree = build_tree(state, known.get());
                ASSERT_EQ(tree ? to_text(**tree) : format(tree.errors()),
                          fresh_tree ? to_text(**fresh_tree) : format(fresh_tree.errors()))
                    << "seed " << seed << ", line " << i << ": " << line;
                if (tree) {
                    ASSERT_EQ((*tree)->structural_hash(), (*fresh_tree)->structural_hash());
                    ASSERT_EQ(to_text(*(*tree)->derived), to_text(*(*fresh_tree)->derived))
                        << "seed " << seed << ", line " << i << ": " << line;
                    known = *tree;
                }
            }
            if (!layout.ok() || (!pads(state) && !any_merges(state)))
                continue;
            for (std::size_t s = 0; s < state.stages.size(); ++s) {
                const auto& record = state.inferred->layouts[s];
                if (!record)
                    continue;
                const auto& whole = layout->stages.at(state.stages[s]->name);
                EXPECT_EQ(record->box, layout->boxes.at(state.stages[s]->name));
                EXPECT_EQ(record->layout.extents, whole.extents);
                EXPECT_EQ(record->layout.needed, whole.needed);
                ASSERT_EQ(text(record->layout), text(whole))
                    << "seed " << seed << ", line " << i << ": " << line;
            }
        }
    }
    EXPECT_GT(applied, 300);
    EXPECT_GT(refused_pads, 3);
    EXPECT_GT(at_loops, 20);
    EXPECT_GT(merged, 20);
    EXPECT_GT(kept, 3);
    EXPECT_LT(found, all_found / 2);
}

INSTANTIATE_TEST_SUITE_P(Inferred, AsWhereNothingIsKept, testing::Values(kMixed, kByData));

} // namespace test_inferred
} // namespace loopscope::test
