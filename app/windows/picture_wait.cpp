#include "app/windows/picture_wait.h"

#include "app/session/estimates.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace loopscope::app {

namespace {
// milliseconds
constexpr int kLookAgain = 20;
constexpr int kPatience = 300'000; // advice for thousands of stages takes minutes
} // namespace

PictureWait::PictureWait(Services& services, std::vector<Panel*> panels)
    : services_(services), panels_(std::move(panels)), patience_(kPatience) {
    timer_.setInterval(kLookAgain);
    connect(&timer_, &QTimer::timeout, this, &PictureWait::look);
}

void PictureWait::begin(Done done, Holds too) {
    services_.editing.flush();
    done_ = std::move(done);
    too_ = std::move(too);
    opening_ = services_.session.opening();
    tree_.reset();
    device_.reset();
    since_.start();
    timer_.start();
    look();
}

void PictureWait::look() {
    const auto& session = services_.session;
    if (!session.is_open() || session.opening() != opening_)
        return finish(error("the document was closed before it was drawn"));
    if (drawn() && too_())
        return finish(success());
    if (since_.elapsed() >= patience_)
        finish(error("what is to be drawn is not known yet", "wait a moment, and try again"));
}

// A panel draws nothing of a schedule whose estimate is to come.
bool PictureWait::drawn() {
    const auto& session = services_.session;
    if (!session.estimates().current())
        return false;
    std::vector<Panel*> of_device;
    std::copy_if(panels_.begin(), panels_.end(), std::back_inserter(of_device),
                 [](const Panel* panel) { return panel->pictured() && panel->is_of_device(); });
    if (tree_ != session.tree() || device_ != session.device()) {
        tree_ = session.tree();
        device_ = session.device();
        for (auto* panel : of_device)
            panel->draw_unseen();
    }
    return std::all_of(of_device.begin(), of_device.end(),
                       [](const Panel* panel) { return panel->settled(); });
}

void PictureWait::finish(const Status& status) {
    timer_.stop();
    tree_.reset();
    device_.reset();
    std::exchange(done_, nullptr)(status);
}

} // namespace loopscope::app
