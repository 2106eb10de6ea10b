#include "compiler/run/input_files.h"

#include "compiler/run/array_file.h"
#include "compiler/run/infer_params.h"

namespace loopscope {

namespace {

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
        const auto param = param_for_extent(source, input, d, is[d]);
        fixed = fixed || !param;
        if (!param)
            continue;
        const auto option = "--param " + param->name + "=" + std::to_string(param->value);
        if (params.find(option) == std::string::npos)
            params += (params.empty() ? "" : " ") + option;
    }
    auto array = "give an array of the shape " + shape_text(wanted);
    return fixed || params.empty() ? "the pipeline fixes that extent: " + array
                                   : "set " + params + ", or " + array;
}

bool is_planar_png(const std::string& file, const Buffer& array) {
    return !is_numpy_file(file) && array.extents.size() == 3;
}

} // namespace

Result<Buffers> read_inputs(const ArrayFiles& files) {
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

void take_raw_bf16(const Pipeline& pipeline, Buffers& arrays, const ArrayFiles& files) {
    for (auto& [input, array] : arrays)
        if (array.type == ScalarType::U16 && is_numpy_file(files.at(input)) &&
            pipeline.find(input)->types.front() == ScalarType::BF16)
            array.type = ScalarType::BF16;
}

Diagnostics check_arrays(const Pipeline& pipeline, const SourceFilePtr& source,
                         const Buffers& arrays, const ArrayFiles& files) {
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

} // namespace loopscope
