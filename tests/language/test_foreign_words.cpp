// Words and signs of other languages get a remedy, wherever they stand; and what the remedies say
// is of ours.
#include "core/base/foreign_words.h"
#include "core/language/schedule_parser.h"
#include "core/language/words.h"
#include "core/schedule/directive.h"
#include "tests/language/loop_support.h"

#include <gmock/gmock.h>

#include <regex>

namespace loopscope::test {
namespace test_foreign_words {

using ::testing::HasSubstr;

std::string with(std::string text, const ForeignWord& entry) {
    for (auto at = text.find('W'); at != std::string::npos; at = text.find('W', at))
        text.replace(at, 1, entry.word), at += entry.word.size();
    return text;
}

std::string of_pipeline(const std::string& statement) {
    const auto result = load(around(statement));
    return result ? "loads" : format(result.errors());
}

// The problem of a schedule's line for a product, parsed and applied.
std::string of_schedule(const std::string& line) {
    static const auto pipeline = loaded(
        "pipeline p\ninput A[i, k]: f32[8, 8]\nstage C[i, j] = sum[k in 0..8](A[i, k]*A[k, j])\n"
        "output C: [8, 8]\n");
    const auto read = parse_schedule(source("schedule for p\n" + line + "\n", "s.sched"), nullptr);
    if (!read)
        return format(read.errors());
    const auto applied = apply(pipeline, *read, {});
    return applied.diagnostics.empty() ? "applies" : format(applied.diagnostics);
}

// Where such a word is met. One of them must tell.
std::vector<std::string> places(ForeignPlace place) {
    switch (place) {
    case ForeignPlace::Sign:
        return {"stage s[i] = a[i] W a[i]",
                "stage s[i] = W(a[i])",
                "stage s[i] = a[i]W",
                "W stage s[i] = a[i]",
                "stage s[i] W a[i]",
                "stage s[i] = aWmax(a[i])",
                "def f(x) W x",
                "stage s[i] = 0.0\nupdate s[i] W 1.0",
                "stage s[i] = g[iWi]"};
    case ForeignPlace::Bracket: return {"stage sWi) = a[i]"};
    case ForeignPlace::Operator: return {"stage s[i] = a[i] W a[i]", "stage s[i] = W a[i]"};
    case ForeignPlace::Word: return {"stage s[i] = W(a[i])", "stage s[i] = W + a[i]"};
    case ForeignPlace::Type: return {"stage s[i]: W = a[i]", "input n[i]: W[8]", "const N: W = 3"};
    case ForeignPlace::Suffix: return {"stage s[i] = 1W"};
    case ForeignPlace::Statement: return {"W x = 3", "W x(y, z)"};
    case ForeignPlace::Directive: return {"C.W(i)", "B = C.W(A, local)"};
    case ForeignPlace::Level: return {"C.bind(i, W)"};
    case ForeignPlace::Scope: return {"C.scope(W)", "B = C.cache_read(A, W)"};
    case ForeignPlace::Tail:
        return {"C.split(i, io, ii, 3, W)", "C.split(i, io, ii, 3, TailStrategy::W)"};
    }
    return {};
}

bool all_tell(ForeignPlace place) {
    return place != ForeignPlace::Sign && place != ForeignPlace::Operator &&
           place != ForeignPlace::Scope;
}

TEST(ForeignWords, EachGetsItsRemedyWhereItStands) {
    for (const auto& entry : foreign_words()) {
        const bool scheduled = entry.place >= ForeignPlace::Directive;
        const auto remedy = foreign_remedy(entry.place, entry.word);
        ASSERT_FALSE(remedy.empty()) << entry.word;
        int told = 0;
        for (const auto& text : places(entry.place)) {
            const auto line = with(text, entry);
            const auto said = scheduled ? of_schedule(line) : of_pipeline(line);
            const bool tells = said.find("; " + remedy + "\n") != std::string::npos;
            told += tells;
            EXPECT_TRUE(tells || !all_tell(entry.place)) << line << "\n" << said;
        }
        EXPECT_GT(told, 0) << entry.word;
    }
}

TEST(ForeignWords, TypesAreToldInCastsAndDeclarations) {
    EXPECT_EQ(message("float(b[i])"), "unknown name 'float'; a cast is written f32(…)");
    EXPECT_EQ(message("cast<float>(b[i])"),
              "comparisons do not chain; a cast is the type's name: f32(…)");
    EXPECT_THAT(
        of_pipeline("float x = 3"),
        HasSubstr("expected a statement, found 'float'; a type stands behind the name: stage "
                  "S[i]: f32 = EXPR"));
}

TEST(ForeignWords, ConstructsOfOtherLanguages) {
    EXPECT_THAT(of_pipeline("stage s[i] = a[i] > 0.0 ? a[i] : 0.0"),
                HasSubstr("'?' is no operator; write select(condition, a, b)"));
    EXPECT_THAT(of_pipeline("stage s[i] = if a[i] > 0.0 then a[i] else 0.0"),
                HasSubstr("found 'if'; write select(condition, a, b)"));
    EXPECT_THAT(of_pipeline("stage s[i] = a[i] if a[i] > 0.0 else 0.0"),
                HasSubstr("found 'if'; write select(condition, a, b)"));
    EXPECT_THAT(of_pipeline("for (int i = 0; i < 8; i++) { }"),
                HasSubstr("found '('; write for i in 0..N { … }"));
    EXPECT_THAT(of_pipeline("for i in range(8) {\n}"), HasSubstr("a range is written 0..N"));
    EXPECT_THAT(of_pipeline("s[i] += a[i]"),
                HasSubstr("a definition starts with stage, a change of it with update"));
    EXPECT_THAT(of_pipeline("stage s[i] = math.exp(a[i])"), HasSubstr("write exp(…)"));
    EXPECT_THAT(of_pipeline("stage s[i] = a[i]^2"), HasSubstr("a power is written x**2"));
    EXPECT_THAT(of_pipeline("stage s[i][j] = a[i]"),
                HasSubstr("all indices stand in one pair of brackets"));
    EXPECT_THAT(of_pipeline("stage s[i] = g[i][i]"),
                HasSubstr("all indices stand in one pair of brackets"));
    EXPECT_THAT(of_pipeline("output t(8)"), HasSubstr("output S: [H, W]"));
    EXPECT_THAT(of_schedule("C.parallel(i) // rows"), HasSubstr("a comment begins with #"));
    EXPECT_THAT(of_schedule("/* rows */"), HasSubstr("a comment begins with #"));
    EXPECT_THAT(of_schedule("C.scope(\"shared\")"), HasSubstr("names stand without quotes"));
    EXPECT_THAT(of_schedule("C.parallel(i);"), HasSubstr("a statement ends with its line"));
}

// Signs that are right one behind the other stay so.
TEST(ForeignWords, WhatIsOursIsRead) {
    loaded(around("stage s[i] = a[i]--a[i]"));
    loaded(around("stage s[i] = b[i]&-b[i]"));
    loaded(around("def square(x) = x*x\ndef lerp(p, q, t) = p + (q - p)*t\n"
                  "stage s[i] = let range = square(a[i]) in lerp(range, a[i], 0.5)"));
    loaded(around("stage float[i] = a[i]\nstage s[i] = float[i]"));
}

std::vector<std::string> called_in(std::string_view remedy) {
    static const std::regex call(R"((\w+)\()");
    const std::string text(remedy);
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

TEST(ForeignWords, RemediesSpeakOurLanguages) {
    for (const auto& entry : foreign_words()) {
        const std::string word(entry.word), ours(entry.ours);
        if (entry.place == ForeignPlace::Directive) {
            EXPECT_EQ(create_directive(word), nullptr) << word << " is a directive";
            for (const auto& verb : called_in(ours))
                EXPECT_NE(create_directive(verb), nullptr) << ours;
        } else if (entry.place == ForeignPlace::Type || entry.place == ForeignPlace::Suffix) {
            EXPECT_TRUE(is_type_name(ours)) << ours;
            EXPECT_FALSE(is_type_name(word)) << word;
        } else if (entry.place == ForeignPlace::Word) {
            EXPECT_FALSE(is_reserved(word)) << word;
            for (const auto& name : called_in(ours))
                EXPECT_TRUE(is_function(name) || is_type_name(name) || create_directive(name))
                    << ours;
        } else if (entry.place == ForeignPlace::Statement) {
            EXPECT_FALSE(is_statement_word(word)) << word;
        }
    }
    EXPECT_EQ(of_schedule("C.bind(i, block.x)"), "applies");
}

} // namespace test_foreign_words
} // namespace loopscope::test
