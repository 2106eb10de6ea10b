#pragma once
// Questions about edits that nobody has made yet: verdicts, forecasts, alternatives. All off the
// main thread.

#include "app/session/earlier_place.h"
#include "app/session/edits.h"
#include "views/jobs/latest_job.h"
#include "views/jobs/queue_job.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope::session {

class Session;

// What would be legal in place of a refused directive: one near it in meaning, or else the same one
// further up in the script. Neither: nothing was found.
struct Alternative {
    QString line; // empty: there is none
    std::optional<EarlierPlace> earlier;
};

class EditQuestions : public QObject {
    Q_OBJECT
public:
    explicit EditQuestions(Session& session);

    // All are answered, unless the schedule changes meanwhile; those that are known already at
    // once.
    using VerdictAnswer = std::function<void(const views::DirectiveEdit&, const views::Verdict&)>;
    void judge(const std::vector<views::DirectiveEdit>& edits, const VerdictAnswer& answer);
    bool judging() const { return judge_job_.busy(); }
    // The newest of each of these two questions wins.
    void forecast(const std::vector<views::DirectiveEdit>& edits,
                  std::function<void(const Forecast&)> answer, Refused refused = Refused::Stops);
    void find_alternative(const QString& refused, std::function<void(const Alternative&)> answer);

private:
    struct ForecastRequest {
        PresentPtr present;
        std::vector<views::DirectiveEdit> edits;
        Refused refused;
        std::function<void(const Forecast&)> answer;
    };
    struct AlternativeRequest {
        PresentPtr present;
        QString refused;
        std::function<void(const Alternative&)> answer;
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
    views::LatestJob<AlternativeRequest, Alternative> alternative_job_;
};

} // namespace loopscope::session
