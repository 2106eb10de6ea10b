#include "views/jobs/latest_job.h"

#include "views/jobs/background.h"

namespace loopscope::views {

LatestJobBase::LatestJobBase(QObject* parent) : QObject(parent) {}

LatestJobBase::~LatestJobBase() { stop(); }

void LatestJobBase::give_way() {
    Q_ASSERT(!thread_.joinable());
    gives_way_ = true;
}

void LatestJobBase::start(std::function<Report(const CancelToken&)> work) {
    {
        std::lock_guard lock(mutex_);
        current_.cancel();
        current_ = CancelToken();
        next_ = Slot{std::move(work), current_};
        if (!thread_.joinable() && !stopping_)
            thread_ = std::thread([this] { run(); });
    }
    wake_.notify_one();
    set_busy(true);
}

void LatestJobBase::cancel() {
    {
        std::lock_guard lock(mutex_);
        current_.cancel();
        next_.reset();
    }
    set_busy(false);
}

void LatestJobBase::settle(std::chrono::milliseconds most) {
    {
        std::unique_lock lock(mutex_);
        if (took_ <= 2 * most)
            ended_.wait_for(lock, most, [this] { return !next_ && !working_; });
    }
    handover_.deliver();
}

void LatestJobBase::stop() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        current_.cancel();
        next_.reset();
    }
    wake_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

void LatestJobBase::run() {
    if (gives_way_)
        step_back();
    for (;;) {
        Slot slot;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || next_; });
            if (stopping_)
                return;
            slot = std::move(*next_);
            next_.reset();
            working_ = true;
        }
        Report report;
        QString error;
        const auto begin = std::chrono::steady_clock::now();
        try {
            report = slot.work(slot.token);
        } catch (const std::exception& e) {
            error = QString::fromUtf8(e.what());
        } catch (...) {
            error = QStringLiteral("the work ended with an unknown exception");
        }
        if (!slot.token.cancelled())
            handover_.post([this, token = slot.token, report = std::move(report),
                            error = std::move(error)] { finish(token, report, error); });
        {
            std::lock_guard lock(mutex_);
            working_ = false;
            took_ = std::chrono::steady_clock::now() - begin;
        }
        ended_.notify_all();
    }
}

void LatestJobBase::finish(const CancelToken& token, const Report& report, const QString& error) {
    if (token.cancelled()) // superseded between the end of the work and now
        return;
    set_busy(false);
    if (report)
        report();
    else
        emit failed(error);
}

void LatestJobBase::set_busy(bool busy) {
    if (busy_ == busy)
        return;
    busy_ = busy;
    emit busyChanged(busy);
}

} // namespace loopscope::views
