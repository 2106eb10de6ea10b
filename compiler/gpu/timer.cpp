#include "compiler/gpu/timer.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"

namespace loopscope::gpu {

Timer::~Timer() {
    for (auto event : events_)
        if (!left_to_the_system())
            session_.api().event_destroy(event);
}

Status Timer::prepare(int most) {
    while (events_.size() < 2 * static_cast<std::size_t>(most)) {
        CuEvent event = nullptr;
        if (auto made =
                succeed(session_.api(), session_.api().event_create(&event, 0), "making an event");
            !made)
            return made;
        events_.push_back(event);
    }
    return success();
}

Result<double> Timer::one(const Work& work, const Watch& watch, const std::string& doing) {
    auto seconds = several(1, [] { return success(); }, work, watch, doing);
    if (!seconds)
        return seconds.errors();
    return seconds->front();
}

Result<std::vector<double>> Timer::several(int count, const Work& before, const Work& work,
                                           const Watch& watch, const std::string& doing) {
    const auto& api = session_.api();
    auto record = [&](std::size_t event) {
        return succeed(api, api.event_record(events_.at(event), session_.stream()),
                       "recording an event");
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        for (auto&& step : {before, Work([&] { return record(2 * i); }), work,
                            Work([&] { return record(2 * i + 1); })})
            if (auto done = step(); !done)
                return done.errors();
    if (auto done = session_.wait(watch, doing); !done)
        return done.errors();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        float milliseconds = 0;
        const auto status =
            api.event_milliseconds(&milliseconds, events_[2 * i], events_[2 * i + 1]);
        if (auto read = succeed(api, status, "reading events"); !read)
            return read.errors();
        seconds.push_back(1e-3 * milliseconds);
    }
    return seconds;
}

RecordedGraph::~RecordedGraph() {
    if (executable_ && !left_to_the_system())
        api_->graph_exec_destroy(executable_);
}

Status RecordedGraph::record(const GpuSession& session, const Timer::Work& work) {
    api_ = &session.api();
    if (auto begun = succeed(*api_, api_->capture_begin(session.stream(), kCuCaptureThreadLocal),
                             "recording a graph");
        !begun)
        return begun;
    auto worked = work();
    CuGraph graph = nullptr;
    const auto ended = api_->capture_end(session.stream(), &graph);
    if (!worked)
        return worked;
    if (auto got = succeed(*api_, ended, "recording a graph"); !got)
        return got;
    const auto made = api_->graph_instantiate(&executable_, graph, 0);
    api_->graph_destroy(graph);
    return succeed(*api_, made, "instantiating a graph");
}

Status RecordedGraph::launch(const GpuSession& session) const {
    return succeed(*api_, api_->graph_launch(executable_, session.stream()), "launching a graph");
}

} // namespace loopscope::gpu
