// The loop program behind each pass of the compilation, made by the worker off the main thread, and what each pass changed.
// What was made of a script is kept: undoing and redoing ask for the same again and again.

#include "app/session/session.h"

#include "compiler/lower/pass.h"
#include "compiler/measure/requests.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr double kPassSeconds = 120;                    // a program that takes longer is given up
constexpr std::size_t kKeptScripts = 8;                 // the newest,
constexpr qsizetype kKeptCharacters = 32 * 1024 * 1024; // or as many as have no more than this

views::PassSteps steps_without_programs(bool on_device) {
    auto steps = std::make_shared<std::vector<views::PassStep>>();
    steps->push_back({Session::tr("build"), Session::tr("the schedule tree as loops"), {}, {}, {}});
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

void Session::make_passes_job() {
    passes_job_ = std::make_unique<PassesJob>(
        [this, worker = source_worker_](const PassesRequest& request,
                                        const views::CancelToken& token) {
            auto steps = *request.known;
            for (const std::size_t i : order_of(steps, request.first)) {
                if (steps[i].source || !steps[i].failure.isEmpty())
                    continue;
                auto arguments = *request.arguments;
                arguments["as"] = "after:" + steps[i].name.toStdString();
                measure::RequestOptions options;
                options.cancel = token.flag();
                options.timeout_seconds = kPassSeconds;
                const auto made = worker->request("emit", arguments, options);
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
                            steps[later].failure =
                                QString::fromStdString(format(made.errors())).trimmed();
                }
                handover_.post([this, key = request.key,
                                now = std::make_shared<const std::vector<views::PassStep>>(steps)] {
                    keep_passes(key, now);
                });
            }
            return std::make_shared<const std::vector<views::PassStep>>(std::move(steps));
        },
        [this](const PassesRequest& request, const views::PassSteps& steps) {
            keep_passes(request.key, steps);
        });
    connect(passes_job_.get(), &views::LatestJobBase::failed, this,
            [this](const QString& text) { emit message(text, true); });
}

void Session::request_passes(std::size_t first) {
    if (!document_)
        return;
    auto arguments = program_arguments(script_);
    const bool on_device = device_->gpu.has_value();
    if (on_device)
        arguments["target"] = "cuda";
    PassesRequest request;
    request.key = arguments.dump(); // whatever the answer depends on
    request.first = first;
    const auto kept = std::find_if(passes_.begin(), passes_.end(),
                                   [&](const KeptPasses& each) { return each.key == request.key; });
    request.known = kept != passes_.end() ? kept->steps : steps_without_programs(on_device);
    request.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
    wanted_passes_ = request.key;
    emit passesReady(request.known);
    if (complete(*request.known))
        passes_job_->cancel();
    else
        passes_job_->request(std::move(request));
}

void Session::keep_passes(const std::string& key, const views::PassSteps& steps) {
    auto kept = std::find_if(passes_.begin(), passes_.end(),
                             [&](const KeptPasses& each) { return each.key == key; });
    auto all_known = *steps; // an earlier request may have made others
    if (kept != passes_.end()) {
        for (std::size_t i = 0; i < all_known.size(); ++i)
            if (const auto& before = (*kept->steps)[i]; !all_known[i].source && before.source)
                all_known[i] = before;
        for (std::size_t i = 0; i < all_known.size(); ++i)
            compare_step(all_known, i);
        passes_.erase(kept);
    }
    const auto merged = std::make_shared<const std::vector<views::PassStep>>(std::move(all_known));
    passes_.push_back({key, merged});
    qsizetype all = 0;
    for (auto newest = passes_.rbegin(); newest != passes_.rend(); ++newest)
        all += characters(*newest->steps);
    while (passes_.size() > 1 && (passes_.size() > kKeptScripts || all > kKeptCharacters)) {
        all -= characters(*passes_.front().steps);
        passes_.erase(passes_.begin());
    }
    if (document_ && key == wanted_passes_)
        emit passesReady(merged);
}

} // namespace loopscope::session
