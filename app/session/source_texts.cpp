#include "app/session/source_texts.h"

#include "app/session/kernel_remark.h"
#include "app/session/pinned_baseline.h"
#include "app/session/program_arguments.h"
#include "app/session/session.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/output_forms.h"
#include "core/base/whole_file.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

namespace {

constexpr double kTextSeconds = 120; // a text that takes longer is given up

SourceAnswer answer_of(const std::string& what, const Result<nlohmann::json>& made) {
    SourceAnswer answer;
    answer.what = what;
    if (made) {
        answer.text = made->value("text", "");
        answer.lines = origins_of_lines(*made);
        answer.remark = kernel_remark(*made);
    } else {
        answer.failure =
            made.errors().empty() ? "the worker gave no answer" : format(made.errors());
    }
    return answer;
}

Status write_text(measure::WorkerClient& worker, const nlohmann::json& arguments,
                  const std::string& path) {
    measure::RequestOptions options;
    options.timeout_seconds = kTextSeconds;
    auto made = worker.request("emit", arguments, options);
    if (!made)
        return made.errors();
    const auto text = made->value("text", "");
    if (text.empty())
        return error("the worker gave an empty text");
    return write_whole(path, {text});
}

} // namespace

std::vector<NodeId> origins_of_lines(const nlohmann::json& answer) {
    std::vector<NodeId> out;
    auto lines = answer.find("lines");
    if (lines == answer.end())
        return out;
    for (const auto& line : *lines) {
        NodeId id;
        if (line.is_string())
            NodeId::parse(line.get<std::string>(), id);
        out.push_back(id);
    }
    return out;
}

SourceTexts::SourceTexts(Session& session, const PinnedBaseline& baseline,
                         std::shared_ptr<measure::WorkerClient> worker)
    : session_(session),
      baseline_(baseline),
      worker_(std::move(worker)),
      job_(make_job(&SourceTexts::ready)),
      baseline_job_(make_job(&SourceTexts::baselineReady)),
      export_job_([worker = worker_](const ExportQuestion& question) {
          return write_text(*worker, *question.arguments, question.wanted.path);
      }) {
    qRegisterMetaType<SourceAnswer>();
    connect(&session_, &Session::released, this, [this] {
        job_->cancel();
        baseline_job_->cancel();
    });
}

std::unique_ptr<SourceTexts::Job>
SourceTexts::make_job(void (SourceTexts::*answered)(const SourceAnswer&)) {
    auto job = std::make_unique<Job>(
        [worker = worker_](const Question& question, const views::CancelToken& token) {
            measure::RequestOptions options;
            options.cancel = token.flag(); // a superseded text is not worth compiling
            options.timeout_seconds = kTextSeconds;
            return answer_of(question.what, worker->request("emit", *question.arguments, options));
        },
        [this, answered](const Question&, const SourceAnswer& answer) {
            emit(this->*answered)(answer);
        });
    connect(job.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { session_.say(text, true); });
    return job;
}

// A GPU document's schedule is lowered, for either machine, as its kernels are.
std::shared_ptr<const nlohmann::json>
SourceTexts::arguments(const std::string& name, const std::string& script, bool with_main) const {
    auto arguments = program_arguments(*session_.document(), script, *session_.device());
    arguments["as"] = name;
    const auto* form = find_output_form(name);
    if (session_.device()->gpu && form && form->takes_target)
        arguments["target"] = "cuda";
    if (with_main)
        arguments["main"] = true;
    return std::make_shared<const nlohmann::json>(std::move(arguments));
}

void SourceTexts::request(const std::string& what) {
    if (session_.is_open())
        job_->request({what, arguments(what, session_.script())});
}

void SourceTexts::request_baseline(const std::string& what) {
    if (session_.is_open() && baseline_.tree())
        baseline_job_->request({what, arguments(what, baseline_.script())});
}

void SourceTexts::export_to_file(const SourceExport& wanted) {
    if (!session_.is_open())
        return;
    export_job_.ask({{wanted, arguments(wanted.form, session_.script(), wanted.with_main)}},
                    [this](const ExportQuestion& question, const Status& status) {
                        if (status)
                            session_.say(
                                tr("Saved %1").arg(QString::fromStdString(question.wanted.path)),
                                false);
                        else
                            session_.report(status.errors());
                    });
}

} // namespace loopscope::session
