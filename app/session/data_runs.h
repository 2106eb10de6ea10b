#pragma once
// The program run on a person's own arrays: which inputs have a file, the newest result, and where
// it is. The worker runs it; results stay in files, of which those are read that somebody looks at.

#include "app/session/data_files.h"
#include "app/session/document_device.h"
#include "app/session/worker_tasks.h"
#include "views/jobs/latest_job.h"
#include "views/jobs/queue_job.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class QTemporaryDir;

namespace loopscope::session {

class Session;

// What a result was made of: of another one it is stale.
struct DataSource {
    ProgramPtr program;
    std::string script; // of a stage, which no schedule touches, empty
    std::string device; // likewise
    DataFiles files;
};

struct DataResult {
    std::string stage; // empty: the outputs
    std::vector<DataArray> inputs, outputs;
    DataSource source;
    DevicePtr device; // that was chosen then
    QString summary;  // by which schedule, where, how long it took, at which sizes
    std::shared_ptr<const QTemporaryDir> folder; // where the outputs' files are
};

// An array to look at; null: it could not be read, and why.
struct LookedAt {
    DataArray array;
    std::shared_ptr<const Buffer> buffer;
    QString failure;
};

class DataRuns : public QObject {
    Q_OBJECT
public:
    DataRuns(Session& session, WorkerTasks& tasks);
    ~DataRuns() override;

    // Each in the pipeline's order, with its file or a seed; once something has run, as it ran.
    std::vector<DataArray> inputs() const;
    std::vector<std::string> stages() const; // whose values can be looked at

    // Files for inputs: each for the first that it fits, or for the named one.
    void offer(const QStringList& paths, const std::string& input = {});
    void forget(const std::string& input); // it is random again
    bool reading() const { return reads_.busy(); }

    // The present schedule on the inputs; on a GPU that is only described its definitions, here.
    void run();
    // All that is needed of one stage, by its definition.
    void run_stage(const std::string& stage);
    bool running() const { return tasks_.running(); }

    const std::shared_ptr<const DataResult>& result() const { return result_; } // null: none
    bool stale() const; // the result is of another program, schedule or file
    const QString& refusal() const { return refusal_; } // of the last that was asked for

    // Reads arrays to look at: answered by `looked`, the newest request alone. Null: none.
    void look(const DataArray* input, const DataArray* output);
    bool looking() const { return looks_.busy(); }
    // An output of a result, which may not be the newest any more, into a file, .npy or .png; what
    // came of it is told the session's person.
    void save(const DataResult& of, const DataArray& output, const QString& path);

signals:
    void changed(); // inputs, result, or what is said of them
    void offered(); // by a person's hand: files for inputs
    void looked(const loopscope::session::LookedAt& input,
                const loopscope::session::LookedAt& output);

private:
    struct Offer {
        DataProgram program;
        DataFiles files;
        // With the input that each is for; empty: the first that it fits.
        std::vector<std::pair<std::string, std::string>> paths;
        std::uint64_t opening = 0;
    };
    struct Taken {
        std::vector<DataArray> inputs;
        Diagnostics errors;
    };
    struct Look {
        std::optional<DataArray> input, output;
        std::shared_ptr<const QTemporaryDir> folder; // is there until it is read
    };
    struct Looked {
        LookedAt input, output;
    };
    struct Saving {
        DataArray output;
        std::string path;
        std::shared_ptr<const QTemporaryDir> folder;
    };

    DataProgram program() const;
    DataSource source_now(const std::string& stage) const;
    void start(const std::string& stage);
    WorkerTasks::ArraysRun arrays_run(const DataResult& wanted) const;
    void take(const DataResult& wanted, const nlohmann::json& answer);
    QString summary_of(const DataResult& of, const nlohmann::json& answer) const;
    void refuse(const Diagnostics& errors);
    void follow_program();
    void forget_all();

    Session& session_;
    WorkerTasks& tasks_;
    DataFiles files_;
    std::shared_ptr<const DataResult> result_;
    QString refusal_;
    std::vector<std::pair<std::string, std::string>> offered_; // not read yet
    views::LatestJob<Offer, Taken> reads_;
    views::LatestJob<Look, Looked> looks_;
    views::QueueJob<Saving, Status> saves_;
};

} // namespace loopscope::session
