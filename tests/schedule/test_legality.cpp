// What is accepted is run: a random update on whole numbers, once in its own order and once in that
// of its nest, with parallel iterations backwards and vector lanes all at once. What is refused is
// enumerated: there must be a reason.
#include "core/language/loop_parser.h"
#include "tests/schedule/scheduling.h"

#include "core/schedule/legality.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>

namespace loopscope::test {
namespace test_legality {

constexpr int kRows = 4, kFirst = 1, kLast = 17,
              kColumns = 12; // y in 0..4 (outputs), r in 1..17, c in 0..12

// What is made of a sum: nothing, or arithmetic of a machine with a constant.
enum class Made { Sum, Left, Right, Xor, And, Or, Rest, U8, I8, Product8 };

// One index of an access: a*r + b*c + constant, or what is made of that, or the free variable y.
struct Index {
    int a = 0, b = 0, constant = 0;
    bool free = false;
    Made made = Made::Sum;
    int by = 0;
    ExprPtr expr() const {
        if (free)
            return v("y");
        auto term = [](int factor, const char* axis) {
            return binary(Op::Multiply, constant_index(factor), v(axis));
        };
        const auto sum = plus(binary(Op::Add, term(a, "r"), term(b, "c")), constant);
        auto with = [&](Op op) { return binary(op, sum, constant_index(by)); };
        auto in = [&](ScalarType type, const ExprPtr& e) {
            return cast(ScalarType::I32, cast(type, e));
        };
        switch (made) {
        case Made::Sum: return sum;
        case Made::Left: return with(Op::ShiftLeft);
        case Made::Right: return with(Op::ShiftRight);
        case Made::Xor: return with(Op::BitXor);
        case Made::And: return with(Op::BitAnd);
        case Made::Or: return with(Op::BitOr);
        case Made::Rest: return with(Op::Modulo);
        case Made::U8: return in(ScalarType::U8, plus(sum, 245));
        case Made::I8: return in(ScalarType::I8, plus(sum, 120));
        case Made::Product8:
            return cast(ScalarType::I32, binary(Op::Multiply, cast(ScalarType::U8, sum),
                                                constant_int(ScalarType::U8, by)));
        }
        return sum;
    }
    std::int64_t value(int y, int r, int c) const {
        if (free)
            return y;
        const int sum = a * r + b * c + constant;
        switch (made) {
        case Made::Sum: return sum;
        case Made::Left: return sum * (1 << by);
        case Made::Right: return sum >> by;
        case Made::Xor: return sum ^ by;
        case Made::And: return sum & by;
        case Made::Or: return sum | by;
        case Made::Rest: return ((sum % by) + by) % by;
        case Made::U8: return static_cast<std::uint8_t>(sum + 245);
        case Made::I8: return static_cast<std::int8_t>(sum + 120);
        case Made::Product8: return static_cast<std::uint8_t>(sum * by);
        }
        return sum;
    }
};
using Indices = std::vector<Index>;

struct Case {
    Indices left;
    std::vector<Indices> reads;
    UpdateOp op = UpdateOp::Assign;
    PipelinePtr pipeline;
};

using Element = std::vector<std::int64_t>;
using Memory = std::map<Element, std::int64_t>;
struct Point {
    int y, r, c;
};

Element element(const Indices& indices, const Point& p) {
    Element out;
    for (const auto& index : indices)
        out.push_back(index.value(p.y, p.r, p.c));
    return out;
}

std::int64_t wrapped(std::uint64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::int64_t right_side(const Case& test, const Memory& memory, const Point& p) {
    std::uint64_t sum = static_cast<std::uint64_t>(p.r * 31 + p.c * 17 + p.y);
    for (const auto& read : test.reads) {
        auto found = memory.find(element(read, p));
        sum = sum * 3 + static_cast<std::uint64_t>(found == memory.end() ? 0 : found->second);
    }
    return wrapped(sum);
}

void write(const Case& test, Memory& memory, const Point& p, std::int64_t value) {
    auto& target = memory[element(test.left, p)];
    switch (test.op) {
    case UpdateOp::Assign: target = value; break;
    case UpdateOp::Add:
        target = wrapped(static_cast<std::uint64_t>(target) + static_cast<std::uint64_t>(value));
        break;
    case UpdateOp::Multiply:
        target = wrapped(static_cast<std::uint64_t>(target) * static_cast<std::uint64_t>(value));
        break;
    case UpdateOp::Max: target = std::max(target, value); break;
    case UpdateOp::Min: target = std::min(target, value); break;
    }
}

// The nest of S.update(0), run as its loops say.
class Runner {
public:
    Runner(const Case& test, const DefinitionState& nest)
        : test_(test), nest_(nest), value_(static_cast<std::size_t>(nest.next_id)) {
        extents_.resize(value_.size());
        for (const auto& root : nest.roots)
            extents_[at(root.id)] = root.name == "y"   ? kRows
                                    : root.name == "r" ? kLast - kFirst
                                                       : kColumns;
        for (const auto& r : nest.relations) {
            if (r.kind == Relation::Kind::Split) {
                extents_[at(r.outer)] = (extents_[at(r.parent)] + r.factor - 1) / r.factor;
                extents_[at(r.inner)] = r.factor;
            } else {
                extents_[at(r.parent)] = extents_[at(r.outer)] * extents_[at(r.inner)];
            }
        }
    }

    Memory run() {
        loops(0);
        return memory_;
    }

private:
    static std::size_t at(int id) { return static_cast<std::size_t>(id); }

    void loops(std::size_t depth) {
        if (depth == nest_.loops.size())
            return point();
        const auto& loop = nest_.loops[depth];
        auto extent = extents_[at(loop.id)];
        bool outermost_lane = loop.kind == LoopKind::Vectorized;
        if (outermost_lane)
            return lanes(depth);
        for (std::int64_t i = 0; i < extent; ++i) {
            value_[at(loop.id)] = loop.kind == LoopKind::Parallel ? extent - 1 - i : i;
            loops(depth + 1);
        }
    }

    // All lanes take each step of the inner loops together: all read before any writes.
    void lanes(std::size_t depth) {
        auto extent = extents_[at(nest_.loops[depth].id)];
        std::function<void(std::size_t)> inner = [&](std::size_t d) {
            if (d < nest_.loops.size()) {
                for (std::int64_t i = 0; i < extents_[at(nest_.loops[d].id)]; ++i) {
                    value_[at(nest_.loops[d].id)] = i;
                    inner(d + 1);
                }
                return;
            }
            std::vector<std::pair<Point, std::int64_t>> writes;
            for (std::int64_t i = 0; i < extent; ++i) {
                value_[at(nest_.loops[depth].id)] = i;
                Point p{};
                if (decode(p))
                    writes.emplace_back(p, right_side(test_, memory_, p));
            }
            auto before = memory_;
            for (const auto& [p, value] : writes) {
                // A lane combines with what stood there before the step; atomic ones follow each
                // other.
                auto old = before.find(element(test_.left, p));
                if (!nest_.atomic)
                    memory_[element(test_.left, p)] = old == before.end() ? 0 : old->second;
                write(test_, memory_, p, value);
            }
        };
        inner(depth + 1);
    }

    void point() {
        Point p{};
        if (decode(p))
            write(test_, memory_, p, right_side(test_, memory_, p));
    }

    // The axes of the loops' values; false where a guard says no.
    bool decode(Point& p) {
        auto value = value_;
        for (auto r = nest_.relations.rbegin(); r != nest_.relations.rend(); ++r) {
            if (r->kind == Relation::Kind::Split) {
                value[at(r->parent)] = value[at(r->outer)] * r->factor + value[at(r->inner)];
                if (value[at(r->parent)] >= extents_[at(r->parent)])
                    return false;
            } else {
                value[at(r->outer)] = value[at(r->parent)] / extents_[at(r->inner)];
                value[at(r->inner)] = value[at(r->parent)] % extents_[at(r->inner)];
            }
        }
        for (const auto& root : nest_.roots) {
            auto v = static_cast<int>(value[at(root.id)]);
            (root.name == "y"   ? p.y
             : root.name == "r" ? p.r
                                : p.c) = v + (root.name == "r" ? kFirst : 0);
        }
        return true;
    }

    const Case& test_;
    const DefinitionState& nest_;
    std::vector<std::int64_t> value_, extents_;
    Memory memory_;
};

Case random_case(std::mt19937& random) {
    auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    auto index = [&] {
        Index i;
        i.a = pick(0, 3) ? pick(0, 1) : pick(-1, 2);
        i.b = pick(0, 3) ? pick(0, 1) : pick(-2, 2);
        i.constant = pick(0, 5);
        if (pick(0, 3) == 0) {
            i.made = static_cast<Made>(pick(1, 9));
            i.by = i.made == Made::Left || i.made == Made::Right ? pick(0, 3) : pick(1, 60);
        }
        return i;
    };
    Case test;
    bool free = pick(0, 1) == 0;
    test.left = {index(), index()};
    if (free)
        test.left[0].free = true;
    test.op = static_cast<UpdateOp>(pick(0, 4));
    for (int n = pick(0, 2); n > 1 || (n == 1 && pick(0, 1)); --n) {
        auto read = test.left;
        for (auto& i : read)
            if (!i.free)
                i = pick(0, 2) ? Index{i.a, i.b, i.constant + pick(-3, 3), false, i.made, i.by}
                               : index();
        test.reads.push_back(read);
    }
    auto value = plus(binary(Op::Add, binary(Op::Multiply, v("r"), constant_index(31)),
                             binary(Op::Multiply, v("c"), constant_index(17))),
                      0);
    auto exprs = [](const Indices& indices) {
        std::vector<ExprPtr> out;
        for (const auto& i : indices)
            out.push_back(i.expr());
        return out;
    };
    for (const auto& read : test.reads)
        value = binary(Op::Add, binary(Op::Multiply, value, constant_index(3)),
                       self(exprs(read), ScalarType::I32));
    test.pipeline = update({exprs(test.left), test.op, value, nullptr, ScalarType::I32});
    return test;
}

// One random line for the nest as it stands.
std::string random_line(std::mt19937& random, const DefinitionState& nest, int& fresh) {
    auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    auto loop = [&] { return nest.loops[pick(nest.loops.size())].name; };
    std::string s = "S.update(0).";
    switch (pick(6)) {
    case 0: {
        auto a = std::to_string(fresh++);
        return s + "split(" + loop() + ", o" + a + ", i" + a + ", " + std::to_string(1 + pick(5)) +
               ")\n";
    }
    case 1: {
        auto i = pick(nest.loops.size());
        auto j = std::min(i + 1, nest.loops.size() - 1);
        return s + "fuse(" + nest.loops[i].name + ", " + nest.loops[j].name + ", f" +
               std::to_string(fresh++) + ")\n";
    }
    case 2: return s + "reorder(" + loop() + ", " + loop() + ")\n";
    case 3:
    case 4: return s + "parallel(" + loop() + ")\n";
    default: return s + "vectorize(" + loop() + ")\n";
    }
}

TEST(Legality, AcceptedNestsComputeTheSame) {
    std::mt19937 random(11);
    int accepted_parallel = 0, accepted_reorder = 0, refused = 0;
    for (int n = 0; n < 600; ++n) {
        auto test = random_case(random);
        auto reference =
            Runner(test, ScheduleState::initial(test.pipeline).find("S")->definitions[1]).run();
        std::string lines;
        int fresh = 0;
        for (int step = 0; step < 5; ++step) {
            auto before = scheduled(test.pipeline, lines);
            auto line = random_line(random, before.state.find("S")->definitions[1], fresh);
            auto after = scheduled(test.pipeline, lines + line);
            if (!after.diagnostics.empty()) {
                const auto& code = after.diagnostics[0].code;
                refused += code == "dependence" || code == "dependence-vectorise";
                continue;
            }
            lines += line;
            const auto& nest = after.state.find("S")->definitions[1];
            for (const auto& loop : nest.loops)
                accepted_parallel += loop.reduction && (loop.kind == LoopKind::Parallel ||
                                                        loop.kind == LoopKind::Vectorized);
            accepted_reorder += line.find("reorder") != std::string::npos;
            ASSERT_EQ(Runner(test, nest).run(), reference)
                << to_text(test.pipeline->find("S")->definitions[1].values[0]) << "\n"
                << lines;
        }
    }
    EXPECT_GT(accepted_parallel, 100);
    EXPECT_GT(accepted_reorder, 100);
    EXPECT_GT(refused, 200);
}

// Atomic updates may collide: whatever the nest, whole numbers come out the same.
TEST(Legality, AtomicNestsComputeTheSame) {
    std::mt19937 random(13);
    int colliding = 0, refused = 0, not_atomic = 0;
    for (int n = 0; n < 300; ++n) {
        auto test = random_case(random);
        auto reference =
            Runner(test, ScheduleState::initial(test.pipeline).find("S")->definitions[1]).run();
        std::string lines = "S.update(0).atomic()\n";
        bool may = test.op != UpdateOp::Assign && test.reads.empty();
        EXPECT_EQ(scheduled(test.pipeline, lines).diagnostics.empty(), may);
        not_atomic += !may;
        int fresh = 0;
        for (int step = 0; may && step < 5; ++step) {
            auto before = scheduled(test.pipeline, lines);
            auto line = random_line(random, before.state.find("S")->definitions[1], fresh);
            auto after = scheduled(test.pipeline, lines + line);
            if (!after.diagnostics.empty()) {
                EXPECT_NE(after.diagnostics[0].code, "dependence") << lines << line;
                ++refused;
                continue;
            }
            lines += line;
            colliding += collides(after.state, "S", 1);
            ASSERT_EQ(Runner(test, after.state.find("S")->definitions[1]).run(), reference)
                << to_text(test.pipeline->find("S")->definitions[1].values[0]) << "\n"
                << lines;
        }
    }
    EXPECT_GT(colliding, 50);
    EXPECT_GT(refused, 50); // names, and shapes of nests
    EXPECT_GT(not_atomic, 50);
}

// With affine accesses and no condition the answer is exact: a parallel loop that is refused has
// two iterations that meet.
TEST(Legality, RefusedParallelLoopsHaveAReason) {
    std::mt19937 random(12);
    int refusals = 0;
    for (int n = 0; n < 300; ++n) {
        auto test = random_case(random);
        for (const char* axis : {"r", "c"}) {
            auto applied =
                scheduled(test.pipeline, std::string("S.update(0).parallel(") + axis + ")\n");
            bool outer = axis[0] == 'r', meet = false;
            for (int r = kFirst; r < kLast; ++r)
                for (int c = 0; c < kColumns; ++c)
                    for (int r2 = outer ? kFirst : r; r2 < (outer ? kLast : r + 1); ++r2)
                        for (int c2 = 0; c2 < kColumns; ++c2) {
                            if (outer ? r == r2 : c == c2)
                                continue;
                            Point p{0, r, c}, q{0, r2, c2};
                            meet = meet || element(test.left, p) == element(test.left, q);
                            for (const auto& read : test.reads)
                                meet = meet || element(test.left, p) == element(read, q);
                        }
            EXPECT_EQ(applied.diagnostics.empty(), !meet) << axis << "\n" << refusal(applied);
            refusals += meet;
        }
    }
    EXPECT_GT(refusals, 100);
}

// Shifts are multiples, ^ with a constant exchanges elements, and what a cast or a remainder keeps
// is enough where few values are taken: which loops may run at once, and change places, is what the
// elements say.
TEST(Legality, IndicesThatNeverMeetInMachineArithmetic) {
    auto made = [](const std::string& index) {
        return parsed("pipeline q\ninput a[i]: i32[300] boundary edge\nstage f[i] = 0\nupdate f[" +
                      index + "] = f[" + index + "]*3 + a[r]*s over r in 0..256, s in 0..2\n" +
                      "output f: [300]\n");
    };
    const std::string lanes = "f.update(0).vectorize(r, 8)\n",
                      parallel = "f.update(0).parallel(r)\n";
    auto holds = [&](const char* index, const std::string& line, bool applies) {
        EXPECT_THAT(refusal(made(index), line), applies ? testing::HasSubstr("applied")
                                                        : testing::HasSubstr("at a distance of"))
            << index << "\n"
            << line;
    };
    for (const char* index :
         {"r << 1", "r ^ 5", "i32(u8(r + 250))", "(r << 3) | 5", "~r & 255", "(r*5) & 255",
          "i32(u8(r)*7u8)", "(r % 16 << 4) + (r >> 4)", "i32(i8(r)) + 128", "255 - (r ^ 85)"}) {
        holds(index, lanes, true);
        holds(index, parallel, true);
    }
    for (const char* index : {"r >> 1", "r & 254", "r | 1"}) {
        holds(index, lanes, false);
        holds(index, parallel, false);
    }
    // Iterations meet that are 128 or 255 apart, which no two of eight lanes are.
    for (const char* index : {"(r*6) & 255", "i32(u8(r*2 + 1))", "i32(u8(r)) % 255",
                              "(r ^ 5) % 128", "i32(i8(r)) & 127"}) {
        holds(index, lanes, true);
        holds(index, parallel, false);
    }
    // Each element is changed by one r alone: s stays in order whichever loop is outside.
    EXPECT_EQ(refusal(made("r ^ 5"), "f.update(0).reorder(s, r)\n"), "applied");
    EXPECT_THAT(refusal(made("(r ^ s)"), "f.update(0).reorder(s, r)\n"),
                testing::HasSubstr("depends on data, is not affine or may wrap"));
    EXPECT_EQ(refusal(made("(r << 2) ^ s"), "f.update(0).reorder(s, r)\n"), "applied");
    EXPECT_EQ(refusal(made("(r << 2 | s)"), "f.update(0).parallel(s)\n"), "applied");
}

// A let is as its value is: what wrapped in it is not taken for what it would have been.
TEST(Legality, ALetThatMayWrapIsNotExact) {
    auto made = [](const std::string& value) {
        return parsed("pipeline q\ninput a[i]: i32[300]\nstage f[i] = 0\nupdate f[let t = " +
                      value + " in t % 256] = a[r] over r in 0..256\noutput f: [256]\n");
    };
    EXPECT_EQ(refusal(made("r + 7"), "f.update(0).parallel(r)\n"), "applied");
    EXPECT_THAT(refusal(made("r*16777217"), "f.update(0).parallel(r)\n"),
                testing::HasSubstr("depends on data, is not affine or may wrap"));
}

// isl does not count the steps of a search for the nearest pair: where finding any pair is hard,
// none is searched, and the answer comes in bounded time.
TEST(Legality, HardDependencesAreRefusedWithoutTheNearest) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>(
        "p.loop",
        "pipeline q\ninput a[i]: f32[1000]\nstage s[i, j] = 0.0\n"
        "update s[(7919*r + 104729*c + 31*d) % 100003, (r*17 + c/3 + d/7) % 1009] = a[r % 1000] + "
        "s[(5*r + 3*c/11 + d) % 100003, (r/5 + c*3 - d) % 1009] over r in 0..1000, c in 0..1000, "
        "d in 0..1000 where (r + 2*c - 3*d) % 17 < 9\noutput s: [100003, 1009]\n"));
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto text = refusal(
        scheduled(loaded->pipeline, "s.update(0).fuse(c, d, f)\ns.update(0).reorder(f, r)\n"));
    EXPECT_NE(text.find("written in one iteration"), std::string::npos) << text;
}

// Past the limit on work nothing is believed: the loop is refused, the reason says that it was not
// proven rather than that iterations meet, and the next question is answered as before.
TEST(Legality, WhatTheLimitOnWorkLeavesOpenIsRefusedWithThatReason) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>(
        "p.loop", "pipeline q\ninput a[i]: f32[1000]\nstage s[i] = 0.0\n"
                  "update s[1000*r + c] = a[r] over r in 0..1000, c in 0..1000\n"
                  "output s: [1000000]\n"));
    ASSERT_TRUE(loaded.ok()) << format(loaded.errors());
    auto halved = [&](int times) { // c is cut into parts and put together again
        std::string script, loop = "c";
        for (int i = 0; i < times; ++i) {
            const auto n = std::to_string(i);
            script += "s.update(0).split(" + loop + ", outer" + n + ", inner" + n + ", 10)\n" +
                      "s.update(0).fuse(outer" + n + ", inner" + n + ", c" + n + ")\n";
            loop = "c" + n;
        }
        return refusal(loaded->pipeline, script + "s.update(0).parallel(r)\n");
    };
    const std::string open = "could not be proven within the limit on work";
    EXPECT_NE(halved(33).find(open), std::string::npos) << halved(33);
    EXPECT_EQ(halved(32), "applied");
}

} // namespace test_legality
} // namespace loopscope::test
