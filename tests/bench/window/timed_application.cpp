#include "tests/bench/window/timed_application.h"

#include <QAbstractEventDispatcher>
#include <QEvent>
#include <QTimer>

#include <algorithm>
#include <utility>

#include <time.h>

namespace loopscope::bench {

namespace {

constexpr double kPatience = 120'000; // milliseconds

double milliseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

} // namespace

Clocks Clocks::now() {
    return {milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_THREAD_CPUTIME_ID),
            milliseconds(CLOCK_PROCESS_CPUTIME_ID)};
}

Clocks Clocks::since(const Clocks& start) const {
    return {wall - start.wall, thread - start.thread, process - start.process};
}

TimedApplication& TimedApplication::instance() {
    return *static_cast<TimedApplication*>(QCoreApplication::instance());
}

bool TimedApplication::notify(QObject* receiver, QEvent* event) {
    paints_ = paints_ || event->type() == QEvent::Paint;
    if (depth_ > 0)
        return QApplication::notify(receiver, event);
    ++depth_;
    paints_ = event->type() == QEvent::Paint;
    const double start = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    const bool result = QApplication::notify(receiver, event);
    --depth_;
    longest_ = std::max(longest_, milliseconds(CLOCK_THREAD_CPUTIME_ID) - start);
    if (paints_)
        painted_ = Clocks::now();
    return result;
}

double TimedApplication::longest_event() { return std::exchange(longest_, 0.0); }

void TimedApplication::drain() {
    while (eventDispatcher()->processEvents(QEventLoop::AllEvents))
        // Deleted later: without a loop of events that runs, that is when somebody says so.
        sendPostedEvents(nullptr, QEvent::DeferredDelete);
    sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

bool TimedApplication::drain_until(const std::function<bool()>& holds) {
    QTimer wakes; // what is waited for may come without an event
    wakes.start(1000);
    const double start = milliseconds(CLOCK_MONOTONIC);
    for (drain(); !holds(); drain()) {
        if (milliseconds(CLOCK_MONOTONIC) - start > kPatience)
            return false;
        eventDispatcher()->processEvents(QEventLoop::WaitForMoreEvents);
    }
    return true;
}

} // namespace loopscope::bench
