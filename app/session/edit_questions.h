#pragma once
// Questions about edits that nobody has made yet: verdicts, forecasts, alternatives. All off the
// main thread.

#include "app/session/edits.h"
#include "views/jobs/latest_job.h"
#include "views/jobs/queue_job.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace loopscope::session {

class Session;

class EditQuestions : public QObject {
    Q_OBJECT
public:
    explicit EditQuestions(Session& session);

    // All are answered, unless the schedule changes meanwhile; those that are known already at
    // once.
    using VerdictAnswer = std::function<void(const views::DirectiveEdit&, const views::Verdict&)>;
    void judge(const std::vector<views::DirectiveEdit>& edits, const VerdictAnswer& answer);
    bool judging() const { return judge_job_.busy(); }
    // The newest of these two questions wins. An alternative is a legal directive near in meaning
    // to a refused one; empty: none was found.
    void forecast(const std::vector<views::DirectiveEdit>& edits,
                  std::function<void(const Forecast&)> answer);
    void find_alternative(const QString& refused, std::function<void(const QString&)> answer);

private:
    struct ForecastRequest {
        PresentPtr present;
        std::vector<views::DirectiveEdit> edits;
        std::function<void(const Forecast&)> answer;
    };
    struct AlternativeRequest {
        PresentPtr present;
        QString refused;
        std::function<void(const QString&)> answer;
    };
    struct JudgeQuestion {
        PresentPtr present;
        views::DirectiveEdit edit;
    };

    void follow();

    Session& session_;
    PresentPtr asked_of_; // by the questions that are open and answered
    std::map<views::DirectiveEdit, views::Verdict> verdicts_;
    views::QueueJob<JudgeQuestion, views::Verdict> judge_job_;
    views::LatestJob<ForecastRequest, Forecast> forecast_job_;
    views::LatestJob<AlternativeRequest, QString> alternative_job_;
};

} // namespace loopscope::session
