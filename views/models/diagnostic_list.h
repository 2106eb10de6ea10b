#pragma once
// Diagnostics of a script or a program as a list, errors and warnings in the order of the text. Of
// very many the first are listed, and a last row says how many more there are.

#include "core/base/diagnostic.h"

#include <QAbstractListModel>

namespace loopscope::views {

class DiagnosticListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        LineRole = Qt::UserRole,
        ColumnRole,
        SeverityRole,
        RemedyRole,
        BeginRole,
        // bytes, from 0
        EndRole
    };

    static constexpr int kMaxListed = 20;

    explicit DiagnosticListModel(QObject* parent = nullptr);
    void set_diagnostics(Diagnostics diagnostics);
    const Diagnostics& diagnostics() const { return diagnostics_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    QVariant row_of(const Diagnostic& diagnostic, int role) const;

    Diagnostics diagnostics_;
};

} // namespace loopscope::views
