#pragma once
// Texts that the worker makes of a schedule: source for people to read, and files. They have a
// worker of their own, so that a measurement does not delay them.

#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "views/jobs/latest_job.h"
#include "views/jobs/queue_job.h"

#include <QMetaType>
#include <QObject>
#include <QString>

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace loopscope::measure {
class WorkerClient;
}

namespace loopscope::session {

class PinnedBaseline;
class Session;

// A text for the source view.
struct SourceAnswer {
    std::string what; // "loops", "llvm"
    std::string text;
    std::vector<NodeId> lines; // the origin of each line
    std::string failure;       // not empty: why there is no text
    std::string remark; // of kernels: what the assembler says of them, a sentence; may be empty
};

// A text that is written to a file.
struct SourceExport {
    std::string form;       // what the worker calls it: "c", "loops", "llvm"
    bool with_main = false; // of C: with a main that runs and times it
    std::string path;
};

// The origins in the worker's answer to `emit`, line by line.
std::vector<NodeId> origins_of_lines(const nlohmann::json& answer);

class SourceTexts : public QObject {
    Q_OBJECT
public:
    SourceTexts(Session& session, const PinnedBaseline& baseline,
                std::shared_ptr<measure::WorkerClient> worker);

    // Asks for the present schedule's text; the newest request wins, and `ready` answers it.
    void request(const std::string& what);
    // The same of the pinned baseline; answered by `baselineReady`.
    void request_baseline(const std::string& what);
    // Exports the schedule at the time of asking, one export after another. A message of the
    // session answers: saved, or why not.
    void export_to_file(const SourceExport& wanted);

signals:
    void ready(const loopscope::session::SourceAnswer& answer);
    void baselineReady(const loopscope::session::SourceAnswer& answer);

private:
    struct Question {
        std::string what;
        std::shared_ptr<const nlohmann::json> arguments;
    };
    struct ExportQuestion {
        SourceExport wanted;
        std::shared_ptr<const nlohmann::json> arguments;
    };
    using Job = views::LatestJob<Question, SourceAnswer>;
    using ExportJob = views::QueueJob<ExportQuestion, Status>;

    std::unique_ptr<Job> make_job(void (SourceTexts::*answered)(const SourceAnswer&));
    std::shared_ptr<const nlohmann::json>
    arguments(const std::string& name, const std::string& script, bool with_main = false) const;

    Session& session_;
    const PinnedBaseline& baseline_;
    std::shared_ptr<measure::WorkerClient> worker_;
    std::unique_ptr<Job> job_, baseline_job_;
    ExportJob export_job_;
};

} // namespace loopscope::session

Q_DECLARE_METATYPE(loopscope::session::SourceAnswer)
