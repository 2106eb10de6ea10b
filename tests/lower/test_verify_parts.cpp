// What each kind of statement has of each part: the verifier refuses one that it should not have,
// and misses one that it needs; and what each part says by itself.
#include "lower_support.h"

#include "compiler/lower/statements.h"

#include <functional>
#include <map>
#include <set>

namespace loopscope::lower {
namespace test_verify_parts {

ExprPtr i32(std::int64_t v) { return constant_int(ScalarType::I32, v); }
ExprPtr one() { return constant_float(ScalarType::F32, 1); }
StatementPtr inside() { return store({}, "out", {i32(0)}, one()); }

// One of each kind, right by itself.
StatementPtr of_kind(StatementKind kind) {
    const Operand element{"t", {i32(0)}}, objects{"objects", {}};
    switch (kind) {
    case StatementKind::Block: return empty_block();
    case StatementKind::For: return for_loop({}, "i", i32(0), i32(4), ForKind::Serial, inside());
    case StatementKind::If: return if_then({}, constant_bool(true), inside());
    case StatementKind::Let: return let_statement({}, "x", i32(1), inside());
    case StatementKind::Store: return inside();
    case StatementKind::Atomic: return atomic({}, "out", {i32(0)}, Op::Add, one());
    case StatementKind::Allocate:
        return allocate({}, "t", ScalarType::F32, {Extent(4)}, {"host"}, inside());
    case StatementKind::Prefetch: return prefetch({}, "A", {i32(0)});
    case StatementKind::Evaluate: return evaluate({}, i32(1));
    case StatementKind::Barrier: return barrier({}, "block");
    case StatementKind::Copy:
        return copy({}, "token", "out", {i32(0)}, load("A", ScalarType::F32, {i32(0)}));
    case StatementKind::BulkCopy:
        return bulk_copy({}, "token", {element, {"A", {i32(0)}}, objects}, {{Extent(4)}});
    case StatementKind::Acquire:
    case StatementKind::Commit:
    case StatementKind::Wait:
    case StatementKind::Release: return pipeline_step(kind, {}, {"token"});
    case StatementKind::Intrinsic: return intrinsic({}, "mma", {element});
    case StatementKind::Threads: return threads({0, 32}, inside());
    }
    return nullptr;
}

std::vector<StatementKind> all_kinds() {
    std::vector<StatementKind> kinds;
    for (int k = 0; k <= static_cast<int>(StatementKind::Threads); ++k)
        kinds.push_back(static_cast<StatementKind>(k));
    return kinds;
}

struct PartOfStatement {
    std::set<StatementKind> needed, allowed;
    std::function<void(Statement&)> add, remove;
};

std::map<std::string, PartOfStatement> all_parts() {
    using K = StatementKind;
    const std::set<K> steps{K::Acquire, K::Commit, K::Wait, K::Release};
    auto with = [](std::set<K> kinds, std::initializer_list<K> more) {
        kinds.insert(more);
        return kinds;
    };
    return {
        {"a variable",
         {{K::For, K::Let},
          {},
          [](Statement& s) { s.variable = "v"; },
          [](Statement& s) { s.variable.clear(); }}},
        {"a loop",
         {{K::For},
          {},
          [](Statement& s) { s.loop = Loop{i32(0), i32(1), ForKind::Serial, {}}; },
          [](Statement& s) { s.loop = std::nullopt; }}},
        {"a condition",
         {{K::If},
          {},
          [](Statement& s) { s.condition = constant_bool(true); },
          [](Statement& s) { s.condition = nullptr; }}},
        {"a value",
         {{K::Let, K::Store, K::Atomic, K::Copy, K::Evaluate},
          {},
          [](Statement& s) { s.value = i32(1); },
          [](Statement& s) { s.value = nullptr; }}},
        {"an access",
         {{K::Store, K::Atomic, K::Copy, K::Prefetch},
          {},
          [](Statement& s) { s.access = ElementAccess{"out", nullptr, {i32(0)}}; },
          [](Statement& s) { s.access = std::nullopt; }}},
        {"storage",
         {{K::Allocate},
          {},
          [](Statement& s) { s.storage = Storage{"s", ScalarType::F32, {}, {"host"}}; },
          [](Statement& s) { s.storage = std::nullopt; }}},
        {"a step of a pipeline",
         {with(steps, {K::Copy, K::BulkCopy}),
          {},
          [](Statement& s) { s.step = PipelineStep{"token"}; },
          [](Statement& s) { s.step = std::nullopt; }}},
        {"a box",
         {{K::BulkCopy},
          {},
          [](Statement& s) { s.box = CopiedBox{{Extent(4)}}; },
          [](Statement& s) { s.box = std::nullopt; }}},
        {"threads",
         {{K::Threads},
          {},
          [](Statement& s) { s.threads = ThreadRange{}; },
          [](Statement& s) { s.threads = std::nullopt; }}},
        {"an instruction",
         {{K::Intrinsic},
          {},
          [](Statement& s) { s.instruction = "mma"; },
          [](Statement& s) { s.instruction.clear(); }}},
        {"a level",
         {{K::Barrier},
          {K::Intrinsic, K::BulkCopy, K::Release},
          [](Statement& s) { s.level = "block"; },
          [](Statement& s) { s.level.clear(); }}},
        {"operands",
         {{K::BulkCopy},
          with(steps, {K::Intrinsic}),
          [](Statement& s) { s.operands = {{"t", {i32(0)}}}; },
          [](Statement& s) { s.operands.clear(); }}},
    };
}

bool says(const std::vector<std::string>& faults, const std::string& end) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const std::string& fault) { return fault.ends_with(end); });
}

Program around(StatementPtr body) {
    Program p;
    p.name = "p";
    p.arguments = {{"A", Role::Input, ScalarType::F32, {Extent(4)}, {}, {}},
                   {"out", Role::Output, ScalarType::F32, {Extent(4)}, {}, {}}};
    p.launches = {{"p", "host", {"A", "out"}, std::move(body)}};
    return p;
}

TEST(VerifyParts, EachKindHasWhatItNeedsAndNothingElse) {
    for (auto kind : all_kinds()) {
        const auto fine = of_kind(kind);
        ASSERT_EQ(fine->kind, kind);
        const auto [complete, faults] = part_faults(*fine);
        EXPECT_TRUE(complete && faults.empty()) << faults[0];
        for (const auto& [name, part] : all_parts()) {
            const bool needed = part.needed.count(kind), allowed = part.allowed.count(kind);
            if (allowed)
                continue;
            const auto wrong = edited(fine, needed ? part.remove : part.add);
            const auto found = part_faults(*wrong);
            EXPECT_FALSE(found.complete) << static_cast<int>(kind) << ", " << name;
            EXPECT_TRUE(says(found.faults, (needed ? " without " : " with ") + name))
                << static_cast<int>(kind) << ", " << name;
            // The verifier says so, too, and looks no further into what is not there.
            EXPECT_FALSE(verify(around(wrong)).empty()) << static_cast<int>(kind) << ", " << name;
        }
    }
}

TEST(VerifyParts, WhatAKindMayHaveItMayLack) {
    for (auto kind : all_kinds())
        for (const auto& [name, part] : all_parts())
            if (part.allowed.count(kind)) {
                EXPECT_TRUE(part_faults(*edited(of_kind(kind), part.add)).complete) << name;
                EXPECT_TRUE(part_faults(*edited(of_kind(kind), part.remove)).complete) << name;
            }
}

TEST(VerifyParts, EachKindHasItsNumberOfBodies) {
    using K = StatementKind;
    for (auto kind : all_kinds()) {
        const bool one = kind == K::For || kind == K::Let || kind == K::Allocate ||
                         kind == K::Threads || kind == K::If;
        if (kind == K::Block)
            continue;
        const auto other = edited(of_kind(kind), [&](Statement& s) {
            s.children = one ? std::vector<StatementPtr>() : std::vector{inside()};
        });
        EXPECT_TRUE(says(part_faults(*other).faults, one ? " with 0 bodies" : " with 1 bodies"))
            << static_cast<int>(kind);
        const auto missing = edited(of_kind(kind), [](Statement& s) { s.children = {nullptr}; });
        EXPECT_TRUE(says(part_faults(*missing).faults, " without a body"))
            << static_cast<int>(kind);
    }
}

struct Wrong {
    StatementKind kind;
    std::function<void(Statement&)> edit;
    const char* message;
};

void expect_faults(const std::vector<Wrong>& all) {
    for (const auto& [kind, edit, message] : all) {
        const auto faults = part_faults(*edited(of_kind(kind), edit)).faults;
        EXPECT_EQ(faults, std::vector<std::string>{message}) << message;
    }
}

TEST(VerifyParts, LoopsSayHowTheyRun) {
    const auto bound = [](std::int64_t run_by, const char* level) {
        return [=](Statement& s) {
            s.loop->kind = ForKind::Bound;
            s.loop->level = level;
            s.loop->run_by = run_by;
        };
    };
    expect_faults({
        {StatementKind::For, [](Statement& s) { s.loop->extent = nullptr; },
         "a loop without bounds"},
        {StatementKind::For, [](Statement& s) { s.loop->level = "block.x"; },
         "loop i and its level do not agree"},
        {StatementKind::For, bound(2, "thread.x"),
         "loop i numbers no blocks, of which there would be 2"},
        {StatementKind::For, [](Statement& s) { s.loop->run_by = 2; },
         "loop i numbers no blocks, of which there would be 2"},
        {StatementKind::For,
         [](Statement& s) { s.loop->turns_of = 2, s.loop->kind = ForKind::Unrolled; },
         "loop i numbers no blocks, of which there would be 2"},
    });
    EXPECT_TRUE(
        part_faults(*edited(of_kind(StatementKind::For), bound(2, "block.x"))).faults.empty());
}

TEST(VerifyParts, AccessesAreOfTheirKind) {
    auto streams = [](Statement& s) { s.access->streaming = true; };
    auto adds = [](Statement& s) { s.access->op = Op::Add; };
    expect_faults({
        {StatementKind::Atomic, streams, "an atomic store to out that streams"},
        {StatementKind::Copy, streams, "a copy to out that streams"},
        {StatementKind::Prefetch, [](Statement& s) { s.access->mask = constant_bool(true); },
         "a prefetch of A with a mask"},
        {StatementKind::Store, adds, "a store to out with an operation"},
        {StatementKind::Atomic, [](Statement& s) { s.access->op = Op::None; },
         "an atomic store to out without an operation"},
        {StatementKind::Store, [](Statement& s) { s.access->indices = {nullptr}; },
         "an index of out is missing"},
        {StatementKind::Intrinsic, [](Statement& s) { s.operands[0].indices = {nullptr}; },
         "an index of t is missing"},
    });
}

TEST(VerifyParts, StorageSaysWhereItLiesAndHowItRotates) {
    expect_faults({
        {StatementKind::Allocate, [](Statement& s) { s.storage->offset = 0; },
         "buffer t has a place in the block's memory, and is elsewhere"},
        {StatementKind::Allocate, [](Statement& s) { s.storage->swizzle = 64; },
         "buffer t has no rows to swizzle by 64 bytes: it is no block's memory"},
        {StatementKind::Allocate, [](Statement& s) { s.storage->rotation.producers = 1; },
         "buffer t has 1 producers of 1 slots"},
        {StatementKind::Allocate,
         [](Statement& s) { s.storage->rotation.slot_count = 3, s.storage->rotation.loop = "i"; },
         "buffer t is half planned as a pipeline"},
    });
}

TEST(VerifyParts, StepsCountWhatTheyAreAbout) {
    expect_faults({
        {StatementKind::Commit, [](Statement& s) { s.step->token.clear(); },
         "a step of a pipeline without a token"},
        {StatementKind::Acquire, [](Statement& s) { s.step->slot_count = 0; },
         "an acquire of token with 0 producers and 0 slots"},
        {StatementKind::Release, [](Statement& s) { s.step->slot_count = 2; },
         "a release of token with 0 producers and 2 slots"},
        {StatementKind::Copy, [](Statement& s) { s.step->producers = 1; },
         "a copy of token with 1 producers and 1 slots"},
        {StatementKind::Wait, [](Statement& s) { s.step->pending = -1; }, "a wait for -1 groups"},
        {StatementKind::Commit, [](Statement& s) { s.step->pending = 1; },
         "a commit of token with groups under way"},
        {StatementKind::Threads, [](Statement& s) { s.threads->count = 0; },
         "statements of no threads"},
        {StatementKind::Barrier, [](Statement& s) { s.level = "grid"; },
         "a barrier of the level grid"},
        {StatementKind::BulkCopy, [](Statement& s) { s.box->extents = {Extent(0)}; },
         "a bulk copy of a box of 0"},
        {StatementKind::BulkCopy, [](Statement& s) { s.box->swizzle = 16; },
         "a bulk copy of chunks swizzled by 16 bytes"},
    });
}

} // namespace test_verify_parts
} // namespace loopscope::lower
