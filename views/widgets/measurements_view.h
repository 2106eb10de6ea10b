#pragma once
// Everything measured for the document, as a table that sorts, copies and exports.

#include "core/base/result.h"
#include "views/models/measurement_table.h"
#include "views/widgets/paged_view.h"

class QSortFilterProxyModel;
class QTableView;

namespace loopscope::views {

class RowCopying;

class MeasurementsView : public PagedView {
    Q_OBJECT
public:
    explicit MeasurementsView(QWidget* parent = nullptr);

    void set_rows(MeasurementRows rows); // null or empty: the empty state
    // Why nothing can be measured now; empty: it can. What was measured stays.
    void set_unavailable(const QString& reason);
    Status export_csv(const QString& path) const; // all rows, in the order shown
    QString csv() const;
    MeasurementTableModel* table_model() const { return model_; }

signals:
    void revisionActivated(qint64 revision); // open this schedule
    void measureRequested();
    // The menu's Save as CSV…, of figures in full: the window asks for a path and calls export_csv.
    void exportRequested();

protected:
    void restyle() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::vector<MeasurementRow> rows_as_shown() const;
    MeasurementTableModel* model_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    RowCopying* copying_;
};

} // namespace loopscope::views
