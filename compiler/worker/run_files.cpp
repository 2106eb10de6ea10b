#include "compiler/worker/run_files.h"

#include "compiler/run/array_file.h"

#include <algorithm>
#include <filesystem>

namespace loopscope::worker {

namespace {

void append(Diagnostics& all, const Diagnostics& more) {
    all.insert(all.end(), more.begin(), more.end());
}

std::vector<std::string> input_names(const Pipeline& pipeline) {
    std::vector<std::string> names;
    for (const auto& stage : pipeline.stages)
        if (stage.is_input)
            names.push_back(stage.name);
    return names;
}

// What a file is to hold: the parts of a tuple are arrays of their own.
struct OutputArray {
    std::string name;
    ScalarType type;
    std::vector<std::int64_t> extents;
};

std::vector<OutputArray> output_arrays(const Pipeline& pipeline) {
    std::vector<OutputArray> arrays;
    for (const auto& output : pipeline.outputs) {
        const auto& types = pipeline.find(output.stage)->types;
        const auto extents = hints(output.extents);
        for (std::size_t c = 0; c < types.size(); ++c)
            arrays.push_back(
                {types.size() == 1 ? output.stage : output.stage + "." + std::to_string(c),
                 types[c], extents});
    }
    return arrays;
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

// Two arrays in one file would leave only the second.
Diagnostics check_files_differ(const Files& outputs) {
    Diagnostics errors;
    std::map<std::filesystem::path, std::string> seen;
    for (const auto& [name, file] : outputs) {
        std::error_code failure; // the writer reports what is wrong with a path
        auto path = std::filesystem::weakly_canonical(file, failure);
        auto [first, fresh] = seen.emplace(failure ? std::filesystem::path(file) : path, name);
        if (!fresh)
            errors.push_back(error("the outputs `" + first->second + "` and `" + name +
                                       "` go to one file, " + file,
                                   "give each a file of its own"));
    }
    return errors;
}

// What --output asks for and the pipeline has not.
Diagnostic wrong_output(const Pipeline& pipeline, const std::string& name,
                        const std::vector<std::string>& names) {
    if (pipeline.find_output(name))
        return error("the output `" + name + "` is a tuple, and a file holds one array",
                     "--output " + name + ".0=FILE.npy, and so on for its parts");
    auto whole = name.substr(0, name.find('.'));
    if (whole != name && std::find(names.begin(), names.end(), whole) != names.end())
        return error("the output `" + whole + "` is no tuple", "--output " + whole + "=FILE.npy");
    return unknown("output", name, names);
}

// What would else be told after all is computed, which would then be lost.
Diagnostics check_output_files(const std::vector<OutputArray>& arrays, const Files& outputs) {
    Diagnostics errors;
    for (const auto& array : arrays) {
        auto file = outputs.find(array.name);
        if (file == outputs.end())
            continue;
        if (auto good = check_array_file(file->second, array.type, array.extents); !good)
            append(errors, good.errors());
    }
    append(errors, check_files_differ(outputs));
    return errors;
}

} // namespace

Diagnostics check_files(const Pipeline& pipeline, const Files& inputs, const Files& outputs,
                        bool random) {
    Diagnostics errors;
    const auto wanted = input_names(pipeline);
    const auto arrays = output_arrays(pipeline);
    std::vector<std::string> made;
    for (const auto& array : arrays)
        made.push_back(array.name);
    auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& [name, file] : inputs)
        if (!has(wanted, name))
            errors.push_back(unknown("input", name, wanted));
    for (const auto& [name, file] : outputs)
        if (!has(made, name))
            errors.push_back(wrong_output(pipeline, name, made));
    append(errors, check_output_files(arrays, outputs));
    for (const auto& name : wanted)
        if (!random && !inputs.count(name))
            errors.push_back(
                error("the input `" + name + "` has no file", "--input " + name + "=FILE.npy"));
    if (outputs.empty())
        errors.push_back(error("no output is asked for", "--output " + made.front() + "=FILE.npy"));
    return errors;
}

} // namespace loopscope::worker
