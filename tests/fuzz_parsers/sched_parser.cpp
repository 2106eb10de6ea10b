// Any bytes as a `.sched` file for a small pipeline with a stencil, a reduction and an update: it
// parses, or is refused with messages; what parses has a text that reads back alike; what applies
// has a tree.
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

#include <cstdio>
#include <cstdlib>

using namespace loopscope;

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

[[noreturn]] void wrong(const char* what, const std::string& detail) {
    std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
    std::abort();
}

SourceFilePtr file(const char* name, std::string text) {
    return std::make_shared<SourceFile>(name, std::move(text));
}

const PipelinePtr& pipeline() {
    static const PipelinePtr one = [] {
        auto loaded = load_pipeline(file("p.loop", kPipeline));
        if (!loaded)
            wrong("the pipeline does not load", format(loaded.errors()));
        return loaded->pipeline;
    }();
    return one;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    if (auto formatted = format_schedule_source(file("fuzz.sched", text))) {
        auto again = format_schedule_source(file("fuzz.sched", *formatted));
        if (!again || *again != *formatted)
            wrong("formatting twice differs", *formatted);
    }
    auto schedule = parse_schedule(file("fuzz.sched", text), pipeline().get());
    if (!schedule) {
        if (schedule.errors().empty())
            wrong("refused without a reason", text);
        (void)format(schedule.errors());
        return 0;
    }
    auto printed = schedule->text();
    auto again = parse_schedule(file("again.sched", printed), pipeline().get());
    if (!again)
        wrong("its text does not parse", printed + format(again.errors()));
    if (again->text() != printed)
        wrong("its text parses as another schedule", printed);
    // long scripts: time, and nothing that short ones do not show
    if (schedule->directives.size() > 60)
        return 0;
    auto tree = schedule_tree(pipeline(), *schedule, {});
    if (!tree)
        (void)format(tree.errors());
    return 0;
}
