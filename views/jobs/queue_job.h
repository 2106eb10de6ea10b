#pragma once
// Background questions that all want an answer, unlike those of a LatestJob: a batch asked later is
// answered before what still waits, because somebody is looking at it now. Answers come in the
// thread that made the job.

#include "views/jobs/handover.h"

#include <QObject>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace loopscope::views {

// The part that needs no types: one worker thread and the work that waits for it.
class QueueJobBase : public QObject {
    Q_OBJECT
public:
    ~QueueJobBase() override;
    // Drops what waits and the answer of what runs.
    void clear();
    bool busy() const { return pending_ > 0; } // some answer is still to come
    // Before the first question: others, who are waited for, have the processor first.
    void give_way();

signals:
    void idle(); // the last answer was given

protected:
    explicit QueueJobBase(QObject* parent);
    using Report = std::function<void()>;
    using Work = std::function<Report()>;
    void push_front(std::vector<Work> batch);
    void stop(); // derived destructors call it: the work may use their members

private:
    void run();
    void finish(std::uint64_t round, const Report& report);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Work> waiting_;
    std::uint64_t round_ = 0; // counts clear(): answers of an earlier round are dropped
    bool stopping_ = false;
    bool gives_way_ = false;
    std::size_t pending_ = 0; // of this round; owner's thread only
    Handover handover_;       // answers, to the owner's thread
    std::thread thread_;      // started by the first question
};

template <typename Question, typename Answer> class QueueJob : public QueueJobBase {
public:
    using Work = std::function<Answer(const Question&)>;
    using Done = std::function<void(const Question&, const Answer&)>;

    // `work` runs in the worker thread: it may use only the question and what is immutable or its
    // own. It does not throw.
    explicit QueueJob(Work work, QObject* parent = nullptr)
        : QueueJobBase(parent), work_(std::make_shared<Work>(std::move(work))) {}
    ~QueueJob() override { stop(); }

    void ask(std::vector<Question> questions, Done done) {
        auto shared = std::make_shared<const Done>(std::move(done));
        std::vector<QueueJobBase::Work> batch;
        for (Question& question : questions)
            batch.push_back(
                [work = work_, done = shared,
                 question = std::make_shared<const Question>(std::move(question))]() -> Report {
                    auto answer = std::make_shared<const Answer>((*work)(*question));
                    return [done, question, answer] { (*done)(*question, *answer); };
                });
        push_front(std::move(batch));
    }

private:
    std::shared_ptr<Work> work_;
};

} // namespace loopscope::views
