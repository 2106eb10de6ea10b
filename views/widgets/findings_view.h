#pragma once
// What Check found in the kernels of a GPU schedule: the verdict, each finding with its place, and
// what the launches did.

#include "views/models/check_report.h"
#include "views/widgets/paged_view.h"

class QLabel;
class QListWidget;

namespace loopscope::views {

class FindingsView : public PagedView {
    Q_OBJECT
public:
    explicit FindingsView(QWidget* parent = nullptr);
    void set_report(CheckReportPtr report); // null: not checked since the last change
    void set_running(bool running);
    QString summary() const;
    QListWidget* list() const { return list_; }

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void checkRequested();

protected:
    void restyle() override { refresh(); }

private:
    void refresh();

    CheckReportPtr report_;
    bool running_ = false;
    QLabel *verdict_, *launches_;
    QListWidget* list_;
    QWidget* rest_ = nullptr; // the room that no list needs
};

} // namespace loopscope::views
