// The derived program: what the schedule makes of the pipeline's definitions, before any loop.

#include "core/ir/functions.h"
#include "core/schedule/legality.h"
#include "core/schedule/reads.h"
#include "core/schedule/region.h"

#include <unordered_map>

namespace loopscope {

namespace {

// languages.md, contract(): x + a*b, a*b + y (the right product first), x - a*b and a*b - y become one fma each.
// Negations are exact, so that x - a*b = fma(-a, b, x) and a*b - y = fma(a, b, -y).
ExprPtr fuse_multiply_add(const ExprPtr& e) {
    if (e->kind != ExprKind::Binary || !is_float(e->type) ||
        (e->op != Op::Add && e->op != Op::Subtract))
        return e;
    auto is_product = [](const ExprPtr& x) {
        return x->kind == ExprKind::Binary && x->op == Op::Multiply;
    };
    const auto& a = e->args[0];
    const auto& b = e->args[1];
    bool add = e->op == Op::Add;
    if (is_product(b))
        return fma(add ? b->args[0] : unary(Op::Negate, b->args[0]), b->args[1], a, e->where);
    if (is_product(a))
        return fma(a->args[0], a->args[1], add ? b : unary(Op::Negate, b), e->where);
    return e;
}

// The contracted form of an expression, children first: an operand that became an fma is no product any more.
ExprPtr contracted(const ExprPtr& e) { return e ? rewrite(e, fuse_multiply_add) : e; }

// fast_math: the prelude's functions by their approximations.
ExprPtr approximated(const ExprPtr& e) {
    return rewrite(e, [](const ExprPtr& node) {
        return node->kind == ExprKind::Call
                   ? call(approximation_of(node->name), node->args, node->where)
                   : node;
    });
}

bool accumulates_product(const Definition& definition) {
    if (definition.values.size() != 1)
        return false;
    const auto& term = definition.values[0];
    bool sum = (definition.kind == DefinitionKind::Reduction &&
                definition.reduction == ReductionOp::Sum) ||
               (definition.kind == DefinitionKind::Update && definition.update == UpdateOp::Add);
    return sum && is_float(term->type) && term->kind == ExprKind::Binary &&
           term->op == Op::Multiply;
}

class Deriver {
public:
    explicit Deriver(const ScheduleState& state) : state_(state), routes_(state) {}

    Derived run() {
        Derived out;
        for (const auto& s : state_.stages) {
            DerivedStage derived;
            derived.copy_of = s->copy_of;
            derived.factor_of = s->factor_of;
            derived.inlined = s->compute.kind == Placement::Kind::Inline;
            derived.stage = s->copy_of.empty() ? state_.declared(s->name) : copy_stage(*s);
            for (std::size_t d = 0; d < derived.stage.definitions.size(); ++d) {
                const auto& definition = s->definitions[d];
                bool contract = definition.contract || definition.fast_math;
                // Colliding iterations add by atomic operations, of which none is an fma.
                bool fuse = contract && accumulates_product(derived.stage.definitions[d]) &&
                            !collides(state_, s->name, static_cast<int>(d));
                derived.fused_step.push_back(fuse);
                rewrite_definition(derived.stage.definitions[d], s->name, static_cast<int>(d),
                                   definition);
                derived.contracted.push_back(contract);
                derived.approximated.push_back(definition.fast_math);
                derived.atomic.push_back(definition.atomic);
                derived.reassociates.push_back(definition.reassociates);
            }
            bodies_[s->name] = derived.stage;
            if (derived.inlined)
                inlined_[s->name] = &bodies_[s->name];
            out.stages.push_back(std::move(derived));
        }
        auto pipeline = std::make_shared<Pipeline>();
        pipeline->name = state_.pipeline->name;
        pipeline->params = state_.pipeline->params;
        pipeline->symbols = state_.pipeline->symbols;
        pipeline->outputs = state_.pipeline->outputs;
        pipeline->source = state_.pipeline->source;
        for (const auto& stage : state_.pipeline->stages)
            if (stage.is_input)
                pipeline->stages.push_back(stage);
        for (const auto& stage : out.stages)
            if (!stage.inlined)
                pipeline->stages.push_back(stage.stage);
        pipeline->seal();
        out.pipeline = std::move(pipeline);
        return out;
    }

private:
    // B = cache_read(X): B[i, k] = X[i, k], with X's index names.
    Stage copy_stage(const StageState& s) {
        Stage copy = state_.declared(s.copy_of);
        copy.name = s.name;
        copy.display_name = s.name;
        copy.is_input = false;
        copy.extents.clear();
        copy.boundary = {};
        copy.definitions.clear();
        Definition definition;
        definition.kind = DefinitionKind::Pure;
        definition.free = copy.variables;
        std::vector<ExprPtr> indices;
        for (const auto& v : copy.variables)
            indices.push_back(variable(v));
        for (std::size_t c = 0; c < copy.types.size(); ++c)
            definition.values.push_back(
                load(s.copy_of, copy.types[c], indices, static_cast<int>(c)));
        copy.definitions.push_back(std::move(definition));
        return copy;
    }

    void rewrite_definition(Definition& definition, const std::string& stage, int index,
                            const DefinitionState& how) {
        auto each = [&](ExprPtr& e) {
            if (!e)
                return;
            e = replace_loads(how.contract || how.fast_math ? contracted(e) : e, stage, index);
            if (how.fast_math)
                e = approximated(e);
        };
        for (auto& e : definition.values)
            each(e);
        each(definition.condition);
        for (auto& e : definition.left)
            each(e);
    }

    // A definition's own loads, and those of stages inlined into it, go to the copies that serve it.
    ExprPtr replace_loads(const ExprPtr& e, const std::string& stage, int index) {
        DefinitionKey reader{stage, index};
        return rewrite(e, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Load)
                return node;
            auto target = routes_.served_by(node->name, reader);
            if (auto body = inlined_.find(target); body != inlined_.end())
                return redirect(inline_load(*body->second, *node), reader);
            return renamed(node, target);
        });
    }

    ExprPtr redirect(const ExprPtr& e, const DefinitionKey& reader) {
        if (!routes_.any(reader))
            return e;
        return rewrite(e, [&](const ExprPtr& node) -> ExprPtr {
            return node->kind == ExprKind::Load
                       ? renamed(node, routes_.served_by(node->name, reader))
                       : node;
        });
    }

    static ExprPtr renamed(const ExprPtr& at, const std::string& target) {
        return target == at->name ? at : load(target, at->type, at->args, at->component, at->where);
    }

    ExprPtr inline_load(const Stage& stage, const Expr& at) {
        std::unordered_map<std::string, ExprPtr> values;
        for (std::size_t d = 0; d < stage.variables.size(); ++d) {
            auto index = at.args[d];
            values[stage.variables[d]] =
                index->type == ScalarType::I32 ? index : cast(ScalarType::I32, index);
        }
        // A let name inside the inlined body is made unique for each use: two uses may meet in one expression.
        auto body = freshen(stage.definitions[0].values[static_cast<std::size_t>(at.component)]);
        return substitute(body, [&](const std::string& name) -> ExprPtr {
            auto it = values.find(name);
            return it == values.end() ? nullptr : it->second;
        });
    }

    ExprPtr freshen(const ExprPtr& e) {
        return rewrite(e, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Let)
                return node;
            auto name =
                node->name + "." + std::to_string(++fresh_); // no name of a script has a dot
            auto body = substitute(node->args[1], [&](const std::string& n) -> ExprPtr {
                return n == node->name ? variable(name, node->args[0]->type) : nullptr;
            });
            return let(name, node->args[0], body, node->where);
        });
    }

    const ScheduleState& state_;
    CopyRoutes routes_;
    std::map<std::string, Stage> bodies_; // stages rewritten so far
    std::map<std::string, const Stage*> inlined_;
    int fresh_ = 0;
};

} // namespace

Derived derive(const ScheduleState& state) { return Deriver(state).run(); }

} // namespace loopscope
