#pragma once
// The report: all that the window knows of the open document, as one page of HTML. It is made once
// everything is of the present schedule, also what nobody sees.

#include "app/windows/picture_wait.h"
#include "core/base/result.h"
#include "views/models/report.h"

#include <QObject>
#include <QString>

#include <vector>

namespace loopscope::app {

class Panel;
struct Services;

class Reports : public QObject {
    Q_OBJECT
public:
    // `panels`: whose pictures it has, in this order.
    Reports(Services& services, std::vector<Panel*> panels);

    void ask(); // for a file
    using Done = PictureWait::Done;
    // The newest wins. Errors: those of PictureWait; the file cannot be written.
    void write(const QString& path, Done done);
    bool busy() const { return wait_.busy(); }
    void set_patience(int milliseconds) { wait_.set_patience(milliseconds); }

private:
    bool known() const; // what is no panel's
    views::Report contents() const;
    std::vector<views::ReportSchedule> schedules() const;
    views::MeasurementRows measurements() const;
    std::vector<views::ReportVerdict> verdicts() const;
    std::vector<views::ReportFigure> figures() const;

    Services& services_;
    std::vector<Panel*> panels_;
    PictureWait wait_;
};

} // namespace loopscope::app
