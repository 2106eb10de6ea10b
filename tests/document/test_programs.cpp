// The programs of a document: a revision may change what is scheduled, and those that follow it
// have its program.
#include "tests/document/document_support.h"
#include "tests/support/must.h"

#include <gtest/gtest.h>

namespace loopscope::session::test {
namespace test_programs {

using loopscope::test::must;

ProgramPtr program(const std::string& remark, std::map<std::string, std::int64_t> params = {}) {
    return std::make_shared<const Program>(
        Program{example_source().program->text + "# " + remark + "\n", std::move(params)});
}

TEST(Programs, ARevisionHasThatOfThoseItComesFrom) {
    const auto path = made_document();
    {
        auto document = must(Document::open(path));
        must(document->add_revision("schedule for p\n# 2\n", "two", "", program("a", {{"N", 8}})));
        must(document->add_revision("schedule for p\n# 3\n", "three", ""));
        must(document->go_to(1));
        EXPECT_EQ(*document->program(), *example_source().program);
        must(document->add_revision("schedule for p\n# 4\n", "four", ""));
        must(document->add_revision("schedule for p\n# 5\n", "five", "", program("b")));
    }
    const auto document = must(Document::open(path));
    const auto first = *example_source().program, a = *program("a", {{"N", 8}}), b = *program("b");
    const Program* wanted[] = {&first, &a, &a, &first, &b};
    for (std::int64_t revision = 1; revision <= 5; ++revision)
        EXPECT_EQ(*document->program_of(revision), *wanted[revision - 1]) << revision;
    EXPECT_EQ(*document->program(), b);
    EXPECT_TRUE(document->has_program_of_now(5));
    EXPECT_FALSE(document->has_program_of_now(4));
}

TEST(Programs, AStepThatIsTypedMayChangeIts) {
    const auto path = made_document();
    {
        auto document = must(Document::open(path));
        must(document->add_revision("schedule for p\n", "two", "", program("a")));
        must(document->amend_revision(2, "schedule for p\n", program("ab")));
        must(document->amend_revision(2, "schedule for p\n# later\n"));
    }
    const auto document = must(Document::open(path));
    EXPECT_EQ(document->current().script, "schedule for p\n# later\n");
    EXPECT_EQ(*document->program(), *program("ab"));
    EXPECT_EQ(*document->program_of(1), *example_source().program);
}

TEST(Programs, AreInCopies) {
    auto document = must(Document::open(made_document()));
    must(document->add_revision("schedule for p\n", "two", "", program("a")));
    const auto copy = document->path() + ".copy.loopscope";
    must(document->copy(copy));
    EXPECT_EQ(*must(Document::open(copy))->program(), *program("a"));
}

TEST(Programs, ThatNobodyWroteAreDamage) {
    const std::pair<const char*, const char*> wrong[] = {
        {"program:1", "no JSON"},
        {"program:1", "[]"},
        {"program:1", R"({"text": 3, "params": {}})"},
        {"program:1", R"({"text": "", "params": []})"},
        {"program:1", R"({"text": "", "params": {"N": 9223372036854775808}})"},
        {"program:1", R"({"text": ""})"},
        {"program:2", R"({"text": "", "params": {}})"},
        {"program:0", R"({"text": "", "params": {}})"},
        {"program:-1", R"({"text": "", "params": {}})"},
        {"program:01", R"({"text": "", "params": {}})"},
        {"program: 1", R"({"text": "", "params": {}})"},
        {"program:9999999999999999999", R"({"text": "", "params": {}})"},
        {"program:", R"({"text": "", "params": {}})"}};
    for (const auto& [key, value] : wrong) {
        const auto path = made_document();
        change(path, "INSERT INTO source VALUES('" + std::string(key) + "', '" + value + "')");
        const auto opened = Document::open(path);
        ASSERT_FALSE(opened) << key << " " << value;
        EXPECT_NE(format(opened.errors()).find("is damaged"), std::string::npos)
            << format(opened.errors());
    }
}

} // namespace test_programs
} // namespace loopscope::session::test
