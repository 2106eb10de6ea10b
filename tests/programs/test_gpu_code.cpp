// What the shipped schedules for tensor cores become at the sizes that their programs state: PTX
// that NVIDIA's assembler takes, where there is one, without spills, in as much memory as the
// schedule plans. Others: test_gpu_schedules.cpp.
#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/worker/emit_ptx.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/storage.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace loopscope::test {
namespace test_gpu_code {

namespace fs = std::filesystem;

// Where a script is for one GPU, its own.
std::vector<std::string> architectures(const worker::LoadedProgram& program) {
    if (!program.schedule.target.empty())
        return {program.device.gpu->architecture};
    return in_turn<std::string>({"sm_80", "sm_90"}, 0, "architecture");
}
constexpr int kMaxRegisters = 255;
constexpr double kMaxArrivals = 8 * 8; // bytes, of as many groups as a pipeline has stages at most
// Mbarriers that count releases of slots lie beside those, aligned as all shared memory is.
constexpr double kReleases = 128;

std::vector<std::string> gpu_schedules() {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines"))) {
        const auto name = entry.path().filename().string();
        if (name.find(".gpu") != std::string::npos &&
            read_file(entry.path().string()).find("tensorize(") != std::string::npos)
            out.insert(name);
    }
    return {out.begin(), out.end()};
}

worker::LoadedProgram loaded(const std::string& file, const LoadOptions& options = {}) {
    const auto program = file.substr(0, file.find('.'));
    worker::LoadedProgram out;
    out.pipeline =
        must(load_pipeline_file(source_path("resources/pipelines/" + program + ".loop"), options))
            .pipeline;
    out.schedule =
        must(parse_schedule_file(source_path("resources/pipelines/" + file), out.pipeline.get()));
    out.device = gpu_of(out.schedule);
    out.vector_bits = out.device.vector_bits;
    out.on_device = true;
    out.tree = must(schedule_tree(out.pipeline, out.schedule, ApplyContext{&out.device}));
    return out;
}

// By the definition at root in whose kernel it is: what is planned in shared memory, in bytes, and
// of registers for fragments, in a lane.
struct Plan {
    double shared = 0, fragments = 0;
    // in shared memory, stored there when all operands have been used: their room is free then
    double results = 0;
    bool loaded_by_others = false; // some stage is, by producer warpgroups
};

void plan(const TreeNode& node, const Fragments& fragments, Plan& out) {
    if (node.kind == TreeKind::Storage && node.scope.shared_by == device::Unit::Block) {
        const auto work = fragments.work.find({node.id.stage, 0});
        const bool stored =
            work != fragments.work.end() && work->second.whole == LaneWork::Whole::Store;
        (stored ? out.results : out.shared) += storage_bytes(node);
        out.loaded_by_others = out.loaded_by_others || node.producers > 0;
    }
    if (node.kind == TreeKind::Storage && fragments.layouts.count(node.id.stage)) {
        const auto& layout = fragments.layouts.at(node.id.stage);
        // Where it is not said what a lane holds, the assembler need not hold an element twice.
        double elements = layout.operand->registers;
        if (layout.opaque()) {
            elements = 1.0 / static_cast<double>(layout.intrinsic->lanes);
            for (auto extent : layout.operand->extents)
                elements *= static_cast<double>(extent);
        }
        for (auto tiles : layout.tiles)
            elements *= static_cast<double>(tiles);
        out.fragments += elements * bytes(layout.operand->type) / 4;
    }
    for (const auto& child : node.children)
        plan(*child, fragments, out);
}

std::map<std::string, Plan> plans(const ScheduleTree& tree) {
    const auto fragments = find_fragments(tree);
    std::map<std::string, Plan> out;
    for (const auto& child : tree.root->children)
        if (child->kind == TreeKind::Stage)
            plan(*child, fragments, out[child->id.stage]);
    return out;
}

class TensorCode : public testing::TestWithParam<std::string> {};

TEST_P(TensorCode, IsAssembledAsPlanned) {
    const auto program = loaded(GetParam());
    const auto reasons = not_runnable(*program.tree, *program.device.gpu);
    ASSERT_TRUE(reasons.empty()) << reasons.front().message;
    const auto planned = plans(*program.tree);
    for (const auto& architecture : architectures(program)) {
        const auto code = must(worker::emit_ptx(program, {{"arch", architecture}}));
        ASSERT_FALSE(code.at("kernels").empty());
        EXPECT_EQ(code.value("warnings", ""), "") << "as of wgmma that was serialised";
        for (const auto& kernel : code.at("kernels")) {
            SCOPED_TRACE(kernel.dump());
            const auto name = kernel.at("name").get<std::string>();
            if (auto plan = planned.find(name);
                plan != planned.end() && plan->second.fragments > 0) {
                // What arrives is counted by mbarriers of 8 bytes, one for each group of copies.
                const auto shared = kernel.at("shared_bytes").get<double>();
                const double counted = (kernel.value("tensor_maps", 0) > 0 ? kMaxArrivals : 0) +
                                       (plan->second.loaded_by_others ? kReleases : 0);
                const auto rooms = std::max(plan->second.shared, plan->second.results);
                EXPECT_GE(shared, rooms);
                EXPECT_LE(shared, rooms + counted);
                EXPECT_EQ(kernel.at("dynamic_bytes").get<double>(),
                          shared > 48 * 1024 ? shared : 0.0);
            }
            if (code.contains("ptxas"))
                continue;
            const auto registers = kernel.at("registers").get<double>();
            EXPECT_LE(registers, kMaxRegisters);
            if (auto plan = planned.find(name); plan != planned.end()) {
                EXPECT_GE(registers, plan->second.fragments);
            }
            EXPECT_EQ(kernel.at("spill_bytes"), 0);
        }
        if (code.contains("ptxas"))
            GTEST_SKIP() << "not assembled: " << code.at("ptxas").get<std::string>();
    }
}

// Where a tile begins has a name then, which says nothing of what divides it.
TEST(TensorOperands, AreLoadedByMatricesWhereTilesMoveInwardsToo) {
    LoadOptions options;
    options.params = {{"M", 130}, {"N", 264}, {"K", 96}};
    for (const auto* file : {"matmul_f16.gpu.sched", "matmul_f16.gpu_persistent.sched"}) {
        SCOPED_TRACE(file);
        const auto code = must(worker::emit_ptx(loaded(file, options), {{"arch", "sm_80"}}));
        const auto text = code.at("text").get<std::string>();
        EXPECT_NE(text.find("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"), std::string::npos);
        EXPECT_EQ(text.find("ld.shared.u16"), std::string::npos);
    }
}

// Each of two blocks asks for half of the columns of B, which the TMA brings to both; rows of A are
// each block's own.
TEST(TensorOperands, AreBroughtToAllBlocksOfAClusterAtOnce) {
    const auto program = loaded("matmul_f16.gpu_hopper_cluster.sched");
    const auto code = must(worker::emit_ptx(program, {{"arch", "sm_90a"}}));
    const auto text = code.at("text").get<std::string>();
    auto count = [&](const std::string& what) {
        int found = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("cp.async.bulk.tensor.2d"), 5) << "one of A, of B one for each 64 columns";
    EXPECT_EQ(count(".multicast::cluster"), 4);
    EXPECT_EQ(count(".reqnctapercluster 1, 2, 1"), 1);
    const auto& kernel = code.at("kernels").at(0);
    EXPECT_EQ(kernel.at("cluster"), nlohmann::json({1, 2, 1}));
    EXPECT_EQ(kernel.at("grid"), nlohmann::json({8, 16, 1}));
}

// A left operand that is a function of the input: the input is brought asynchronously, as it is, 16
// bytes at a time, and the function is applied between shared memory and the instruction (ALCOP,
// Fig. 5, case 2).
TEST(TensorOperands, AreComputedBehindAsynchronousCopies) {
    auto text = read_file(source_path("resources/pipelines/matmul_f16.loop"));
    auto lines = read_file(source_path("resources/pipelines/matmul_f16.gpu.sched"));
    for (auto& [in, from, to] :
         {std::tuple(&text, "stage C[", "stage R[i, k]: f16 = max(A[i, k], 0)*0.5\nstage C["),
          std::tuple(&text, "f32(A[i, k])*", "f32(R[i, k])*"),
          std::tuple(&lines, "cache_read(A, shared)", "cache_read(R, shared)")}) {
        const auto at = in->find(from);
        ASSERT_NE(at, std::string::npos) << from;
        in->replace(at, std::string(from).size(), to);
    }
    worker::LoadedProgram program;
    program.pipeline =
        must(load_pipeline(std::make_shared<SourceFile>("product.loop", text), {})).pipeline;
    program.schedule =
        must(parse_schedule(std::make_shared<SourceFile>("product.sched", lines + "R.inline()\n"),
                            program.pipeline.get()));
    program.device = gpu_of(program.schedule);
    program.vector_bits = program.device.vector_bits;
    program.on_device = true;
    program.tree =
        must(schedule_tree(program.pipeline, program.schedule, ApplyContext{&program.device}));
    const auto code = must(worker::emit_ptx(program, {{"arch", "sm_80"}}));
    const auto ptx = code.at("text").get<std::string>();
    const auto count = [&](const std::string& what) {
        int found = 0;
        for (auto at = ptx.find(what); at != std::string::npos; at = ptx.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("st.shared"), 0) << "nothing but copies fills the blocks";
    EXPECT_GE(count("cp.async.cg.shared.global"), 2 * (4 + 4)) << "in front of the loop, and in it";
    EXPECT_GE(count("max"), 1);
    for (const auto& kernel : code.at("kernels")) {
        if (code.contains("ptxas"))
            GTEST_SKIP() << "not assembled: " << code.at("ptxas").get<std::string>();
        EXPECT_EQ(kernel.at("spill_bytes"), 0) << kernel.dump();
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, TensorCode, testing::ValuesIn(part_in_turn(gpu_schedules(), 2)),
                         [](const auto& info) {
                             auto name = info.param.substr(0, info.param.rfind('.'));
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

} // namespace test_gpu_code
} // namespace loopscope::test
