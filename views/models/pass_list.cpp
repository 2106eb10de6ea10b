#include "views/models/pass_list.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

QString difference_text(const LineDiff& d) {
    QStringList parts;
    auto add = [&](int count, const QString& what) {
        if (count > 0)
            parts << (count == 1 ? QObject::tr("1 line") : QObject::tr("%1 lines").arg(count)) +
                         ' ' + what;
    };
    add(d.added, QObject::tr("added (+)"));
    add(d.removed, QObject::tr("removed (−)"));
    add(d.changed, QObject::tr("changed (~)"));
    return parts.join(QStringLiteral(" · "));
}

PassListModel::PassListModel(QObject* parent) : QAbstractListModel(parent) {}

void PassListModel::set_steps(PassSteps steps) {
    auto name = [](const PassStep& step) { return step.name; };
    const bool same =
        steps && steps_ && std::ranges::equal(*steps, *steps_, std::ranges::equal_to(), name, name);
    if (!same)
        beginResetModel();
    steps_ = std::move(steps);
    if (!same)
        endResetModel();
    else if (!steps_->empty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

const PassStep* PassListModel::step(int row) const {
    return steps_ && row >= 0 && row < static_cast<int>(steps_->size())
               ? &(*steps_)[static_cast<std::size_t>(row)]
               : nullptr;
}

int PassListModel::next(int row, bool forward) const {
    const int way = forward ? 1 : -1;
    for (row += way; row >= 0 && row < rowCount(); row += way)
        if (!step(row)->changes_nothing())
            return row;
    return -1;
}

int PassListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !steps_ ? 0 : static_cast<int>(steps_->size());
}

QVariant PassListModel::data(const QModelIndex& index, int role) const {
    const PassStep* s = index.isValid() ? step(index.row()) : nullptr;
    if (!s)
        return {};
    const bool first = index.row() == 0;
    const int lines = s->changed_lines();
    switch (role) {
    case Qt::DisplayRole: return s->name;
    case CountRole:
        return !s->failure.isEmpty()   ? QStringLiteral("✗")
               : first || !s->source   ? (first ? QString() : QStringLiteral("…"))
               : !s->difference        ? QStringLiteral("…")
               : s->difference->same() ? QStringLiteral("–")
                                       : QString::number(lines);
    case IdleRole: return s->changes_nothing();
    case FailedRole: return !s->failure.isEmpty();
    case Qt::ToolTipRole: {
        QString text = s->summary;
        if (!s->failure.isEmpty())
            text += '\n' + s->failure;
        else if (s->changes_nothing())
            text += '\n' + tr("It changes nothing here.");
        else if (s->difference)
            text += '\n' + difference_text(*s->difference);
        return text;
    }
    case Qt::AccessibleTextRole:
        return s->name + (!s->failure.isEmpty()  ? tr(", no program")
                          : s->changes_nothing() ? tr(", changes nothing")
                          : s->difference        ? (lines == 1 ? tr(", 1 line differs")
                                                               : tr(", %1 lines differ").arg(lines))
                          : first                ? QString()
                                                 : tr(", being made"));
    default: return {};
    }
}

} // namespace loopscope::views
