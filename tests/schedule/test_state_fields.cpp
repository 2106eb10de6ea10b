// States are equal where all of their fields are: each is changed, also those that came later, for
// the lists below do not compile without them.
#include "core/schedule/tree_fields.h"
#include "tests/schedule/scheduling.h"
#include "tests/support/each_change.h"

#include <gtest/gtest.h>

namespace loopscope {

template <FieldsOf<LoopState> T> auto fields(T& loop) {
    auto& [id, name, kind, binding, numbers, persistent, reduction] = loop;
    return std::tie(id, name, kind, binding, numbers, persistent, reduction);
}

template <FieldsOf<Relation> T> auto fields(T& relation) {
    auto& [kind, parent, outer, inner, factor, tail] = relation;
    return std::tie(kind, parent, outer, inner, factor, tail);
}

template <FieldsOf<Prefetching> T> auto fields(T& prefetching) {
    auto& [source, loop, loop_name, ahead, line] = prefetching;
    return std::tie(source, loop, loop_name, ahead, line);
}

// An instruction counts as changed where it is another one.
template <FieldsOf<Tensorizing> T> auto fields(T& tensorizing) {
    auto& [loop, intrinsic] = tensorizing;
    return std::tie(loop, intrinsic);
}

template <FieldsOf<LoopRef> T> auto fields(T& ref) {
    auto& [stage, definition, loop] = ref;
    return std::tie(stage, definition, loop);
}

template <FieldsOf<Placement> T> auto fields(T& placement) {
    auto& [kind, at] = placement;
    return std::tie(kind, at);
}

template <FieldsOf<DefinitionState> T> auto fields(T& definition) {
    auto& [roots, loops, relations, next_id, contract, fast_math, atomic, reassociates,
           non_temporal, prefetches, tensorized, with, touched] = definition;
    return std::tie(roots, loops, relations, next_id, contract, fast_math, atomic, reassociates,
                    non_temporal, prefetches, tensorized, with, touched);
}

// A rewritten stage counts as changed where it is another one.
template <FieldsOf<Stage> T> auto fields(T& stage) { return std::tie(stage.name); }

template <FieldsOf<StageState> T> auto fields(T& stage) {
    auto& [name, copy_of, copied, copy_readers, rewritten, factor_of, cache_of, storage_order,
           storage_padding, scope, compute, store, pipeline, swizzled, producer_warpgroups,
           definitions] = stage;
    return std::tie(name, copy_of, copied, copy_readers, rewritten, factor_of, cache_of,
                    storage_order, storage_padding, scope, compute, store, pipeline, swizzled,
                    producer_warpgroups, definitions);
}

namespace {

void expect_unequal(StageState stage) {
    const StageState before = stage;
    EXPECT_TRUE(stage == before);
    int changes = 0;
    test::each_change(stage, "", [&](const std::string& field) {
        EXPECT_FALSE(stage == before) << field;
        ++changes;
    });
    EXPECT_TRUE(stage == before) << "each change is taken back";
    EXPECT_GE(changes, 17);
}

TEST(ScheduleState, StagesDifferInEachFieldOfAnEmptyOne) { expect_unequal({}); }

TEST(ScheduleState, StagesDifferInEachFieldOfAFullOne) {
    StageState stage;
    test::fill_in(stage);
    expect_unequal(stage);
}

} // namespace
} // namespace loopscope
