// LLVM IR and assembly as text, each line with the tree node it comes from.
#include "tests/codegen/host_support.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace loopscope::test {
namespace {

NodeId id(const std::string& text) {
    NodeId result;
    EXPECT_TRUE(NodeId::parse(text, result));
    return result;
}

// Lines of the text that contain `word` and come from `origin`.
int lines_with(const codegen::OriginText& text, const std::string& word, const NodeId& origin) {
    std::istringstream in(text.text);
    int found = 0;
    std::size_t n = 0;
    for (std::string line; std::getline(in, line); ++n)
        if (line.find(word) != std::string::npos && text.lines[n] == origin)
            ++found;
    EXPECT_EQ(n, text.lines.size());
    return found;
}

lower::Program two_stages() {
    auto lanes = ramp(var("x") * number(8), number(1), 8);
    auto first = lower::for_loop(
        id("B/x"), "x", number(0), number(8), lower::ForKind::Serial,
        lower::store(id("B/@compute"), "b", {lanes},
                     load("a", ScalarType::F32, {lanes}) + load("a", ScalarType::F32, {lanes})));
    auto second =
        lower::for_loop(id("C/y"), "y", number(0), number(64), lower::ForKind::Parallel,
                        lower::store(id("C/@compute"), "c", {var("y")},
                                     unary(Op::Sqrt, get("b", ScalarType::F32, var("y")))));
    return program({in("a", ScalarType::F32, 64), out("b", ScalarType::F32, 64),
                    out("c", ScalarType::F32, 64)},
                   lower::block({first, second}));
}

TEST(Text, EveryFormLinksItsLinesToTheTree) {
    auto host = compiled(two_stages(), true);
    ASSERT_TRUE(host);
    EXPECT_GE(lines_with(host->ir_as_built(), "fadd <8 x float>", id("B/@compute")), 1);
    EXPECT_GE(lines_with(host->ir_as_built(), "phi i64", id("B/x")), 1);
    EXPECT_GE(lines_with(host->ir_optimized(), "fadd <8 x float>", id("B/@compute")), 1);
    EXPECT_GE(lines_with(host->ir_optimized(), "@llvm.sqrt", id("C/@compute")), 1);
    EXPECT_GE(lines_with(host->ir_optimized(), "ls_parallel_for", id("C/y")), 1);
    EXPECT_GE(lines_with(host->assembly(), "sqrt", id("C/@compute")), 1);
    for (const auto* text : {&host->ir_as_built(), &host->ir_optimized(), &host->assembly()}) {
        EXPECT_EQ(text->text.find("!dbg"), std::string::npos);
        EXPECT_EQ(text->text.find("DILocation"), std::string::npos);
        EXPECT_EQ(text->text.find(".debug"), std::string::npos);
    }
}

// Every local label that a line of the assembly names stands before some line of it.
TEST(Text, AssemblyDefinesItsLabels) {
    auto host = compiled(two_stages(), true);
    ASSERT_TRUE(host);
    std::set<std::string> defined, used;
    std::istringstream in(host->assembly().text);
    for (std::string line; std::getline(in, line);) {
        line = line.substr(0, line.find('#'));
        for (auto at = line.find(".L"); at != std::string::npos; at = line.find(".L", at + 1)) {
            auto end = line.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$", at + 1);
            bool label = at == 0 && end != std::string::npos && line[end] == ':';
            (label ? defined : used).insert(line.substr(at, end - at));
        }
    }
    EXPECT_TRUE(used.count(".Lfunc_end0"));
    for (const auto& label : used)
        EXPECT_TRUE(defined.count(label)) << label;
}

TEST(Text, IsKeptOnlyWhenAskedFor) {
    auto host = compiled(two_stages());
    ASSERT_TRUE(host);
    EXPECT_TRUE(host->ir_as_built().text.empty());
    EXPECT_TRUE(host->assembly().text.empty());
    EXPECT_GT(host->seconds().build, 0);
    EXPECT_GT(host->seconds().optimize, 0);
    EXPECT_GT(host->seconds().generate, 0);
    EXPECT_GT(host->seconds().link, 0);
}

TEST(Text, KeepingItDoesNotChangeTheResult) {
    for (bool keep : {false, true}) {
        auto host = compiled(two_stages(), keep);
        ASSERT_TRUE(host);
        Array<float> a(64, 8.0f), b(64), c(64);
        ASSERT_TRUE(host->run({a.data(), b.data(), c.data()}, 2).ok());
        EXPECT_EQ(b[63], 16);
        EXPECT_EQ(c[63], 4);
    }
}

// What the tree shows is what runs: a scalar copy loop is neither vectorised, nor unrolled, nor
// made a call of memcpy.
TEST(Text, ScalarLoopsStayScalar) {
    auto body = lower::block({
        lower::for_loop(
            id("B/i"), "i", number(0), number(4096), lower::ForKind::Serial,
            lower::store(id("B/@compute"), "b", {var("i")}, get("a", ScalarType::F32, var("i")))),
        lower::for_loop(
            id("C/j"), "j", number(0), number(4096), lower::ForKind::Serial,
            lower::store(id("C/@compute"), "c", {var("j")}, constant_float(ScalarType::F32, 0))),
        lower::for_loop(
            id("D/k"), "k", number(0), number(4), lower::ForKind::Serial,
            lower::store(id("D/@compute"), "c", {var("k")}, get("b", ScalarType::F32, var("k")))),
    });
    auto host = compiled(program({in("a", ScalarType::F32, 4096), out("b", ScalarType::F32, 4096),
                                  out("c", ScalarType::F32, 4096)},
                                 body),
                         true);
    ASSERT_TRUE(host);
    const auto& text = host->ir_optimized().text;
    EXPECT_EQ(text.find("x float>"), std::string::npos) << text;
    EXPECT_EQ(text.find("mem"), text.find("memory(")) << text;
    EXPECT_EQ(lines_with(host->ir_optimized(), "store float", id("B/@compute")), 1);
    EXPECT_EQ(lines_with(host->ir_optimized(), "store float", id("C/@compute")), 1);
    EXPECT_EQ(lines_with(host->ir_optimized(), "store float", id("D/@compute")), 1);
}

TEST(Text, FeaturesLeftOutAreNotUsed) {
    auto lanes = ramp(number(0), number(1), 16);
    auto value = load("a", ScalarType::F32, {lanes});
    auto p = program({in("a", ScalarType::F32, 16), out("out", ScalarType::F32, 16)},
                     put("out", lanes, fma(value, value, value)));
    for (const char* without : {"", "avx512f", "avx"}) {
        codegen::HostOptions options;
        options.keep_text = true;
        if (*without)
            options.without = {without};
        auto host = codegen::HostProgram::compile(p, options);
        ASSERT_TRUE(host.ok());
        const auto& text = (*host)->assembly().text;
        bool none = std::string(without) == "avx";
        if (*without) {
            EXPECT_EQ(text.find("zmm"), std::string::npos) << text;
        }
        if (none) {
            EXPECT_EQ(text.find("ymm"), std::string::npos) << text;
            EXPECT_NE(text.find("fmaf"), std::string::npos) << "the library's, rounded once";
        }
        Array<float> a(16, 3.0f), result(16);
        ASSERT_TRUE((*host)->run({a.data(), result.data()}).ok());
        EXPECT_EQ(result[15], 12);
    }
}

// Accumulators in a buffer of their own, or in the output itself, live in registers while the loop
// runs.
TEST(Text, AccumulatorsStayInRegisters) {
    auto lanes = [](int v) { return ramp(number(v * 8), number(1), 8); };
    auto at = [](int v) { return ramp(var("k") * number(16) + number(v * 8), number(1), 8); };
    for (bool own : {false, true}) {
        std::string target = own ? "acc" : "c";
        std::vector<lower::StatementPtr> init, step, write;
        for (int v = 0; v < 2; ++v) {
            init.push_back(put(target, lanes(v), broadcast(constant_float(ScalarType::F32, 0), 8)));
            step.push_back(lower::store(id("C/k"), target, {lanes(v)},
                                        fma(load("a", ScalarType::F32, {at(v)}),
                                            broadcast(get("b", ScalarType::F32, var("k")), 8),
                                            load(target, ScalarType::F32, {lanes(v)}))));
            if (own)
                write.push_back(put("c", lanes(v), load("acc", ScalarType::F32, {lanes(v)})));
        }
        auto body = lower::block(
            {lower::block(init), serial("k", 100, lower::block(step)), lower::block(write)});
        if (own)
            body = lower::allocate({}, "acc", ScalarType::F32, {Extent(16)}, device::registers(),
                                   body);
        auto host = compiled(program({in("a", ScalarType::F32, 1600), in("b", ScalarType::F32, 100),
                                      out("c", ScalarType::F32, 16)},
                                     body),
                             true);
        ASSERT_TRUE(host);
        const auto& text = host->ir_optimized().text;
        EXPECT_EQ(lines_with(host->ir_optimized(), "phi <8 x float>", NodeId{}) +
                      lines_with(host->ir_optimized(), "phi <8 x float>", id("C/k")),
                  2)
            << text;
        EXPECT_EQ(text.find("alloca"), std::string::npos) << text;
        Array<float> a(1600, 2.0f), b(100, 0.5f), c(16);
        ASSERT_TRUE(host->run({a.data(), b.data(), c.data()}).ok());
        EXPECT_EQ(c[0], 100);
        EXPECT_EQ(c[15], 100);
    }
}

} // namespace
} // namespace loopscope::test
