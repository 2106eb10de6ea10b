// The examples of the language reference, resources/help/pipelines.md: each loads, or is refused as
// it says.
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

namespace loopscope::test {
namespace {

std::vector<std::string> examples(const std::string& text) {
    const std::string fence = "```loop\n";
    std::vector<std::string> out;
    for (std::size_t at = 0; (at = text.find(fence, at)) != std::string::npos;) {
        at += fence.size();
        auto end = text.find("```", at);
        out.push_back(text.substr(at, end - at));
        at = end;
    }
    return out;
}

TEST(LoopReference, EveryExampleDoesWhatItSays) {
    auto all = examples(read_file(source_path("resources/help/pipelines.md")));
    EXPECT_GE(all.size(), 10u);
    for (const auto& example : all) {
        const std::string mark = "# error: ";
        auto at = example.find(mark);
        if (at == std::string::npos) {
            loaded(example);
            continue;
        }
        auto expected = example.substr(at + mark.size(), example.find('\n', at) - at - mark.size());
        EXPECT_NE(errors(example).find(expected), std::string::npos) << errors(example) << "in\n"
                                                                     << example;
    }
}

} // namespace
} // namespace loopscope::test
