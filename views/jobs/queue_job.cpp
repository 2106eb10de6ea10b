#include "views/jobs/queue_job.h"

#include "views/jobs/background.h"

namespace loopscope::views {

QueueJobBase::QueueJobBase(QObject* parent) : QObject(parent) {}

QueueJobBase::~QueueJobBase() { stop(); }

void QueueJobBase::give_way() {
    Q_ASSERT(!thread_.joinable());
    gives_way_ = true;
}

void QueueJobBase::push_front(std::vector<Work> batch) {
    if (batch.empty())
        return;
    {
        std::lock_guard lock(mutex_);
        if (stopping_)
            return;
        pending_ += batch.size();
        waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()),
                        std::make_move_iterator(batch.end()));
        if (!thread_.joinable())
            thread_ = std::thread([this] { run(); });
    }
    wake_.notify_one();
}

void QueueJobBase::clear() {
    std::lock_guard lock(mutex_);
    waiting_.clear();
    pending_ = 0;
    ++round_;
}

void QueueJobBase::stop() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        waiting_.clear();
    }
    wake_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

void QueueJobBase::run() {
    if (gives_way_)
        step_back();
    for (;;) {
        Work work;
        std::uint64_t round = 0;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (stopping_)
                return;
            work = std::move(waiting_.front());
            waiting_.pop_front();
            round = round_;
        }
        handover_.post([this, round, report = work()] { finish(round, report); });
    }
}

void QueueJobBase::finish(std::uint64_t round, const Report& report) {
    if (round != round_)
        return;
    --pending_;
    report();
    if (pending_ == 0)
        emit idle();
}

} // namespace loopscope::views
