#include "app/windows/verdict_text.h"

#include <QCoreApplication>

namespace loopscope::app {

QString verdict_text(const session::CheckVerdict& verdict) {
    const auto words =
        verdict.right
            ? QCoreApplication::translate("loopscope::app::Verdict",
                                          "Checked on %1: it computes what the pipeline says. %2")
            : QCoreApplication::translate(
                  "loopscope::app::Verdict",
                  "Checked on %1: it does not compute what the pipeline says. %2");
    const auto where = verdict.at.isEmpty()
                           ? verdict.machine
                           : QCoreApplication::translate("loopscope::app::Verdict", "%1, with %2")
                                 .arg(verdict.machine, verdict.at);
    // A tooltip would take a stranger's text for one with marks.
    return QStringLiteral("<p>%1</p>").arg(words.arg(where, verdict.text).toHtmlEscaped());
}

} // namespace loopscope::app
