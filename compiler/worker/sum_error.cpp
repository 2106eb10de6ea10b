#include "compiler/worker/sum_error.h"

#include "compiler/worker/extension.h"
#include "compiler/worker/float_values.h"
#include "compiler/worker/tolerance.h"

#include <algorithm>

namespace loopscope::worker {

namespace {

using Place = std::pair<std::string, int>;

std::string value_name(const Place& place, std::size_t component) {
    return place.first + "@" + std::to_string(place.second) + ".value." + std::to_string(component);
}

bool is_last(const Stage& stage, int index) {
    return static_cast<std::size_t>(index) + 1 == stage.definitions.size();
}

// The stage as it is after that definition.
Stage until(const Stage& stage, int index, Variant& variant) {
    auto part = stage_beside(stage, stage.name + "@" + std::to_string(index), stage.types);
    for (int d = 0; d <= index; ++d) {
        part.definitions.push_back(
            reading(stage.definitions[static_cast<std::size_t>(d)], stage.name, part.name));
        if (variant.contracted.count({stage.name, d}))
            variant.contracted.emplace(part.name, d);
    }
    return part;
}

class Moving {
public:
    Moving(const Pipeline& pipeline, const Marks& marks, const SumErrors& errors, ErrorSigns signs)
        : marks_(marks),
          errors_(errors),
          signs_(signs),
          moved_(std::make_shared<Pipeline>(pipeline)) {
        moved_->stages.clear();
        for (const auto& stage : pipeline.stages)
            add(stage);
        moved_->seal();
    }

    Variant take() { return {moved_, std::move(contracted_)}; }

private:
    void add(const Stage& original) {
        auto stage = original;
        stage.definitions.clear();
        for (std::size_t d = 0; d < original.definitions.size(); ++d) {
            const Place place{original.name, static_cast<int>(d)};
            if (marks_.contracted.count(place))
                contracted_.emplace(original.name, static_cast<int>(stage.definitions.size()));
            auto definition = original.definitions[d];
            for (const auto& [from, to] : replaced_)
                definition = reading(std::move(definition), from, to);
            stage.definitions.push_back(std::move(definition));
            if (errors_.count(place) && !is_last(original, place.second))
                stage.definitions.push_back(update_by_errors(stage, place));
        }
        moved_->stages.push_back(stage);
        const Place last{original.name, static_cast<int>(original.definitions.size()) - 1};
        if (!errors_.count(last))
            return;
        auto off = stage_beside(stage, stage.name + "@off", stage.types);
        off.definitions = {pure_definition(off, values(stage, last))};
        replaced_[stage.name] = off.name;
        moved_->stages.push_back(std::move(off));
    }

    Definition update_by_errors(const Stage& stage, const Place& place) {
        auto update = pure_definition(stage, values(stage, place));
        update.kind = DefinitionKind::Update;
        for (const auto& name : stage.variables)
            update.left.push_back(variable(name));
        return update;
    }

    std::vector<ExprPtr> values(const Stage& stage, const Place& place) {
        const auto& errors = errors_.at(place);
        std::vector<ExprPtr> all;
        for (std::size_t c = 0; c < stage.types.size(); ++c) {
            auto value = own_element(stage, static_cast<int>(c));
            if (errors[c] > 0) {
                auto error = signed_error(errors[c], signs_, stage.variables, number_++);
                value = cast(stage.types[c],
                             binary(Op::Add, cast(ScalarType::F64, value), std::move(error)));
            }
            all.push_back(std::move(value));
        }
        return all;
    }

    const Marks& marks_;
    const SumErrors& errors_;
    const ErrorSigns signs_;
    std::shared_ptr<Pipeline> moved_;
    DefinitionSet contracted_;
    std::map<std::string, std::string> replaced_; // stages that are read elsewhere
    int number_ = 0;                              // of what is off
};

} // namespace

Result<Variant> with_sums(const Pipeline& pipeline, const Marks& marks) {
    auto boxes = required_boxes(pipeline);
    if (!boxes)
        return boxes.errors();
    auto extended = std::make_shared<Pipeline>(pipeline);
    Variant variant{extended, marks.contracted};
    extended->stages.clear();
    for (const auto& stage : pipeline.stages) {
        extended->stages.push_back(stage);
        const auto& box = boxes->at(stage.name);
        bool empty = std::any_of(box.begin(), box.end(), [](auto& i) { return i.empty(); });
        for (std::size_t d = 0; d < stage.definitions.size() && !empty; ++d) {
            const Place place{stage.name, static_cast<int>(d)};
            if (!marks.reassociated.count(place))
                continue;
            auto part = stage;
            if (!is_last(stage, place.second)) {
                part = until(stage, place.second, variant);
                extended->stages.push_back(part);
            }
            for (std::size_t c = 0; c < stage.types.size(); ++c)
                if (is_float(stage.types[c]))
                    add_box_output(*extended, part, static_cast<int>(c), value_name(place, c), box);
        }
    }
    extended->seal();
    return variant;
}

SumErrors sum_errors(const Pipeline& pipeline, const Marks& marks,
                     const std::map<std::string, Buffer>& outputs) {
    SumErrors errors;
    for (const auto& place : marks.reassociated) {
        const auto& stage = *pipeline.find(place.first);
        const auto& definition = stage.definitions[static_cast<std::size_t>(place.second)];
        auto& own = errors[place];
        for (std::size_t c = 0; c < stage.types.size(); ++c) {
            auto found = outputs.find(value_name(place, c));
            own.push_back(found == outputs.end() ? 0
                                                 : 4 * reordering_error(stage, definition) *
                                                       greatest_magnitude(found->second));
        }
    }
    return errors;
}

Variant with_sum_errors(const Pipeline& pipeline, const Marks& marks, const SumErrors& errors,
                        ErrorSigns signs) {
    return Moving(pipeline, marks, errors, signs).take();
}

} // namespace loopscope::worker
