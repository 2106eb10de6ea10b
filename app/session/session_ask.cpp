// Questions about edits that nobody has made yet: verdicts, forecasts, alternatives. All off the main thread.

#include "app/session/session.h"

namespace loopscope::session {

void Session::make_edit_jobs() {
    judge_job_ = std::make_unique<JudgeJob>([](const JudgeQuestion& question) {
        return session::judge(*question.present, question.edit);
    });
    judge_job_->give_way(); // verdicts are looked at next, the picture and the estimate now
    forecast_job_ = std::make_unique<ForecastJob>(
        [](const ForecastRequest& request, const views::CancelToken&) {
            return session::forecast(*request.present, request.edits);
        },
        [](const ForecastRequest& request, const Forecast& forecast) { request.answer(forecast); });
    alternative_job_ = std::make_unique<AlternativeJob>(
        [](const AlternativeRequest& request, const views::CancelToken&) {
            return QString::fromStdString(
                legal_alternative(*request.present, request.refused.toStdString()));
        },
        [](const AlternativeRequest& request, const QString& line) { request.answer(line); });
}

Session::PresentPtr Session::present() const {
    if (!document_)
        return nullptr;
    if (!present_)
        present_ =
            std::make_shared<const Present>(Present{pipeline_, script_, scheduled_, device_});
    return present_;
}

void Session::forget_verdicts() {
    judge_job_->clear();
    forecast_job_->cancel();
    alternative_job_->cancel();
    verdicts_.clear();
    present_.reset();
}

std::optional<QString> Session::why_refused(const QString& line) const {
    if (!document_)
        return tr("nothing is open");
    const auto verdict = session::judge(*present(), line);
    return verdict.available ? std::nullopt : std::optional<QString>(verdict.reason);
}

void Session::judge(const std::vector<views::DirectiveEdit>& edits, const VerdictAnswer& answer) {
    if (!document_)
        return;
    std::vector<JudgeQuestion> open;
    for (const auto& edit : edits)
        if (const auto known = verdicts_.find(edit); known != verdicts_.end())
            answer(edit, known->second);
        else
            open.push_back({present(), edit});
    judge_job_->ask(std::move(open),
                    [this, answer](const JudgeQuestion& question, const views::Verdict& verdict) {
                        verdicts_.emplace(question.edit, verdict);
                        answer(question.edit, verdict);
                    });
}

void Session::forecast(const std::vector<views::DirectiveEdit>& edits,
                       std::function<void(const Forecast&)> answer) {
    if (document_)
        forecast_job_->request({present(), edits, std::move(answer)});
}

void Session::find_alternative(const QString& refused, std::function<void(const QString&)> answer) {
    if (document_)
        alternative_job_->request({present(), refused, std::move(answer)});
}

} // namespace loopscope::session
