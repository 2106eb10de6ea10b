// show: the pipeline's graph, as text, in Graphviz' language, or as JSON.
#include "app/cli/command.h"
#include "app/cli/graph_text.h"
#include "app/cli/load.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"

#include "core/ir/box.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace loopscope::cli {

using nlohmann::json;

namespace {

// Indices of the stages and inputs that a stage reads, itself left out, in the order of definition.
std::vector<int> reads_of(const Pipeline& pipeline, const Stage& stage) {
    std::set<int> reads;
    auto collect = [&](const ExprPtr& e) {
        if (!e)
            return;
        visit(e, [&](const Expr& node) {
            if (node.kind == ExprKind::Load && node.name != stage.name)
                reads.insert(pipeline.index_of(node.name));
            return true;
        });
    };
    for (const auto& definition : stage.definitions) {
        std::for_each(definition.values.begin(), definition.values.end(), collect);
        std::for_each(definition.left.begin(), definition.left.end(), collect);
        collect(definition.condition);
    }
    return {reads.begin(), reads.end()};
}

std::string types_text(const Stage& stage) {
    std::string text;
    for (auto type : stage.types)
        text += (text.empty() ? "" : ", ") + std::string(name(type));
    return stage.types.size() > 1 ? "(" + text + ")" : text;
}

std::vector<std::int64_t> extents_of(const Box& box) {
    std::vector<std::int64_t> values;
    for (const auto& interval : box)
        values.push_back(interval.extent());
    return values;
}

// "sum over k 2048, 2 updates"
std::string definition_text(const Stage& stage) {
    if (stage.is_input)
        return stage.boundary.kind == BoundaryKind::None
                   ? "input"
                   : std::string("input, ") + name(stage.boundary.kind);
    const auto& first = stage.definitions.front();
    std::string text = "pure";
    if (first.kind == DefinitionKind::Reduction) {
        text = std::string(name(first.reduction)) + " over";
        for (const auto& axis : first.axes)
            text += (&axis == &first.axes.front() ? " " : ", ") + axis.name + " " +
                    std::to_string(axis.extent().hint());
    }
    if (auto updates = stage.definitions.size() - 1; updates > 0)
        text += updates == 1 ? ", 1 update" : ", " + std::to_string(updates) + " updates";
    return text;
}

struct Graph {
    const Pipeline& pipeline;
    std::map<std::string, Box> boxes;
    std::vector<GraphNode> nodes;
};

Result<Graph> graph_of(const Pipeline& pipeline) {
    auto boxes = required_boxes(pipeline);
    if (!boxes)
        return boxes.errors();
    Graph graph{pipeline, std::move(*boxes), {}};
    for (const auto& stage : pipeline.stages)
        graph.nodes.push_back({reads_of(pipeline, stage), stage.is_input,
                               pipeline.find_output(stage.name) != nullptr});
    return graph;
}

std::string params_text(const Pipeline& pipeline) {
    std::string text;
    for (const auto& param : pipeline.params)
        text += (text.empty() ? "" : ", ") + param.name + " = " + std::to_string(param.value);
    return text;
}

void print_graph(const Graph& graph, std::ostream& out) {
    const auto& pipeline = graph.pipeline;
    auto inputs = std::count_if(pipeline.stages.begin(), pipeline.stages.end(),
                                [](const Stage& s) { return s.is_input; });
    auto stages = static_cast<std::ptrdiff_t>(pipeline.stages.size()) - inputs;
    out << "pipeline " << pipeline.name << ": " << stages
        << (stages == 1 ? " stage, " : " stages, ") << inputs
        << (inputs == 1 ? " input" : " inputs");
    if (!pipeline.params.empty())
        out << "; " << params_text(pipeline);
    out << "\n\n";
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Left, Align::Left,
                     Align::Left});
    table.header({"", "stage", "type", "computed or read", "output", "definition", "group"});
    auto drawings = draw_graph(graph.nodes);
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        auto output = pipeline.find_output(stage.name);
        auto box = graph.boxes.find(stage.name);
        table.row({drawings[i], stage.display_name.empty() ? stage.name : stage.display_name,
                   types_text(stage),
                   box == graph.boxes.end() ? "" : extents_text(extents_of(box->second)),
                   output ? extents_text(hints(output->extents)) : "", definition_text(stage),
                   stage.origin.group});
    }
    out << table.text()
        << "\n  ○ input  ● stage  ◆ output   ├ ┤ ┼ reads it  └ ┘ ┴ reads it last  │ passes by\n";
}

std::string dot_quoted(const std::string& text) {
    std::string quoted = "\"";
    for (char c : text)
        quoted += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    return quoted + "\"";
}

void print_dot(const Graph& graph, std::ostream& out) {
    const auto& pipeline = graph.pipeline;
    out << "digraph " << dot_quoted(pipeline.name)
        << " {\n    rankdir=TB;\n    node [shape=box, fontname=\"sans-serif\"];\n";
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        auto box = graph.boxes.find(stage.name);
        auto size = box == graph.boxes.end() ? "" : " " + extents_text(extents_of(box->second));
        // The line break is Graphviz' own escape, hence outside of dot_quoted.
        auto label = dot_quoted(stage.name);
        label.insert(label.size() - 1, "\\n" + types_text(stage) + size);
        out << "    " << dot_quoted(stage.name) << " [label=" << label;
        if (stage.is_input)
            out << ", shape=ellipse";
        if (graph.nodes[i].output)
            out << ", peripheries=2";
        out << "];\n";
    }
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
        for (int read : graph.nodes[i].reads)
            out << "    " << dot_quoted(pipeline.stages[static_cast<std::size_t>(read)].name)
                << " -> " << dot_quoted(pipeline.stages[i].name) << ";\n";
    out << "}\n";
}

json definition_json(const Definition& definition) {
    json object{{"kind", name(definition.kind)}};
    if (definition.kind == DefinitionKind::Reduction)
        object["reduction"] = name(definition.reduction);
    if (definition.kind == DefinitionKind::Update)
        object["update"] = name(definition.update);
    object["free"] = definition.free;
    object["axes"] = json::array();
    for (const auto& axis : definition.axes)
        object["axes"].push_back(
            {{"name", axis.name}, {"begin", axis.begin.hint()}, {"end", axis.end.hint()}});
    for (const auto& value : definition.values)
        object["values"].push_back(to_text(value));
    return object;
}

json graph_json(const Graph& graph) {
    const auto& pipeline = graph.pipeline;
    json object{{"pipeline", pipeline.name},
                {"params", json::object()},
                {"stages", json::array()},
                {"outputs", json::array()}};
    for (const auto& param : pipeline.params)
        object["params"][param.name] = param.value;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        json one{{"name", stage.name},          {"kind", stage.is_input ? "input" : "stage"},
                 {"index", stage.variables},    {"output", graph.nodes[i].output},
                 {"group", stage.origin.group}, {"types", json::array()},
                 {"reads", json::array()},      {"box", json::array()},
                 {"definitions", json::array()}};
        for (auto type : stage.types)
            one["types"].push_back(name(type));
        for (int read : graph.nodes[i].reads)
            one["reads"].push_back(pipeline.stages[static_cast<std::size_t>(read)].name);
        if (auto box = graph.boxes.find(stage.name); box != graph.boxes.end())
            for (const auto& interval : box->second)
                one["box"].push_back({interval.least, interval.extent()});
        for (const auto& definition : stage.definitions)
            one["definitions"].push_back(definition_json(definition));
        if (stage.is_input) {
            one["extents"] = hints(stage.extents);
            one["boundary"] = name(stage.boundary.kind);
        }
        object["stages"].push_back(std::move(one));
    }
    for (const auto& output : pipeline.outputs)
        object["outputs"].push_back({{"stage", output.stage}, {"extents", hints(output.extents)}});
    return object;
}

} // namespace

int run_show(const Options& options, const Console& console) {
    auto pipeline = load_pipeline(options, console);
    if (!pipeline)
        return console.fail(pipeline.errors());
    auto graph = graph_of(**pipeline);
    if (!graph)
        return console.fail(graph.errors());
    if (options.json)
        return console.print(graph_json(*graph));
    options.dot ? print_dot(*graph, console.out) : print_graph(*graph, console.out);
    return kRight;
}

} // namespace loopscope::cli
