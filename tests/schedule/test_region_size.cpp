// The part of a producer that an iteration computes: never less than the iteration reads, and no
// more where that is a box. The judge enumerates every iteration and every read.

#include "core/language/loop_parser.h"
#include "core/schedule/placement.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"
#include "tests/schedule/scheduling.h"

#include <random>
#include <set>
#include <tuple>

namespace loopscope::test {
namespace test_region_size {

using Values = std::map<std::string, std::int64_t>;

std::int64_t value_of(const LinearForm& form, const Values& values) {
    auto held = with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
        auto found = values.find(atom.name);
        return found == values.end() ? std::nullopt : std::optional(LinearForm(found->second));
    });
    EXPECT_TRUE(held.is_constant());
    return held.constant();
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t evaluate_index(const ExprPtr& e, const Values& axes) {
    if (e->kind == ExprKind::Constant)
        return static_cast<std::int64_t>(e->bits);
    if (e->kind == ExprKind::Variable)
        return axes.at(e->name);
    if (e->kind == ExprKind::Unary && e->op == Op::Negate)
        return -evaluate_index(e->args[0], axes);
    if (e->kind != ExprKind::Binary)
        throw std::logic_error("an index of another kind");
    const auto a = evaluate_index(e->args[0], axes), b = evaluate_index(e->args[1], axes);
    switch (e->op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return floor_divide(a, b);
    case Op::Modulo: return a - b * floor_divide(a, b);
    case Op::Min: return std::min(a, b);
    case Op::Max: return std::max(a, b);
    default: throw std::logic_error("an operator of another kind");
    }
}

// What each iteration of some outer loops reads of a stage, by the loops' values: a hull per
// dimension.
using Reads = std::map<std::vector<std::int64_t>, std::vector<Interval>>;

// The reads of `a` by one definition without reductions, `out`, in each iteration of the loops down
// to `depth`.
Reads reads_of(const Layout& layout, std::size_t depth) {
    const auto& nest = layout.stages.at("out").nests[0];
    const Stage& out = *layout.derived->find("out");
    Reads reads;
    std::vector<std::int64_t> at(nest.extents.size(), 0);
    for (bool more = true; more;) {
        Values values;
        for (std::size_t l = 0; l < at.size(); ++l)
            values[nest.variables[l]] = at[l];
        bool runs = true;
        for (const auto& guard : nest.guards)
            runs = runs && value_of(guard.value, values) < guard.limit;
        if (runs) {
            Values axes;
            for (const auto& [axis, form] : nest.axes)
                axes[axis] = value_of(form, values);
            auto& box = reads[{at.begin(), at.begin() + static_cast<std::ptrdiff_t>(depth)}];
            each_load(out.definitions[0], [&](const Expr& node) {
                if (node.name != "a")
                    return;
                box.resize(node.args.size(), Interval{1, 0});
                for (std::size_t d = 0; d < node.args.size(); ++d) {
                    const auto index = evaluate_index(node.args[d], axes);
                    box[d] = box[d].empty() ? Interval{index, index}
                                            : Interval{std::min(box[d].least, index),
                                                       std::max(box[d].greatest, index)};
                }
            });
        }
        more = false;
        for (auto l = at.size(); l-- > 0 && !more;) {
            more = ++at[l] < nest.extents[l];
            if (!more)
                at[l] = 0;
        }
    }
    return reads;
}

// What an iteration computes of `a` starts where it must: all that the iteration reads is inside.
void expect_covered(const Layout& layout, const Reads& reads) {
    const auto& variables = layout.stages.at("out").nests[0].variables;
    const auto& a = layout.stages.at("a");
    for (const auto& [outer, box] : reads) {
        Values values;
        for (std::size_t l = 0; l < outer.size(); ++l)
            values[variables[l]] = outer[l];
        for (std::size_t d = 0; d < box.size(); ++d) {
            const auto least = value_of(a.region[d].least, values);
            EXPECT_LE(least, box[d].least) << "dimension " << d;
            EXPECT_GE(least + a.needed[d] - 1, box[d].greatest) << "dimension " << d;
        }
    }
}

struct Sizes {
    std::vector<std::int64_t> read, computed; // the greatest extents per dimension
};

Sizes sizes(const std::string& pipeline, const std::string& schedule, std::size_t depth) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", pipeline));
    EXPECT_TRUE(loaded.ok()) << format(loaded.errors());
    auto applied = scheduled(loaded->pipeline, schedule);
    EXPECT_EQ(refusal(applied), "applied") << pipeline << schedule;
    auto layout = infer_layout(applied.state, derive(applied.state).pipeline);
    EXPECT_TRUE(layout.ok());
    const auto reads = reads_of(*layout, depth);
    expect_covered(*layout, reads);
    Sizes out{{}, layout->stages.at("a").needed};
    for (const auto& [outer, box] : reads) {
        out.read.resize(box.size(), 0);
        for (std::size_t d = 0; d < box.size(); ++d)
            out.read[d] = std::max(out.read[d], box[d].extent());
    }
    return out;
}

std::string program(const std::string& reads, const std::string& size) {
    return "pipeline p\ninput img[y, x]: f32[8, 8] boundary edge\nstage a[y, x] = img[y, x] * 2.0\n"
           "stage out[y, x] = " +
           reads + "\noutput out: " + size + "\n";
}

TEST(RegionSize, IsWhatIsReadWhereThatIsABox) {
    const char* reads[] = {
        "a[y, x]",
        "a[y - 1, x] + a[y + 1, x + 2]",
        "a[2*y, 2*x] + a[2*y + 1, 2*x + 1]",
        "a[2*y - 1, 3*x] + a[2*y + 2, 3*x + 2]",
        "a[y/2, x/2]",
        "a[y/2 - 1, (x + 1)/2]",
        "a[y/2, x/2] + a[(y + 1)/2, (x + 1)/2]",
        "a[y/3, x/4] + a[y/3 + 1, x/4 - 1]",
        "a[7 - y, x]",
        "a[5 - 2*y, 3 - x] + a[4 - 2*y, x]",
        "a[x, y]",
        "a[x + y, x]",
        "a[y - 100, x + 1000]",
        "a[clamp(y - 1, 0, 19), x] + a[clamp(y + 1, 0, 19), x]",
        "a[clamp(2*y - 1, 0, 39), x] + a[clamp(2*y + 2, 0, 39), x]",
        "a[y + 3*x, 2*y - x]",
        "a[5, x] + a[6, x]",
    };
    const std::pair<const char*, std::size_t> schedules[] = {
        {"a.compute_at(out, y)\n", 1},
        {"a.compute_at(out, x)\n", 2},
        {"out.split(y, yo, yi, 4)\na.compute_at(out, yo)\n", 1},
        {"out.split(y, yo, yi, 3)\na.compute_at(out, yo)\n", 1},
        {"out.split(y, yo, yi, 3)\na.compute_at(out, yi)\n", 2},
        {"out.tile(y, x, yo, xo, yi, xi, 4, 8)\na.compute_at(out, xo)\n", 2},
        {"out.tile(y, x, yo, xo, yi, xi, 6, 5)\na.compute_at(out, xo)\n", 2},
        {"out.tile(y, x, yo, xo, yi, xi, 6, 5, shift)\na.compute_at(out, xo)\n", 2},
        {"out.tile(y, x, yo, xo, yi, xi, 6, 5)\na.compute_at(out, yi)\n", 3},
        {"out.reorder(x, y)\na.compute_at(out, x)\n", 1},
    };
    for (const char* read : reads)
        for (const auto& [schedule, depth] : schedules) {
            const auto made = sizes(program(read, "[20, 24]"), schedule, depth);
            ASSERT_EQ(made.read.size(), made.computed.size());
            for (std::size_t d = 0; d < made.read.size(); ++d) {
                EXPECT_GE(made.computed[d], made.read[d]) << read << "\n" << schedule;
                EXPECT_LE(made.computed[d], made.read[d]) << read << "\n" << schedule;
            }
        }
}

// An index that depends on data in part still moves with the tile by its other part.
TEST(RegionSize, DataMoveAnIndexByNoMoreThanTheirRange) {
    auto needed = [](const std::string& rows, const std::string& let = {}) {
        auto loaded = load_pipeline(std::make_shared<SourceFile>(
            "p.loop", "pipeline p\ninput img[y, x]: f32[256, 64] boundary edge\n"
                      "input half[d]: i32[27]\ninput level[x]: u8[64]\n"
                      "stage a[y, x] = img[y, x] * 2.0\nstage out[y, x] = " +
                          let + "a[" + rows + ", x]\noutput out: [256, 64]\n"));
        EXPECT_TRUE(loaded.ok()) << format(loaded.errors());
        auto applied = scheduled(loaded->pipeline,
                                 "out.tile(y, x, yo, xo, yi, xi, 32, 16)\na.compute_at(out, xo)\n");
        EXPECT_EQ(refusal(applied), "applied") << rows;
        auto layout = infer_layout(applied.state, derive(applied.state).pipeline);
        EXPECT_TRUE(layout.ok());
        return layout->stages.at("a").needed;
    };
    using Extents = std::vector<std::int64_t>;
    EXPECT_EQ(needed("y + clamp(half[x % 27], 0, 26)"), (Extents{58, 16}));
    EXPECT_EQ(needed("y - clamp(half[x % 27], -3, 26)"), (Extents{61, 16}));
    EXPECT_EQ(needed("2*y + i32(level[x])/64"), (Extents{66, 16}));
    EXPECT_EQ(needed("y + (let d = clamp(half[0], 0, 5) in d + d)"), (Extents{42, 16}));
    EXPECT_EQ(needed("select(half[0] > 3, y + 1, y + clamp(half[1], 0, 2))"), (Extents{34, 16}));
    // The value may have a name.
    EXPECT_EQ(needed("y - h", "let h = clamp(half[x % 27], 0, 26) in "), (Extents{58, 16}));
    EXPECT_EQ(
        needed("y - h", "let f = img[y, x] in let g = clamp(i32(f), 0, 3) in let h = 2*g in "),
        (Extents{38, 16}));
    // Products of two that move, and what is no longer affine, have the range of all.
    EXPECT_EQ(needed("clamp(y * clamp(half[0], 0, 2), 0, 99)"), (Extents{100, 16}));
}

// Also of a let that stands in the index which an update writes to.
TEST(RegionSize, LetsOfWhatAnUpdateWritesToAreKnown) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>(
        "p.loop", "pipeline p\ninput img[y]: i32[64]\nstage t[y] = img[y] * 2\n"
                  "stage h[v]: i32 = 0\n"
                  "update h[let s = r/8 in clamp(t[s] + s, 0, 31)] += 1 over r in 0..64\n"
                  "output h: [32]\n"));
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto applied = scheduled(loaded->pipeline, "t.compute_at(h.update(0), r)\n");
    ASSERT_EQ(refusal(applied), "applied");
    auto layout = infer_layout(applied.state, derive(applied.state).pipeline);
    ASSERT_TRUE(layout.ok());
    EXPECT_EQ(layout->stages.at("t").needed, std::vector<std::int64_t>{1});
}

// At random: never less, and rarely more (floor divisions of sums in tiles that they do not divide,
// unlike clamps).
TEST(RegionSize, IsNeverLessThanWhatIsRead) {
    std::mt19937 random(2024);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    auto number = [&](int least, int greatest) {
        return std::to_string(least + below(greatest - least + 1));
    };
    // Reads of one stage along one dimension share a pattern, and differ by offsets: their union is
    // a box.
    auto pattern = [&](const std::string& v, const std::string& other) {
        const auto factor = number(2, 4), end = number(10, 40);
        switch (below(7)) {
        case 0: return v + " + @";
        case 1: return factor + "*" + v + " + @";
        case 2: return "(" + v + " + @)/" + factor;
        case 3: return "@ - " + v;
        case 4: return v + " + " + other + " + @";
        case 5: return "clamp(" + number(1, 2) + "*" + v + " + @, 0, " + end + ")";
        default: return v + "/2*2 + @";
        }
    };
    auto index = [&](std::string of) { return of.replace(of.find('@'), 1, number(-3, 3)); };
    int larger = 0, judged = 0;
    for (int n = 0; n < 400; ++n) {
        std::string reads;
        const auto rows = pattern("y", "x"), columns = pattern("x", "y");
        for (int r = below(3); r >= 0; --r)
            reads += (reads.empty() ? "a[" : " + a[") + index(rows) + ", " + index(columns) + "]";
        const std::string tails[] = {"", ", shift"};
        const auto tile = "out.tile(y, x, yo, xo, yi, xi, " + number(2, 9) + ", " + number(2, 9) +
                          tails[below(2)] + ")\n";
        const std::pair<std::string, std::size_t> schedules[] = {
            {"a.compute_at(out, y)\n", 1},
            {"a.compute_at(out, x)\n", 2},
            {tile + "a.compute_at(out, yo)\n", 1},
            {tile + "a.compute_at(out, xo)\n", 2},
            {tile + "a.compute_at(out, yi)\n", 3},
            {tile + "out.reorder(yo, yi, xo, xi)\na.compute_at(out, yi)\n", 2},
        };
        const auto& [schedule, depth] = schedules[below(6)];
        const auto made = sizes(program(reads, "[" + number(5, 23) + ", " + number(5, 23) + "]"),
                                schedule, depth);
        for (std::size_t d = 0; d < made.read.size(); ++d) {
            ++judged;
            larger += made.computed[d] > made.read[d];
            ASSERT_GE(made.computed[d], made.read[d]) << reads << "\n" << schedule;
        }
    }
    // Where a partial tile reads no more than it does, or multiples of the divisor are not seen to
    // be: 1 in 100.
    EXPECT_LE(larger, judged / 50);
}

// Two readers at one loop, seven rows each, three rows apart: the union is a box of ten.
TEST(RegionSize, IsTheUnionOfWhatReadersNeed) {
    auto applied = scheduled(parsed("pipeline p\n"
                                    "input img[y, x]: f32[70, 48] boundary edge\n"
                                    "stage a[y, x] = img[y, x] * 2.0\n"
                                    "stage b[y, x] = a[y - 1, x] + 1.0\n"
                                    "stage c[y, x] = a[y + 2, x + 1] * 3.0\n"
                                    "stage out[y, x] = b[y, x] + c[y, x]\n"
                                    "output out: [70, 48]\n"),
                             "out.split(y, yo, yi, 7)\nb.compute_at(out, yo)\n"
                             "c.compute_at(out, yo)\na.compute_at(out, yo)\n");
    ASSERT_EQ(refusal(applied), "applied");
    const auto tree = tree_of(applied);
    const auto& a = tree->layout->stages.at("a");
    EXPECT_EQ(a.needed, (std::vector<std::int64_t>{10, 49}));
    EXPECT_TRUE(a.exact);
}

// Who reads a stage is looked up: found are those that a search through all definitions finds, in
// the order of names.
TEST(Region, ReadersAreThoseOfAllDefinitions) {
    auto pipeline = parsed("pipeline p\n"
                           "input img[y, x]: f32[64, 64] boundary edge\n"
                           "stage a[y, x] = img[y, x] + img[y, x - 1]\n"
                           "stage z[y, x] = a[y, x] * img[y + 1, x]\n"
                           "stage h[x]: f32 = 0.0\n"
                           "update h[x] += a[r, x] + a[x, r]*h[x] over r in 0..64\n"
                           "stage b[y, x] = a[y - 1, x] + z[y, x] * a[y + 1, x] + h[x]\n"
                           "stage out[y, x] = b[y, x] + a[y, x]\n"
                           "output out: [64, 64]\n");
    const std::vector<std::string> laid_out = {"out", "b", "h", "z"}; // and `a` not yet
    Readers readers(*pipeline);
    for (const auto& stage : laid_out)
        readers.add(stage);
    std::size_t count = 0;
    for (const std::string name : {"a", "z", "h", "b", "out"}) {
        std::vector<std::tuple<std::string, std::size_t, const Expr*>> found, all;
        for (const Reader& reader : readers.of(name)) {
            ++count;
            for (const Expr* load : reader.loads)
                found.emplace_back(reader.stage->name, reader.definition, load);
        }
        for (const auto& stage : std::set<std::string>(laid_out.begin(), laid_out.end())) {
            const auto& definitions = pipeline->find(stage)->definitions;
            for (std::size_t d = 0; d < definitions.size(); ++d)
                each_load(definitions[d], [&](const Expr& load) {
                    if (load.name == name)
                        all.emplace_back(stage, d, &load);
                });
        }
        EXPECT_EQ(found, all) << name;
    }
    EXPECT_EQ(count, 8U); // a: b, h's update, out, z; z: b; h: b, its own update; b: out
    readers.clear();
    EXPECT_TRUE(readers.of("a").empty());
}

} // namespace test_region_size
} // namespace loopscope::test
