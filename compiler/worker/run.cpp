// run: a scheduled pipeline on the user's own arrays, from files into files.
#include "compiler/run/array_file.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/context.h"
#include "compiler/worker/infer_params.h"
#include "compiler/worker/run_arrays.h"
#include "compiler/worker/runner.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

Result<Buffers> read_inputs(const Files& files) {
    Buffers arrays;
    Diagnostics errors;
    for (const auto& [name, file] : files) {
        auto array = read_array(file);
        if (array)
            arrays.emplace(name, std::move(*array));
        else
            errors.insert(errors.end(), array.errors().begin(), array.errors().end());
    }
    return errors.empty() ? Result<Buffers>(std::move(arrays)) : errors;
}

// NumPy has no bf16: its bits are u2 there. A PNG's samples are whole numbers, and stay so.
void take_raw_bf16(const Pipeline& pipeline, Buffers& arrays, const Files& files) {
    for (auto& [input, array] : arrays)
        if (array.type == ScalarType::U16 && is_numpy_file(files.at(input)) &&
            pipeline.find(input)->types.front() == ScalarType::BF16)
            array.type = ScalarType::BF16;
}

// What gives the extents that differ: "--param K=6", or an array of the shape that the text fixes.
std::string shape_remedy(const SourceFilePtr& source, const std::string& input,
                         const std::vector<std::int64_t>& is,
                         const std::vector<std::int64_t>& wanted) {
    if (is.size() != wanted.size())
        return "give an array of " + std::to_string(wanted.size()) +
               (wanted.size() == 1 ? " dimension" : " dimensions");
    std::string params;
    bool fixed = false;
    for (std::size_t d = 0; d < is.size(); ++d) {
        if (is[d] == wanted[d])
            continue;
        auto param = param_for_extent(source, input, d, is[d]);
        fixed = fixed || param.empty();
        if (!param.empty() && params.find(param) == std::string::npos)
            params += (params.empty() ? "" : " ") + param;
    }
    auto array = "give an array of the shape " + shape_text(wanted);
    return fixed || params.empty() ? "the pipeline fixes that extent: " + array
                                   : "set " + params + ", or " + array;
}

bool is_planar_png(const std::string& file, const Buffer& array) {
    return !is_numpy_file(file) && array.extents.size() == 3;
}

Diagnostics check_arrays(const Pipeline& pipeline, const SourceFilePtr& source,
                         const Buffers& arrays, const Files& files) {
    Diagnostics errors;
    for (const auto& [input, array] : arrays) {
        const auto& stage = *pipeline.find(input);
        const auto wanted = hints(stage.extents);
        auto file = files.at(input);
        if (array.type != stage.types.front())
            errors.push_back(
                error(file + " holds " + name(array.type) + ", the input `" + input + "` is " +
                          name(stage.types.front()),
                      stage.types.front() == ScalarType::BF16
                          ? "bf16 is read from an .npy file of u2, its bits: a.view('<u2')"
                          : "types are never converted: write the array with the input's type",
                      stage.origin.range));
        if (array.extents != wanted)
            errors.push_back(error(file + " has the shape " + shape_text(array.extents) +
                                       ", the input `" + input + "` is " + shape_text(wanted),
                                   (is_planar_png(file, array)
                                        ? "a PNG of several channels is read as [channel, row, "
                                          "column]; "
                                        : "") +
                                       shape_remedy(source, input, array.extents, wanted),
                                   stage.origin.range));
    }
    return errors;
}

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

json inputs_json(const Buffers& arrays, const Files& files) {
    json inputs = json::array();
    for (const auto& [input, array] : arrays)
        inputs.push_back({{"name", input},
                          {"file", files.at(input)},
                          {"type", name(array.type)},
                          {"extents", array.extents}});
    return inputs;
}

Result<json> write_outputs(const Buffers& arrays, const Files& files) {
    json written = json::array();
    for (const auto& [output, file] : files) {
        const auto& array = arrays.at(output);
        if (auto done = write_array(file, array); !done)
            return done.errors();
        written.push_back({{"name", output},
                           {"file", file},
                           {"type", name(array.type)},
                           {"extents", array.extents}});
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
    const auto& pipeline = *run.loaded.pipeline;
    if (auto errors = check_files(pipeline, run.inputs, run.outputs); !errors.empty())
        return errors;
    take_raw_bf16(pipeline, run.arrays, run.inputs);
    if (auto errors = check_arrays(pipeline, source_of(arguments), run.arrays, run.inputs);
        !errors.empty())
        return errors;
    return run;
}

json run_facts(const RunArrays& run) {
    return {{"pipeline", run.loaded.pipeline->name},
            {"params", params_json(*run.loaded.pipeline)},
            {"inputs", inputs_json(run.arrays, run.inputs)}};
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
    auto written = write_outputs(*results, run->outputs);
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
