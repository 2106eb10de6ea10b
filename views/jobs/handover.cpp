#include "views/jobs/handover.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPointer>

#include <utility>

namespace loopscope::views {

namespace {

const int kPosted = QEvent::registerEventType();

} // namespace

void Handover::post(std::function<void()> task) {
    {
        std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(task));
    }
    QCoreApplication::postEvent(this, new QEvent(static_cast<QEvent::Type>(kPosted)));
}

void Handover::deliver() {
    const QPointer<Handover> here(this); // a task may be this object's end
    while (here)
        if (const auto task = take())
            task();
        else
            return;
}

std::function<void()> Handover::take() {
    std::lock_guard lock(mutex_);
    if (waiting_.empty())
        return {};
    auto task = std::move(waiting_.front());
    waiting_.pop_front();
    return task;
}

bool Handover::event(QEvent* event) {
    if (event->type() != kPosted)
        return QObject::event(event);
    // One an event: a task may wait in an event loop of its own, or be this object's end. None:
    // it was delivered before.
    if (const auto task = take())
        task();
    return true;
}

} // namespace loopscope::views
