// Bursts of prefetches spread over loops: before and after, which lines each iteration asks for,
// and what stays.
#include "lower_support.h"

#include "compiler/lower/fold.h"
#include "compiler/lower/statements.h"

#include <map>
#include <set>

namespace loopscope::lower {
namespace {

std::string nest(const std::string& loops) {
    return "\nprogram p\ninput A: f32[512, 64]\noutput B: f32[8, 32]\nlaunch p on host (A, B) {\n" +
           loops + "}\n";
}

TEST(SpreadPrefetches, OverTheLoopBehindThem) {
    EXPECT_EQ(test::after(spread_prefetches, nest(R"(    for x in 0..8 {
        for row in 0..16 {
            for line in 0..4 {
                prefetch A[x*16 + row, line*16]
            }
        }
        for y in 0..32 {
            B[x, y] = A[x, y]
        }
    }
)")),
              nest(R"(    for x in 0..8 {
        for y in 0..32 {
            unrolled for row_1 in 0..2 {
                prefetch A[x*16 + (y*2 + row_1)/4, (y*2 + row_1)%4*16]
            }
            B[x, y] = A[x, y]
        }
    }
)"));
}

// Until few are left for an iteration, and past lets and other bursts.
TEST(SpreadPrefetches, OverAsManyLoopsAsItTakes) {
    EXPECT_EQ(test::after(spread_prefetches, nest(R"(    for x in 0..8 {
        for row in 0..64 {
            prefetch A[x*64 + row, 0]
        }
        for other in 0..64 {
            prefetch A[other, x]
        }
        let base = x*2
        for y in 1..3 {
            let more = base + y
            for z in 0..4 {
                B[x, z] = A[more, z]
            }
        }
    }
)")),
              nest(R"(    for x in 0..8 {
        let base = x*2
        for y in 1..3 {
            let more = base + y
            for z in 0..4 {
                unrolled for other_1 in 0..8 {
                    prefetch A[((y - 1)*4 + z)*8 + other_1, x]
                }
                unrolled for row_1 in 0..8 {
                    prefetch A[x*64 + (((y - 1)*4 + z)*8 + row_1), 0]
                }
                B[x, z] = A[more, z]
            }
        }
    }
)"));
}

std::int64_t value_of(const ExprPtr& e, const std::map<std::string, std::int64_t>& variables) {
    std::int64_t out = 0;
    if (constant_value(e, out))
        return out;
    if (e->kind == ExprKind::Variable)
        return variables.at(e->name);
    auto a = value_of(e->args.at(0), variables), b = value_of(e->args.at(1), variables);
    switch (e->op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return floor_divide(a, b);
    case Op::Modulo: return floor_modulo(a, b);
    case Op::Min: return std::min(a, b);
    default: ADD_FAILURE() << to_text(e); return 0;
    }
}

struct Asked {
    std::set<std::vector<std::int64_t>> lines;
    std::size_t times = 0;
    std::size_t most_in_a_row = 0, in_a_row = 0;
};

// Runs the loops: what is prefetched in each iteration of x.
void ask(const StatementPtr& s, std::map<std::string, std::int64_t> variables,
         std::map<std::int64_t, Asked>& out) {
    if (s->kind == StatementKind::Prefetch) {
        std::vector<std::int64_t> place;
        for (const auto& index : s->access->indices)
            place.push_back(value_of(index, variables));
        auto& asked = out[variables.at("x")];
        asked.lines.insert(place);
        ++asked.times;
        asked.most_in_a_row = std::max(asked.most_in_a_row, ++asked.in_a_row);
    } else if (s->kind == StatementKind::For) {
        auto begin = value_of(s->loop->begin, variables),
             extent = value_of(s->loop->extent, variables);
        for (auto i = begin; i < begin + extent; ++i) {
            variables[s->variable] = i;
            ask(s->children[0], variables, out);
        }
    } else if (s->kind == StatementKind::Store) {
        out[variables.at("x")].in_a_row = 0;
    } else {
        for (const auto& child : s->children)
            ask(child, variables, out);
    }
}

// Extents that divide one another, and others: no line is lost, and few are asked for again.
TEST(SpreadPrefetches, EveryLineIsAskedForInItsIteration) {
    int spread = 0;
    for (int rows : {3, 7, 16, 33, 64})
        for (int lines : {1, 2, 5, 16})
            for (int outer : {1, 2, 5, 16})
                for (int inner : {2, 3, 8, 40}) {
                    auto text = [](int n) { return std::to_string(n); };
                    auto program = test::parsed(
                        "program p\ninput A: f32[512, 64]\noutput B: f32[3, 64]\n"
                        "launch p on host (A, B) {\nfor x in 0..3 {\nfor row in 0.." +
                        text(rows) + " {\nfor line in 0.." + text(lines) +
                        " {\nprefetch A[x*64 + row, line*4]\n}\n}\nfor y in 2.." + text(outer + 2) +
                        " {\nfor z in 0.." + text(inner) + " {\nB[x, z] = 0.0\n}\n}\n}\n}\n");
                    auto after = spread_prefetches(program, TargetInfo{});
                    ASSERT_TRUE(verify(after).empty()) << format(verify(after)) << to_text(after);
                    std::map<std::int64_t, Asked> wanted, found;
                    ask(program.launches[0].body, {}, wanted);
                    ask(after.launches[0].body, {}, found);
                    for (const auto& [x, asked] : wanted) {
                        ASSERT_EQ(found[x].lines, asked.lines) << to_text(after);
                        ASSERT_LE(found[x].times, asked.times + asked.times / 8) << to_text(after);
                        spread += found[x].most_in_a_row < asked.most_in_a_row;
                    }
                }
    EXPECT_GT(spread, 100);
}

// Few of them, work in two parts, loops that run at once or whose extent is not known, more
// iterations than lines.
TEST(SpreadPrefetches, OthersStay) {
    const std::string burst = "        for row in 0..64 {\n            prefetch A[x*64 + row, 0]\n"
                              "        }\n";
    const std::string store = "            B[x, y] = A[x, y]\n        }\n";
    for (const std::string& body :
         {"        unrolled for row in 0..16 {\n            prefetch A[x*64 + row, 0]\n        }\n"
          "        for y in 0..32 {\n" +
              store,
          burst + "        for y in 0..32 {\n" + store + "        B[x, 0] = 0.0\n",
          burst + "        vectorised for y in 0..32 {\n" + store,
          burst + "        unrolled for y in 0..32 {\n" + store,
          burst + "        for y in 0..x {\n" + store, burst + "        for y in 0..80 {\n" + store,
          "        for row in 0..x {\n            prefetch A[row, 0]\n        }\n"
          "        for y in 0..32 {\n" +
              store}) {
        auto text = nest("    for x in 0..8 {\n" + body + "    }\n");
        EXPECT_EQ(test::after(spread_prefetches, text), text);
    }
}

} // namespace
} // namespace loopscope::lower
