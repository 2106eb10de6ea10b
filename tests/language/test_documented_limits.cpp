// The limits that the help says are those that hold: so much is taken, and one more is refused.
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

#include <algorithm>
#include <functional>
#include <regex>

namespace loopscope::test {
namespace test_documented_limits {

std::string names(int count) { // "x0, x1, x2"
    std::string out = "x0";
    for (int i = 1; i < count; ++i)
        out += ", x" + std::to_string(i);
    return out;
}

std::string repeated(int count, const std::string& text) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

std::string stage(const std::string& value) { return around("stage s[i] = " + value); }

struct Limit {
    const char* sentence; // of the help, with its number in parentheses
    std::function<std::string(int)> text;
};

const Limit kLimits[] = {
    {"not starting with a digit, at most ([0-9,]+)\\.",
     [](int n) {
         const std::string name(static_cast<std::size_t>(n), 'x');
         return around("stage " + name + "[i] = a[i]", name + ": [8]");
     }},
    // Of which the statement, its expression and the index are three,
    {"([0-9,]+) levels of nesting",
     [](int n) { return stage(repeated(n - 3, "(") + "a[i]" + repeated(n - 3, ")")); }},
    // and a load and its index two.
    {"([0-9,]+) operators one inside the other",
     [](int n) { return stage("a[i]" + repeated(n - 2, " + 1")); }},
    {"([0-9,]+) dimensions or axes",
     [](int n) {
         return around("stage s[" + names(n) + "] = 1.0", "s: [1" + repeated(n - 1, ", 1") + "]");
     }},
    {"([0-9,]+) components",
     [](int n) { return stage("(a[i]" + repeated(n - 1, ", a[i]") + ")"); }},
    {"([0-9,]+) parameters of a `def`",
     [](int n) { return around("def f(" + names(n) + ") = 1\nstage s[i] = a[i]"); }},
    {"([0-9,]+) digits and exponents",
     [](int n) { return stage("a[i]*0." + repeated(n - 1, "1")); }},
    {"exponents of ±([0-9,]+) in a number",
     [](int n) {
         const auto exponent = std::to_string(n);
         return stage("a[i]*(1e" + exponent + "*1e-" + exponent + ")");
     }},
    {"exponents of up to ([0-9,]+) on typed values",
     [](int n) { return stage("a[i]**" + std::to_string(n)); }},
};

TEST(DocumentedLimits, AreThoseThatHold) {
    auto help = read_file(source_path("resources/help/pipelines.md"));
    help.erase(0, help.find("## Names"));
    std::replace(help.begin(), help.end(), '\n', ' ');
    for (const auto& limit : kLimits) {
        std::smatch found;
        ASSERT_TRUE(std::regex_search(help, found, std::regex(limit.sentence))) << limit.sentence;
        auto digits = found[1].str();
        std::erase(digits, ',');
        const int n = std::stoi(digits);
        const auto within = load(limit.text(n));
        EXPECT_TRUE(within) << limit.sentence << ": " << n << " are refused\n"
                            << format(within.errors());
        EXPECT_FALSE(load(limit.text(n + 1))) << limit.sentence << ": " << n + 1 << " are taken";
    }
}

} // namespace test_documented_limits
} // namespace loopscope::test
