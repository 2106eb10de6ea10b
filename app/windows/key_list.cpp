#include "app/windows/key_list.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QObject>
#include <QString>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <utility>

namespace loopscope::app {

void show_key_list(QWidget& window) {
    const std::pair<QString, QString> keys[] = {
        {"S", QObject::tr("split the selected loop")},
        {"T", QObject::tr("tile it with the loop inside")},
        {"F", QObject::tr("fuse it with the loop inside")},
        {"V", QObject::tr("vectorise it")},
        {"U", QObject::tr("unroll it")},
        {"P", QObject::tr("run it in parallel")},
        {QObject::tr("Shift+↑, Shift+↓"), QObject::tr("move it outwards, inwards")},
        {"I", QObject::tr("inline the stage")},
        {"R", QObject::tr("compute the stage at root")},
        {"M", QObject::tr("move the stage: a list of the loops at which it may be computed")},
        {QObject::tr("Shift+M, Shift+R"),
         QObject::tr("store it elsewhere: a list of loops; at root")},
        {"W", QObject::tr("share loops with another stage")},
        {"L", QObject::tr("pipeline it: copies that are filled ahead")},
        {QObject::tr("C, Shift+C"), QObject::tr("copy what it reads; write it through a cache")},
        {"H", QObject::tr("prefetch what the loop reads")},
        {"B", QObject::tr("bind the loop to a level of the target")},
        {QObject::tr("Menu, Shift+F10"), QObject::tr("every directive for what is selected")},
        {QObject::tr("Space"),
         QObject::tr("measure; on a button that was reached by Tab: press it")},
        {"Ctrl+K", QObject::tr("check against the reference")},
        {"Ctrl+E",
         QObject::tr("export source for the processor or the GPU, pseudo-loops or the schedule")},
        {QObject::tr("Ctrl+click, Shift+click"),
         QObject::tr("in the tree and the graph: select several; a directive is for all of them")},
        {QObject::tr("Shift+drag"), QObject::tr("in the graph: select what the frame touches")},
        {"Ctrl+A", QObject::tr("in the tree and the graph: select all rows, all stages")},
        {"Ctrl+Shift+N", QObject::tr("select stages or loops by name, as blur_* or *.k")},
        {"Ctrl+Shift+A", QObject::tr("select all loops or stages like the selected one")},
        {"Ctrl+C", QObject::tr("copy the selected rows of a list, a table or the tree")},
        {"Esc", QObject::tr("cancel")},
        {"Ctrl+Shift+P", QObject::tr("search all commands")},
        {"Ctrl+B", QObject::tr("pin the estimate as the baseline")},
        {"Ctrl+Shift+B", QObject::tr("compare with the baseline")},
        {"Ctrl+Shift+D", QObject::tr("compare two schedules side by side")},
        {QObject::tr("Alt+←, Alt+→"),
         QObject::tr("in the source's passes: the pass before, the next one")},
        {QObject::tr("F8, Shift+F8"), QObject::tr("the next difference, the one before")},
        {QObject::tr("G, Shift+G"), QObject::tr("fold or unfold a group of stages, all groups")},
        {"0", QObject::tr("in the graph: fit it to the panel")},
        {"Ctrl+Backspace", QObject::tr("remove a directive of the selection")},
        {"Ctrl+Z, Ctrl+Y", QObject::tr("undo, redo")},
        {"/", QObject::tr("find a stage, a loop, a directive or a panel")},
        {"Ctrl+F", QObject::tr("search in the panel or the list that has the keyboard; Enter and "
                               "Shift+Enter go on and back")},
        {"Ctrl+,", QObject::tr("preferences: type, theme, units, time for a measurement")},
        {QObject::tr("drag a row or a stage"), QObject::tr("move it; Esc leaves it where it is")},
        {QObject::tr("… to the gutter of a loop"), QObject::tr("store the stage there")},
        {QObject::tr("… a loop on another stage's"), QObject::tr("share the loops of both")},
        {QObject::tr("Tab, Ctrl+Tab"),
         QObject::tr("next control; out of the script, where Tab is a key of the text")},
        {"F1", QObject::tr("help on what is selected")},
    };
    QString table = QStringLiteral("<table cellspacing='5'>");
    for (const auto& [key, meaning] : keys)
        table += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                     .arg(key.toHtmlEscaped(), meaning);
    auto* dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("keys"));
    dialog->setWindowTitle(QObject::tr("Keys"));
    dialog->resize(620, 600);
    auto* text = new QTextBrowser(dialog); // more than a screen has room for
    text->setTabChangesFocus(true);
    text->setAccessibleName(QObject::tr("Keys and what they do"));
    text->setHtml(table + QStringLiteral("</table>"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog->open();
}

} // namespace loopscope::app
