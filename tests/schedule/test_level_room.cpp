// Remedies of what does not fit on a level of the target: followed to the letter, they give it
// room.
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"
#include "tests/support/own_names.h"

#include <regex>

namespace loopscope::test {
namespace test_level_room {

PipelinePtr copy_of(std::int64_t rows, std::int64_t columns) {
    const auto shape = "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
    return parsed("pipeline p\ninput A[i, j]: f32" + shape +
                  "\nstage C[i, j] = 2.0*A[i, j]\noutput C: " + shape + "\n");
}

// A reduction that an update follows.
PipelinePtr row_sums(std::int64_t rows) {
    const auto n = std::to_string(rows);
    return parsed("pipeline p\ninput A[i, k]: f32[" + n +
                  ", 64]\nstage C[i] = sum[k in 0..64](A[i, k])\nupdate C[i] += A[i, k] over k in "
                  "0..64\noutput C: [" +
                  n + "]\n");
}

device::Gpu few_blocks() {
    auto gpu = *device::generic_gpu().gpu;
    gpu.limits.grid_extents = {60, 50, 50};
    return gpu;
}

std::vector<NotRunnable> reasons(const PipelinePtr& pipeline, const std::string& lines,
                                 const device::Gpu& gpu) {
    return not_runnable(*tree_of(scheduled(pipeline, lines)), gpu);
}

// The remedy of the reason that speaks of the level; empty: there is none.
std::string remedy_of(const std::string& level, const std::vector<NotRunnable>& reasons) {
    for (const auto& reason : reasons)
        if (reason.message.starts_with(level + " has "))
            return reason.remedy;
    return {};
}

std::vector<std::string> directives_in(const std::string& remedy) {
    static const std::regex directive(R"(C(\.update\(\d\))?\.\w+\([^()]*\))");
    std::vector<std::string> out;
    for (std::sregex_iterator at(remedy.begin(), remedy.end(), directive), end; at != end; ++at)
        out.push_back(at->str());
    return out;
}

// The script as the remedy has it: its lines in place of `bound`, or behind all. `all`: those it
// only allows, too.
std::string followed(const std::string& before, const std::string& bound, const std::string& remedy,
                     bool all) {
    auto lines = directives_in(remedy);
    const bool instead = remedy.starts_with("before it is bound");
    if (instead && !all)
        lines.resize(2);
    std::string out = before + (instead ? "" : bound);
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

// What is refused of `bound`, a line behind `before`, on the level: its remedy, followed to the
// letter, leaves nothing to refuse.
void expect_remedied(const PipelinePtr& pipeline, const std::string& before,
                     const std::string& bound, const std::string& level, const NodeId& loop,
                     const device::Gpu& gpu) {
    SCOPED_TRACE(before + bound);
    const auto refused = reasons(pipeline, before + bound, gpu);
    const auto of_level = std::find_if(refused.begin(), refused.end(), [&](const auto& reason) {
        return reason.message.starts_with(level + " has ");
    });
    ASSERT_NE(of_level, refused.end());
    EXPECT_EQ(of_level->nodes, std::vector<NodeId>{loop}) << of_level->nodes.at(0).text();
    for (bool all : {false, true}) {
        const auto lines = followed(before, bound, of_level->remedy, all);
        SCOPED_TRACE(of_level->remedy + "\n" + lines);
        ASSERT_EQ(refusal(pipeline, lines), "applied");
        for (const auto& left : reasons(pipeline, lines, gpu))
            ADD_FAILURE() << left.message << "; " << left.remedy;
    }
}

struct Case {
    std::string level;
    std::int64_t extent, other = 2;
    std::string others = {}; // lines before
};

void expect_room(const Case& of, const device::Gpu& gpu) {
    SCOPED_TRACE(std::to_string(of.extent) + " x " + std::to_string(of.other));
    expect_remedied(copy_of(of.extent, of.other), of.others, "C.bind(i, " + of.level + ")\n",
                    of.level, {"C", 0, "i"}, gpu);
}

TEST(LevelRoom, OfThreads) {
    const auto gpu = *device::generic_gpu().gpu;
    for (std::int64_t extent : {1025, 1031, 2048, 2062, 100'000})
        for (const char* level : {"thread.x", "thread.y", "thread.z"})
            expect_room({level, extent}, gpu);
    for (std::int64_t extent : {65, 100, 128, 1024})
        expect_room({"thread.z", extent}, gpu);
    // What the other levels have is no room.
    for (const char* level : {"thread.y", "thread.z"})
        expect_room({level, 2048, 32, "C.bind(j, thread.x)\n"}, gpu);
    expect_room({"thread.z", 100, 64, "C.bind(j, thread.x)\n"}, gpu);
    // Nor are blocks that are bound already, or that a loop stands around.
    expect_room({"thread.x", 1025, 4, "C.bind(j, block.x)\nC.reorder(j, i)\n"}, gpu);
    expect_room({"thread.x", 1025, 4, "C.reorder(j, i)\n"}, gpu);
}

TEST(LevelRoom, OfBlocks) {
    expect_room({"block.y", 65536}, *device::generic_gpu().gpu);
    const auto gpu = few_blocks();
    for (std::int64_t extent : {61, 100, 97, 7000})
        for (const char* level : {"block.x", "block.y", "block.z"})
            for (const char* others : {"", "C.bind(j, block.x)\n"})
                if (std::string(level) != "block.x" || *others == '\0')
                    expect_room({level, extent, 2, others}, gpu);
}

TEST(LevelRoom, OfBlocksOfClusters) {
    auto gpu = few_blocks();
    gpu.limits.blocks_per_cluster = 8;
    const auto pipeline = copy_of(40, 2);
    const auto refused = reasons(pipeline, "C.bind(i, block.x)\nC.bind(j, cluster.x)\n", gpu);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].remedy,
              "before it is bound, C.split(i, io, ii, 2), then C.bind(io, block.x); "
              "put ii inside of all loops that are bound to blocks");
    EXPECT_TRUE(reasons(pipeline,
                        "C.split(i, io, ii, 2)\nC.bind(io, block.x)\nC.bind(j, cluster.x)\n"
                        "C.reorder(io, j, ii)\n",
                        gpu)
                    .empty());
}

// A cluster that is larger than the whole grid may be, alone and beside blocks of its own axis and
// of another one: it is what must become smaller.
TEST(LevelRoom, OfClustersBeyondTheGrid) {
    for (const std::int64_t most : {0, 8})
        for (const char* axis : {"x", "y"})
            for (const char* beside : {"", "block.x", "block.y", "block.z"}) {
                auto gpu = few_blocks();
                gpu.limits.blocks_per_cluster = static_cast<int>(most);
                const auto cluster = "cluster." + std::string(axis);
                const auto lines =
                    "C.bind(i, " + cluster + ")\n" +
                    (*beside ? "C.bind(j, " + std::string(beside) + ")\n" : std::string());
                SCOPED_TRACE(lines + std::to_string(most) + " blocks of a cluster");
                const auto refused = reasons(copy_of(7000, 2), lines, gpu);
                ASSERT_EQ(refused.size(), 2u);
                EXPECT_EQ(refused[0].message.find("block." + std::string(axis) + " has "), 0u)
                    << refused[0].message;
                EXPECT_EQ(refused[0].nodes, std::vector<NodeId>{NodeId({"C", 0, "i"})});
                EXPECT_EQ(refused[0].remedy,
                          most == 0
                              ? "bind them to blocks, or choose a target of compute capability 9.0"
                              : "split a loop that is bound to cluster.x or cluster.y, and bind "
                                "its outer part to blocks");
                EXPECT_EQ(refused[1].remedy, refused[0].remedy);
            }
}

TEST(LevelRoom, OfWarps) {
    const auto gpu = *device::generic_gpu().gpu;
    for (std::int64_t extent : {1025, 2048, 100'000})
        for (const char* level : {"warp", "warp.x", "warp.y", "warpgroup"})
            expect_room({level, extent}, gpu);
    for (std::int64_t extent : {65, 100, 128})
        for (const char* level : {"warp.y", "warpgroup"})
            expect_room({level, extent}, gpu);
    // What lanes and other warps have is no room.
    expect_room({"warp.y", 100, 4, "C.bind(j, warp.x)\n"}, gpu);
    expect_room({"warp.x", 2048, 4, "C.bind(j, warp.y)\n"}, gpu);
    expect_room({"warp", 2048, 32, "C.bind(j, thread.x)\n"}, gpu);
    // A warpgroup has four.
    for (std::int64_t extent : {5, 8, 100})
        expect_room({"warp", extent, 2, "C.bind(j, warpgroup)\n"}, gpu);
}

// A device's own names of levels change nothing of what is offered.
TEST(LevelRoom, OfLevelsWithOwnNames) {
    const auto device = with_own_names(device::generic_gpu());
    const ApplyContext context{&device};
    const auto remedy = [&](const std::string& lines) {
        const auto tree = tree_of(scheduled(copy_of(4, 2048), lines, context));
        return remedy_of("thread.x", not_runnable(*tree, *device.gpu));
    };
    const std::string common = "C.bind(i, block.y)\nC.bind(j, thread.x)\n";
    EXPECT_EQ(remedy(in_own_names(common)),
              "before it is bound, C.split(j, jo, ji, 1024), then C.bind(ji, own_thread.x); "
              "leave jo unbound, or C.bind(jo, block.x)");
}

// What a script names is the loop, not its copy that gives sums their first values.
TEST(LevelRoom, OfALoopInsideOfAReduction) {
    const auto gpu = *device::generic_gpu().gpu;
    const auto pipeline = row_sums(2048);
    for (const char* level : {"thread.x", "thread.y", "thread.z", "warp.y", "warpgroup"}) {
        const auto bound = "bind(i, " + std::string(level) + ")\n";
        expect_remedied(pipeline, "C.reorder(k, i)\n", "C." + bound, level, {"C", 0, "i"}, gpu);
        expect_remedied(pipeline, "C.update(0).reorder(k, i)\n", "C.update(0)." + bound, level,
                        {"C", 1, "i"}, gpu);
        expect_remedied(pipeline, "", "C.update(0)." + bound, level, {"C", 1, "i"}, gpu);
    }
}

TEST(LevelRoom, NamesOfLoopsAreFree) {
    const auto pipeline = copy_of(1025, 4);
    const auto refused = reasons(pipeline, "C.split(j, io, jj, 2)\nC.bind(i, thread.x)\n",
                                 *device::generic_gpu().gpu);
    EXPECT_EQ(remedy_of("thread.x", refused),
              "before it is bound, C.split(i, io_, ii, 205), then C.bind(ii, thread.x); "
              "leave io_ unbound, or C.bind(io_, block.x)");
}

// Threads that reduce together have no blocks that could take a part.
TEST(LevelRoom, OfAReduction) {
    const auto pipeline =
        parsed("pipeline p\ninput A[k]: f32[4096]\nstage C[i] = sum[k in 0..4096](A[k])\n"
               "output C: [1]\n");
    const auto refused = reasons(pipeline, "C.bind(k, thread.x)\n", *device::generic_gpu().gpu);
    EXPECT_EQ(remedy_of("thread.x", refused),
              "before it is bound, C.split(k, ko, ki, 1024), then C.bind(ki, "
              "thread.x); leave ko unbound");
    EXPECT_TRUE(reasons(pipeline, "C.split(k, ko, ki, 1024)\nC.bind(ki, thread.x)\n",
                        *device::generic_gpu().gpu)
                    .empty());
}

} // namespace test_level_room
} // namespace loopscope::test
