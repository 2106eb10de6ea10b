// An expanded pipeline as text, and equality of pipelines.
#include "core/ir/expr_text.h"
#include "core/ir/pipeline_fields.h"
#include "core/language/loop_parser.h"
#include "core/language/scope.h"

namespace loopscope {

namespace {

std::string list(const std::vector<std::string>& items) {
    std::string out;
    for (const auto& item : items)
        out += (out.empty() ? "" : ", ") + item;
    return "[" + out + "]";
}

std::string list(const std::vector<Extent>& items) {
    std::vector<std::string> texts;
    for (const auto& item : items)
        texts.push_back(item.text());
    return list(texts);
}

std::string axes_text(const std::vector<ReductionAxis>& axes) {
    std::string out;
    for (const auto& a : axes)
        out += (out.empty() ? "" : ", ") + a.name + " in " + a.begin.text() + ".." + a.end.text();
    return out;
}

class StageText {
public:
    explicit StageText(const Pipeline& pipeline)
        : is_tuple_([&pipeline](const std::string& name) {
              const auto* stage = pipeline.find(name);
              return stage && stage->types.size() > 1;
          }) {}

    std::string input(const Stage& input) const {
        auto out = "input " + input.name + list(input.variables) + ": " + name(input.types[0]) +
                   list(input.extents);
        if (input.boundary.kind == BoundaryKind::None)
            return out;
        out += std::string(" boundary ") + name(input.boundary.kind);
        return input.boundary.kind == BoundaryKind::Constant
                   ? out + "(" + text(input.boundary.value) + ")"
                   : out;
    }

    std::string first(const Stage& stage, const Definition& d) const {
        auto out =
            "stage " + stage.name + list(stage.variables) + ": " + type_text(stage.types) + " = ";
        if (d.kind != DefinitionKind::Reduction)
            return out + values(d.values);
        auto condition = d.condition ? " where " + text(d.condition) : std::string();
        // The rank of an argmin or argmax follows from its axes.
        return out + name(d.reduction) + "[" + axes_text(d.axes) + condition + "](" +
               text(d.values[0]) + ")";
    }

    std::string update(const Stage& stage, const Definition& d) const {
        std::vector<std::string> left;
        for (const auto& index : d.left)
            left.push_back(text(index));
        auto out =
            "update " + stage.name + list(left) + " " + name(d.update) + " " + values(d.values);
        if (!d.axes.empty())
            out += " over " + axes_text(d.axes);
        if (d.condition)
            out += " where " + text(d.condition);
        return out;
    }

private:
    std::string text(const ExprPtr& e) const { return to_exact_text(e, is_tuple_); }

    // One value, or a tuple of several.
    std::string values(const std::vector<ExprPtr>& values) const {
        std::string out;
        for (const auto& v : values)
            out += (out.empty() ? "" : ", ") + text(v);
        return values.size() == 1 ? out : "(" + out + ")";
    }

    std::function<bool(const std::string&)> is_tuple_;
};

} // namespace

std::string to_text(const Pipeline& pipeline) {
    std::string out = "pipeline " + pipeline.name + "\n";
    for (const auto& p : pipeline.params)
        out += "param " + p.name + " = " + std::to_string(p.value) + "\n";
    StageText text(pipeline);
    for (const auto& stage : pipeline.stages) {
        if (stage.is_input) {
            out += text.input(stage) + "\n";
            continue;
        }
        for (std::size_t i = 0; i < stage.definitions.size(); ++i)
            out += (i == 0 ? text.first(stage, stage.definitions[i])
                           : text.update(stage, stage.definitions[i])) +
                   "\n";
    }
    for (const auto& o : pipeline.outputs)
        out += "output " + o.stage + ": " + list(o.extents) + "\n";
    return out;
}

bool equal(const Pipeline& a, const Pipeline& b) { return same_value(a, b); }

} // namespace loopscope
