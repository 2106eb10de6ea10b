#pragma once
// Texts as they are shown, with their widths. To measure a text takes longer than to paint it; a graph measures all of its
// texts at every edit, which changes few of them.

#include <QFont>
#include <QHash>
#include <QString>

namespace loopscope::views {

class ShownTexts {
public:
    struct Shown {
        QString text; // of a long one the middle is left out
        double width = 0;
    };
    // In one font and to one width for as long as nothing is cleared.
    const Shown& of(const QString& text, const QFont& font, double widest);
    void clear() { known_.clear(); }

private:
    QHash<QString, Shown> known_;
};

} // namespace loopscope::views
