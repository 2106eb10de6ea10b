#pragma once
// Background requests of one kind, where the newest wins: a new request cancels the one that runs
// and replaces the one that waits. Results come back in the thread that made the job, never for a
// superseded request.

#include "views/jobs/handover.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace loopscope::views {

// Asked by long work between steps; stays true once set.
class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
    void cancel() const { flag_->store(true, std::memory_order_relaxed); }
    // For work that polls a plain flag; lives as long as a copy of the token does.
    const std::atomic<bool>* flag() const { return flag_.get(); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

// The part that needs no types: one worker thread, one slot for what runs next.
class LatestJobBase : public QObject {
    Q_OBJECT
public:
    ~LatestJobBase() override;

    // Before the first request: others, who are waited for, have the processor first.
    void give_way();
    // Drops the waiting request, cancels the running one; nothing of them is reported.
    void cancel();
    // A request is waiting, running, or its result is on the way.
    bool busy() const { return busy_; }
    // Waits for the newest request, at most so long, and not at all where the work before took more
    // than twice that. If its work has ended by then, its result is reported at once, not from the
    // event loop: what is shown of both is painted once.
    void settle(std::chrono::milliseconds most);

signals:
    void busyChanged(bool busy);
    // The work threw: a bug or an exhausted resource, told rather than swallowed.
    void failed(const QString& message);

protected:
    explicit LatestJobBase(QObject* parent);
    // `work` runs in the worker thread and returns what to do in the owner's thread.
    using Report = std::function<void()>;
    void start(std::function<Report(const CancelToken&)> work);
    void stop(); // derived destructors call it: the work may use their members

private:
    struct Slot {
        std::function<Report(const CancelToken&)> work;
        CancelToken token;
    };
    void run();
    void finish(const CancelToken& token, const Report& report, const QString& error);
    void set_busy(bool busy);

    std::mutex mutex_;
    std::condition_variable wake_, ended_;
    std::optional<Slot> next_;
    CancelToken current_;  // of the newest request; guarded by mutex_
    bool working_ = false; // guarded by mutex_: a work is in the thread's hands
    std::chrono::steady_clock::duration took_{}; // guarded by mutex_: the work that ended last
    bool stopping_ = false;
    bool busy_ = false;
    bool gives_way_ = false;
    Handover handover_;  // results, to the owner's thread
    std::thread thread_; // started by the first request
};

template <typename Request, typename Result> class LatestJob : public LatestJobBase {
public:
    using Work = std::function<Result(const Request&, const CancelToken&)>;
    using Done = std::function<void(const Request&, const Result&)>;

    // `work` runs in the worker thread: it may use only the request and what is immutable or its
    // own.
    LatestJob(Work work, Done done, QObject* parent = nullptr)
        : LatestJobBase(parent),
          work_(std::make_shared<Work>(std::move(work))),
          done_(std::make_shared<Done>(std::move(done))) {}
    ~LatestJob() override { stop(); }

    void request(Request request) {
        start([work = work_, done = done_,
               request = std::make_shared<const Request>(std::move(request))](
                  const CancelToken& token) -> Report {
            auto result = std::make_shared<const Result>((*work)(*request, token));
            return [done, request, result] { (*done)(*request, *result); };
        });
    }

private:
    std::shared_ptr<Work> work_;
    std::shared_ptr<Done> done_;
};

} // namespace loopscope::views
