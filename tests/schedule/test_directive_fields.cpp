// Every directive by its list of fields: what is written is read back, and no field is silent.
#include "core/language/schedule_parser.h"
#include "core/schedule/directive.h"

#include <gtest/gtest.h>

#include <set>

namespace loopscope {
namespace {

// Values that can be written for a field, two of each kind.
void give(const field::Factor& f, int n) { f.value = {4 + n, n > 0}; }
void give(const field::OptionalFactor& f, int n) { f.value = Factor{4 + n, n > 0}; }
void give(const field::Tail& f, int n) { f.value = n > 0 ? Tail::Pad : Tail::Shift; }
void give(const field::Definition& f, int n) { f.value = {"host", n}; }
void give(const field::Level& f, int n) { f.value = n > 0 ? "thread.y" : "block.x"; }
void give(const field::Readers& f, int n) { f.value = {{"a", 0}, {"b", n}}; }
void give(const field::Count& f, int n) { f.value = 3 + n; }
void give(const field::Of<std::string>& f, int n) { f.value = "name" + std::to_string(n); }
void give(const field::Of<std::vector<std::string>>& f, int n) {
    f.value = {"one", "two" + std::to_string(n)};
}

std::unique_ptr<Directive> filled(const DirectiveKind& kind) {
    auto directive = kind.create();
    directive->receiver = {"S", 0};
    visit_fields(directive->fields(), [](const char*, const auto& f) { give(f, 0); });
    return directive;
}

TEST(DirectiveFields, AreNamedOnceEach) {
    for (const auto& kind : directive_kinds()) {
        std::set<std::string> names{"receiver"}; // what Directive::places calls the rest
        const auto directive = kind.create();
        for (const auto& field : directive->fields())
            EXPECT_TRUE(names.insert(field.name).second) << kind.verb << " " << field.name;
    }
}

TEST(DirectiveFields, ReadWhatTheyPrint) {
    for (const auto& kind : directive_kinds()) {
        const auto text = filled(kind)->text();
        const auto read = parse_directive(text);
        ASSERT_TRUE(read) << text << format(read.errors());
        EXPECT_EQ((*read)->text(), text);
        EXPECT_EQ((*read)->clone()->text(), text) << "a copy has all of them";
    }
}

TEST(DirectiveFields, AnotherValueIsAnotherText) {
    for (const auto& kind : directive_kinds()) {
        const auto text = filled(kind)->text();
        const auto count = filled(kind)->fields().size();
        for (std::size_t i = 0; i < count; ++i) {
            auto changed = filled(kind);
            const auto field = changed->fields()[i];
            std::visit([](const auto& f) { give(f, 1); }, field.kind);
            EXPECT_NE(changed->text(), text) << kind.verb << " " << field.name;
            const auto read = parse_directive(changed->text());
            ASSERT_TRUE(read) << changed->text() << format(read.errors());
            EXPECT_EQ((*read)->text(), changed->text());
        }
    }
}

TEST(DirectiveFields, TellLoopsAndStagesThatALineNames) {
    auto read = [](const char* line) { return parse_directive(line).value(); };
    using Names = std::vector<std::string>;
    using Set = std::set<std::string>;
    EXPECT_EQ(loops_named_by(*read("C.split(k, ko, ki, 8)")), (Names{"k"}));
    EXPECT_EQ(loops_named_by(*read("C.split(k, ko, ki, 8)"), true), (Names{"k", "ko", "ki"}));
    EXPECT_EQ(loops_named_by(*read("C.reorder(k, i, j)")), (Names{"k", "i", "j"}));
    EXPECT_EQ(loops_named_by(*read("C.compute_at(out, i)")), Names{}) << "it is another stage's";
    EXPECT_EQ(stages_named_by(*read("As = C.cache_read(A, shared, D, E.update(0))")),
              (Set{"C", "As", "A", "D", "E"}));
    EXPECT_EQ(stages_named_by(*read("C.compute_at(out, i)")), (Set{"C", "out"}));
}

} // namespace
} // namespace loopscope
