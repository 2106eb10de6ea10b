#pragma once
// Everything measured, as a table. Rows are what the session recorded; nothing is computed here but
// formats.

#include "views/models/measured_time.h"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace loopscope::views {

struct MeasurementRow {
    qint64 id = 0;       // of the measurement in the document
    qint64 revision = 0; // the schedule that was measured
    QString schedule;    // its name, or what its last directive did
    QString device;
    QDateTime when;
    bool failed = false; // then `message` says why, and there are no figures
    QString message;
    double median_seconds = 0, min_seconds = 0;
    // half the 95 % confidence interval; absent: too few samples for one
    std::optional<double> interval_seconds;
    // `threads`: of a processor; 0: it was a GPU.
    int samples = 0, threads = 0;
    std::optional<double> predicted_seconds;           // by the estimate at that time
    double flops_per_second = 0, bytes_per_second = 0; // 0: the program does none
    // the pinned schedule's median on the same device, measured
    std::optional<double> baseline_seconds;
    bool stale = false;                       // the schedule has moved on
    std::vector<MeasuredKernel> kernels = {}; // of a GPU
    std::optional<double> clock_hertz = {};   // of its multiprocessors, when timing ended
    bool cold = false;                        // its L2 cache was emptied before each run
    double busy_cores = 0; // that other work kept busy meanwhile, where that is worth a word
};
using MeasurementRows = std::shared_ptr<const std::vector<MeasurementRow>>;

// "The machine was busy: other work had 1.3 cores …"
QString busy_words(double cores);

class MeasurementTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Schedule,
        Median,
        Spread,
        Samples,
        Change, // of the median against the baseline's
        Predicted,
        Ratio,
        Flops,
        Bandwidth,
        Threads,
        Device,
        When,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole, RowIdRole, RevisionRole, FailedRole, StaleRole, SignRole };

    explicit MeasurementTableModel(QObject* parent = nullptr);
    void set_rows(MeasurementRows rows);
    const std::vector<MeasurementRow>& rows() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    MeasurementRows rows_;
};

// "2.04 s ± 3 ms", "2.04 s (1 sample, spread unknown)".
QString measured_text(double median_seconds, std::optional<double> interval_seconds, int samples);

// RFC 4180 text with full precision and units in the header, one line a row.
QString to_csv(const std::vector<MeasurementRow>& rows);

} // namespace loopscope::views
