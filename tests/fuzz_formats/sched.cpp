// Any bytes as a `.sched` file for a small pipeline with a stencil, a reduction and an update: it
// parses, or is refused with messages; what parses has a text that reads back alike; what applies
// has a tree.
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz_formats/format.h"

namespace loopscope::fuzz {
namespace {

constexpr const char* kPipeline = R"(pipeline p
input a[i, j]: f32[20, 30] boundary edge
stage b[i, j]: f32 = a[i, j-1] + a[i, j+1]
stage c[i, j]: f32 = sum[k in 0..30](b[i, k] * b[k, j])
stage h[v]: i32 = 0
update h[clamp(i32(c[r, s]), 0, 15)] += 1 over r in 0..20, s in 0..30
stage d[i, j]: f32 = c[i, j] + f32(h[clamp(i, 0, 15)])
output d: [20, 30]
)";

SourceFilePtr file(const char* name, std::string text) {
    return std::make_shared<SourceFile>(name, std::move(text));
}

const PipelinePtr& pipeline() {
    static const PipelinePtr one = [] {
        auto loaded = load_pipeline(file("p.loop", kPipeline));
        if (!loaded)
            throw Wrong("the pipeline does not load\n" + format(loaded.errors()));
        return loaded->pipeline;
    }();
    return one;
}

void judge_sched(std::string_view bytes) {
    const std::string text(bytes);
    if (auto formatted = format_schedule_source(file("fuzz.sched", text))) {
        auto again = format_schedule_source(file("fuzz.sched", *formatted));
        if (!again || *again != *formatted)
            throw Wrong("formatting twice differs\n" + *formatted);
    }
    auto schedule = parse_schedule(file("fuzz.sched", text), pipeline().get());
    if (!schedule)
        return judge_refusal(schedule.errors());
    auto printed = schedule->text();
    auto again = parse_schedule(file("again.sched", printed), pipeline().get());
    if (!again)
        throw Wrong("its text does not parse\n" + printed + format(again.errors()));
    if (again->text() != printed)
        throw Wrong("its text parses as another schedule\n" + printed);
    // long scripts: time, and nothing that short ones do not show
    if (schedule->directives.size() > 60)
        return;
    auto tree = schedule_tree(pipeline(), *schedule, {});
    if (!tree)
        judge_refusal(tree.errors());
}

std::string read_sched(std::string_view bytes) {
    const auto schedule = parse_schedule(file("fuzz.sched", std::string(bytes)), pipeline().get());
    return schedule ? schedule->text() : format(schedule.errors());
}

const AddFormat kSched("sched", judge_sched, read_sched);

} // namespace
} // namespace loopscope::fuzz
