#pragma once
// What Check found in the kernels of a GPU schedule: the verdict, each finding with its place, and what the launches did.

#include "views/models/check_report.h"
#include "views/style/theme.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QStackedWidget;

namespace loopscope::views {

class EmptyState;

class FindingsView : public QWidget {
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
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    CheckReportPtr report_;
    bool running_ = false;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QLabel *verdict_, *launches_;
    QListWidget* list_;
    QWidget* rest_ = nullptr; // the room that no list needs
};

} // namespace loopscope::views
