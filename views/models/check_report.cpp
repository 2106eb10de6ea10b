#include "views/models/check_report.h"

namespace loopscope::views {

std::map<NodeId, QString> finding_marks(const CheckReport& report) {
    std::map<NodeId, QString> marks;
    auto add = [&](const NodeId& node, const Finding& finding) {
        if (node.stage.empty())
            return;
        QString& text = marks[node];
        text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + finding.kind +
                QStringLiteral(": ") + finding.message;
    };
    for (const Finding& finding : report.findings) {
        add(finding.node, finding);
        if (finding.other != finding.node)
            add(finding.other, finding);
    }
    return marks;
}

} // namespace loopscope::views
