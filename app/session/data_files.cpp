#include "app/session/data_files.h"

#include "compiler/run/array_file.h"
#include "compiler/run/infer_params.h"
#include "compiler/run/input_files.h"
#include "compiler/run/random_inputs.h"
#include "core/base/whole_file.h"
#include "core/language/loop_parser.h"

#include <filesystem>

namespace loopscope::session {

namespace {

std::string mebibytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

Diagnostic too_large(const std::string& what) {
    return error(what + " is larger than the " + mebibytes(kMostShown) +
                     " that the window shows of an array",
                 "it can be saved, and `loopscope-cli run` takes files of any size");
}

SourceFilePtr source_of_data(const DataProgram& program) {
    return std::make_shared<SourceFile>(program.name, program.program->text);
}

Result<PipelinePtr> pipeline_at(const SourceFilePtr& source,
                                const std::map<std::string, std::int64_t>& params) {
    auto loaded = load_pipeline(source, {.params = params});
    if (!loaded)
        return loaded.errors();
    return loaded->pipeline;
}

// With the values that extents of files ask for, each param's by the first extent that differs.
std::map<std::string, std::int64_t> params_of_files(const SourceFilePtr& source,
                                                    const Pipeline& pipeline,
                                                    std::map<std::string, std::int64_t> params,
                                                    const DataFiles& files) {
    std::map<std::string, std::int64_t> asked;
    for (const auto& [input, array] : files) {
        const auto* stage = pipeline.find(input);
        if (!stage || stage->extents.size() != array.extents.size())
            continue;
        const auto wanted = hints(stage->extents);
        for (std::size_t d = 0; d < wanted.size(); ++d)
            if (wanted[d] != array.extents[d])
                if (const auto param = param_for_extent(source, input, d, array.extents[d]))
                    asked.emplace(param->name, param->value);
    }
    for (const auto& [name, value] : asked)
        params[name] = value;
    return params;
}

// Types and shapes alone: no elements are needed.
Diagnostics misfits(const Pipeline& pipeline, const SourceFilePtr& source, const DataFiles& files) {
    Buffers arrays;
    ArrayFiles paths;
    Diagnostics errors;
    for (const auto& [input, array] : files) {
        const auto* stage = pipeline.find(input);
        if (!stage || !stage->is_input) {
            errors.push_back(error("the pipeline has no input `" + input + "`"));
            continue;
        }
        Buffer buffer;
        buffer.type = array.type;
        buffer.extents = array.extents;
        arrays.emplace(input, std::move(buffer));
        paths[input] = array.file;
    }
    take_raw_bf16(pipeline, arrays, paths);
    const auto differing = check_arrays(pipeline, source, arrays, paths);
    errors.insert(errors.end(), differing.begin(), differing.end());
    return errors;
}

// Those without a file first.
std::vector<std::string> candidates(const Pipeline& pipeline, const DataFiles& files) {
    std::vector<std::string> free, taken;
    for (const auto& stage : pipeline.stages)
        if (stage.is_input)
            (files.count(stage.name) ? taken : free).push_back(stage.name);
    free.insert(free.end(), taken.begin(), taken.end());
    return free;
}

Diagnostic fits_none(const Pipeline& pipeline, const DataArray& array) {
    std::string inputs;
    for (const auto& stage : pipeline.stages)
        if (stage.is_input)
            inputs += (inputs.empty() ? "" : ", ") + stage.name + ": " + name(stage.types.front()) +
                      " " + shape_text(hints(stage.extents));
    return error(array.file + ", " + name(array.type) + " " + shape_text(array.extents) +
                     ", fits none of the inputs",
                 inputs.empty() ? "the pipeline has no inputs"
                                : "they are " + inputs + "; types are never converted");
}

// Before anything of it is in memory: a PNG of some kilobytes may have more pixels than there is
// room for.
Status shown_size(const std::string& path) {
    const auto size = array_size(path);
    if (!size)
        return size.errors();
    if (*size > kMostShown + (1 << 20)) // a header stands before the elements
        return too_large(path);
    return success();
}

// In the file system's own steps; nothing: it is not there.
std::optional<std::int64_t> written(const std::string& path) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    return error ? std::nullopt : std::optional<std::int64_t>(time.time_since_epoch().count());
}

Diagnostic has_changed(const DataArray& array) {
    return error(array.file + " has changed since it was chosen", "choose it again");
}

Result<DataArray> read_shape(const std::string& path) {
    if (auto fits = shown_size(path); !fits)
        return fits.errors();
    DataArray array;
    array.written = written(path); // before it is read: what comes later is noticed
    auto read = read_array(path);
    if (!read)
        return read.errors();
    if (static_cast<std::int64_t>(read->data.size()) > kMostShown)
        return too_large(path);
    array.type = read->type;
    array.extents = read->extents;
    array.file = path;
    return array;
}

} // namespace

bool is_array_file(const std::string& path) {
    auto ending = std::filesystem::path(path).extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return ending == ".npy" || ending == ".png";
}

Result<std::shared_ptr<const Buffer>> load_array(const DataArray& array) {
    const auto bytes = checked_size(array.type, array.extents);
    if (!bytes)
        return bytes.errors();
    if (*bytes > kMostShown)
        return too_large(array.name);
    if (array.written && written(array.file) != array.written)
        return has_changed(array);
    if (auto fits = shown_size(array.file); !array.file.empty() && !fits)
        return fits.errors();
    auto read = array.file.empty() ? random_buffer(array.type, array.extents,
                                                   array.seed.value_or(1), RandomMode::Reals)
                                   : read_array(array.file);
    if (!read)
        return read.errors();
    const bool raw = array.type == ScalarType::BF16 && read->type == ScalarType::U16;
    if (read->extents != array.extents || (read->type != array.type && !raw))
        return has_changed(array);
    if (raw)
        read->type = ScalarType::BF16; // its bits are all that a file has
    return std::make_shared<const Buffer>(std::move(*read));
}

Result<SizedProgram> sized_for(const DataProgram& program, const DataFiles& files) {
    const auto source = source_of_data(program);
    auto pipeline = pipeline_at(source, program.program->params);
    if (!pipeline)
        return pipeline.errors();
    SizedProgram sized{*pipeline,
                       params_of_files(source, **pipeline, program.program->params, files)};
    if (sized.params != program.program->params) {
        auto at_size = pipeline_at(source, sized.params);
        if (!at_size)
            return at_size.errors();
        sized.pipeline = *at_size;
    }
    if (auto errors = misfits(*sized.pipeline, source, files); !errors.empty())
        return errors;
    return sized;
}

Result<DataArray> fitting_input(const DataProgram& program, const DataFiles& files,
                                const std::string& path, const std::string& input) {
    auto array = read_shape(path);
    if (!array)
        return array;
    auto pipeline = pipeline_at(source_of_data(program), program.program->params);
    if (!pipeline)
        return pipeline.errors();
    const auto tried = input.empty() ? candidates(**pipeline, files) : std::vector{input};
    Diagnostics errors;
    for (const auto& each : tried) {
        auto with = files;
        array->name = each;
        with[each] = *array;
        auto sized = sized_for(program, with);
        if (sized) {
            array->type = sized->pipeline->find(each)->types.front(); // bf16 of u2
            return array;
        }
        errors = sized.errors();
    }
    if (tried.size() == 1)
        return errors;
    return fits_none(**pipeline, *array);
}

} // namespace loopscope::session
