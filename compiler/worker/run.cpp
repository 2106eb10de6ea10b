// run: a scheduled pipeline on the user's own arrays, from files into files.
#include "compiler/run/array_file.h"
#include "compiler/run/infer_params.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/context.h"
#include "compiler/worker/run_arrays.h"
#include "compiler/worker/runner.h"
#include "compiler/worker/stage_program.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

json params_json(const Pipeline& pipeline) {
    json params = json::object();
    for (const auto& param : pipeline.params)
        params[param.name] = param.value;
    return params;
}

SourceFilePtr source_of(const json& arguments) {
    const auto& text = arguments.at("pipeline");
    return std::make_shared<SourceFile>(text.at("name"), text.at("text"));
}

// With the params that the shapes of the arrays give.
Result<LoadedProgram> load_for(const json& arguments, const Buffers& arrays) {
    Shapes shapes;
    for (const auto& [name, array] : arrays)
        shapes[name] = array.extents;
    const auto given = params_of(arguments);
    auto params = infer_params(source_of(arguments), shapes, given);
    if (!params)
        return params.errors();
    auto loaded = load_program(arguments, *params);
    if (loaded || *params == given)
        return loaded;
    // What does not fit may follow from a shape that nobody thinks of.
    std::string inferred;
    for (const auto& [name, value] : *params)
        if (!given.count(name))
            inferred += (inferred.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    auto errors = loaded.errors();
    Diagnostic note;
    note.severity = Severity::Note;
    note.message = "the shapes of the arrays give " + inferred;
    note.remedy = "--param sets another value";
    errors.push_back(note);
    return errors;
}

json inputs_json(const RunArrays& run) {
    json inputs = json::array();
    for (const auto& [input, array] : run.arrays) {
        json one{{"name", input}, {"type", name(array.type)}, {"extents", array.extents}};
        if (const auto file = run.inputs.find(input); file != run.inputs.end())
            one["file"] = file->second;
        else
            one["seed"] = run.seeds.at(input);
        inputs.push_back(std::move(one));
    }
    return inputs;
}

// As `check` makes them.
Status add_random_inputs(RunArrays& run, std::uint64_t seed) {
    run.seeds = input_seeds(*run.loaded.pipeline, seed);
    for (const auto& stage : run.loaded.pipeline->stages) {
        if (!stage.is_input || run.arrays.count(stage.name))
            continue;
        auto array = random_buffer(stage.types.front(), hints(stage.extents),
                                   run.seeds.at(stage.name), RandomMode::Reals);
        if (!array)
            return array.errors();
        run.arrays.emplace(stage.name, std::move(*array));
    }
    return success();
}

Result<json> write_outputs(const Buffers& arrays, const RunArrays& run) {
    json written = json::array();
    for (const auto& [output, file] : run.outputs) {
        const auto& array = arrays.at(output);
        if (auto done = write_array(file, array); !done)
            return done.errors();
        written.push_back({{"name", output},
                           {"file", file},
                           {"type", name(array.type)},
                           {"extents", array.extents}});
        if (run.begin)
            written.back()["begin"] = *run.begin;
    }
    return written;
}

} // namespace

Result<RunArrays> run_arrays(const json& arguments, const Context& context) {
    RunArrays run;
    run.inputs = arguments.value("inputs", Files());
    run.outputs = arguments.value("outputs", Files());
    context.progress("read", "reading the inputs");
    auto arrays = read_inputs(run.inputs);
    if (!arrays)
        return arrays.errors();
    auto loaded = load_for(arguments, *arrays);
    if (!loaded)
        return loaded.errors();
    run.arrays = std::move(*arrays);
    run.loaded = std::move(*loaded);
    if (auto stage = arguments.find("stage"); stage != arguments.end()) {
        auto made = stage_program(run.loaded, stage->get<std::string>());
        if (!made)
            return made.errors();
        run.loaded = std::move(made->program);
        run.begin = std::move(made->begin);
    }
    const auto& pipeline = *run.loaded.pipeline;
    const bool random = arguments.value("random", false);
    if (auto errors = check_files(pipeline, run.inputs, run.outputs, random); !errors.empty())
        return errors;
    take_raw_bf16(pipeline, run.arrays, run.inputs);
    if (auto errors = check_arrays(pipeline, source_of(arguments), run.arrays, run.inputs);
        !errors.empty())
        return errors;
    if (random)
        if (auto made = add_random_inputs(run, seed_of(arguments)); !made)
            return made.errors();
    return run;
}

json run_facts(const RunArrays& run) {
    return {{"pipeline", run.loaded.pipeline->name},
            {"params", params_json(*run.loaded.pipeline)},
            {"inputs", inputs_json(run)}};
}

Result<json> serve_run(const json& arguments, const Context& context) {
    if (auto target = check_target(arguments); !target)
        return target.errors();
    auto run = run_arrays(arguments, context);
    if (!run)
        return run.errors();
    const auto& loaded = run->loaded;
    context.progress("compile", "compiling");
    auto compiled = compile_program(loaded);
    if (!compiled)
        return compiled.errors();
    const auto request = check_request(arguments);
    Runner runner(loaded, *compiled, request, context);
    auto results = runner.run(run->arrays);
    if (!results)
        return results.errors();
    if (!runner.findings().empty())
        return error("the interpreter of SIMT programs found the kernels to be wrong:\n" +
                         format(runner.findings()),
                     "this is a bug of the compiler; please report it with the pipeline and the "
                     "schedule");
    context.progress("write", "writing the outputs");
    auto written = write_outputs(*results, *run);
    if (!written)
        return written.errors();
    auto answer = run_facts(*run);
    answer.update({{"outputs", std::move(*written)},
                   {"seconds", runner.seconds()},
                   {"threads", request.threads}});
    if (compiled->plan || compiled->kernels)
        runner.report(answer);
    add_warnings(answer, compiled->scalar_loops);
    return answer;
}

} // namespace loopscope::worker
