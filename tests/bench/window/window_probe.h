#pragma once
// The real window with a program in it, and the moments that the benchmarks of it speak of.

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "app/windows/main_window.h"
#include "tests/bench/window/timed_application.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::bench {

struct WindowProgram {
    std::string name, pipeline_file, schedule_file; // no schedule: the default one
};
// Shipped programs, and what is made for its size: "chain_1000", a hundred stages of ten loops
// each; "graph_2500"; "iteration_200", a chain of 200 stages that all read one input.
WindowProgram window_program(const std::string& name);

// Throws where something does not open or never comes to rest: a figure of a failure would look
// like one.
class WindowProbe {
public:
    WindowProbe(); // shown, empty, painted
    explicit WindowProbe(const WindowProgram& program);
    ~WindowProbe();

    app::MainWindow& window() { return *window_; }
    // Until all of the present schedule is painted: tree, graph, estimate and whatever else is
    // seen. Returns when that was. The inspector's verdicts (which of its choices would be legal)
    // and advice come after it, from the background.
    Clocks until_painted();
    Clocks until_judged(); // with the verdicts
    void come_to_rest();   // with everything: nothing runs in the background any more
    Clocks open(const WindowProgram& program); // until it is painted; the time since the call
    // What a gesture does, in an event of its own, as it is when a person makes it.
    void act(const std::function<void()>& gesture);
    // A click with the left button, until everything is painted that shows what is selected; the
    // time since.
    Clocks click(QWidget& widget, const QPoint& at);

private:
    std::unique_ptr<app::MainWindow> window_;
};

// Of each step the round in which it took least. A machine that is not alone stops all that runs
// now and then, for longer than a step takes: what the code takes shows in the least of some.
std::vector<Clocks> least_of(const std::vector<std::vector<Clocks>>& rounds);

// Counters "PREFIXmedian_ms", "…p99_ms" and "…worst_ms" of the wall's clock; the same with cpu_ of
// the window's thread, and of the whole process where `process` is asked for.
void report(benchmark::State& state, const std::string& prefix, const std::vector<Clocks>& samples,
            bool process = false);

} // namespace loopscope::bench
