#pragma once
// The window that compares two schedules of the open pipeline: revisions of the history, the pinned
// baseline, the schedule of now, or a .sched file. It follows the document: the schedule of now and
// the baseline are those of the moment.

#include "app/session/measured_medians.h"
#include "app/session/session.h"
#include "views/jobs/latest_job.h"
#include "views/models/schedule_pair.h"

#include <QDialog>

namespace loopscope::views {
class SchedulesView;
}

namespace loopscope::app {

struct ComparedSide {
    enum class Kind { Present, Baseline, Revision, File } kind = Kind::Present;
    std::int64_t revision = 0; // of Revision
    QString path;              // of File

    static ComparedSide baseline() { return {Kind::Baseline, 0, {}}; }
    static ComparedSide of(std::int64_t revision) { return {Kind::Revision, revision, {}}; }
    static ComparedSide file(const QString& path) { return {Kind::File, 0, path}; }
    bool operator==(const ComparedSide&) const = default;
};

class ComparisonWindow : public QDialog {
    Q_OBJECT
public:
    ComparisonWindow(session::Session& session, QWidget* parent);
    void compare(ComparedSide left, ComparedSide right); // by value: they may be this window's own
    const ComparedSide& left() const { return left_; }
    const ComparedSide& right() const { return right_; }
    views::SchedulesView* view() const { return view_; }
    bool busy() const { return job_.busy(); }
    Status save(const QString& path) const; // by its ending: .md is Markdown, else plain text

signals:
    void currentWanted(const loopscope::app::ComparedSide& side);
    void fileWanted(bool left); // the person is to be asked for one
    void saveWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Question {
        PipelinePtr pipeline;
        session::DevicePtr device;
        QString device_text;
        std::string title[2], script[2], failure[2];
        session::MeasuredMedians medians;
    };
    using Job = views::LatestJob<Question, std::shared_ptr<const views::SchedulePair>>;

    static std::shared_ptr<const views::SchedulePair> answer(const Question& question);
    // what the lists offer, the file to be chosen left out
    std::vector<ComparedSide> offered() const;
    QString name(const ComparedSide& side) const;
    void resolve(const ComparedSide& side, Question& question, int at) const;
    void refresh();
    void document_changed();
    void choose(bool left, int index);
    bool is_present(const ComparedSide& side) const;

    session::Session& session_;
    ComparedSide left_, right_;
    QStringList files_; // that were chosen
    views::SchedulesView* view_;
    Job job_;
};

} // namespace loopscope::app
