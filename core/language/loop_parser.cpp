#include "core/language/loop_parser.h"

#include "core/ir/definition_expressions.h"
#include "core/language/bounds_check.h"
#include "core/language/expand.h"
#include "core/language/loop_syntax.h"

#include <queue>
#include <set>

namespace loopscope {

namespace {

constexpr std::size_t kFileLimit = 16 << 20;

// The stages that the definitions of `stage` read.
std::set<std::string> reads(const Stage& stage) {
    std::set<std::string> out;
    for (const auto& d : stage.definitions)
        each_load(d, [&](const Expr& load) {
            if (load.name != stage.name)
                out.insert(load.name);
        });
    return out;
}

// An update may read a stage that is defined after the stage it updates: that one comes first then.
// Otherwise the order of the text stays.
std::vector<Stage> in_order(std::vector<Stage> stages) {
    std::map<std::string, std::size_t> number;
    for (std::size_t i = 0; i < stages.size(); ++i)
        number.emplace(stages[i].name, i);
    std::vector<std::vector<std::size_t>> readers(stages.size());
    std::vector<int> missing(stages.size());
    bool sorted = true;
    for (std::size_t i = 0; i < stages.size(); ++i)
        for (const auto& name : reads(stages[i])) {
            auto producer = number.at(name);
            sorted = sorted && producer < i;
            readers[producer].push_back(i);
            ++missing[i];
        }
    if (sorted)
        return stages;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (missing[i] == 0)
            ready.push(i);
    std::vector<Stage> out;
    while (!ready.empty()) {
        auto next = ready.top();
        ready.pop();
        for (auto reader : readers[next])
            if (--missing[reader] == 0)
                ready.push(reader);
        out.push_back(std::move(stages[next]));
    }
    return out;
}

PipelinePtr build(const ast::File& file, Program& program) {
    auto pipeline = std::make_shared<Pipeline>();
    pipeline->name = std::string(file.name.text);
    pipeline->params = std::move(program.params);
    std::vector<Stage> stages;
    for (auto& state : program.stages)
        stages.push_back(std::move(state.stage));
    pipeline->stages = in_order(std::move(stages));
    pipeline->outputs = std::move(program.outputs);
    pipeline->source = file.source;
    pipeline->seal();
    return pipeline;
}

} // namespace

Result<LoadedPipeline> load_pipeline(SourceFilePtr source, const LoadOptions& options) {
    Reporter reporter(source);
    auto text = lex_loop(source);
    auto file = parse_loop_syntax(text, reporter);
    if (file.name.is_template())
        reporter.error(file.name.span, "a pipeline's name takes no template",
                       "write the name itself", "syntax");
    Expander expander(file, options.params, reporter);
    expander.run();
    if (reporter.error_count() == 0 && expander.program().outputs.empty())
        reporter.error(file.name.span, "the pipeline has no output", "add one: output S: [H, W]",
                       "output");
    const auto unknown_params = options.all_declared ? expander.unknown_params() : Diagnostics{};
    LoadedPipeline loaded;
    if (reporter.error_count() == 0) {
        loaded.pipeline = build(file, expander.program());
        check_bounds(*loaded.pipeline, reporter);
    }
    auto errors = reporter.take();
    errors.insert(errors.begin(), unknown_params.begin(), unknown_params.end());
    if (!errors.empty())
        return errors;
    loaded.warnings = expander.unused_names();
    // A name that code not expanded mentions (the other branch of an if, an unused def) is not
    // called unused.
    std::map<std::string_view, int> mentions;
    for (const auto& t : text.tokens)
        if (t.kind == TokenKind::Name)
            ++mentions[t.text];
    std::erase_if(loaded.warnings, [&](const Diagnostic& d) {
        auto name =
            std::string_view(source->text()).substr(d.range.begin, d.range.end - d.range.begin);
        return mentions[name] > 1;
    });
    return loaded;
}

Result<SourceFilePtr> read_source_file(const std::string& path, FileKind kind) {
    return read_text_file(path, {kFileLimit, "no pipeline or schedule is that long", kind});
}

Result<LoadedPipeline> load_pipeline_file(const std::string& path, const LoadOptions& options) {
    auto source = read_source_file(path);
    if (!source)
        return source.errors();
    return load_pipeline(source.value(), options);
}

} // namespace loopscope
