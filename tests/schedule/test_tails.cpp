// The tails of splits: where they are allowed, what becomes of them in the tree, and, by running
// nests, that they compute what is needed, no more than the tree says, and nothing twice at once.
#include "tests/schedule/scheduling.h"

#include "core/schedule/region.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace loopscope::test {
namespace test_tails {

// `a` is read one to each side by b, `raw` has no boundary; H has an update with a free variable.
PipelinePtr demo() {
    return parsed(R"(pipeline demo
input src[y, x]: f32[12, 10] boundary edge
input raw[y, x]: f32[12, 10]
stage a[y, x] = src[y, x] * 2.0
stage b[y, x] = a[y, x - 1] + a[y, x + 1]
stage r[y, x] = raw[y, x] + b[y, x]
stage sums[y] = sum[k in 0..10](r[y, k])
stage H[y, x] = 0.0
update H[y, k] += r[y, k] over k in 0..10
stage o[y, x] = H[y, x] + sums[y]
output o: [12, 10]
)");
}

TreeNodePtr root(const Applied& applied) {
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = build_tree(applied.state);
    EXPECT_TRUE(tree.ok()) << format(tree.errors());
    return tree.ok() ? (*tree)->root : nullptr;
}

std::string rows(const PipelinePtr& pipeline, const std::string& lines, const std::string& stage) {
    auto applied = scheduled(pipeline, lines);
    std::string out;
    std::function<void(const TreeNode&)> walk = [&](const TreeNode& node) {
        if (node.id.stage == stage)
            out += row_text(node) + "\n";
        for (const auto& child : node.children)
            walk(*child);
    };
    walk(*root(applied));
    return out;
}

TEST(Tails, ShiftIsForPureDefinitions) {
    EXPECT_EQ(refusal(demo(), "sums.split(k, ko, ki, 4, shift)\n"),
              "1:26 the tail shift is for pure definitions: sums is a reduction, which would take "
              "some terms twice; write guard, which computes each point once");
    EXPECT_EQ(refusal(demo(), "sums.vectorize(y, 4, shift)\n"),
              "1:22 the tail shift is for pure definitions: sums is a reduction, which would take "
              "some terms twice; write guard, which computes each point once, or pad");
    EXPECT_EQ(refusal(demo(), "H.update(0).split(y, yo, yi, 5, shift)\n"),
              "1:33 the tail shift is for pure definitions: H.update(0) is an update, which would "
              "change some points twice; write guard, which computes each point once, or pad");
    EXPECT_EQ(refusal(demo(), "H.split(y, yo, yi, 5, shift)\n"
                              "c = r.cache_read(raw, local)\n"
                              "c.vectorize(x, 4, shift)\n"
                              "o.tile(y, x, yo, xo, yi, xi, 5, 4, shift)\n"),
              "applied");
}

TEST(Tails, PadNeedsStorageOfOursAndNoReductionAxis) {
    EXPECT_EQ(refusal(demo(), "o.split(y, yo, yi, 5, pad)\n"),
              "1:23 the tail pad computes beyond what is needed of o, which is an output: its "
              "storage is the caller's; write guard, which computes each point once, or shift");
    EXPECT_EQ(refusal(demo(), "sums.split(k, ko, ki, 4, pad)\n"),
              "1:26 sums.k runs over a reduction axis: the tail pad would add terms that are not "
              "there; write guard, which computes each point once");
    EXPECT_EQ(refusal(demo(), "H.update(0).split(k, ko, ki, 4, pad)\n"),
              "1:33 H.update(0).k runs over a reduction axis: the tail pad would add terms that "
              "are not there; write guard, which computes each point once");
    EXPECT_EQ(refusal(demo(), "a.fuse(y, x, f)\na.split(f, fo, fi, 7, pad)\n"), "applied");
}

TEST(Tails, PadNotWithinATile) {
    EXPECT_EQ(refusal(demo(), "a.split(x, xo, xi, 6)\na.vectorize(xi, 4, pad)\n"),
              "2:20 a.xi is within a tile: what the tail pad computes beyond it are points of the "
              "next one; pad the split that made the tile, or write guard, which computes each "
              "point once, or shift");
    EXPECT_EQ(refusal(demo(), "a.split(x, xo, xi, 8, pad)\na.vectorize(xi, 4, pad)\n"), "applied")
        << "4 divides 8: nothing is beyond";
    EXPECT_EQ(refusal(demo(), "a.split(x, xo, xi, 4)\na.split(xo, xoo, xoi, 2, pad)\n"), "applied");
    EXPECT_NE(refusal(demo(), "a.split(x, xo, xi, 6)\na.split(y, yo, yi, 4)\n"
                              "a.reorder(yo, xi, xo, yi)\na.fuse(yo, xi, f)\n"
                              "a.fuse(f, xo, g)\na.split(xi, p, q, 4, pad)\n"),
              "applied");
}

// What a padded tail reads must be there: said at the line that asks for it, or that makes it so.
TEST(Tails, PadReadsNothingOutside) {
    auto outside =
        "the tail pad of r computes 12 points along x where 10 are needed; the input raw "
        "would be read outside: index 1 runs over 0..11, and the input has 0..9; write "
        "guard instead of pad, or give raw a boundary";
    EXPECT_EQ(refusal(demo(), "r.split(x, xo, xi, 4, pad)\n"), std::string("1:23 ") + outside);
    EXPECT_EQ(refusal(demo(), "b.vectorize(x, 4, pad)\na.vectorize(x, 8, pad)\n"), "applied")
        << "src has a boundary";
    auto along_a_chain = parsed("pipeline p\ninput raw[x]: i32[10]\nstage a[x] = raw[x]\n"
                                "stage b[x] = a[x] + 1\nstage o[x] = b[x] + 1\noutput o: [10]\n");
    EXPECT_EQ(
        refusal(along_a_chain, "b.split(x, xo, xi, 4, pad)\n"),
        "1:23 the tail pad of b computes 12 points along x where 10 are needed; the input raw "
        "would be read outside: index 0 runs over 0..11, and the input has 0..9; write guard "
        "instead of pad, or give raw a boundary");
    auto later = scheduled(along_a_chain, "o.split(x, xo, xi, 5)\nb.compute_at(o, xo)\n"
                                          "b.split(x, xo, xi, 5, pad)\nb.compute_root()\n");
    EXPECT_EQ(refusal(later), "applied");
    later = scheduled(along_a_chain, "o.split(x, xo, xi, 2)\nb.compute_at(o, xo)\n"
                                     "b.split(x, xo, xi, 2, pad)\nb.compute_at(o, xi)\n");
    EXPECT_EQ(refusal(later).substr(0, 32), "4:1 the tail pad of b computes 2");
    EXPECT_EQ(later.applied, 3);
}

TEST(Tails, APaddedLoopStaysWithinItsLimit) {
    auto wide = parsed("pipeline p\nstage a[x] = x\nstage o[x] = a[2000000000]\noutput o: [1]\n");
    EXPECT_NE(refusal(wide, "a.split(x, xo, xi, 2147483647, pad)\n"), "applied");
}

TEST(Tails, ShiftMovesTheLastTileInwards) {
    auto tree = root(scheduled(demo(), "o.split(x, xo, xi, 4, shift)\n"));
    const TreeNode* compute = nullptr;
    std::function<void(const TreeNode&)> walk = [&](const TreeNode& node) {
        if (node.kind == TreeKind::Compute && node.id.stage == "o")
            compute = &node;
        for (const auto& child : node.children)
            walk(*child);
    };
    walk(*tree);
    ASSERT_TRUE(compute);
    EXPECT_EQ(to_text(compute->compute.axes.at(1).second), "min(o.xo*4, 6) + o.xi");
    EXPECT_TRUE(compute->compute.guards.empty());
}

TEST(Tails, TheTreeSaysWhatBecameOfThem) {
    auto loops = [](const std::string& lines) { return rows(demo(), lines, "a"); };
    auto nest = [](const std::string& text) {
        return "a storage f32 [12, 12] host\na → f32 [12, 12]\n" + text;
    };
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\n"),
              nest("y 12\nxo 3 tail shift\nxi 5\na pure\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 4, shift)\n"), nest("y 12\nxo 3\nxi 4\na pure\n"))
        << "4 divides 12";
    EXPECT_EQ(loops("a.split(x, xo, xi, 16, shift)\n"),
              nest("y 12\nxo 1 tail guard for shift (12 is below 16)\nxi 16\na pure guarded\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\na.parallel(xo)\n"),
              nest("y 12\nxo 3 parallel tail guard for shift (xo is parallel)\nxi 5\n"
                   "a pure guarded\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\na.parallel(xi)\n"),
              nest("y 12\nxo 3 tail shift\nxi 5 parallel\na pure\n"))
        << "one tile at a time: nothing is written twice at once";
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\na.reorder(xi, xo)\na.parallel(xi)\n"),
              nest("y 12\nxi 5 parallel\nxo 3 tail guard for shift (xi is parallel)\n"
                   "a pure guarded\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\na.fuse(y, xo, f)\na.parallel(f)\n"),
              nest("f 36 parallel tail guard for shift (f is parallel)\nxi 5\na pure guarded\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, shift)\na.reorder(xi, xo)\na.vectorize(xo)\n"),
              nest("y 12\nxi 5\nxo 3 vectorised tail guard for shift (xo is vectorised)\n"
                   "a pure guarded\n"));
    EXPECT_EQ(loops("a.split(x, xo, xi, 5, pad)\n"),
              "a storage f32 [12, 15] host\na → f32 [12, 15]\ny 12\nxo 3 tail pad\nxi 5\na pure\n");
}

// Threads of a block divide what they share, also where it lies in shared memory because of the
// bindings around it alone, said before its place or after it.
TEST(Tails, NoShiftOfWhatThreadsDivide) {
    const std::string place = "a.compute_at(b, yo)\n", tail = "a.split(x, xo, xi, 5, shift)\n",
                      block = "b.bind(yo, block.x)\n";
    const std::string split = "b.split(y, yo, yi, 4)\n";
    const char* divided = "xo 3 tail guard for shift (the threads of a block divide a)";
    for (const auto& lines : {split + block + place + tail, split + place + tail + block,
                              split + place + "a.scope(shared)\n" + tail})
        EXPECT_NE(rows(demo(), lines, "a").find(divided), std::string::npos)
            << lines << rows(demo(), lines, "a");
    for (const auto& lines :
         {split + place + tail, split + block + place + "a.scope(local)\n" + tail,
          split + "b.bind(yi, thread.x)\na.compute_at(b, yi)\n" + tail})
        EXPECT_NE(rows(demo(), lines, "a").find("xo 3 tail shift"), std::string::npos)
            << lines << rows(demo(), lines, "a");
}

TEST(Tails, AreInTheJson) {
    auto applied = scheduled(demo(), "a.split(x, xo, xi, 16, shift)\na.split(y, yo, yi, 5, pad)\n");
    auto tree = build_tree(applied.state);
    ASSERT_TRUE(tree.ok());
    auto json = to_json(**tree).dump();
    EXPECT_NE(json.find(R"("tails":[{"asked":"shift","reason":"12 is below 16","used":"guard"}])"),
              std::string::npos);
    EXPECT_NE(json.find(R"("tails":[{"asked":"pad","used":"pad"}])"), std::string::npos);
    auto plain = build_tree(ScheduleState::initial(demo()));
    EXPECT_NE((*tree)->structural_hash(), (*plain)->structural_hash());
}

// Producers compute what a shifted or padded tile reads; another definition of a padded stage keeps
// to what is needed.
TEST(Tails, RegionsFollow) {
    EXPECT_EQ(rows(demo(), "b.split(x, xo, xi, 4, pad)\n", "a"),
              "a storage f32 [12, 14] host\na → f32 [12, 14]\ny 12\nx 14\na pure\n");
    EXPECT_EQ(rows(demo(), "b.split(x, xo, xi, 4, shift)\na.compute_at(b, xo)\n", "a"),
              "a storage f32 [1, 6] host\na → f32 [1, 6]\ny 1\nx 6\na pure\n");
    EXPECT_EQ(rows(demo(),
                   "b.split(x, xo, xi, 4, pad)\na.compute_at(b, xo)\n"
                   "a.split(x, x, xi, 4, pad)\n",
                   "a"),
              "a storage f32 [1, 8] host\na → f32 [1, 8]\ny 1\nx 2 tail pad\nxi 4\na pure\n");
    auto padded_update = parsed("pipeline p\ninput v[x]: i32[10] boundary zero\n"
                                "stage s[x] = v[x]\nupdate s[x] += 1\nupdate s[x] *= 2\n"
                                "stage o[x] = s[x]\noutput o: [10]\n");
    EXPECT_EQ(rows(padded_update, "s.update(0).split(x, xo, xi, 4, pad)\n", "s"),
              "s storage i32 [12] host\ns → i32 [12]\nx 12\ns pure\nxo 3 tail pad\nxi 4\n"
              "s.update(0) update\nx 10\ns.update(1) update\n");
}

std::int64_t value(const ExprPtr& e, const std::map<std::string, std::int64_t>& at) {
    std::int64_t constant = 0;
    if (constant_value(e, constant))
        return constant;
    if (e->kind == ExprKind::Variable)
        return at.at(e->name);
    auto a = value(e->args.at(0), at);
    if (e->kind == ExprKind::Unary)
        return -a;
    auto b = value(e->args.at(1), at);
    auto floor = [](std::int64_t x, std::int64_t y) { return x / y - (x % y < 0); };
    switch (e->op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return floor(a, b);
    case Op::Modulo: return a - b * floor(a, b);
    case Op::Min: return std::min(a, b);
    case Op::Max: return std::max(a, b);
    case Op::Less: return a < b;
    default: ADD_FAILURE() << to_text(e); return 0;
    }
}

struct Ran {
    std::map<std::vector<std::int64_t>, int> points; // how often each is computed
    double count = 0;
    bool meets = false; // two iterations of a parallel or vectorised loop compute one point
};

// Runs the nest of a pure stage.
Ran run(const TreeNode& stage) {
    Ran out;
    std::vector<const TreeNode*> loops;
    const TreeNode* node = stage.children.at(0).get();
    for (; node->kind == TreeKind::Loop; node = node->children.at(0).get())
        loops.push_back(node);
    std::map<std::string, std::int64_t> at;
    // by what is outside, and the point
    std::map<std::string, std::set<std::vector<std::int64_t>>> seen;
    std::function<void(std::size_t)> step = [&](std::size_t l) {
        if (l < loops.size()) {
            for (std::int64_t i = 0; i < loops[l]->extent.hint(); ++i) {
                at[loops[l]->variable] = i;
                step(l + 1);
            }
            return;
        }
        for (const auto& guard : node->compute.guards)
            if (!value(guard, at))
                return;
        std::vector<std::int64_t> point;
        for (const auto& axis : node->compute.axes)
            point.push_back(value(axis.second, at));
        ++out.points[point];
        ++out.count;
        std::string outside;
        for (const auto* loop : loops) {
            if (loop->loop_kind != LoopKind::Serial) {
                auto key = loop->variable + " " + outside;
                for (auto p : point)
                    key += "," + std::to_string(p);
                seen[key].insert({at[loop->variable]});
                out.meets = out.meets || seen[key].size() > 1;
            }
            outside += std::to_string(at[loop->variable]) + " ";
        }
    };
    step(0);
    return out;
}

TEST(Tails, RandomNestsComputeWhatIsNeeded) {
    std::mt19937 random(5);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int shifted = 0, padded = 0, fallen = 0, inexact = 0, repeated = 0;
    for (int n = 0; n < 600; ++n) {
        int height = 1 + below(9), width = 1 + below(13);
        auto p = parsed("pipeline p\nstage s[y, x] = y * x\nstage o[y, x] = s[y + 2, x - 3]\n"
                        "output o: [" +
                        std::to_string(height) + ", " + std::to_string(width) + "]\n");
        std::string lines;
        int fresh = 0;
        for (int k = 0; k < 6; ++k) {
            auto state = scheduled(p, lines).state;
            const auto& loops = state.find("s")->definitions[0].loops;
            auto at = static_cast<std::size_t>(below(static_cast<int>(loops.size())));
            auto name = loops[at].name;
            auto next = [&] { return "v" + std::to_string(fresh++); };
            std::string line;
            switch (below(5)) {
            case 0:
            case 1:
            case 2: {
                auto outer = next(), inner = next();
                line = "s.split(" + name + ", " + outer + ", " + inner + ", " +
                       std::to_string(1 + below(6)) +
                       std::vector<std::string>{"", ", shift", ", shift",
                                                ", pad"}[static_cast<std::size_t>(below(4))] +
                       ")\n";
                break;
            }
            case 3:
                if (at + 1 < loops.size())
                    line = "s.fuse(" + name + ", " + loops[at + 1].name + ", " + next() + ")\n";
                break;
            default:
                line = below(2) ? "s.parallel(" + name + ")\n"
                                : "s.reorder(" + loops.back().name + ", " + name + ")\n";
            }
            if (scheduled(p, lines + line).diagnostics.empty())
                lines += line;
        }
        auto applied = scheduled(p, lines);
        auto tree = build_tree(applied.state);
        ASSERT_TRUE(tree.ok()) << format(tree.errors());
        const auto& layout = (*tree)->layout->stages.at("s");
        auto ran = run(*(*tree)->find({"s", -1, "@stage"}));
        EXPECT_FALSE(ran.meets) << lines;
        for (int y = 2; y < height + 2; ++y)
            for (int x = -3; x < width - 3; ++x)
                EXPECT_GE((ran.points[{y, x}]), 1) << lines << y << ", " << x;
        bool shifts = lines.find("shift") != std::string::npos;
        for (const auto& [point, times] : ran.points) {
            EXPECT_TRUE(point[0] >= 2 && point[0] < 2 + layout.extents[0] && point[1] >= -3 &&
                        point[1] < -3 + layout.extents[1])
                << lines << point[0] << ", " << point[1];
            EXPECT_TRUE(times == 1 || shifts) << lines;
            repeated += times > 1;
        }
        const auto& nest = layout.nests[0];
        if (nest.exact)
            EXPECT_EQ(ran.count, nest.evaluations) << lines;
        else
            EXPECT_LE(ran.count, nest.evaluations) << lines;
        inexact += !nest.exact;
        for (const auto& loop : nest.tails)
            for (const auto& tail : loop) {
                shifted += tail.used == Tail::Shift;
                padded += tail.used == Tail::Pad;
                fallen += tail.used == Tail::Guard;
            }
    }
    EXPECT_GT(shifted, 100);
    EXPECT_GT(padded, 50);
    EXPECT_GT(fallen, 50);
    EXPECT_GT(inexact, 10);
    EXPECT_GT(repeated, 100);
}

// Beyond the end an update goes on in its own row only.
TEST(Tails, PaddedUpdatesStayInWhatIsStored) {
    auto p = parsed(R"(pipeline own
input a[y]: u8[20]
input b[y]: u8[20] boundary edge
stage s[y, x]: i32 = 0
update s[y, 2*y] += i32(a[y])
update s[y, i32(b[y]) % 9] += 1
update s[y, r] += s[y, r + y] over r in 0..3
stage t[y, x] = s[y, x]
output t: [7, 12]
)");
    EXPECT_EQ(refusal(p, "s.update(0).split(y, yo, yi, 5, pad)\n"),
              "1:33 the tail pad of s.update(0) computes 10 points along y where 7 are needed; "
              "there, s[…, 2*y, …] is not stored; write guard instead of pad");
    EXPECT_EQ(refusal(p, "s.update(1).split(y, yo, yi, 5, pad)\n"), "applied");
    EXPECT_THAT(refusal(p, "s.update(2).split(y, yo, yi, 5, pad)\n"),
                testing::HasSubstr("s[…, r + y, …] is not stored"));
}

} // namespace test_tails
} // namespace loopscope::test
