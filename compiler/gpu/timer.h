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

    // Before anything else: for so many intervals at once.
    Status prepare(int most);
    // Seconds that the device takes for `work`. `doing` names it in errors.
    Result<double> one(const Work& work, const Watch& watch, const std::string& doing);
    // So many times `before`, then `work`, which alone is timed; all in the stream before the first
    // is waited for.
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
