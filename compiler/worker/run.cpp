// run: a scheduled pipeline on the user's own arrays, from files into files.
#include "compiler/run/array_file.h"
#include "compiler/worker/context.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/infer_params.h"
#include "compiler/worker/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace loopscope::worker {

using nlohmann::json;
using Files = std::map<std::string, std::string>;
using Buffers = std::map<std::string, Buffer>;

namespace {

void append(Diagnostics& all, const Diagnostics& more) {
    all.insert(all.end(), more.begin(), more.end());
}

Result<Buffers> read_inputs(const Files& files) {
    Buffers arrays;
    Diagnostics errors;
    for (const auto& [name, file] : files) {
        auto array = read_array(file);
        if (array)
            arrays.emplace(name, std::move(*array));
        else
            append(errors, array.errors());
    }
    return errors.empty() ? Result<Buffers>(std::move(arrays)) : errors;
}

std::vector<std::string> names_of(const Pipeline& pipeline, bool inputs) {
    std::vector<std::string> names;
    if (inputs) {
        for (const auto& stage : pipeline.stages)
            if (stage.is_input)
                names.push_back(stage.name);
    } else {
        for (const auto& output : pipeline.outputs)
            names.push_back(output.stage);
    }
    return names;
}

Diagnostic unknown(const char* kind, const std::string& name,
                   const std::vector<std::string>& names) {
    auto near = nearest_name(name, names);
    std::string list;
    for (const auto& known : names)
        list += (list.empty() ? "" : ", ") + known;
    return error(std::string("the pipeline has no ") + kind + " `" + name + "`",
                 near.empty() ? "it has: " + list : "did you mean `" + near + "`?");
}

Diagnostics check_names(const Pipeline& pipeline, const Files& inputs, const Files& outputs) {
    Diagnostics errors;
    auto input_names = names_of(pipeline, true), output_names = names_of(pipeline, false);
    auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& [name, file] : inputs)
        if (!has(input_names, name))
            errors.push_back(unknown("input", name, input_names));
    for (const auto& [name, file] : outputs)
        if (!has(output_names, name))
            errors.push_back(unknown("output", name, output_names));
    for (const auto& name : input_names)
        if (!inputs.count(name))
            errors.push_back(
                error("the input `" + name + "` has no file", "--input " + name + "=FILE.npy"));
    if (outputs.empty())
        errors.push_back(
            error("no output is asked for", "--output " + output_names.front() + "=FILE.npy"));
    return errors;
}

Diagnostics check_arrays(const Pipeline& pipeline, const Buffers& arrays, const Files& files) {
    Diagnostics errors;
    for (const auto& [input, array] : arrays) {
        const auto& stage = *pipeline.find(input);
        std::vector<std::int64_t> wanted;
        for (const auto& extent : stage.extents)
            wanted.push_back(extent.hint());
        auto file = files.at(input);
        if (array.type != stage.types.front())
            errors.push_back(
                error(file + " holds " + name(array.type) + ", the input `" + input + "` is " +
                          name(stage.types.front()),
                      "types are never converted: write the array with the input's type",
                      stage.origin.range));
        if (array.extents != wanted)
            errors.push_back(
                error(file + " has the shape " + shape_text(array.extents) + ", the input `" +
                          input + "` is " + shape_text(wanted),
                      array.extents.size() == wanted.size()
                          ? "set the params that these extents follow from, --param N=V"
                          : "give an array of as many dimensions",
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

// With the params that the shapes of the arrays give.
Result<LoadedProgram> load_for(const json& arguments, const Buffers& arrays) {
    Shapes shapes;
    for (const auto& [name, array] : arrays)
        shapes[name] = array.extents;
    const auto& text = arguments.at("pipeline");
    auto source = std::make_shared<SourceFile>(text.at("name"), text.at("text"));
    auto params = infer_params(source, shapes, params_of(arguments));
    if (!params)
        return params.errors();
    return load_program(arguments, *params);
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

Result<json> serve_run(const json& arguments, const Context& context) {
    if (auto target = check_target(arguments); !target)
        return target.errors();
    const auto inputs = arguments.value("inputs", Files()),
               outputs = arguments.value("outputs", Files());
    context.progress("read", "reading the inputs");
    auto arrays = read_inputs(inputs);
    if (!arrays)
        return arrays.errors();
    auto loaded = load_for(arguments, *arrays);
    if (!loaded)
        return loaded.errors();
    if (auto errors = check_names(*loaded->pipeline, inputs, outputs); !errors.empty())
        return errors;
    if (auto errors = check_arrays(*loaded->pipeline, *arrays, inputs); !errors.empty())
        return errors;
    context.progress("compile", "compiling");
    auto compiled = compile_program(*loaded);
    if (!compiled)
        return compiled.errors();
    auto execution = Execution::prepare(compiled->program, *arrays);
    if (!execution)
        return execution.errors();
    if (context.cancelled())
        return cancelled_error();
    context.progress("run", "running");
    const int threads = threads_of(arguments);
    const auto start = std::chrono::steady_clock::now();
    if (auto done = compiled->code->run(execution->pointers(), threads); !done)
        return done.errors();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    auto results = execution->outputs(compiled->program);
    if (!results)
        return results.errors();
    context.progress("write", "writing the outputs");
    auto written = write_outputs(*results, outputs);
    if (!written)
        return written.errors();
    return json{{"pipeline", loaded->pipeline->name},
                {"params", params_json(*loaded->pipeline)},
                {"outputs", std::move(*written)},
                {"seconds", seconds.count()},
                {"threads", threads}};
}

} // namespace loopscope::worker
