#pragma once
// Texts with lines of any length, as an editor can show them: QScintilla lays out whole lines, some
// seconds for a million characters, each time that it paints.

#include <QString>

namespace loopscope::views {

constexpr qsizetype kMaxShownCharacters = 20'000; // of a line

struct ShownText {
    QString text;             // what of each line can be shown
    int cut_line = 0;         // the first that is not shown whole, from 1; 0: all are
    qsizetype characters = 0; // of that line
};

// Each line that is cut ends in " … (14,980,000 more)".
ShownText shorten_lines(const QString& text);
qsizetype longest_line(QStringView text); // characters

// "line 2 has 15,000,000 characters, and the first 20,000 are shown"
QString cut_sentence(const ShownText& shown);

} // namespace loopscope::views
