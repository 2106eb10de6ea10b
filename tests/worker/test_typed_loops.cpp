// The form of output that the compiler reads back.
#include "compiler/lower/program_parser.h"
#include "compiler/worker/context.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

namespace loopscope::worker {
namespace {

const char* const kStencil = "pipeline p\ninput a[y, x]: f32[16, 32] boundary edge\n"
                             "stage t[y, x] = a[y, x - 1] + a[y, x + 1]\n"
                             "stage s[y, x] = t[y - 1, x] + t[y + 1, x]\noutput s: [16, 32]\n";

std::string emitted_text(const std::string& schedule, const std::string& target) {
    auto request = test::arguments(kStencil, schedule);
    request["as"] = "typed-loops";
    request["target"] = target;
    std::atomic<bool> cancel = false;
    const Context context([](const measure::Progress&) {}, cancel);
    return serve_emit(request, context).value().at("text");
}

TEST(TypedLoops, AreReadBackAsTheProgramThatIsCompiled) {
    const std::pair<const char*, const char*> cases[] = {
        {"cpu", "schedule for p\nt.compute_at(s, y)\ns.vectorize(x, 8)\ns.parallel(y)\n"},
        {"simt", "schedule for p\ns.gpu_tile(y, x, yo, xo, yi, xi, 4, 8)\nt.compute_at(s, xo)\n"}};
    for (const auto& [target, schedule] : cases) {
        const auto read = lower::parse_program(emitted_text(schedule, target));
        ASSERT_TRUE(read) << format(read.errors());
        auto request = test::arguments(kStencil, schedule);
        request["target"] = target;
        const auto compiled = lower_program(load_program(request).value());
        ASSERT_TRUE(compiled);
        EXPECT_TRUE(lower::equal(*read, *compiled)) << lower::to_text_with_origins(*read);
    }
    EXPECT_EQ(emitted_text(cases[1].second, "auto"), emitted_text(cases[1].second, "simt"))
        << "loops that are bound to levels are a GPU's";
}

} // namespace
} // namespace loopscope::worker
