#pragma once
// The bundled programs as the start page lists them: by group, and narrowed to what is sought.

#include <QString>

#include <vector>

namespace loopscope::views {

struct ProgramEntry {
    QString name;    // "harris"
    QString group;   // "Images"
    QString teaches; // a line
    int stages = 0;
    bool expert = false; // is a schedule shipped that suits the chosen device?
    QString path;
    bool operator==(const ProgramEntry&) const = default;
};

struct ProgramGroup {
    QString title;
    std::vector<ProgramEntry> programs; // never none
};

// Those in which every word occurs, in any order and in either case: in the name, the group's or
// what is taught. Groups and programs keep their order.
std::vector<ProgramGroup> programs_with(const std::vector<ProgramEntry>& programs,
                                        const QString& words);

} // namespace loopscope::views
