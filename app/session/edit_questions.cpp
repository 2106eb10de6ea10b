#include "app/session/edit_questions.h"

#include "app/session/session.h"

namespace loopscope::session {

EditQuestions::EditQuestions(Session& session)
    : session_(session),
      judge_job_([](const JudgeQuestion& question) {
          return session::judge(*question.present, question.edit);
      }),
      forecast_job_(
          [](const ForecastRequest& request, const views::CancelToken&) {
              return session::forecast(*request.present, request.edits, request.refused);
          },
          [](const ForecastRequest& request, const Forecast& forecast) {
              request.answer(forecast);
          }),
      alternative_job_(
          [](const AlternativeRequest& request, const views::CancelToken&) {
              const auto refused = request.refused.toStdString();
              Alternative found{
                  QString::fromStdString(legal_alternative(*request.present, refused)), {}};
              if (found.line.isEmpty())
                  found.earlier = earlier_place(*request.present, refused);
              return found;
          },
          [](const AlternativeRequest& request, const Alternative& found) {
              request.answer(found);
          }) {
    judge_job_.give_way(); // verdicts are looked at next, the picture and the estimate now
    for (auto changed : {&Session::treeChanged, &Session::deviceChanged, &Session::released})
        connect(&session_, changed, this, &EditQuestions::follow);
}

// What was asked of another schedule, or of another device, is none of the present one's.
void EditQuestions::follow() {
    auto present = session_.present();
    if (present == asked_of_)
        return;
    asked_of_ = std::move(present);
    judge_job_.clear();
    forecast_job_.cancel();
    alternative_job_.cancel();
    verdicts_.clear();
}

void EditQuestions::judge(const std::vector<views::DirectiveEdit>& edits,
                          const VerdictAnswer& answer) {
    if (!asked_of_)
        return;
    std::vector<JudgeQuestion> open;
    for (const auto& edit : edits)
        if (const auto known = verdicts_.find(edit); known != verdicts_.end())
            answer(edit, known->second);
        else
            open.push_back({asked_of_, edit});
    judge_job_.ask(std::move(open),
                   [this, answer](const JudgeQuestion& question, const views::Verdict& verdict) {
                       verdicts_.emplace(question.edit, verdict);
                       answer(question.edit, verdict);
                   });
}

void EditQuestions::forecast(const std::vector<views::DirectiveEdit>& edits,
                             std::function<void(const Forecast&)> answer, Refused refused) {
    if (asked_of_)
        forecast_job_.request({asked_of_, edits, refused, std::move(answer)});
}

void EditQuestions::find_alternative(const QString& refused,
                                     std::function<void(const Alternative&)> answer) {
    if (asked_of_)
        alternative_job_.request({asked_of_, refused, std::move(answer)});
}

} // namespace loopscope::session
