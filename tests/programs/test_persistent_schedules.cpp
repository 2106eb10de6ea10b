// Persistent blocks: the same bits however many of them there are, pipelines and barriers inside,
// and races where the barrier between iterations is dropped.
#include "compiler/lower/build.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/statements.h"
#include "compiler/measure/host_device.h"
#include "compiler/run/compare.h"
#include "compiler/run/reference/reference.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/script_tree.h"
#include "tests/programs/compared.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace loopscope::test {
namespace test_persistent_schedules {

// So many blocks run at once, whatever they are.
device::Device with_blocks(device::Device device, int count) {
    device.gpu->multiprocessors = count;
    device.gpu->limits.blocks_per_multiprocessor = 1;
    return device;
}

PipelinePtr pipeline_of(const std::string& program,
                        const std::map<std::string, std::int64_t>& params) {
    LoadOptions options;
    for (const auto& [name, value] : params)
        options.params[name] = value;
    return must(
               load_pipeline_file(source_path("resources/pipelines/" + program + ".loop"), options))
        .pipeline;
}

lower::Program lowered(const PipelinePtr& pipeline, const std::string& text,
                       const device::Device& device,
                       const std::vector<lower::Pass>& passes = lower::device_passes()) {
    const auto schedule =
        must(parse_schedule(std::make_shared<SourceFile>("s.sched", text), pipeline.get()));
    const auto tree = must(schedule_tree(pipeline, schedule, ApplyContext{&device}));
    lower::LowerOptions options;
    options.verify_each = true;
    options.target.bulk_tensor_copies = device.gpu->has("bulk_tensor_copy");
    return must(lower::run_passes(must(lower::build_for_device(*tree, device)), passes, options));
}

std::string shipped() {
    const std::string file = "matmul_f16.gpu_persistent.sched";
    note_compared(file);
    return read_file(source_path("resources/pipelines/" + file));
}

const char* const kTiledMatmul = R"(schedule for matmul
C.gpu_tile(i, j, io, jo, ii, ji, 8, 16)
C.persistent(io)
C.split(k, ko, ki, 16)
C.reorder(io, jo, ii, ji, ko, ki)
As = C.cache_read(A, shared)
Bs = C.cache_read(B, shared)
As.compute_at(C, ko)
Bs.compute_at(C, ko)
)";
const char* const kBlur = R"(schedule for blur
out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)
out.persistent(yo)
out.persistent(xo)
blur_x.compute_at(out, xo)
)";

// The most iterations of a dimension that is not persistent.
constexpr int kOthers = 3;

// Small whole numbers, of which all sums are exact.
void expect_the_references_bits(const std::string& name, const std::string& schedule,
                                const std::map<std::string, std::int64_t>& size,
                                const device::Device& device, const std::vector<int>& blocks) {
    const auto pipeline = pipeline_of(name, size);
    const auto inputs = small_whole_inputs(*pipeline, 3);
    const auto expected = must(evaluate(*pipeline, inputs));
    for (int count : blocks)
        for (const auto* passes : {&lower::device_passes(), &lower::device_source_passes()}) {
            SCOPED_TRACE(name + ", blocks that run at once: " + std::to_string(count));
            const auto program = lowered(pipeline, schedule, with_blocks(device, count), *passes);
            const auto run = must(run_simt_program(program, inputs));
            EXPECT_TRUE(run.findings.empty()) << format(run.findings);
            EXPECT_LE(run.launches.back().blocks, std::max(count, kOthers));
            for (const auto& [output, buffer] : expected)
                EXPECT_TRUE(compare(run.outputs.at(output), buffer).equal) << output;
        }
}

const std::vector<int> kBlocks{1, 2, 3, 7, 1000};

TEST(PersistentSchedules, MatmulGivesTheReferencesBits) {
    for (const auto& pipelines : {"", "C.persistent(jo)\nAs.pipeline(3)\nBs.pipeline(3)\n"})
        for (const auto& [m, n, k] :
             {std::array<std::int64_t, 3>{64, 48, 32}, {45, 37, 29}, {64, 48, 16}})
            expect_the_references_bits("matmul", kTiledMatmul + std::string(pipelines),
                                       {{"M", m}, {"N", n}, {"K", k}}, device::generic_gpu(),
                                       kBlocks);
}

TEST(PersistentSchedules, BlurGivesTheReferencesBits) {
    for (const auto& [h, w] : {std::pair<std::int64_t, std::int64_t>{45, 70}, {64, 128}})
        expect_the_references_bits("blur", kBlur, {{"H", h}, {"W", w}}, device::generic_gpu(),
                                   kBlocks);
}

// 256 × 384 are six tiles of a block; of others the last tiles move inwards. Of 32 terms there are
// fewer blocks of operands than the pipeline has stages.
TEST(PersistentSchedules, TheShippedProductGivesTheReferencesBits) {
    const auto schedule = shipped();
    expect_the_references_bits("matmul_f16", schedule, {{"M", 256}, {"N", 384}, {"K", 96}},
                               device::generic_gpu(), {1, 4});
    expect_the_references_bits("matmul_f16", schedule, {{"M", 130}, {"N", 264}, {"K", 32}},
                               device::generic_gpu(), {4, 1000});
}

// Bulk copies, whose mbarriers count through all tiles of a block. The TMA leaves rows of
// 256 bytes in order.
TEST(PersistentSchedules, SoItDoesWhereTheTmaBringsOperands) {
    auto schedule = shipped();
    const std::string swizzled = "right_block.swizzle()\n";
    schedule.replace(schedule.find(swizzled), swizzled.size(), "");
    const auto hopper = must(measure::find_device("h200"));
    const std::map<std::string, std::int64_t> size{{"M", 130}, {"N", 264}, {"K", 96}};
    const auto program = lowered(pipeline_of("matmul_f16", size), schedule, with_blocks(hopper, 4));
    EXPECT_NE(to_text(program).find("bulk copy left_block.copies"), std::string::npos)
        << to_text(program);
    expect_the_references_bits("matmul_f16", schedule, size, hopper, {1, 4});
}

// Warps that load run ahead into a block's next tile. Five iterations use four slots: what they
// hand over between two tiles is a multiple of the slots, or the next tile's first copies would
// meet reads of the last one's. One tile, and four.
TEST(PersistentSchedules, WarpsOfTheirOwnLoadTheNextTile) {
    const std::string file = "matmul_f16.gpu_hopper_persistent.sched";
    const auto schedule = read_file(source_path("resources/pipelines/" + file));
    const auto hopper = must(measure::find_device("h200"));
    const std::map<std::string, std::int64_t> size{{"M", 256}, {"N", 512}, {"K", 320}};
    const auto program = lowered(pipeline_of("matmul_f16", size), schedule, with_blocks(hopper, 2));
    const auto text = to_text(program);
    EXPECT_NE(text.find("threads 256..257 {"), std::string::npos) << text;
    EXPECT_EQ(text.find("barrier block"), std::string::npos) << "nobody waits for all\n" << text;
    const auto pipeline = pipeline_of("matmul_f16", size);
    const auto inputs = small_whole_inputs(*pipeline, 3);
    const auto expected = must(evaluate(*pipeline, inputs));
    for (int count : {1, 2, 3}) {
        const auto one = lowered(pipeline, schedule, with_blocks(hopper, count));
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SimtOptions options;
            options.seed = seed;
            const auto run = must(run_simt_program(one, inputs, options));
            EXPECT_TRUE(run.findings.empty()) << format(run.findings);
            EXPECT_TRUE(compare(run.outputs.at("C"), expected.at("C")).equal) << count;
        }
    }
}

// Every barrier between iterations is there for a reason: without the last one of a loop over a
// block's iterations threads meet.
TEST(PersistentSchedules, ADroppedBarrierBetweenIterationsIsFound) {
    const auto pipeline = pipeline_of("blur", {{"H", 64}, {"W", 128}});
    const auto inputs = small_whole_inputs(*pipeline, 3);
    auto program = lowered(pipeline, kBlur, with_blocks(device::generic_gpu(), 2));
    int dropped = 0;
    for (auto& launch : program.launches)
        launch.body = lower::rewrite(launch.body, [&](const lower::StatementPtr& s) {
            const bool turns = s->kind == lower::StatementKind::For &&
                               s->variable.find(".turn") != std::string::npos;
            if (!turns)
                return s;
            // The last statement of an iteration, or the first one.
            return lower::rewrite(s, [&](const lower::StatementPtr& x) {
                if (x->kind != lower::StatementKind::Block || x->children.empty() || dropped > 0)
                    return x;
                auto children = x->children;
                if (children.back()->kind != lower::StatementKind::Barrier)
                    return x;
                children.pop_back();
                ++dropped;
                return lower::block(std::move(children), x->origin);
            });
        });
    ASSERT_EQ(dropped, 1) << lower::to_text(program);
    const auto run = must(run_simt_program(program, inputs));
    EXPECT_TRUE(std::any_of(run.findings.begin(), run.findings.end(), [](const SimtFinding& f) {
        return f.kind == SimtFinding::Kind::Race;
    })) << lower::to_text(program);
}

} // namespace test_persistent_schedules
} // namespace loopscope::test
