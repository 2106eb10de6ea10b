// What a GPU sees of a tree: launches, what each loop is to it, who shares each stage's memory, and
// who fills it.
#include "core/device/device.h"
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"
#include "tests/schedule/tensorize_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace {

using device::Unit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

device::Device with(std::vector<device::Level> levels,
                    std::vector<device::MemoryScope> scopes = {}) {
    auto device = device::generic_gpu();
    for (auto& level : levels) {
        device.levels.push_back(level.name);
        device.gpu->levels.push_back(std::move(level));
    }
    for (auto& scope : scopes) {
        device.scopes.push_back(scope.name);
        device.gpu->scopes.push_back(std::move(scope));
    }
    return device;
}

// A mapping with the tree that it is of.
struct Mapped {
    ScheduleTreePtr tree;
    Mapping mapping;

    Mapped(const PipelinePtr& pipeline, const std::string& lines,
           const device::Device& device = device::generic_gpu())
        : tree(tree_of(scheduled(pipeline, lines, {&device, &declared_intrinsics()}))),
          mapping(map_to_gpu(*tree)) {}

    const LoopMapping& loop(const NodeId& id) const { return mapping.of(*tree->find(id)); }
    const StageMapping& stage(const std::string& name) const { return mapping.of(name); }
    const LaunchMapping& launch() const { return mapping.launches.at(0); }
    LoopRole role(const std::string& stage, const std::string& loop) const {
        return this->loop({stage, 0, loop}).role;
    }
};

PipelinePtr matrices() {
    return parsed("pipeline p\ninput A[i, k]: f32[256, 64]\ninput B[k, j]: f32[64, 512]\n"
                  "stage C[i, j]: f32 = sum[k in 0..64](A[i, k]*B[k, j])\noutput C: [256, 512]\n");
}

// Blocks of 16 x 8 threads, copies of A by all of them, of B by threads that loops of its own
// number.
const std::string kGemm = "sums = C.cache_write(register)\n"
                          "C.tile(i, j, io, jo, ii, ji, 8, 64)\nC.split(ji, jv, jt, 16)\n"
                          "C.reorder(jv, ii, jt)\n"
                          "C.bind(io, block.y)\nC.bind(jo, block.x)\nC.bind(jv, vthread)\n"
                          "C.bind(ii, thread.y)\nC.bind(jt, thread.x)\n"
                          "sums.compute_at(C, jt)\nsums.split(k, ko, ki, 8)\nsums.unroll(ki)\n"
                          "As = sums.cache_read(A, shared)\nAs.compute_at(sums, ko)\n"
                          "Bs = sums.cache_read(B, shared)\nBs.compute_at(sums, ko)\n"
                          "Bs.split(j, jo, j, 4)\nBs.bind(jo, thread.x)\nBs.bind(k, thread.y)\n"
                          "Bs.vectorize(j)\n";

// Sums in fragments, by instructions of a warp.
const std::string kSumsInFragments =
    "S = C.cache_write(fragment)\nC.split(i, io, i, 32)\nC.split(j, jo, j, 16)\n"
    "C.split(i, im, ii, 16)\nC.split(j, jm, ji, 8)\nC.reorder(io, jo, im, jm, ii, ji)\n"
    "C.bind(io, block.y)\nC.bind(jo, warp)\nS.compute_at(C, jo)\n"
    "S.split(i, im, ii, 16)\nS.split(j, jm, ji, 8)\nS.split(k, ko, ki, 16)\n"
    "S.reorder(ko, im, jm, ii, ji, ki)\nS.tensorize(ii, mma_m16n8k16_f16)\n";

TEST(Mapping, OfLoops) {
    const Mapped m(matrices(), kGemm);
    EXPECT_EQ(m.role("C", "io"), LoopRole::Block);
    EXPECT_EQ(m.loop({"C", 0, "io"}).axis, 1);
    EXPECT_EQ(m.role("C", "jo"), LoopRole::Block);
    EXPECT_EQ(m.loop({"C", 0, "jo"}).axis, 0);
    EXPECT_EQ(m.role("C", "jv"), LoopRole::Virtual);
    EXPECT_EQ(m.role("C", "ii"), LoopRole::Thread);
    EXPECT_EQ(m.loop({"C", 0, "ii"}).axis, 1);
    EXPECT_EQ(m.role("sums", "ko"), LoopRole::Serial);
    EXPECT_EQ(m.role("sums", "ki"), LoopRole::Unrolled);
    EXPECT_EQ(m.role("As", "i"), LoopRole::Divided);
    EXPECT_EQ(m.role("As", "k"), LoopRole::Divided);
    EXPECT_EQ(m.role("Bs", "jo"), LoopRole::Thread);
    EXPECT_EQ(m.role("Bs", "j"), LoopRole::Vectorized);
    EXPECT_FALSE(m.loop({"sums", 0, "ko"}).together);
}

TEST(Mapping, OfStages) {
    const Mapped m(matrices(), kGemm);
    EXPECT_EQ(m.stage("C").memory, Unit::Grid);
    EXPECT_FALSE(m.stage("C").of_block);
    EXPECT_EQ(m.stage("sums").memory, Unit::Thread);
    EXPECT_EQ(m.stage("sums").loader, Loader::Threads);
    EXPECT_EQ(m.stage("As").memory, Unit::Block);
    EXPECT_TRUE(m.stage("As").of_block);
    EXPECT_TRUE(m.stage("As").cooperative);
    EXPECT_EQ(m.stage("As").loader, Loader::Block);
    EXPECT_TRUE(m.stage("Bs").of_block);
    EXPECT_FALSE(m.stage("Bs").cooperative);
    EXPECT_EQ(m.stage("Bs").loader, Loader::Threads);
    const Mapped specialized(matrices(), kGemm + "As.pipeline(2)\nAs.specialize(1)\n");
    EXPECT_EQ(specialized.stage("As").loader, Loader::Producers);
    EXPECT_EQ(specialized.stage("As").memory, Unit::Block)
        << "beside the loop that it rotates with";
    EXPECT_EQ(specialized.launch().producers, 1);
    EXPECT_EQ(specialized.launch().produced, "As");
}

// Loops that stages share are one nest: all threads divide it where none of them binds a loop.
TEST(Mapping, OfSharedLoopsOfABlock) {
    const auto pipeline = parsed("pipeline p\ninput a: f32[64]\ninput b: f32[64]\n"
                                 "stage s[x]: f32 = sum[k in 0..64](a[k]*b[k])\n"
                                 "output s: [64]\n");
    const std::string lines = "s.split(x, xo, xi, 32)\ns.bind(xo, block.x)\ns.bind(xi, thread.x)\n"
                              "as = s.cache_read(a, shared)\nas.compute_at(s, xo)\n"
                              "bs = s.cache_read(b, shared)\nbs.compute_at(s, xo)\n"
                              "as.split(d0, o, i, 32)\nbs.split(d0, o, i, 32)\n";
    const std::string shared = "as.compute_with(bs, o)\n";
    const Mapped divided(pipeline, lines + shared);
    EXPECT_TRUE(divided.stage("as").cooperative && divided.stage("bs").cooperative);
    for (const std::string bound : {"as", "bs"}) {
        const auto bind = bound + ".bind(i, thread.x)\n";
        const Mapped one(pipeline, lines + bind + shared);
        EXPECT_FALSE(one.stage("as").cooperative) << bound;
        EXPECT_FALSE(one.stage("bs").cooperative) << bound;
        EXPECT_EQ(one.role("bs", "o"), LoopRole::Serial) << bound;
        EXPECT_EQ(one.role(bound, "i"), LoopRole::Thread) << bound;
        const Mapped apart(pipeline, lines + bind);
        EXPECT_EQ(apart.stage("as").cooperative, bound == "bs");
        EXPECT_EQ(apart.stage("bs").cooperative, bound == "as");
    }
}

TEST(Mapping, OfLaunches) {
    const auto two = parsed("pipeline p\ninput A[i, j]: f32[64, 256]\n"
                            "stage R[i]: f32 = sum[j in 0..256](A[i, j])\n"
                            "stage out[i, j]: f32 = A[i, j]/R[i]\noutput out: [64, 256]\n");
    const Mapped plain(two, "");
    ASSERT_EQ(plain.mapping.launches.size(), 2u);
    EXPECT_EQ(plain.mapping.launches[0].name, "R");
    EXPECT_EQ(plain.mapping.launches[0].stage->id.stage, "R");
    EXPECT_EQ(plain.mapping.launches[1].name, "out");
    EXPECT_TRUE(plain.mapping.launches[1].one_thread());
    EXPECT_EQ(plain.stage("R").memory, Unit::Grid);

    const Mapped m(two, "out.split(j, jc, j, 32)\nout.split(jc, jo, jc, 2)\n"
                        "out.bind(i, block.y)\nout.bind(jo, block.x)\nout.bind(jc, cluster.x)\n"
                        "out.bind(j, thread.x)\nout.persistent(i)\n");
    const auto& launch = m.mapping.launches.at(1);
    EXPECT_FALSE(launch.one_thread());
    EXPECT_THAT(launch.blocks, ElementsAre(4, 64, 1));
    EXPECT_THAT(launch.cluster, ElementsAre(2, 1, 1));
    EXPECT_EQ(launch.grid(0), 8);
    EXPECT_THAT(launch.threads, ElementsAre(32, 1, 1));
    EXPECT_THAT(launch.extents, ElementsAre(std::pair("block.x", 4), std::pair("block.y", 64),
                                            std::pair("cluster.x", 2), std::pair("thread.x", 32)));
    ASSERT_EQ(launch.persistent.size(), 1u);
    EXPECT_EQ(launch.persistent[0]->id.text(), "out/i");
}

TEST(Mapping, HasNoLaunchOfWhatNothingNeeds) {
    const auto idle = parsed("pipeline p\ninput img[y, x]: i32[20, 18] boundary edge\n"
                             "stage u[y, x] = 0\n"
                             "update u[y, x] = img[y, x] over y in 1..8, x in 0..8\n"
                             "stage o[y, x] = img[y, x] + 1\noutput o: [7, 8]\n");
    const Mapped m(idle, "");
    ASSERT_EQ(m.mapping.launches.size(), 1u);
    EXPECT_EQ(m.launch().name, "o");
    EXPECT_EQ(m.mapping.empty, (std::set<std::string>{"u"}));
}

TEST(Mapping, OfWorkOfAWarp) {
    const Mapped m(product(), kSumsInFragments);
    EXPECT_EQ(m.launch().lanes, 32);
    EXPECT_THAT(m.launch().threads, ElementsAre(32, 3, 1));
    EXPECT_EQ(m.stage("S").memory, Unit::Warp);
    EXPECT_TRUE(m.loop({"S", 0, "ii"}).together);
    EXPECT_TRUE(m.loop({"S", 0, "ki"}).together);
    EXPECT_FALSE(m.loop({"S", 0, "ko"}).together);
    EXPECT_TRUE(m.loop({"C", 0, "ji"}).together) << "each lane stores what it holds";
    EXPECT_FALSE(m.loop({"C", 0, "jo"}).together);
}

// What a name means is the device's affair, and nothing else follows from the name.
TEST(Mapping, DoesNotKnowNames) {
    const auto device =
        with({device::own_level("rows.y", Unit::Grid), device::own_level("columns", Unit::Grid),
              device::own_level("member", Unit::Block)},
             {{"scratch", Unit::Block}, {"near", Unit::Thread}});
    const auto renamed = [](std::string lines) {
        for (const auto& [from, to] : {std::pair{"block.y", "rows.y"},
                                       {"block.x", "columns"},
                                       {"thread.x", "member"},
                                       {"shared", "scratch"},
                                       {"register", "near"}})
            for (auto at = lines.find(from); at != std::string::npos; at = lines.find(from))
                lines.replace(at, std::string(from).size(), to);
        return lines;
    };
    const Mapped common(matrices(), kGemm), own(matrices(), renamed(kGemm), device);
    EXPECT_EQ(own.launch().extents, common.launch().extents);
    EXPECT_EQ(own.launch().threads, common.launch().threads);
    for (const char* stage : {"C", "sums", "As", "Bs"}) {
        EXPECT_EQ(own.stage(stage).memory, common.stage(stage).memory) << stage;
        EXPECT_EQ(own.stage(stage).cooperative, common.stage(stage).cooperative) << stage;
    }
    for (const auto& [loop, mapped] : common.mapping.loops) {
        const auto& same = own.loop(loop->id);
        EXPECT_EQ(same.role, mapped.role) << loop->id.text();
        EXPECT_EQ(same.axis, mapped.axis) << loop->id.text();
    }
    EXPECT_TRUE(not_runnable(*own.tree, *device.gpu).empty());
}

std::string first_reason(const Mapped& mapped, const device::Device& device) {
    const auto reasons = not_runnable(*mapped.tree, *device.gpu);
    return reasons.empty() ? "" : reasons.front().message;
}

// A warp's members are its lanes, and a group's its warps.
TEST(Mapping, OfLevelsInsideOfWarps) {
    const auto device =
        with({device::own_level("slot", Unit::Warp), device::own_level("quarter", Unit::WarpGroup),
              device::own_level("far.z", Unit::Cluster)});
    const auto rows = parsed("pipeline p\ninput A[i, j]: f32[64, 32]\n"
                             "stage out[i, j]: f32 = A[i, j]\noutput out: [64, 32]\n");
    const Mapped lanes(rows,
                       "out.split(i, io, ii, 4)\nout.bind(io, block.x)\n"
                       "out.bind(ii, quarter)\nout.bind(j, slot)\n",
                       device);
    EXPECT_EQ(lanes.loop({"out", 0, "ii"}).axis, 1);
    EXPECT_EQ(lanes.loop({"out", 0, "j"}).axis, 0);
    EXPECT_EQ(lanes.launch().lanes, 32);
    EXPECT_THAT(lanes.launch().threads, ElementsAre(32, 4, 1));
    EXPECT_EQ(first_reason(lanes, device), "");
    const Mapped many(rows, "out.bind(i, slot)\n", device);
    EXPECT_THAT(first_reason(many, device),
                HasSubstr("out/i has 64 iterations and is bound to slot: a warp has 32 members"));
    const Mapped nowhere(rows, "out.bind(i, far.z)\n", device);
    EXPECT_THAT(first_reason(nowhere, device),
                HasSubstr("the hardware has nothing along the axis that far.z numbers"));
}

TEST(Mapping, OfFragmentsBySharersAlone) {
    const auto device = with({}, {{"tile", Unit::Warp}});
    auto lines = kSumsInFragments;
    for (auto at = lines.find("fragment"); at != std::string::npos; at = lines.find("fragment"))
        lines.replace(at, std::string("fragment").size(), "tile");
    const Mapped own(product(), lines, device);
    EXPECT_EQ(own.mapping.fragments.layouts.size(),
              Mapped(product(), kSumsInFragments).mapping.fragments.layouts.size());
    EXPECT_FALSE(own.mapping.fragments.layouts.empty());
}

} // namespace
} // namespace loopscope::test
