#include "compiler/lower/build_stores.h"

#include "compiler/lower/reduction.h"
#include "core/ir/product.h"

namespace loopscope::lower {

namespace {

// One statement for each component.
template <typename Make> StatementPtr each(const Stage& stage, const Make& make) {
    std::vector<StatementPtr> out;
    for (std::size_t c = 0; c < stage.types.size(); ++c)
        out.push_back(make(component_buffer(stage, c), c));
    return block(std::move(out));
}

// By which operation a step or update combines what is there with its value; None: it replaces it.
Op combining_operation(const Definition& definition, ComputeRole role) {
    auto operand = variable("x", definition.values[0]->type);
    ExprPtr step;
    if (role == ComputeRole::Step && !is_arg(definition.reduction))
        step = reduction_step(definition.reduction, {operand}, {operand})[0];
    else if (role == ComputeRole::Update)
        step = update_step(definition.update, operand, operand);
    return step ? step->op : Op::None;
}

bool reads_component_before(const ExprPtr& e, const Stage& stage, std::size_t end) {
    bool found = false;
    visit(e, [&](const Expr& x) {
        for (std::size_t c = 0; c < end; ++c)
            found = found || (x.kind == ExprKind::Load && x.name == component_buffer(stage, c));
        return !found;
    });
    return found;
}

class Stores {
public:
    Stores(PointStores point, int& names_made)
        : point_(std::move(point)),
          stage_(point_.stage.stage),
          definition_(stage_.definitions[static_cast<std::size_t>(point_.info.definition)]),
          names_made_(names_made) {}

    StatementPtr run() {
        auto role = point_.info.role;
        if (point_.info.atomic)
            if (auto op = combining_operation(definition_, role); op != Op::None)
                return each(stage_, [&](const std::string& buffer, std::size_t c) {
                    return lower::atomic(point_.origin, buffer, point_.indices, op,
                                         point_.values[c]);
                });
        if (role == ComputeRole::Step && is_arg(definition_.reduction))
            return selection();
        if (role == ComputeRole::Step || role == ComputeRole::Update)
            for (std::size_t c = 0; c < point_.values.size(); ++c)
                point_.values[c] = combined_with_old(c);
        return together();
    }

private:
    ExprPtr combined_with_old(std::size_t c) const {
        auto old = load(component_buffer(stage_, c), stage_.types[c], point_.indices);
        const auto& value = point_.values[c];
        if (point_.stage.fused_step[static_cast<std::size_t>(point_.info.definition)])
            return multiply_add(value, old);
        if (point_.info.role == ComputeRole::Update)
            return update_step(definition_.update, old, value);
        return reduction_step(definition_.reduction, {old}, {value})[0];
    }

    // argmin and argmax: the term and its rank replace what is there, both or none.
    StatementPtr selection() {
        auto number = std::to_string(++names_made_);
        Selection selection{definition_.reduction, {}, {}};
        for (std::size_t c = 0; c < point_.values.size(); ++c) {
            auto buffer = component_buffer(stage_, c);
            selection.places.push_back({buffer, stage_.types[c], point_.indices});
            selection.terms.push_back(variable(buffer + ".term" + number, stage_.types[c]));
        }
        auto body = selection_step(point_.origin, stage_.name + ".take" + number, selection);
        for (std::size_t c = point_.values.size(); c-- > 0;)
            body = let_statement(point_.origin, selection.terms[c]->name, point_.values[c], body);
        return body;
    }

    // What a store would change before another component reads it gets a name.
    StatementPtr together() {
        std::vector<std::pair<std::string, ExprPtr>> named;
        auto name = [&](ExprPtr& e) {
            auto fresh = stage_.name + ".old" + std::to_string(++names_made_);
            named.emplace_back(fresh, e);
            e = variable(fresh, e->type);
        };
        for (std::size_t c = 1; c < point_.values.size(); ++c)
            if (reads_component_before(point_.values[c], stage_, c))
                name(point_.values[c]);
        for (auto& index : point_.indices)
            if (reads_component_before(index, stage_, point_.values.size() - 1))
                name(index);
        auto body = each(stage_, [&](const std::string& buffer, std::size_t c) {
            return store(point_.origin, buffer, point_.indices, point_.values[c]);
        });
        for (auto n = named.rbegin(); n != named.rend(); ++n)
            body = let_statement(point_.origin, n->first, n->second, body);
        return body;
    }

    PointStores point_;
    const Stage& stage_;
    const Definition& definition_;
    int& names_made_;
};

} // namespace

std::string component_buffer(const Stage& stage, std::size_t component) {
    return stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(component);
}

StatementPtr point_stores(PointStores point, int& names_made) {
    return Stores(std::move(point), names_made).run();
}

} // namespace loopscope::lower
