#include "app/session/pass_programs.h"

#include "app/session/program_arguments.h"
#include "app/session/session.h"
#include "app/session/source_texts.h"
#include "compiler/lower/pass.h"
#include "compiler/protocol/worker_client.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kPassSeconds = 120;                    // a program that takes longer is given up
constexpr std::size_t kKeptScripts = 8;                 // the newest,
constexpr qsizetype kKeptCharacters = 32 * 1024 * 1024; // or as many as have no more than this

views::PassSteps steps_without_programs(bool on_device) {
    auto steps = std::make_shared<std::vector<views::PassStep>>();
    steps->push_back(
        {PassPrograms::tr("build"), PassPrograms::tr("the schedule tree as loops"), {}, {}, {}});
    for (const auto& pass : on_device ? lower::device_passes() : lower::cpu_passes())
        steps->push_back(
            {QString::fromUtf8(pass.name), QString::fromUtf8(pass.summary), {}, {}, {}});
    return steps;
}

// The difference of a step against the one before it, where both are known.
void compare_step(std::vector<views::PassStep>& steps, std::size_t i) {
    if (i == 0 || i >= steps.size() || steps[i].difference || !steps[i].source ||
        !steps[i - 1].source)
        return;
    steps[i].difference = std::make_shared<const views::LineDiff>(views::line_diff(
        steps[i - 1].source->text.toStdString(), steps[i].source->text.toStdString()));
}

// Which are made first: what somebody looks at, which needs the one before it too.
std::vector<std::size_t> order_of(const std::vector<views::PassStep>& steps, std::size_t first) {
    std::vector<std::size_t> order;
    auto add = [&](std::size_t i) {
        if (i < steps.size() && !steps[i].source &&
            std::find(order.begin(), order.end(), i) == order.end())
            order.push_back(i);
    };
    add(first);
    if (first > 0)
        add(first - 1);
    for (std::size_t i = 0; i < steps.size(); ++i)
        add(i);
    return order;
}

bool complete(const std::vector<views::PassStep>& steps) {
    return std::all_of(steps.begin(), steps.end(), [](const views::PassStep& step) {
        return step.source || !step.failure.isEmpty();
    });
}

qsizetype characters(const std::vector<views::PassStep>& steps) {
    qsizetype count = 0;
    for (const auto& step : steps)
        count += step.source ? step.source->text.size() : 0;
    return count;
}

} // namespace

PassPrograms::PassPrograms(Session& session, std::shared_ptr<measure::WorkerClient> worker)
    : session_(session),
      worker_(std::move(worker)),
      job_([this](const Request& request,
                  const views::CancelToken& token) { return make(request, token); },
           [this](const Request& request, const views::PassSteps& steps) {
               keep(request.key, steps);
           }) {
    connect(&job_, &views::LatestJobBase::failed, this,
            [this](const QString& text) { session_.say(text, true); });
    connect(&session_, &Session::released, this, [this] {
        job_.cancel();
        kept_.clear();
        wanted_.clear();
    });
}

// In the job's thread: of this object it uses the worker and the way back alone.
views::PassSteps PassPrograms::make(const Request& request, const views::CancelToken& token) {
    auto steps = *request.known;
    for (const std::size_t i : order_of(steps, request.first)) {
        if (steps[i].source || !steps[i].failure.isEmpty())
            continue;
        auto arguments = *request.arguments;
        arguments["as"] = "after:" + steps[i].name.toStdString();
        measure::RequestOptions options;
        options.cancel = token.flag();
        options.timeout_seconds = kPassSeconds;
        const auto made = worker_->request("emit", arguments, options);
        if (token.cancelled())
            break;
        if (made) {
            views::SourceText text;
            text.text = QString::fromStdString(made->value("text", ""));
            text.lines = origins_of_lines(*made);
            steps[i].source = std::make_shared<const views::SourceText>(std::move(text));
            compare_step(steps, i);
            compare_step(steps, i + 1);
        } else { // then there is none behind later ones either
            for (std::size_t later = i; later < steps.size(); ++later)
                if (!steps[later].source)
                    steps[later].failure = QString::fromStdString(format(made.errors())).trimmed();
        }
        handover_.post([this, key = request.key,
                        now = std::make_shared<const std::vector<views::PassStep>>(steps)] {
            keep(key, now);
        });
    }
    return std::make_shared<const std::vector<views::PassStep>>(std::move(steps));
}

void PassPrograms::request(std::size_t first) {
    if (!session_.is_open())
        return;
    auto arguments = program_arguments(*session_.document(), session_.script(), *session_.device());
    const bool on_device = session_.device()->gpu.has_value();
    if (on_device)
        arguments["target"] = "cuda";
    Request request;
    request.key = arguments.dump(); // whatever the answer depends on
    request.first = first;
    const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                   [&](const Kept& each) { return each.key == request.key; });
    request.known = kept != kept_.end() ? kept->steps : steps_without_programs(on_device);
    request.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
    wanted_ = request.key;
    emit ready(request.known);
    if (complete(*request.known))
        job_.cancel();
    else
        job_.request(std::move(request));
}

void PassPrograms::keep(const std::string& key, const views::PassSteps& steps) {
    auto kept =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.key == key; });
    auto all_known = *steps; // an earlier request may have made others
    if (kept != kept_.end()) {
        for (std::size_t i = 0; i < all_known.size(); ++i)
            if (const auto& before = (*kept->steps)[i]; !all_known[i].source && before.source)
                all_known[i] = before;
        for (std::size_t i = 0; i < all_known.size(); ++i)
            compare_step(all_known, i);
        kept_.erase(kept);
    }
    const auto merged = std::make_shared<const std::vector<views::PassStep>>(std::move(all_known));
    kept_.push_back({key, merged});
    qsizetype all = 0;
    for (auto newest = kept_.rbegin(); newest != kept_.rend(); ++newest)
        all += characters(*newest->steps);
    while (kept_.size() > 1 && (kept_.size() > kKeptScripts || all > kKeptCharacters)) {
        all -= characters(*kept_.front().steps);
        kept_.erase(kept_.begin());
    }
    if (session_.is_open() && key == wanted_)
        emit ready(merged);
}

} // namespace loopscope::session
