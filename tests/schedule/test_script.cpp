// Whole scripts: order, patterns, all or nothing, and where diagnostics point.
#include "tests/schedule/scheduling.h"
#include "tests/support/support.h"

#include <filesystem>

namespace loopscope::test {
namespace test_script {

PipelinePtr levels() {
    auto p = std::make_shared<Pipeline>();
    p->name = "levels";
    auto add = [&](const std::string& name, const std::string& reads) {
        Stage s;
        s.name = name;
        s.variables = {"y", "x"};
        s.types = {ScalarType::F32};
        Definition d;
        d.free = s.variables;
        d.values = {load(reads, ScalarType::F32, {v("y"), v("x")})};
        s.definitions = {d};
        if (reads.empty()) {
            s.definitions.clear();
            s.is_input = true;
            s.extents = {8, 8};
        }
        p->stages.push_back(s);
    };
    add("in", "");
    std::string last = "in";
    for (std::string name : {"g1", "g2", "g3", "g5", "g10", "g01", "g_x", "up"}) {
        add(name, last);
        last = name;
    }
    p->outputs = {{"up", {8, 8}, {}}};
    p->seal();
    return p;
}

std::vector<std::string> matches(const std::string& pattern) {
    return match_stages(ScheduleState::initial(levels()), pattern);
}

TEST(Pattern, Stars) {
    EXPECT_EQ(matches("g*"),
              (std::vector<std::string>{"g1", "g2", "g3", "g5", "g10", "g01", "g_x"}));
    EXPECT_EQ(matches("*1"), (std::vector<std::string>{"g1", "g01"}));
    EXPECT_EQ(matches("*"),
              (std::vector<std::string>{"g1", "g2", "g3", "g5", "g10", "g01", "g_x", "up"}))
        << "no inputs";
    EXPECT_EQ(matches("g*0*"), (std::vector<std::string>{"g10", "g01"}));
    EXPECT_EQ(matches("up*"), std::vector<std::string>{"up"});
    EXPECT_TRUE(matches("h*").empty());
}

TEST(Pattern, Ranges) {
    EXPECT_EQ(matches("g{1..5}"), (std::vector<std::string>{"g1", "g2", "g3"}))
        << "half-open; g4 is not there";
    EXPECT_EQ(matches("g{1..11}"), (std::vector<std::string>{"g1", "g2", "g3", "g5", "g10"}))
        << "g01 is not g1";
    EXPECT_EQ(matches("*{2..4}"), (std::vector<std::string>{"g2", "g3"}));
    EXPECT_TRUE(matches("g{5..5}").empty());
    EXPECT_EQ(matches("g1"), std::vector<std::string>{"g1"});
}

TEST(Pattern, ManyWildcardsTakeNoExponentialTime) {
    std::string pattern;
    for (int i = 0; i < 200; ++i)
        pattern += "*{0..9}";
    EXPECT_TRUE(matches(pattern).empty());
}

TEST(Script, APatternIsAppliedToAllMatchesOrToNone) {
    auto all = scheduled(levels(), "g{1..4}.inline()\n");
    EXPECT_EQ(refusal(all), "applied");
    for (auto name : {"g1", "g2", "g3"})
        EXPECT_EQ(placed(all, name), "inline");
    EXPECT_EQ(all.applied, 1) << "one line";

    auto none = scheduled(levels(), "g2.unroll(x)\ng*.inline()\n");
    EXPECT_EQ(
        refusal(none),
        "2:1 g2 cannot be inlined: loop directives were given to it; remove its loop directives");
    EXPECT_EQ(none.applied, 1);
    EXPECT_EQ(placed(none, "g1"), "root") << "nothing of the refused line is applied";
    EXPECT_EQ(refusal(levels(), "h*.inline()\n"), "1:1 no stage matches h*");
}

TEST(Script, PatternsAlsoMatchCopies) {
    auto applied = scheduled(
        levels(),
        "st1 = g1.cache_read(in, local)\nst2 = g2.cache_read(g1, local)\nst*.vectorize(x, 4)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "st2"), "y x x_v=vectorised");
}

TEST(Script, StopsAtTheFirstRefusalWithItsPlace) {
    auto applied = scheduled(
        levels(), "g1.parallel(y)\n\n# a comment\n  g2.split(z,\n     a, b, 4)\ng3.parallel(y)\n");
    EXPECT_EQ(applied.applied, 1);
    EXPECT_EQ(refusal(applied), "4:12 g2 has no loop z; its loops are y, x");
    EXPECT_EQ(applied.diagnostics.size(), 1u);
    EXPECT_EQ(nest(applied, "g1"), "y=parallel x");
    EXPECT_EQ(nest(applied, "g3"), "y x");
}

TEST(Script, EveryPrefixOfAnApplicableScriptIsApplicable) {
    std::string script =
        "As = C.cache_read(A, local)\nC.tile(i, j, io, jo, ii, ji, 16, 16)\nC.split(k, ko, ki, 8)\n"
        "C.reorder(io, jo, ko, l, ii, ki, ji)\nAs.compute_at(C, "
        "ko)\nC.vectorize(ji)\nC.unroll(ii)\n"
        "C.parallel(io)\nAs.vectorize(k, 4)\nC.contract()\n";
    for (std::size_t end = 0; end != std::string::npos; end = script.find('\n', end + 1))
        EXPECT_EQ(refusal(matmul(), script.substr(0, end)), "applied");
    auto whole = scheduled(matmul(), script);
    EXPECT_EQ(refusal(whole), "applied");
    EXPECT_EQ(nest(whole, "C"), "io=parallel jo ko! l! ii=unrolled ki! ji=vectorised");
    EXPECT_TRUE(whole.state.find("C")->definitions[0].reassociates) << "l before ki";
}

TEST(Script, TheTargetIsKept) {
    EXPECT_EQ(scheduled(levels(), "target i7-6700\ng1.inline()\n").state.target, "i7-6700");
}

TEST(Directives, EachIsListedOnceAndMakesItself) {
    std::set<std::string> verbs;
    for (const auto& kind : directive_kinds()) {
        EXPECT_TRUE(verbs.insert(kind.verb).second);
        auto directive = kind.create();
        EXPECT_STREQ(directive->verb(), kind.verb);
        EXPECT_STREQ(directive->clone()->verb(), kind.verb);
        EXPECT_GT(std::string(directive->summary()).size(), 10u);
    }
    // A file of that folder is a directive; one that is missing in the list could not be written.
    std::set<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("core/schedule/directives")))
        if (entry.path().extension() == ".cpp")
            files.insert(entry.path().stem().string());
    EXPECT_EQ(verbs, files);
    EXPECT_EQ(create_directive("vectorise"), nullptr);
}

} // namespace test_script
} // namespace loopscope::test
