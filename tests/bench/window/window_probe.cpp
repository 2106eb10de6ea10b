#include "tests/bench/window/window_probe.h"

#include "tests/gui/gui_support.h"
#include "tests/support/large_pipeline.h"
#include "tests/support/support.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QMouseEvent>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace loopscope::bench {

namespace {

std::string written(const std::string& file, const std::string& text) {
    static const auto folder = test::scratch_folder();
    const auto path = folder + "/" + file;
    std::ofstream(path) << text;
    return path;
}

void must(bool holds, const std::string& what) {
    if (!holds)
        throw std::runtime_error(what);
}

} // namespace

WindowProgram window_program(const std::string& name) {
    if (name == "chain_1000")
        return {name, written("chain.loop", test::chain_of_a_thousand_loops().pipeline),
                written("chain.sched", test::chain_of_a_thousand_loops().schedule)};
    if (name == "graph_2500")
        return {name, written("graph.loop", test::network_text(500)), {}};
    if (name == "iteration_200")
        return {name, written("iteration.loop", test::iteration_text(200)), {}};
    return {name, app::test::bundled(name + ".loop"), app::test::bundled(name + ".cpu.sched")};
}

WindowProbe::WindowProbe() : window_(std::make_unique<app::MainWindow>()) {
    window_->resize(1440, 900);
    window_->show();
    TimedApplication::instance().drain();
}

WindowProbe::WindowProbe(const WindowProgram& program) : WindowProbe() {
    open(program);
    act([this] { app::test::graph_view(*window_)->unfold_all(); }); // all rows and nodes are there
    come_to_rest();
}

WindowProbe::~WindowProbe() {
    window_->close();
    window_.reset();
    TimedApplication::instance().drain();
}

Clocks WindowProbe::until_painted() {
    auto& application = TimedApplication::instance();
    must(application.drain_until([this] {
        return window_->session().estimates().current() &&
               !app::test::graph_view(*window_)->layout_pending();
    }),
         "the window does not come to rest");
    return application.painted();
}

Clocks WindowProbe::until_judged() {
    auto& application = TimedApplication::instance();
    must(application.drain_until([this] {
        return window_->session().estimates().current() &&
               !app::test::graph_view(*window_)->layout_pending() &&
               !app::test::inspector_view(*window_)->judging() &&
               !window_->session().questions().judging();
    }),
         "the inspector's choices are never judged");
    return application.painted();
}

void WindowProbe::come_to_rest() {
    must(TimedApplication::instance().drain_until([this] { return window_->settled(); }),
         "the window does not come to rest");
}

Clocks WindowProbe::open(const WindowProgram& program) {
    session::OpenOptions options;
    options.schedule_file = program.schedule_file;
    const auto start = Clocks::now();
    bool open = false;
    act([&] { open = window_->open_path(QString::fromStdString(program.pipeline_file), options); });
    must(open, program.name + " does not open");
    return until_painted().since(start);
}

void WindowProbe::act(const std::function<void()>& gesture) {
    QMetaObject::invokeMethod(window_.get(), gesture, Qt::QueuedConnection);
    TimedApplication::instance().drain();
}

Clocks WindowProbe::click(QWidget& widget, const QPoint& at) {
    const QPointF place(at), global(widget.mapToGlobal(at));
    const auto start = Clocks::now();
    QMouseEvent press(QEvent::MouseButtonPress, place, global, Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &press);
    QMouseEvent release(QEvent::MouseButtonRelease, place, global, Qt::LeftButton, Qt::NoButton,
                        Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &release);
    return until_painted().since(start);
}

std::vector<Clocks> least_of(const std::vector<std::vector<Clocks>>& rounds) {
    auto least = rounds.front();
    for (const auto& round : rounds) {
        must(round.size() == least.size(), "the rounds are not of the same steps");
        for (std::size_t i = 0; i < round.size(); ++i)
            if (round[i].wall < least[i].wall)
                least[i] = round[i];
    }
    return least;
}

void report(benchmark::State& state, const std::string& prefix, const std::vector<Clocks>& samples,
            bool process) {
    must(!samples.empty(), "nothing was timed");
    auto add = [&](const std::string& clock, double Clocks::* of) {
        std::vector<double> sorted;
        for (const Clocks& sample : samples)
            sorted.push_back(sample.*of);
        std::sort(sorted.begin(), sorted.end());
        state.counters[prefix + clock + "median_ms"] = sorted[sorted.size() / 2];
        state.counters[prefix + clock + "p99_ms"] = sorted[sorted.size() * 99 / 100];
        state.counters[prefix + clock + "worst_ms"] = sorted.back();
    };
    add("", &Clocks::wall);
    add("cpu_", &Clocks::thread);
    if (process)
        add("all_cpu_", &Clocks::process);
}

} // namespace loopscope::bench
