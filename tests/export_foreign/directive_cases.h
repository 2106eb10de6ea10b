#pragma once
// Each directive in another scheduling language: the call that it becomes, or the comment and the
// warning that it is left out. As text alone: neither language has to be installed.

#include "tests/export_foreign/foreign_support.h"
#include "tests/support/support.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace loopscope::test {

struct DirectiveCase {
    const char* pipeline; // its text
    std::string lines;    // the schedule's; the directive is the last
    // Whole lines that the directive adds to the exported program, without what they are indented
    // by; `{}` in them is the directive.
    std::vector<std::string> added;
    // What is said of the line, after it; it stands in a comment unless `added` has another. Empty:
    // nothing.
    std::string warning = {};
    std::vector<std::string> absent = {}; // lines that the directive takes away
    // The language's own refusal of the line, which therefore no exporter meets. Empty: it applies.
    std::string refused = {};

    std::string before() const { return lines.substr(0, lines.rfind('\n') + 1); }
    std::string line() const { return lines.substr(lines.rfind('\n') + 1); }
    std::string verb() const {
        const auto from = line().find('.') + 1;
        return line().substr(from, line().find('(') - from);
    }
};

struct ForeignLanguage {
    const char* name;    // in warnings
    const char* comment; // "//"
    Exporter exporter;
    int help_column; // of the table in resources/help/schedules.md, the directives being 0
    bool (*translates)(const std::string& verb); // has the exporter words of its own for it?
};

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    return lines;
}

inline std::ptrdiff_t times(const std::vector<std::string>& lines, const std::string& line) {
    return std::count(lines.begin(), lines.end(), line);
}

// "warning: TEXT", by its first line: "FILE:LINE:COLUMN: warning: TEXT".
inline std::vector<std::string> first_lines(const Diagnostics& warnings) {
    std::vector<std::string> lines;
    for (const auto& warning : warnings)
        lines.push_back(lines_of(format(warning)).front());
    return lines;
}

// The row of a directive in the help's table of what becomes of it, by cells; empty: it has none.
inline std::vector<std::string> help_row(const std::string& verb) {
    auto page = read_file(source_path("resources/help/schedules.md"));
    auto section = page.find("| directive | Halide | TVM |\n");
    if (section == std::string::npos)
        throw std::runtime_error("schedules.md has no table of Halide and TVM");
    for (const auto& line : lines_of(page.substr(section)))
        if (line.rfind("| `" + verb + "` | ", 0) == 0) {
            std::vector<std::string> cells;
            std::istringstream in(line.substr(2));
            for (std::string cell; std::getline(in, cell, '|');)
                cells.push_back(lines_of(cell.substr(0, cell.find_last_not_of(' ') + 1)).front());
            return cells;
        }
    return {};
}

inline codegen::ForeignSource export_of(const ForeignLanguage& language, const char* pipeline,
                                        const std::string& schedule) {
    return foreign_source_of(language.exporter, tree_of(pipeline, schedule), schedule);
}

inline void expect_case(const ForeignLanguage& language, const DirectiveCase& each) {
    std::string pipeline(each.pipeline);
    auto name = pipeline.substr(9, pipeline.find('\n') - 9); // after "pipeline "
    auto before = "schedule for " + name + "\n" + each.before();
    const auto directive = each.line();
    auto schedule = before + directive + "\n";
    if (!each.refused.empty()) {
        try {
            tree_of(pipeline, schedule);
            ADD_FAILURE() << "it applies: a device has what it needs";
        } catch (const std::runtime_error& reason) {
            EXPECT_NE(std::string(reason.what()).find(each.refused), std::string::npos)
                << reason.what();
        }
        return;
    }
    auto without = export_of(language, each.pipeline, before);
    auto with = export_of(language, each.pipeline, schedule);
    auto old_lines = lines_of(without.text), lines = lines_of(with.text);
    auto added = each.added;
    for (auto& line : added)
        if (const auto at = line.find("{}"); at != std::string::npos)
            line.replace(at, 2, directive);
    auto left_out = std::string(language.comment) + " " + directive + ": ";
    bool said = std::any_of(added.begin(), added.end(),
                            [&](const std::string& line) { return line.rfind(left_out, 0) == 0; });
    if (!each.warning.empty() && !said)
        added.push_back(left_out + each.warning + ".");
    EXPECT_FALSE(added.empty()) << "the case expects nothing";
    for (const auto& line : added)
        EXPECT_GT(times(lines, line), times(old_lines, line))
            << line << "\nis not added to\n"
            << with.text.substr(with.text.size() - std::min<std::size_t>(with.text.size(), 9000));
    for (const auto& line : each.absent) {
        EXPECT_GT(times(old_lines, line), 0) << line << "\nwas not there before";
        EXPECT_EQ(times(lines, line), 0) << line;
    }
    // All warnings: those of the lines before, and this one with its place.
    auto expected = first_lines(without.warnings);
    auto number = std::to_string(std::count(schedule.begin(), schedule.end(), '\n'));
    if (!each.warning.empty())
        expected.push_back("test.sched:" + number + ":1: warning: " + language.name + ": " +
                           directive + ": " + each.warning);
    EXPECT_EQ(first_lines(with.warnings), expected);
    for (const auto& warning : with.warnings) {
        EXPECT_EQ(warning.severity, Severity::Warning);
        EXPECT_EQ(warning.code, "no-such-directive");
    }
}

// The help says of a directive that it is left out, or never met, where one of its cases does, and
// names calls that a case shows in a program.
inline void expect_help(const ForeignLanguage& language, const std::string& verb,
                        const std::vector<DirectiveCase>& cases) {
    auto row = help_row(verb);
    ASSERT_EQ(row.size(), 3u) << "schedules.md has no row, or one of other cells";
    const auto& cell = row[static_cast<std::size_t>(language.help_column)];
    bool warned = false, refused = false, mapped = false;
    std::string added;
    for (const auto& each : cases)
        if (each.verb() == verb) {
            warned = warned || !each.warning.empty();
            refused = refused || !each.refused.empty();
            mapped = mapped || (each.warning.empty() && each.refused.empty());
            for (const auto& line : each.added)
                added += line + "\n";
        }
    EXPECT_EQ(cell.find("left out") != std::string::npos, warned) << cell;
    EXPECT_EQ(cell.find("never met") != std::string::npos, refused) << cell;
    EXPECT_TRUE(mapped || warned || refused);
    // "`align_storage` to the padded extent": a name that a call begins with.
    if (mapped && cell.rfind('`', 0) == 0) {
        auto call = cell.substr(1, cell.find('`', 1) - 1);
        EXPECT_NE(added.find(call + "("), std::string::npos) << call << "\nin none of\n" << added;
    }
}

inline void expect_every_directive(const ForeignLanguage& language,
                                   const std::vector<DirectiveCase>& cases) {
    std::set<std::string> done;
    for (const auto& each : cases) {
        SCOPED_TRACE(each.lines);
        EXPECT_TRUE(create_directive(each.verb())) << each.verb() << " is no directive";
        expect_case(language, each);
        done.insert(each.verb());
    }
    for (const auto& kind : directive_kinds()) {
        SCOPED_TRACE(kind.verb);
        // what it does to loops is translated: expect_unknown_directive
        if (!done.count(kind.verb) && !language.translates(kind.verb))
            continue;
        EXPECT_TRUE(done.count(kind.verb)) << kind.verb << " has no case here";
        expect_help(language, kind.verb, cases);
    }
}

// A directive that no exporter knows, and that does what another one does.
struct UnknownDirective final : DirectiveOf<UnknownDirective> {
    DirectivePtr known;
    const char* verb() const override { return "unknown"; }
    const char* summary() const override { return known->summary(); }
    Status apply(ScheduleState& state, const ApplyContext& context) const override {
        return known->apply(state, context);
    }
    std::string describe() const override { return known->describe(); }
    bool per_stage() const override { return known->per_stage(); }
};

// Exports a schedule whose last line has another name: `added` are lines that it adds, `warning` is
// what is said of it.
inline void expect_unknown_directive(const ForeignLanguage& language, const char* pipeline,
                                     const std::string& before, const std::string& line,
                                     const std::vector<std::string>& added,
                                     const std::string& warning = {}) {
    SCOPED_TRACE(before + line);
    const std::string text(pipeline);
    const auto head = "schedule for " + text.substr(9, text.find('\n') - 9) + "\n";
    const auto tree = tree_of(pipeline, head + before + line + "\n");
    auto schedule = schedule_of(*tree->pipeline, head + before + line + "\n");
    auto unknown = std::make_shared<UnknownDirective>();
    unknown->known = schedule.directives.back();
    unknown->receiver = unknown->known->receiver;
    schedule.directives.back() = unknown;
    const auto source = language.exporter({"", &schedule, {}, tree});
    ASSERT_TRUE(source) << format(source.errors());
    const auto lines = lines_of(source->text);
    for (const auto& each : added)
        EXPECT_EQ(times(lines, each), 1) << each << "\nis not in\n" << source->text;
    std::vector<std::string> expected;
    if (!warning.empty())
        expected.push_back("warning: " + std::string(language.name) + ": " + unknown->text() +
                           ": " + warning);
    EXPECT_EQ(first_lines(source->warnings), expected);
}

// Exporters with a defect, for a proof that a case sees it: the last line of the script has no
// effect, and nothing is warned of.
template <Exporter exporter>
Result<codegen::ForeignSource> forgets_the_last_line(const codegen::ForeignInput& input) {
    auto schedule = *input.schedule;
    if (!schedule.directives.empty())
        schedule.directives.pop_back();
    auto shorter = input;
    shorter.schedule = &schedule;
    return exporter(shorter);
}
template <Exporter exporter>
Result<codegen::ForeignSource> warns_of_nothing(const codegen::ForeignInput& input) {
    auto source = exporter(input);
    if (source)
        source->warnings.clear();
    return source;
}

inline int failures_of(const ForeignLanguage& language, const DirectiveCase& each) {
    testing::TestPartResultArray failures;
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    expect_case(language, each);
    return failures.size();
}

template <Exporter exporter>
void expect_defects_seen(ForeignLanguage language, const std::vector<DirectiveCase>& cases) {
    for (const auto& each : cases) {
        if (!each.refused.empty())
            continue;
        language.exporter = forgets_the_last_line<exporter>;
        EXPECT_GT(failures_of(language, each), 0) << each.lines;
        language.exporter = warns_of_nothing<exporter>;
        EXPECT_EQ(failures_of(language, each) > 0, !each.warning.empty()) << each.lines;
    }
}

} // namespace loopscope::test
