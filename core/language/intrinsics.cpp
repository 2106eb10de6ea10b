#include "core/language/intrinsics.h"

#include "core/language/intrinsic_texts.h"
#include "core/language/loop_parser.h"

#include <algorithm>
#include <stdexcept>

namespace loopscope {

namespace {

Diagnostic wrong(const Stage& stage, std::string message) {
    return coded_error("intrinsic", stage.name + " " + std::move(message), {}, stage.origin.range);
}

// The operand as an element of it stands in the behaviour: its indices are axes.
Result<IntrinsicOperand> operand_of(const Stage& stage, const std::vector<ExprPtr>& indices,
                                    const std::vector<Extent>& extents,
                                    const std::vector<IntrinsicAxis>& axes) {
    IntrinsicOperand operand;
    operand.name = stage.name;
    operand.type = stage.types.front();
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const auto axis = std::find_if(axes.begin(), axes.end(), [&](const IntrinsicAxis& each) {
            return indices[d]->kind == ExprKind::Variable && each.name == indices[d]->name;
        });
        if (axis == axes.end() || !(extents[d] == Extent(axis->extent)))
            return wrong(stage, "is not indexed by axes of their extents alone");
        operand.axes.push_back(axis->name);
        operand.extents.push_back(axis->extent);
    }
    return operand;
}

class IntrinsicReader {
public:
    explicit IntrinsicReader(PipelinePtr pipeline) : pipeline_(std::move(pipeline)) {
        made_->declaration = pipeline_;
        made_->name = pipeline_->name;
    }

    Result<std::shared_ptr<const Intrinsic>> run() {
        for (auto step :
             {&IntrinsicReader::behaviour, &IntrinsicReader::operands, &IntrinsicReader::layouts})
            if (auto read = (this->*step)(); !read)
                return read.errors();
        return std::shared_ptr<const Intrinsic>(made_);
    }

private:
    // The first stage, which is a sum.
    Status behaviour() {
        const auto first = std::find_if(pipeline_->stages.begin(), pipeline_->stages.end(),
                                        [](const Stage& stage) { return !stage.is_input; });
        made_->behaviour = *first;
        const auto* output = pipeline_->find_output(first->name);
        const auto& definition = first->definitions.front();
        if (!output || first->definitions.size() != 1 || definition.condition ||
            definition.kind != DefinitionKind::Reduction ||
            definition.reduction != ReductionOp::Sum)
            return wrong(*first, "is the first stage, and not an output by a sum");
        for (std::size_t d = 0; d < first->variables.size(); ++d)
            made_->axes.push_back({first->variables[d], output->extents[d].hint(), false});
        for (const auto& axis : definition.axes) {
            if (axis.begin.hint() != 0)
                return wrong(*first, "sums over " + axis.name + ", which does not begin at 0");
            made_->axes.push_back({axis.name, axis.extent().hint(), true});
        }
        return success();
    }

    Status operands() {
        const auto& definition = made_->behaviour.definitions.front();
        for (const auto& stage : pipeline_->stages) {
            if (!stage.is_input)
                continue;
            const Expr* element = nullptr;
            visit(made_->term(), [&](const Expr& e) {
                if (e.kind == ExprKind::Load && e.name == stage.name)
                    element = &e;
                return true;
            });
            if (!element)
                return wrong(stage, "is no operand: the behaviour does not load it");
            auto operand = operand_of(stage, element->args, stage.extents, made_->axes);
            if (!operand)
                return operand.errors();
            made_->operands.push_back(std::move(*operand));
        }
        std::vector<ExprPtr> own;
        for (const auto& index : definition.free)
            own.push_back(variable(index));
        auto result =
            operand_of(made_->behaviour, own,
                       pipeline_->find_output(made_->behaviour.name)->extents, made_->axes);
        if (!result)
            return result.errors();
        made_->result = std::move(*result);
        // Where an operand's bits are taken apart it is rounded.
        visit(made_->term(), [&](const Expr& e) {
            made_->rounds = made_->rounds || e.kind == ExprKind::Reinterpret;
            return true;
        });
        return success();
    }

    Status layouts() {
        if (auto read = layout(made_->result); !read)
            return read;
        for (auto& operand : made_->operands) {
            if (auto read = layout(operand); !read)
                return read;
            operand.shared = operand.registers == 0 && made_->result.registers > 0;
        }
        return success();
    }

    // As many as the layouts say, which all say the same.
    Status lanes(const Stage& stage, std::int64_t count) {
        if (lanes_known_ && made_->lanes != count)
            return wrong(stage, "is a layout of " + std::to_string(count) +
                                    " lanes, and others of " + std::to_string(made_->lanes));
        if (count != kWarpLanes && count != kWarpgroupLanes)
            return wrong(stage, "is a layout of " + std::to_string(count) + " lanes: a warp has " +
                                    std::to_string(kWarpLanes) + ", a warpgroup " +
                                    std::to_string(kWarpgroupLanes));
        lanes_known_ = true;
        made_->lanes = count;
        return success();
    }

    // The output of a stage over lane and r, one value after another; null: it is none.
    const Output* of_lanes(const Stage* stage) const {
        return stage && stage->variables == std::vector<std::string>{"lane", "r"} &&
                       stage->definitions.front().kind == DefinitionKind::Pure
                   ? pipeline_->find_output(stage->name)
                   : nullptr;
    }

    // `A_i[lane, r]`, `A_k[lane, r]`: all indices of an operand, or none. `A_held[lane, r]`: which
    // elements is not said, but how many.
    Status layout(IntrinsicOperand& operand) {
        if (const auto* held = pipeline_->find(operand.name + "_held")) {
            const auto* output = of_lanes(held);
            if (!output)
                return wrong(*held, "is no layout: a stage over lane and r says how many elements "
                                    "a lane holds");
            operand.registers = output->extents[1].hint();
            return lanes(*held, output->extents[0].hint());
        }
        for (const auto& axis : operand.axes) {
            const auto* stage = pipeline_->find(operand.name + "_" + axis);
            if (!stage && operand.layout.empty())
                continue;
            const auto* output = of_lanes(stage);
            if (!output)
                return wrong(stage ? *stage : made_->behaviour,
                             "is no layout: each index of an operand has a stage over lane and r, "
                             "or none has");
            if (auto same = lanes(*stage, output->extents[0].hint()); !same)
                return same;
            operand.layout.push_back(stage->definitions.front().values.front());
            operand.registers = output->extents[1].hint();
        }
        if (!operand.layout.empty() && operand.layout.size() != operand.axes.size())
            return wrong(made_->behaviour, "has an operand " + operand.name +
                                               " of which one index has a layout, and not all");
        return success();
    }

    static constexpr std::int64_t kWarpLanes = 32, kWarpgroupLanes = 128;

    PipelinePtr pipeline_;
    bool lanes_known_ = false;
    std::shared_ptr<Intrinsic> made_ = std::make_shared<Intrinsic>();
};

IntrinsicTable read_all() {
    IntrinsicTable table;
    for (const auto& [name, text] : intrinsic_texts()) {
        auto read = read_intrinsic(
            std::make_shared<SourceFile>(std::string(name) + ".loop", std::string(text)));
        if (!read)
            throw std::logic_error("an intrinsic: " + format(read.errors()));
        if ((*read)->name != name)
            throw std::logic_error("the intrinsic " + (*read)->name + " stands in the file " +
                                   std::string(name));
        table.all.push_back(std::move(*read));
    }
    return table;
}

} // namespace

const IntrinsicTable& declared_intrinsics() {
    static const IntrinsicTable table = read_all(); // by the first thread that comes
    return table;
}

Result<std::shared_ptr<const Intrinsic>> read_intrinsic(SourceFilePtr source) {
    auto loaded = load_pipeline(std::move(source));
    if (!loaded)
        return loaded.errors();
    return IntrinsicReader(loaded->pipeline).run();
}

} // namespace loopscope
