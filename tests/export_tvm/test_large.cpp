// A large program is written in a time that grows with it: with the square of its size this would
// take half a minute.
#include "tests/export_tvm/tvm_support.h"

#include "core/language/loop_parser.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace loopscope;
using namespace loopscope::test;

namespace {

TEST(LargeTvm, HasAPlaceForEachLine) {
    std::string text = "pipeline p\nstage s[i] = i\n";
    for (int n = 0; n < 10'000; ++n)
        text += "update s[i] += i\n";
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text + "output s: [8]\n"));
    ASSERT_TRUE(loaded) << format(loaded.errors());
    auto tree = build_tree(ScheduleState::initial(loaded->pipeline));
    ASSERT_TRUE(tree) << format(tree.errors());
    auto source = tvm_source_of(*tree, {});
    EXPECT_EQ(source.lines.size(),
              static_cast<std::size_t>(std::count(source.text.begin(), source.text.end(), '\n')));
}

} // namespace
