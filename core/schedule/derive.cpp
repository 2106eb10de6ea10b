// The derived program: what the schedule makes of the pipeline's definitions, before any loop.

#include "core/ir/definition_expressions.h"
#include "core/ir/functions.h"
#include "core/ir/product.h"
#include "core/schedule/derivation.h"
#include "core/schedule/inlined_size.h"
#include "core/schedule/legality.h"
#include "core/schedule/reads.h"
#include "core/schedule/region.h"
#include "core/schedule/shared_expressions.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace loopscope {

namespace {

// languages.md, contract(): x + a*b, a*b + y (the right product first), x - a*b and a*b - y become
// one fma each. Negations are exact, so that x - a*b = fma(-a, b, x) and a*b - y = fma(a, b, -y).
ExprPtr fuse_multiply_add(const ExprPtr& e) {
    if (e->kind != ExprKind::Binary || !is_float(e->type) ||
        (e->op != Op::Add && e->op != Op::Subtract))
        return e;
    const auto& a = e->args[0];
    const auto& b = e->args[1];
    bool add = e->op == Op::Add;
    if (is_product(b))
        return add ? multiply_add(b, a, e->where) : multiply_subtract(b, a, e->where);
    if (is_product(a))
        return multiply_add(a, add ? b : unary(Op::Negate, b), e->where);
    return e;
}

// The contracted form of an expression, children first: an operand that became an fma is no product
// any more.
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
    bool sum = (definition.kind == DefinitionKind::Reduction &&
                definition.reduction == ReductionOp::Sum) ||
               (definition.kind == DefinitionKind::Update && definition.update == UpdateOp::Add);
    return sum && is_product(definition.values[0]);
}

// Filled by asynchronous copies, while others of its copies are used: of what is in memory already
// (ALCOP, section II-A, first rule).
bool is_filled_asynchronously(const StageState& s) {
    return !s.copy_of.empty() && s.pipeline != 1 && s.scope.shared_by == device::Unit::Block;
}

// The one element of memory that the expression depends on, wherever its index is a function of
// these variables alone; null: it depends on none, or on several.
ExprPtr only_element(const ExprPtr& e, const std::vector<std::string>& variables) {
    ExprPtr found;
    bool only = true;
    rewrite(e, [&](const ExprPtr& node) {
        if (node->kind == ExprKind::Load) {
            only = only && (!found || equal(found, node));
            found = node;
        }
        return node;
    });
    if (!found || !only)
        return nullptr;
    for (const auto& index : found->args)
        visit(index, [&](const Expr& node) {
            only = only &&
                   (node.kind != ExprKind::Variable ||
                    std::find(variables.begin(), variables.end(), node.name) != variables.end());
            return only;
        });
    return only ? found : nullptr;
}

class Deriver {
public:
    explicit Deriver(const ScheduleState& state)
        : state_(state), routes_(state), long_(stages_made_long(state)) {
        find_inlined_as_written();
    }

    // Names that it makes are numbered in each stage anew: they do not depend on which others are
    // taken over.
    Stage derived_stage(const StageState& s) {
        fresh_ = names_made_ = 0;
        // no short stage reads a long one that is inlined
        if (inlined_as_written_.count(s.name) && is_graph(s.name))
            return as_written(s.name);
        Stage stage = declared(s);
        for (std::size_t d = 0; d < stage.definitions.size(); ++d)
            rewrite_definition(stage.definitions[d], s.name, static_cast<int>(d), s.definitions[d]);
        rewrite_original(stage, s);
        leave_to_readers(stage, s);
        return stage;
    }

    // From now on the stage's body stands for its loads.
    void inline_everywhere(std::shared_ptr<const Stage> stage) {
        inlined_[stage->name] = std::move(stage);
    }

    // The same, where only long stages are derived.
    void inline_into_long(const StageState& s) {
        const bool as_it_is = inlined_as_written_.count(s.name) > 0;
        inline_everywhere(
            std::make_shared<const Stage>(as_it_is ? as_written(s.name) : derived_stage(s)));
    }

    // The nodes of a long stage's definitions, equal parts shared. Graphs far beyond the limit are
    // given up.
    std::int64_t count_nodes(const StageState& s) {
        constexpr std::int64_t kFar = 8 * kMaxSharedNodes;
        most_shared_ = shared_.size() + std::size_t{kFar};
        const auto stage = derived_stage(s);
        const bool given_up = shared_.size() > most_shared_;
        most_shared_ = std::numeric_limits<std::size_t>::max();
        std::int64_t sum = given_up ? kFar : 0;
        for (const auto& definition : stage.definitions)
            each_expression(definition,
                            [&](const ExprPtr& e) { sum += std::min(kFar, written_nodes(e)); });
        return sum;
    }

    std::shared_ptr<const Pipeline> pipeline_of(const std::vector<const Stage*>& computed) const {
        auto pipeline = std::make_shared<Pipeline>();
        pipeline->name = state_.pipeline->name;
        pipeline->params = state_.pipeline->params;
        pipeline->symbols = state_.pipeline->symbols;
        pipeline->outputs = state_.pipeline->outputs;
        pipeline->source = state_.pipeline->source;
        for (const auto& stage : state_.pipeline->stages)
            if (stage.is_input)
                pipeline->stages.push_back(stage);
        for (const auto* stage : computed)
            pipeline->stages.push_back(*stage);
        pipeline->seal();
        return pipeline;
    }

private:
    // Into long stages others are inlined as they are written, place by place, which is as much
    // work as there are places, and not with all that was inlined into them. Now and then they are,
    // so that chains of thousands do not exhaust the stack.
    void find_inlined_as_written() {
        constexpr int kLevels = 32;
        if (long_.empty())
            return;
        std::unordered_map<std::string, int> levels;
        for (const auto& s : state_.stages) {
            if (s->compute.kind != Placement::Kind::Inline)
                continue;
            int level = 0;
            for (const auto& value : as_written(s->name).definitions[0].values)
                visit(value, [&](const Expr& e) {
                    if (e.kind == ExprKind::Load && levels.count(e.name))
                        level = std::max(level, levels.at(e.name) + 1);
                    return true;
                });
            levels[s->name] = level;
            if (level % kLevels != kLevels - 1)
                inlined_as_written_.insert(s->name);
        }
    }

    Stage declared(const StageState& s) const {
        return s.copy_of.empty() ? state_.declared(s.name) : copy_stage(s);
    }

    // B = cache_read(X): B[i, k] = X[i, k], with X's index names.
    Stage copy_stage(const StageState& s) const {
        Stage copy = state_.declared(s.copy_of);
        copy.name = s.name;
        copy.display_name = s.name;
        copy.is_input = false;
        copy.original = nullptr; // its ranges are those of what it loads
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

    // ALCOP, Fig. 5, case 2: a stage that applies a function to one element of memory, and is
    // inlined into a pipelined copy, would keep that from being one: instead the element is copied
    // as it is, and readers of the copy apply the function.
    void leave_to_readers(Stage& copy, const StageState& s) {
        auto& values = copy.definitions[0].values;
        if (!is_filled_asynchronously(s) || values.size() != 1 || values[0]->kind == ExprKind::Load)
            return;
        const auto element = only_element(values[0], copy.variables);
        if (!element)
            return;
        std::vector<ExprPtr> indices;
        for (const auto& v : copy.variables)
            indices.push_back(variable(v));
        const auto copied = load(copy.name, element->type, indices, 0, element->where);
        auto read = std::make_shared<Stage>(copy);
        read->definitions[0].values[0] = rewrite(values[0], [&](const ExprPtr& node) {
            return node->kind == ExprKind::Load ? copied : node;
        });
        left_to_readers_[copy.name] = std::move(read);
        values[0] = element;
        copy.types = {element->type};
    }

    void rewrite_definition(Definition& definition, const std::string& stage, int index,
                            const DefinitionState& how) {
        const bool graph = is_graph(stage);
        replaced_.clear();
        each_expression(definition, [&](ExprPtr& e) {
            sharing_ = graph;
            e = replace_loads(how.contract || how.fast_math ? contracted(e) : e, stage, index);
            sharing_ = false;
            if (how.fast_math)
                e = approximated(e);
            if (graph)
                e = written(shared_.shared(e), stage);
        });
    }

    // Ranges of values follow from it, in the derived program too.
    void rewrite_original(Stage& stage, const StageState& s) {
        if (!stage.original)
            return;
        Stage original = *stage.original;
        for (std::size_t d = 0; d < original.definitions.size(); ++d)
            rewrite_definition(original.definitions[d], s.name, static_cast<int>(d),
                               s.definitions[d]);
        stage.original = std::make_shared<const Stage>(std::move(original));
    }

    bool is_graph(const std::string& stage) const { return long_.count(stage) > 0; }

    // What is inlined further stays a graph, in which what is equal is seen to be.
    ExprPtr written(const ExprPtr& graph, const std::string& stage) {
        const bool inlined = state_.find(stage)->compute.kind == Placement::Kind::Inline;
        return inlined ? graph : with_lets(graph, stage + ".same", names_made_);
    }

    // A definition's own loads, and those of stages inlined into it, go to the copies that serve
    // it.
    ExprPtr replace_loads(const ExprPtr& e, const std::string& stage, int index) {
        return rewrite(e, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Load)
                return node;
            if (!sharing_)
                return replaced(node, stage, index);
            if (shared_.size() > most_shared_)
                return node;
            // What equal loads stand for is found once.
            const auto one = shared_.shared(node);
            if (const auto known = replaced_.find(one); known != replaced_.end())
                return known->second;
            auto found = shared_.shared(replaced(one, stage, index));
            return replaced_.emplace(one, std::move(found)).first->second;
        });
    }

    ExprPtr replaced(const ExprPtr& node, const std::string& stage, int index) {
        const DefinitionKey reader{stage, index};
        auto target = routes_.served_by(node->name, reader);
        if (auto function = left_to_readers_.find(target); function != left_to_readers_.end())
            return inline_load(*function->second, *node);
        auto body = inlined_.find(target);
        if (body == inlined_.end())
            return renamed(node, target);
        if (!routes_.any(reader) && !(sharing_ && inlined_as_written_.count(target)))
            return inline_load(*body->second, *node);
        // What the body has taken in may be what a copy was made of for this reader.
        auto e = replace_loads(inline_load(as_written(target), *node), stage, index);
        return state_.find(target)->definitions[0].fast_math ? approximated(e) : e;
    }

    // An inlined stage before anything is inlined into it: its loads go to its own copies.
    const Stage& as_written(const std::string& name) {
        auto known = as_written_.find(name);
        if (known != as_written_.end())
            return known->second;
        const StageState& s = *state_.find(name);
        Stage stage = declared(s);
        auto& definition = stage.definitions[0];
        const auto& how = s.definitions[0];
        for (auto& e : definition.values)
            e = rewrite(how.contract || how.fast_math ? contracted(e) : e,
                        [&](const ExprPtr& node) -> ExprPtr {
                            return node->kind == ExprKind::Load
                                       ? renamed(node, routes_.served_by(node->name, {name, 0}))
                                       : node;
                        });
        return as_written_.emplace(name, std::move(stage)).first->second;
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
        // A let name inside the inlined body is made unique for each use: two uses may meet in one
        // expression.
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
            // no name of a script has a dot
            auto name = node->name + "." + std::to_string(++fresh_);
            auto body = substitute(node->args[1], [&](const std::string& n) -> ExprPtr {
                return n == node->name ? variable(name, node->args[0]->type) : nullptr;
            });
            return let(name, node->args[0], body, node->where);
        });
    }

    const ScheduleState& state_;
    CopyRoutes routes_;
    std::map<std::string, std::shared_ptr<const Stage>> inlined_;
    // What a read of a copy stands for, where the copy is of a stage inlined into it.
    std::map<std::string, std::shared_ptr<const Stage>> left_to_readers_;
    std::map<std::string, Stage> as_written_;
    int fresh_ = 0;
    // Stages that would be too long if what they have several times over were not shared.
    std::set<std::string> long_;
    std::set<std::string> inlined_as_written_; // into these
    bool sharing_ = false;                     // a definition of one is being rewritten
    SharedExpressions shared_;
    // Nothing is inlined into graphs with more nodes.
    std::size_t most_shared_ = std::numeric_limits<std::size_t>::max();
    std::unordered_map<ExprPtr, ExprPtr> replaced_; // of the present definition: loads
    int names_made_ = 0;
};

// Does a stage derive from both states alike, as far as that is said by the states themselves?
bool derives_same(const StageList::Item& a, const StageList::Item& b) {
    return a == b ||
           (a->name == b->name && a->copy_of == b->copy_of && a->copy_readers == b->copy_readers &&
            a->rewritten == b->rewritten &&
            (a->compute.kind == Placement::Kind::Inline) ==
                (b->compute.kind == Placement::Kind::Inline) &&
            is_filled_asynchronously(*a) == is_filled_asynchronously(*b) &&
            std::equal(a->definitions.begin(), a->definitions.end(), b->definitions.begin(),
                       b->definitions.end(), [](const auto& x, const auto& y) {
                           return x.contract == y.contract && x.fast_math == y.fast_math;
                       }));
}

// Does a copy have the dimensions of the same stage? One that a schedule rewrites has others.
bool declared_same(const StageState& copy, const StageList& before, const StageList& now) {
    auto rewritten = [&](const StageList& states) {
        const int place = states.index_of(copy.copied);
        return place < 0 ? nullptr : states[static_cast<std::size_t>(place)]->rewritten;
    };
    return copy.copy_of.empty() || rewritten(before) == rewritten(now);
}

// Are the stages that decide where the loads of others go, the copies and the inlined ones, the
// same?
bool routes_same(const StageList& a, const StageList& b) {
    auto routing = [](const StageList& states) {
        std::vector<StageList::Item> out;
        for (const auto& s : states)
            if (!s->copy_of.empty() || s->compute.kind == Placement::Kind::Inline)
                out.push_back(s);
        return out;
    };
    const auto x = routing(a), y = routing(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), derives_same);
}

} // namespace

std::map<std::string, std::int64_t>
shared_nodes_after_inlining(const ScheduleState& state, const std::set<std::string>& stages) {
    std::map<std::string, std::int64_t> out;
    Deriver deriver(state);
    for (const auto& s : state.stages) {
        const bool inlined = s->compute.kind == Placement::Kind::Inline;
        if (inlined)
            deriver.inline_into_long(*s);
        else if (stages.count(s->name))
            out.emplace(s->name, deriver.count_nodes(*s));
    }
    return out;
}

std::shared_ptr<const Derivation> derive_again(const ScheduleState& state,
                                               std::shared_ptr<const Derivation> before) {
    if (before && before->states.size() == state.stages.size() &&
        std::equal(state.stages.begin(), state.stages.end(), before->states.begin(), derives_same))
        return before;
    auto out = std::make_shared<Derivation>();
    out->states = state.stages;
    std::unordered_map<std::string, std::size_t> known; // stages of `before` that may be taken over
    if (before && routes_same(before->states, state.stages))
        for (std::size_t s = 0; s < before->states.size(); ++s)
            known.emplace(before->states[s]->name, s);
    Deriver deriver(state);
    std::vector<const Stage*> computed;
    for (const auto& s : state.stages) {
        auto old = known.find(s->name);
        bool same = old != known.end() && derives_same(s, before->states[old->second]) &&
                    declared_same(*s, before->states, state.stages);
        // The derived form of a pipelined copy is always made anew: its readers ask for what is
        // left to them.
        auto made = same && !is_filled_asynchronously(*s)
                        ? nullptr
                        : std::make_shared<const Stage>(deriver.derived_stage(*s));
        out->stages.push_back(same ? before->stages[old->second] : std::move(made));
        if (s->compute.kind == Placement::Kind::Inline)
            deriver.inline_everywhere(out->stages.back());
        else
            computed.push_back(out->stages.back().get());
    }
    out->pipeline = deriver.pipeline_of(computed);
    return out;
}

std::vector<DerivedStage> derived_stages(const ScheduleState& state, const Derivation& derivation) {
    std::vector<DerivedStage> out;
    std::size_t number = 0;
    for (const auto& s : state.stages) {
        DerivedStage& derived = out.emplace_back();
        derived.stage = *derivation.stages[number++];
        derived.copy_of = s->copy_of;
        derived.factor_of = s->factor_of;
        derived.cache_of = s->cache_of;
        derived.inlined = s->compute.kind == Placement::Kind::Inline;
        for (std::size_t d = 0; d < s->definitions.size(); ++d) {
            const auto& definition = s->definitions[d];
            const auto* written = state.definition(s->name, static_cast<int>(d));
            const bool contract = definition.contract || definition.fast_math;
            // Colliding iterations add by atomic operations, of which none is an fma.
            derived.fused_step.push_back(contract && written && accumulates_product(*written) &&
                                         !collides(state, s->name, static_cast<int>(d)));
            derived.contracted.push_back(contract);
            derived.approximated.push_back(definition.fast_math);
            derived.atomic.push_back(definition.atomic);
            derived.reassociates.push_back(definition.reassociates);
        }
    }
    return out;
}

Derived derive(const ScheduleState& state) {
    const auto derivation = derive_again(state, nullptr);
    return {derivation->pipeline, derived_stages(state, *derivation)};
}

} // namespace loopscope
