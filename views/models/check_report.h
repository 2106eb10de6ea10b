#pragma once
// What the interpreter of SIMT programs found in the kernels of a schedule: for the panel of
// findings and for marks in the tree.

#include "core/schedule/identity.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace loopscope::views {

struct Finding {
    QString kind;       // "race", "access before arrival"
    NodeId node, other; // `other`: of the other access that took part; may be empty
    QString buffer;
    QString message;
    std::uint64_t count = 0;
};

struct CheckReport {
    bool right = false;
    QString verdict; // a sentence: what was compared, and how it came out
    QString at; // the sizes it was checked at: "M = 131, N = 131"; empty: those of the document
    QString difference; // which element is wrong; empty: none, or the verdict says it
    std::vector<Finding> findings;
    QStringList launches; // what each did: sectors, passes over banks, barriers
};
using CheckReportPtr = std::shared_ptr<const CheckReport>;

// By node, what was found there, as lines of a tooltip.
std::map<NodeId, QString> finding_marks(const CheckReport& report);

} // namespace loopscope::views
