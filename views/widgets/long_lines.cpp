#include "views/widgets/long_lines.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace loopscope::views {

qsizetype longest_line(QStringView text) {
    qsizetype longest = 0;
    for (const auto line : text.split('\n'))
        longest = std::max(longest, line.size());
    return longest;
}

ShownText shorten_lines(const QString& text) {
    const QLocale locale(QLocale::English);
    ShownText shown;
    int number = 0;
    for (qsizetype begin = 0; begin <= text.size();) {
        auto end = text.indexOf('\n', begin);
        end = end < 0 ? text.size() : end;
        ++number;
        if (end - begin > kMaxShownCharacters) {
            if (shown.cut_line == 0) {
                shown.cut_line = number;
                shown.characters = end - begin;
            }
            auto stop = begin + kMaxShownCharacters;
            stop -= text[stop - 1].isHighSurrogate(); // its other half would be cut off
            shown.text += QStringView(text).mid(begin, stop - begin);
            shown.text += QCoreApplication::translate("loopscope::views", " … (%1 more)")
                              .arg(locale.toString(end - stop));
        } else {
            shown.text += QStringView(text).mid(begin, end - begin);
        }
        if (end < text.size())
            shown.text += '\n';
        begin = end + 1;
    }
    return shown;
}

QString cut_sentence(const ShownText& shown) {
    const QLocale locale(QLocale::English);
    return QCoreApplication::translate("loopscope::views",
                                       "line %1 has %2 characters, and the first %3 are shown")
        .arg(shown.cut_line)
        .arg(locale.toString(shown.characters), locale.toString(kMaxShownCharacters));
}

} // namespace loopscope::views
