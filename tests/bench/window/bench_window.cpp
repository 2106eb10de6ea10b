// What a person waits for in the window, of programs of a hundred stages and more: the aims are in
// "Speed" of the design's models. Each figure ends when the last widget is painted. Nothing is
// asserted: a shared machine takes its time, which is why the processor's time stands beside the
// wall's.

#include "app/windows/kept_memory.h"
#include "tests/bench/window/memory.h"
#include "tests/bench/window/window_probe.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/style/theme.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QApplication>
#include <QSettings>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <regex>
#include <stdexcept>

namespace loopscope::bench {
namespace {

constexpr std::size_t kEdits = 40;  // of which each is undone, not timed, before the next
constexpr std::size_t kJudged = 10; // of these all choices of the inspector are waited for
constexpr int kRounds = 5;          // of all edits, and of all rows

// A directive in the place of the one on a line (from 1); empty: that one goes.
struct Edit {
    int line = 0;
    QString directive;
};

// One at each line that takes a factor, with another factor; and each line once left out.
std::vector<Edit> edits(const std::string& script) {
    std::vector<Edit> out;
    const std::regex factor(", ([0-9]+)(?=[,)])");
    int number = 0;
    for (std::size_t begin = 0; begin < script.size(); ++number) {
        const auto end = std::min(script.find('\n', begin), script.size());
        const auto line = script.substr(begin, end - begin);
        begin = end + 1;
        if (line[0] == '#' || line.find('.') == std::string::npos)
            continue;
        out.push_back({number + 1, {}});
        std::smatch at;
        if (std::regex_search(line, at, factor))
            for (const int other : {std::stoi(at[1]) * 2, std::stoi(at[1]) + 1})
                out.push_back({number + 1,
                               QString::fromStdString(at.prefix().str() + ", " +
                                                      std::to_string(other) + at.suffix().str())});
    }
    return out;
}

bool apply(session::Session& session, const Edit& edit) {
    return edit.directive.isEmpty() ? session.remove_line(edit.line, false).change.ok()
                                    : session.replace_directive(edit.line, edit.directive).ok();
}

void edit_to_screen(benchmark::State& state, const std::string& name) {
    const auto program = window_program(name);
    for (auto _ : state) {
        WindowProbe probe(program);
        auto& session = probe.window().session();
        const auto all = edits(session.script());
        std::vector<Clocks> painted, judged;
        std::vector<std::vector<Clocks>> rounds(kRounds);
        for (auto& round : rounds) {
            // From all over the script: the step has no factor in common with how many there are.
            for (std::size_t i = 0; i < all.size() && round.size() < kEdits; ++i) {
                const auto start = Clocks::now();
                bool applied = false;
                probe.act([&] { applied = apply(session, all[i * 7919 % all.size()]); });
                // refused, and nothing is shown anew
                if (!applied)
                    continue;
                round.push_back(probe.until_painted().since(start));
                if (judged.size() < kJudged)
                    judged.push_back(probe.until_judged().since(start));
                probe.act([&] { session.undo(); });
                probe.until_painted();
            }
            painted.insert(painted.end(), round.begin(), round.end());
        }
        state.counters["edits"] = static_cast<double>(rounds.front().size());
        report(state, "", painted, true);
        report(state, "judged_", judged);
        report(state, "least_", least_of(rounds));
    }
}

void open_to_usable(benchmark::State& state, const std::string& name) {
    const auto program = window_program(name);
    for (auto _ : state) {
        std::vector<Clocks> opened;
        double longest = 0;
        for (int i = 0; i < 5; ++i) {
            WindowProbe probe;
            TimedApplication::instance().longest_event();
            opened.push_back(probe.open(program));
            longest = std::max(longest, TimedApplication::instance().longest_event());
        }
        report(state, "", opened, true);
        state.counters["longest_event_cpu_ms"] = longest;
    }
}

// Every row of the tree, by a click on it.
void select_in_tree(benchmark::State& state, const std::string& name) {
    const auto program = window_program(name);
    for (auto _ : state) {
        WindowProbe probe(program);
        auto& tree = *app::test::tree_view(probe.window());
        std::vector<NodeId> nodes;
        auto collect = [&](auto&& self, const TreeNode& node) -> void {
            if (node.kind != TreeKind::Root)
                nodes.push_back(node.id);
            for (const TreeNodePtr& child : node.children)
                self(self, *child);
        };
        collect(collect, *probe.window().session().tree()->root);
        std::vector<Clocks> painted;
        std::vector<std::vector<Clocks>> rounds(kRounds);
        for (auto& round : rounds) {
            for (const NodeId& node : nodes) {
                const auto row = tree.schedule_model()->index_of(node);
                tree.scrollTo(row);
                TimedApplication::instance().drain();
                round.push_back(probe.click(*tree.viewport(), tree.visualRect(row).center()));
                if (probe.window().session().selection() != node)
                    throw std::runtime_error("a click on " + node.text() +
                                             " selected something else");
            }
            painted.insert(painted.end(), round.begin(), round.end());
        }
        state.counters["rows"] = static_cast<double>(nodes.size());
        state.counters["rows_made"] = static_cast<double>(tree.schedule_model()->rows_made());
        report(state, "", painted);
        report(state, "least_", least_of(rounds));
    }
}

// Every node of the graph, by a click on it, with the whole graph in sight.
void select_in_graph(benchmark::State& state, const std::string& name) {
    const auto program = window_program(name);
    for (auto _ : state) {
        WindowProbe probe(program);
        auto& graph = *app::test::graph_view(probe.window());
        std::vector<Clocks> painted;
        for (const auto& node : graph.graph().nodes) {
            graph.zoom_to_fit();
            TimedApplication::instance().drain();
            const QPoint at = graph.node_rectangle(node.stage).center().toPoint();
            painted.push_back(probe.click(graph, at));
            if (probe.window().session().selection().stage != node.stage)
                throw std::runtime_error("a click on " + node.stage + " selected something else");
        }
        state.counters["nodes"] = static_cast<double>(painted.size());
        report(state, "", painted);
    }
}

// What the process took at most so far, so this one runs last; and the worker, once it has compiled
// the program.
void memory(benchmark::State& state, const std::string& name) {
    const auto program = window_program(name);
    for (auto _ : state) {
        WindowProbe probe(program);
        auto& session = probe.window().session();
        std::optional<session::SourceAnswer> answer;
        QObject::connect(&session.sources(), &session::SourceTexts::ready, &probe.window(),
                         [&](const session::SourceAnswer& made) { answer = made; });
        session.sources().request("llvm");
        if (!TimedApplication::instance().drain_until([&] { return answer.has_value(); }) ||
            !answer->failure.empty())
            throw std::runtime_error("the worker did not compile " + name);
        state.counters["worker_megabytes"] = greatest_child_megabytes();
        state.counters["window_megabytes"] = greatest_megabytes("self");
    }
}

using Measured = void (*)(benchmark::State&, const std::string&);

void add(const std::string& name, Measured measured, const std::string& program) {
    benchmark::RegisterBenchmark((name + "/" + program).c_str(),
                                 [measured, program](benchmark::State& state) {
                                     try {
                                         measured(state, program);
                                     } catch (const std::exception& e) {
                                         state.SkipWithError(e.what());
                                     }
                                 })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

void register_all() {
    for (const char* program : {"local_laplacian", "lens_blur", "chain_1000"}) {
        add("open_to_usable", open_to_usable, program);
        add("edit_to_screen", edit_to_screen, program);
        add("select_in_tree", select_in_tree, program);
        add("select_in_graph", select_in_graph, program);
    }
    for (const char* program : {"graph_2500", "iteration_200"})
        add("open_to_usable", open_to_usable, program);
    for (const char* program : {"local_laplacian", "lens_blur"})
        add("memory", memory, program);
}

} // namespace
} // namespace loopscope::bench

int main(int argc, char** argv) {
    using namespace loopscope;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // The person's own settings and documents are none of these figures' business.
    for (const char* variable :
         {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        qputenv(variable, test::scratch_folder().c_str());
    qputenv("LOOPSCOPE_CUDA_LIBRARY", "/nowhere"); // the same on every machine
    app::keep_memory();
    bench::TimedApplication application(argc, argv);
    QApplication::setOrganizationName("loopscope-bench");
    QApplication::setApplicationName("loopscope-bench-window");
    app::test::keep_host_figures();
    views::apply_theme(application, views::ThemeKind::Light);
    bench::register_all();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
