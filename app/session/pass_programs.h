#pragma once
// The loop program behind each pass of the compilation, made by the worker off the main thread, and
// what each pass changed. What was made of a script is kept: undoing and redoing ask for the same
// again and again.

#include "views/jobs/latest_job.h"
#include "views/models/pass_steps.h"

#include <QObject>

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace loopscope::measure {
class WorkerClient;
}

namespace loopscope::session {

class Session;

class PassPrograms : public QObject {
    Q_OBJECT
public:
    PassPrograms(Session& session, std::shared_ptr<measure::WorkerClient> worker);

    // Asks for the present schedule's programs, that of the pass `first` first. The newest request
    // wins; `ready` answers it at once with what is known, and again whenever more is.
    void request(std::size_t first = 0);
    bool making() const { return job_.busy(); }

signals:
    void ready(const loopscope::views::PassSteps& steps);

private:
    struct Request {
        std::string key; // of everything that the programs depend on
        std::size_t first = 0;
        views::PassSteps known;
        std::shared_ptr<const nlohmann::json> arguments;
    };
    struct Kept {
        std::string key;
        views::PassSteps steps;
    };

    views::PassSteps make(const Request& request, const views::CancelToken& token);
    void keep(const std::string& key, const views::PassSteps& steps);

    Session& session_;
    std::shared_ptr<measure::WorkerClient> worker_;
    std::vector<Kept> kept_; // of some scripts, the newest last
    std::string wanted_;     // the key of what was asked for last
    views::Handover handover_;
    views::LatestJob<Request, views::PassSteps> job_; // ends before what it reports to
};

} // namespace loopscope::session
