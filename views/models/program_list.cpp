#include "views/models/program_list.h"

#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {

bool has_words(const ProgramEntry& program, const QStringList& words) {
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return program.name.contains(word, Qt::CaseInsensitive) ||
               program.group.contains(word, Qt::CaseInsensitive) ||
               program.teaches.contains(word, Qt::CaseInsensitive);
    });
}

} // namespace

std::vector<ProgramGroup> programs_with(const std::vector<ProgramEntry>& programs,
                                        const QString& words) {
    const auto sought = words.simplified().split(' ', Qt::SkipEmptyParts);
    std::vector<ProgramGroup> groups;
    for (const ProgramEntry& program : programs) {
        if (!has_words(program, sought))
            continue;
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.title == program.group;
        });
        if (known == groups.end())
            groups.push_back({program.group, {program}});
        else
            known->programs.push_back(program);
    }
    return groups;
}

} // namespace loopscope::views
