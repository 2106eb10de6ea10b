#include "app/windows/open_error.h"

#include "views/style/fonts.h"

#include <QMessageBox>

namespace loopscope::app {

namespace {
constexpr qsizetype kMaxText = 2000, kMaxLine = 160; // characters
}

QString printable(const QString& text) {
    QString out;
    for (const QChar c : text)
        if (c == '\n' || c == '\t' || (c.isPrint() && c != QChar::ReplacementCharacter))
            out += c;
        else
            out += QStringLiteral("\\x%1").arg(c.unicode(), 2, 16, QChar('0'));
    return out;
}

void show_open_error(QWidget& parent, const QString& path, const QString& text) {
    QStringList lines = printable(text.left(kMaxText)).split('\n');
    for (QString& line : lines)
        if (line.size() > kMaxLine)
            line = line.left(kMaxLine) + QStringLiteral(" …");
    QMessageBox box(QMessageBox::NoIcon, QObject::tr("Cannot open"),
                    QStringLiteral("<b>%1</b>")
                        .arg(QObject::tr("%1 cannot be opened.").arg(path).toHtmlEscaped()),
                    QMessageBox::NoButton, &parent);
    box.setTextFormat(Qt::RichText);
    box.setInformativeText(QStringLiteral("<pre style=\"font-family:'%1'\">%2</pre>")
                               .arg(views::code_font().family(), lines.join('\n').toHtmlEscaped()));
    box.addButton(QObject::tr("Close"), QMessageBox::RejectRole);
    box.exec();
}

} // namespace loopscope::app
