#pragma once
// Events around work in the stream, and graphs of it.

#include "compiler/gpu/session.h"

#include <functional>

namespace loopscope::gpu {

class Timer {
public:
    using Work = std::function<Status()>; // puts something into the stream

    explicit Timer(const GpuSession& session) : session_(session) {}
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Prepares for so many intervals at once, before anything else.
    Status prepare(int most);
    // Seconds that the device takes for `work`. `doing` names it in errors.
    Result<double> one(const Work& work, const Watch& watch, const std::string& doing);
    // Puts `before`, then `work`, which alone is timed, into the stream so many times before it
    // waits for the first.
    Result<std::vector<double>> several(int count, const Work& before, const Work& work,
                                        const Watch& watch, const std::string& doing);

private:
    const GpuSession& session_;
    std::vector<CuEvent> events_; // begin and end of each interval
};

// Work that was recorded once and is launched as a whole.
class RecordedGraph {
public:
    RecordedGraph() = default;
    ~RecordedGraph();
    RecordedGraph(const RecordedGraph&) = delete;
    RecordedGraph& operator=(const RecordedGraph&) = delete;

    Status record(const GpuSession& session, const Timer::Work& work);
    Status launch(const GpuSession& session) const;

private:
    const CudaApi* api_ = nullptr;
    CuGraphExec executable_ = nullptr;
};

} // namespace loopscope::gpu
