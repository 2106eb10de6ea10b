#include "views/models/csv.h"

namespace loopscope::views {

namespace {

// A spreadsheet computes what begins so, and the names of a stranger's file may.
bool is_formula(const QString& cell) {
    static const QString signs = QStringLiteral("=+-@\t\r");
    bool is_number = false;
    cell.toDouble(&is_number);
    return cell.size() > 1 && signs.contains(cell.front()) && !is_number;
}

QString quoted(QString field) {
    if (is_formula(field))
        field.prepend('\'');
    else if (!field.contains(',') && !field.contains('"') && !field.contains('\n') &&
             !field.contains('\r'))
        return field;
    return '"' + field.replace('"', "\"\"") + '"';
}

} // namespace

QString csv_line(QStringList cells) {
    for (QString& cell : cells)
        cell = quoted(cell);
    return cells.join(',') + "\r\n";
}

QString tabbed_line(QStringList cells) {
    for (QString& cell : cells) {
        if (is_formula(cell))
            cell.prepend('\'');
        cell.replace('\t', ' ').replace('\n', ' ').remove('\r');
    }
    return cells.join('\t');
}

} // namespace loopscope::views
