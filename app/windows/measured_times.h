#pragma once
// What was measured for the document, read once for all panels that show it.

#include "app/session/measured_medians.h"
#include "views/models/measurement_table.h"
#include "views/widgets/estimate_view.h"

#include <QObject>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::session {
class Document;
class Session;
} // namespace loopscope::session

namespace loopscope::app {

class MeasuredTimes : public QObject {
    Q_OBJECT
public:
    explicit MeasuredTimes(const session::Session& session);

    views::MeasurementRows rows() const { return rows_; } // never null
    // The time of the present schedule; where there is none, of an earlier one, marked as such.
    // None stands beside the estimate for another machine: it would look like its confirmation.
    const std::optional<views::MeasuredTime>& latest() const { return latest_; }
    // Seconds on the present device, the newest of each revision that was measured there: what
    // `latest` shows of the present one.
    const std::map<std::int64_t, double>& newest_by_revision() const { return newest_; }
    // The same, found by what a schedule does.
    const session::MeasuredMedians& medians() const { return medians_; }

signals:
    void changed();

private:
    using Rows = std::vector<views::MeasurementRow>;

    void read();

    const session::Session& session_;
    std::shared_ptr<const Rows> rows_ = std::make_shared<const Rows>();
    std::optional<views::MeasuredTime> latest_;
    std::map<std::int64_t, double> newest_;
    session::MeasuredMedians medians_;
};

} // namespace loopscope::app
