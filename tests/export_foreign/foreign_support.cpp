#include "tests/export_foreign/foreign_support.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/marks.h"
#include "compiler/worker/tolerance.h"
#include "core/device/device.h"
#include "core/language/intrinsics.h"
#include "core/schedule/recipe.h"

#include <stdexcept>

namespace loopscope::test {

namespace {

std::string where(std::int64_t differences, std::int64_t first) {
    return " in " + std::to_string(differences) + " elements, first at " + std::to_string(first);
}

std::map<std::string, ScalarType> output_arrays(const Pipeline& pipeline) {
    std::map<std::string, ScalarType> arrays;
    for (const auto& output : pipeline.outputs) {
        const auto& types = pipeline.find(output.stage)->types;
        for (std::size_t c = 0; c < types.size(); ++c)
            arrays[output.stage + (types.size() > 1 ? "." + std::to_string(c) : "")] = types[c];
    }
    return arrays;
}

std::string output_file(const std::string& stem, const std::string& name) {
    return stem + "_out_" + name + ".npy";
}

} // namespace

codegen::ForeignSource foreign_source_of(Exporter exporter, const ScheduleTreePtr& tree,
                                         const std::string& schedule) {
    auto directives = schedule_of(*tree->pipeline, schedule);
    const auto device = target_of(directives);
    const ApplyContext context{&device, &declared_intrinsics()};
    // Exporters see the lines that recipes stand for.
    const auto lines = written_out(tree->pipeline, directives, context);
    if (!lines)
        throw std::runtime_error(format(lines.errors()));
    auto source = exporter({schedule, &*lines, context, tree});
    if (!source)
        throw std::runtime_error(format(source.errors()));
    return std::move(*source);
}

std::string written_inputs(const std::string& stem, const Buffers& inputs) {
    std::string arguments;
    for (const auto& [name, buffer] : inputs) {
        auto file = stem + "_in_" + name + ".npy";
        if (auto written = write_numpy(file, buffer); !written)
            throw std::runtime_error(format(written.errors()));
        arguments += " " + name + "=" + file;
    }
    return arguments;
}

std::string output_arguments(const std::string& stem, const Pipeline& pipeline) {
    std::string arguments;
    for (const auto& output : output_arrays(pipeline))
        arguments += " " + output.first + "=" + output_file(stem, output.first);
    return arguments;
}

Buffers read_outputs(const std::string& stem, const Pipeline& pipeline) {
    Buffers outputs;
    for (const auto& [name, type] : output_arrays(pipeline)) {
        auto read = read_numpy(output_file(stem, name));
        if (!read)
            throw std::runtime_error(format(read.errors()));
        read->type = type; // bf16 is u16 in .npy files
        outputs.emplace(name, std::move(*read));
    }
    return outputs;
}

std::string wrong_in(const ScheduleTree& tree, const Buffers& inputs, const Buffers& outputs) {
    Buffers expected;
    auto marks = worker::marks_of(tree);
    const bool reassociates = !marks.reassociated.empty();
    worker::Tolerance tolerance(*tree.pipeline, marks, std::nullopt);
    if (reassociates) {
        ReferenceOptions options;
        options.contracted = tolerance.enclosed().contracted;
        auto evaluated = evaluate(*tolerance.enclosed().pipeline, inputs, options);
        if (!evaluated)
            return format(evaluated.errors());
        expected = std::move(*evaluated);
    } else {
        expected = run_jit(lowered_for_jit(tree), inputs);
    }
    for (const auto& [name, buffer] : outputs) {
        auto bounded =
            reassociates ? tolerance.judge(name, buffer, expected) : std::optional<Judgement>();
        if (bounded && bounded->beyond > 0)
            return name + " is beyond its bounds" + where(bounded->beyond, bounded->first);
        if (bounded)
            continue;
        auto found = compare(buffer, expected.at(name));
        if (!found.equal)
            return name + " differs" + where(found.differences, found.first_difference);
    }
    return {};
}

} // namespace loopscope::test
