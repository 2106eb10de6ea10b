// Damaged programs: shipped pipelines with tokens removed, doubled, swapped or replaced. Each
// either loads, and then its text round-trips, or is refused with messages that have places.
#include "core/language/lexer.h"
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

#include <filesystem>
#include <random>

namespace loopscope::test {
namespace {

class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutate(const std::string& text) {
        auto file = source(text);
        auto lexed = lex(file);
        std::vector<std::string> pieces; // tokens, and what stands between them
        std::size_t end = 0;
        for (const auto& t : lexed.tokens) {
            pieces.push_back(text.substr(end, t.begin - end));
            pieces.emplace_back(t.text);
            end = t.end;
        }
        for (int changes = pick(4) == 0 ? 3 : 1; changes > 0; --changes)
            change(pieces);
        std::string out;
        for (const auto& p : pieces)
            out += p;
        return out;
    }

private:
    int pick(std::size_t count) { return static_cast<int>(random_() % count); }
    std::string& token(std::vector<std::string>& pieces) {
        return pieces[static_cast<std::size_t>(2 * pick(pieces.size() / 2) + 1)];
    }

    void change(std::vector<std::string>& pieces) {
        static const char* const kWords[] = {
            "(",   ")",   "[",  "]",      "{",          "}",     ",",      "..",   "=",
            "+",   "-",   "**", "%",      "1",          "0.5",   "nan",    "x",    "y",
            "img", "for", "if", "let",    "in",         "stage", "update", "over", "where",
            "sum", "f32", "u8", "select", "9999999999", "\n",    ":",      "not",  "<",
            "f16", "exp", ".0", "argmax", "bits",       "t"};
        auto& target = token(pieces);
        switch (pick(8)) {
        case 0: target.clear(); break;
        case 1: target += " " + target; break;
        case 2: std::swap(target, token(pieces)); break;
        case 3: target = token(pieces); break;
        case 4:
        case 5:
        case 6: alike(pieces, target); break;
        default: target = kWords[pick(std::size(kWords))];
        }
    }

    // Another token of the program that starts alike: a name for a name, a number for a number.
    void alike(std::vector<std::string>& pieces, std::string& target) {
        auto kind = [](const std::string& t) {
            return t.empty() ? 0 : is_name_start(t[0]) ? 1 : is_digit(t[0]) ? 2 : 3;
        };
        for (int tries = 0; tries < 20; ++tries)
            if (const auto& other = token(pieces); other != target && kind(other) == kind(target)) {
                target = other;
                return;
            }
    }

    std::mt19937 random_;
};

TEST(LoopMutations, DamagedProgramsAreRefusedOrRoundTrip) {
    std::vector<std::string> programs;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/pipelines")))
        if (entry.path().extension() == ".loop")
            programs.push_back(entry.path());
    std::sort(programs.begin(), programs.end());
    int loaded_count = 0, refused_count = 0;
    for (unsigned seed = 0; seed < 2'000; ++seed) {
        auto text = Mutator(seed).mutate(read_file(programs[seed % programs.size()]));
        auto result = load(text);
        if (!result) {
            ++refused_count;
            for (const auto& d : result.errors())
                ASSERT_TRUE(d.range.file && d.range.end <= text.size() && !d.message.empty())
                    << "seed " << seed;
            continue;
        }
        ++loaded_count;
        auto again = load(to_text(*result->pipeline));
        ASSERT_TRUE(again) << "seed " << seed << "\n"
                           << format(again.errors()) << to_text(*result->pipeline);
        EXPECT_TRUE(equal(*result->pipeline, *again->pipeline)) << "seed " << seed;
        auto layout = format_pipeline_source(source(text));
        ASSERT_TRUE(layout) << "seed " << seed;
        auto formatted = load(*layout);
        ASSERT_TRUE(formatted) << "seed " << seed << "\n" << format(formatted.errors()) << *layout;
        EXPECT_TRUE(equal(*result->pipeline, *formatted->pipeline)) << "seed " << seed << "\n"
                                                                    << *layout;
    }
    // The damage must neither kill everything nor miss everything, or the test says little.
    EXPECT_GT(loaded_count, 100);
    EXPECT_GT(refused_count, 1'000);
}

} // namespace
} // namespace loopscope::test
