#include "views/models/measurement_table.h"

#include "views/models/csv.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"

#include <QLocale>
#include <QStringList>

namespace loopscope::views {

namespace {

QString text_of(const MeasurementRow& row, int column) {
    using Table = MeasurementTableModel;
    if (row.failed && column != Table::Schedule && column != Table::Device && column != Table::When)
        return column == Table::Median ? QObject::tr("failed") : kNone;
    switch (column) {
    case Table::Schedule: return row.schedule;
    case Table::Median:
        return row.busy_cores > 0 ? QStringLiteral("⚠ ") + format_seconds(row.median_seconds)
                                  : format_seconds(row.median_seconds);
    case Table::Spread:
        return row.interval_seconds ? QStringLiteral("± ") + format_seconds(*row.interval_seconds)
                                    : QObject::tr("unknown");
    case Table::Change:
        return row.baseline_seconds ? format_time_change(*row.baseline_seconds, row.median_seconds)
                                    : kNone;
    case Table::Predicted:
        return row.predicted_seconds ? format_seconds(*row.predicted_seconds) : kNone;
    case Table::Ratio:
        return row.predicted_seconds && *row.predicted_seconds > 0
                   ? format_factor(row.median_seconds / *row.predicted_seconds)
                   : kNone;
    case Table::Flops:
        return row.flops_per_second > 0 ? format_flops_per_second(row.flops_per_second) : kNone;
    case Table::Bandwidth:
        return row.bytes_per_second > 0 ? format_bytes_per_second(row.bytes_per_second) : kNone;
    case Table::Threads: return row.threads > 0 ? QString::number(row.threads) : kNone;
    case Table::Samples: return QString::number(row.samples);
    case Table::Device: return row.device;
    case Table::When: return QLocale().toString(row.when, QLocale::ShortFormat);
    default: return {};
    }
}

QVariant sort_key(const MeasurementRow& row, int column) {
    using Table = MeasurementTableModel;
    switch (column) {
    case Table::Schedule: return row.schedule;
    case Table::Median: return row.failed ? 1e300 : row.median_seconds; // failures after every time
    case Table::Spread: return row.interval_seconds.value_or(1e300);
    case Table::Change:
        return row.baseline_seconds && *row.baseline_seconds > 0 && !row.failed
                   ? row.median_seconds / *row.baseline_seconds
                   : 1e300;
    case Table::Predicted: return row.predicted_seconds.value_or(1e300);
    case Table::Ratio:
        return row.predicted_seconds && *row.predicted_seconds > 0
                   ? row.median_seconds / *row.predicted_seconds
                   : 1e300;
    case Table::Flops: return row.flops_per_second;
    case Table::Bandwidth: return row.bytes_per_second;
    case Table::Threads: return row.threads;
    case Table::Samples: return row.samples;
    case Table::Device: return row.device;
    case Table::When: return row.when;
    default: return {};
    }
}

// The shortest text that reads back as the same number.
QString exact(double value) { return QString::number(value, 'g', QLocale::FloatingPointShortest); }

} // namespace

QString busy_words(double cores) {
    return QObject::tr("The machine was busy: other work had %1 cores on average. Measured again "
                       "while it is quiet, the schedule may be faster.")
        .arg(format_significant(cores, 2));
}

MeasurementTableModel::MeasurementTableModel(QObject* parent)
    : QAbstractTableModel(parent), rows_(std::make_shared<const std::vector<MeasurementRow>>()) {}

void MeasurementTableModel::set_rows(MeasurementRows rows) {
    beginResetModel();
    rows_ = rows ? std::move(rows) : std::make_shared<const std::vector<MeasurementRow>>();
    endResetModel();
}

const std::vector<MeasurementRow>& MeasurementTableModel::rows() const { return *rows_; }

int MeasurementTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_->size());
}

int MeasurementTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MeasurementTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount({}))
        return {};
    const MeasurementRow& row = (*rows_)[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text_of(row, index.column());
    case Qt::ToolTipRole:
        if (row.failed)
            return row.message;
        if (index.column() == Median && row.busy_cores > 0)
            return busy_words(row.busy_cores);
        if (index.column() == Spread && !row.interval_seconds)
            return tr("%1: too few to say how far the time scatters. Six give an interval.")
                .arg(row.samples == 1 ? tr("1 sample") : tr("%1 samples").arg(row.samples));
        return row.stale ? tr("Of an earlier schedule. Double-click opens it.")
                         : tr("Double-click opens this schedule.");
    case Qt::TextAlignmentRole: {
        const bool words =
            index.column() == Schedule || index.column() == Device || index.column() == When;
        return QVariant((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    case SortRole: return sort_key(row, index.column());
    case RowIdRole: return row.id;
    case RevisionRole: return row.revision;
    case FailedRole: return row.failed;
    case StaleRole: return row.stale;
    case SignRole:
        return index.column() == Change && row.baseline_seconds && !row.failed
                   ? change_sign(*row.baseline_seconds, row.median_seconds)
                   : 0;
    default: return {};
    }
}

QVariant MeasurementTableModel::headerData(int section, Qt::Orientation orientation,
                                           int role) const {
    static const char* const titles[] = {
        QT_TR_NOOP("Schedule"), QT_TR_NOOP("Median"),           QT_TR_NOOP("95 %"),
        QT_TR_NOOP("Samples"),  QT_TR_NOOP("Against baseline"), QT_TR_NOOP("Predicted"),
        QT_TR_NOOP("Ratio"),    QT_TR_NOOP("Arithmetic"),       QT_TR_NOOP("Traffic"),
        QT_TR_NOOP("Threads"),  QT_TR_NOOP("Device"),           QT_TR_NOOP("When")};
    static const char* const sentences[] = {
        QT_TR_NOOP("The schedule that was measured."),
        QT_TR_NOOP("The median of the samples' times."),
        QT_TR_NOOP("Half of the 95 % confidence interval of the median; it takes six samples."),
        QT_TR_NOOP("Timed repetitions."),
        QT_TR_NOOP("How the median differs from that of the pinned baseline, measured on the same "
                   "device; – where the baseline was not measured there."),
        QT_TR_NOOP("The estimate when it was measured."),
        QT_TR_NOOP("The measured time divided by the predicted one."),
        QT_TR_NOOP("Floating-point operations a second."),
        QT_TR_NOOP("Compulsory bytes a second: inputs read once, outputs written once."),
        QT_TR_NOOP("Threads of the processor that took part; – on a GPU."),
        QT_TR_NOOP("The machine."),
        QT_TR_NOOP("When it was measured.")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return tr(titles[section]);
    if (role == Qt::ToolTipRole)
        return tr(sentences[section]);
    if (role == Qt::TextAlignmentRole) {
        const bool words = section == Schedule || section == Device || section == When;
        return QVariant((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return {};
}

QString measured_text(double median_seconds, std::optional<double> interval_seconds, int samples) {
    const QString median = format_seconds(median_seconds);
    if (interval_seconds)
        return median + QStringLiteral(" ± ") + format_seconds(*interval_seconds);
    return samples == 1 ? QObject::tr("%1 (1 sample, spread unknown)").arg(median)
                        : QObject::tr("%1 (%2 samples, spread unknown)").arg(median).arg(samples);
}

QString to_csv(const std::vector<MeasurementRow>& rows) {
    QString csv = QStringLiteral("schedule,median_s,min_s,ci95_s,predicted_s,flops_per_s,bytes_per_"
                                 "s,threads,samples,device,when,error\r\n");
    for (const MeasurementRow& row : rows) {
        QStringList fields{row.schedule};
        if (row.failed)
            fields << "" << "" << "" << "" << "" << "" << "" << "";
        else
            fields << exact(row.median_seconds) << exact(row.min_seconds)
                   << (row.interval_seconds ? exact(*row.interval_seconds) : QString())
                   << (row.predicted_seconds ? exact(*row.predicted_seconds) : QString())
                   << (row.flops_per_second > 0 ? exact(row.flops_per_second) : QString())
                   << (row.bytes_per_second > 0 ? exact(row.bytes_per_second) : QString())
                   << (row.threads > 0 ? QString::number(row.threads) : QString())
                   << QString::number(row.samples);
        fields << row.device << row.when.toString(Qt::ISODate) << row.message;
        csv += csv_line(fields);
    }
    return csv;
}

} // namespace loopscope::views
