#include "views/models/diagnostic_list.h"

#include "views/models/snapshots.h"

#include <algorithm>

namespace loopscope::views {

namespace {

QString severity_word(Severity severity) {
    switch (severity) {
    case Severity::Error: return QStringLiteral("error");
    case Severity::Warning: return QStringLiteral("warning");
    case Severity::Note: return QStringLiteral("note");
    }
    return {};
}

} // namespace

DiagnosticListModel::DiagnosticListModel(QObject* parent) : QAbstractListModel(parent) {}

void DiagnosticListModel::set_diagnostics(Diagnostics diagnostics) {
    beginResetModel();
    std::stable_sort(
        diagnostics.begin(), diagnostics.end(),
        [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
    diagnostics_ = std::move(diagnostics);
    endResetModel();
}

int DiagnosticListModel::rowCount(const QModelIndex& parent) const {
    const auto rows = std::min<std::size_t>(diagnostics_.size(), kMaxListed + 1);
    return parent.isValid() ? 0 : static_cast<int>(rows);
}

QVariant DiagnosticListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount({}))
        return {};
    if (index.row() < kMaxListed)
        return row_of(diagnostics_[static_cast<std::size_t>(index.row())], role);
    const auto more = static_cast<int>(diagnostics_.size()) - kMaxListed;
    return role == Qt::DisplayRole ? tr("and %1 more").arg(more) : QVariant();
}

QVariant DiagnosticListModel::row_of(const Diagnostic& d, int role) const {
    const SourceFile::Position at =
        d.range.file ? d.range.file->position(d.range.begin) : SourceFile::Position{0, 0};
    switch (role) {
    case Qt::DisplayRole: {
        const QString place = d.range.file ? tr("line %1: ").arg(at.line) : QString();
        return place + severity_word(d.severity) + ": " + to_qstring(d.message);
    }
    case Qt::ToolTipRole: return to_qstring(d.remedy.empty() ? d.message : d.remedy);
    case LineRole: return at.line;
    case ColumnRole: return at.column;
    case SeverityRole: return static_cast<int>(d.severity);
    case RemedyRole: return to_qstring(d.remedy);
    case BeginRole: return static_cast<qulonglong>(d.range.begin);
    case EndRole: return static_cast<qulonglong>(d.range.end);
    default: return {};
    }
}

} // namespace loopscope::views
