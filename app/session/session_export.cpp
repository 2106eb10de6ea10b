// Texts of the present schedule, written to files. The worker makes them, off the main thread; what is exported is the
// schedule at the time of asking.

#include "app/session/session.h"

#include "compiler/run/whole_file.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

namespace {
constexpr double kExportSeconds = 120; // a text that takes longer is given up
}

void Session::make_export_job() {
    export_job_ = std::make_unique<ExportJob>(
        [worker = source_worker_](const ExportQuestion& question) -> Status {
            measure::RequestOptions options;
            options.timeout_seconds = kExportSeconds;
            auto made = worker->request("emit", *question.arguments, options);
            if (!made)
                return made.errors();
            const auto text = made->value("text", "");
            if (text.empty())
                return error("the worker gave an empty text");
            return write_whole(question.wanted.path, {text});
        });
}

void Session::export_source(const SourceExport& wanted) {
    if (!document_)
        return;
    auto arguments = program_arguments(script_);
    add_form(arguments, wanted.form);
    if (wanted.with_main)
        arguments["main"] = true;
    export_job_->ask({{wanted, std::make_shared<const nlohmann::json>(std::move(arguments))}},
                     [this](const ExportQuestion& question, const Status& status) {
                         if (status)
                             emit message(
                                 tr("Saved %1").arg(QString::fromStdString(question.wanted.path)),
                                 false);
                         else
                             report(status.errors());
                     });
}

} // namespace loopscope::session
