#include "core/schedule/factor.h"

#include "core/ir/limits.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope {

namespace {
ExprPtr both(ExprPtr a, ExprPtr b) {
    if (!a || !b)
        return a ? a : b;
    return binary(Op::LogicalAnd, std::move(a), std::move(b));
}

// The reduction axes of a definition in terms of the loops of its nest.
class AxisExpressions {
public:
    AxisExpressions(const Definition& definition, const DefinitionState& nest)
        : definition_(definition),
          nest_(nest),
          extents_(static_cast<std::size_t>(nest.next_id), 0),
          values_(static_cast<std::size_t>(nest.next_id)) {}

    Status run() {
        std::vector<const LoopState*> roots;
        for (const auto& root : nest_.roots)
            if (root.reduction)
                roots.push_back(&root);
        for (std::size_t a = 0; a < roots.size(); ++a)
            extents_[at(roots[a]->id)] = definition_.axes[a].extent().hint();
        if (auto fits = extents(); !fits)
            return fits;
        for (const auto& loop : nest_.loops)
            if (loop.reduction)
                values_[at(loop.id)] = variable(loop.name);
        for (auto r = nest_.relations.rbegin(); r != nest_.relations.rend(); ++r)
            if (values_[at(r->kind == Relation::Kind::Split ? r->outer : r->parent)])
                relate(*r);
        for (std::size_t a = 0; a < roots.size(); ++a) {
            const auto& axis = definition_.axes[a];
            auto value = values_[at(roots[a]->id)];
            axes[axis.name] = axis.begin.hint() == 0
                                  ? value
                                  : binary(Op::Add, value, constant_index(axis.begin.hint()));
        }
        return success();
    }

    std::int64_t extent(const LoopState& loop) const { return extents_[at(loop.id)]; }

    std::map<std::string, ExprPtr> axes;
    ExprPtr condition; // which values of the loops are points; null: all

private:
    static std::size_t at(int id) { return static_cast<std::size_t>(id); }

    Status extents() {
        for (const auto& r : nest_.relations) {
            auto& parent = extents_[at(r.parent)];
            auto& outer = extents_[at(r.outer)];
            auto& inner = extents_[at(r.inner)];
            if (r.kind == Relation::Kind::Split) {
                outer = parent / r.factor + (parent % r.factor != 0 ? 1 : 0);
                inner = r.factor;
            }
            if (outer > 0 && inner > kMaxExtent / outer)
                return error("the loops of " + std::to_string(outer) + " and " +
                                 std::to_string(inner) +
                                 " iterations together leave the range of i32",
                             "split by a factor that divides, or by a smaller one");
            if (r.kind == Relation::Kind::Fuse)
                parent = outer * inner;
        }
        return success();
    }

    void relate(const Relation& r) {
        auto& parent = values_[at(r.parent)];
        auto& outer = values_[at(r.outer)];
        auto& inner = values_[at(r.inner)];
        if (r.kind == Relation::Kind::Fuse) {
            auto width = constant_index(std::max<std::int64_t>(extents_[at(r.inner)], 1));
            outer = binary(Op::Divide, parent, width);
            inner = binary(Op::Modulo, parent, width);
            return;
        }
        auto whole = binary(Op::Add, binary(Op::Multiply, outer, constant_index(r.factor)), inner);
        parent = whole;
        auto extent = extents_[at(r.parent)];
        if (extent % r.factor == 0)
            return;
        condition = both(condition, binary(Op::Less, whole, constant_index(extent)));
        parent = binary(Op::Min, whole, constant_index(extent - 1));
    }

    const Definition& definition_;
    const DefinitionState& nest_;
    std::vector<std::int64_t> extents_; // by loop id; reduction loops only
    std::vector<ExprPtr> values_;
};

// Puts expressions of loops in place of axes. A let that bears a loop's name would catch it, and is
// renamed.
class Rewriter {
public:
    Rewriter(const std::map<std::string, ExprPtr>& axes, std::set<std::string> loops,
             std::string suffix)
        : axes_(axes), loops_(std::move(loops)), suffix_(std::move(suffix)) {}

    ExprPtr operator()(const ExprPtr& e) const {
        if (!e)
            return e;
        auto clear = rewrite(e, [&](const ExprPtr& node) -> ExprPtr {
            if (node->kind != ExprKind::Let || !loops_.count(node->name))
                return node;
            auto name = node->name + "." + suffix_; // no name of a script has a dot
            auto body = substitute(node->args[1], [&](const std::string& n) -> ExprPtr {
                return n == node->name ? variable(name, node->args[0]->type) : nullptr;
            });
            return let(name, node->args[0], body, node->where);
        });
        return substitute(clear, [&](const std::string& name) -> ExprPtr {
            auto axis = axes_.find(name);
            return axis == axes_.end() ? nullptr : axis->second;
        });
    }

private:
    const std::map<std::string, ExprPtr>& axes_;
    std::set<std::string> loops_;
    std::string suffix_;
};

class Factoring {
public:
    Factoring(const ScheduleState& state, const std::string& stage, int definition,
              std::size_t loop, std::string result)
        : before_(state.declared(stage)),
          index_(static_cast<std::size_t>(definition)),
          definition_(before_.definitions[index_]),
          nest_(state.find(stage)->definitions[index_]),
          loop_(nest_.loops[loop]),
          result_(std::move(result)),
          expressions_(definition_, nest_) {}

    Result<Factored> run() {
        if (auto fits = expressions_.run(); !fits)
            return fits.errors();
        std::set<std::string> names;
        for (const auto& l : nest_.loops)
            if (l.reduction)
                names.insert(l.name);
        Rewriter rewriter(expressions_.axes, names, result_);
        Definition work = definition_; // what R does
        for (auto& value : work.values)
            value = rewriter(value);
        for (auto& index : work.left)
            index = rewriter(index);
        work.condition = both(expressions_.condition, rewriter(work.condition));
        work.axes.clear();
        for (const auto& l : nest_.loops)
            if (l.reduction && l.id != loop_.id)
                work.axes.push_back(axis(l));

        Factored out;
        out.factor = before_;
        out.factor.name = out.factor.display_name = result_;
        out.factor.variables.insert(out.factor.variables.begin(), loop_.name);
        out.factor.definitions.clear();
        out.factor.original = nullptr;
        if (definition_.kind == DefinitionKind::Reduction)
            add_reduction(std::move(work), out.factor);
        else
            add_update(std::move(work), out.factor);
        out.definition = static_cast<int>(out.factor.definitions.size()) - 1;
        out.stage = before_;
        bool whole_numbers = std::any_of(before_.types.begin(), before_.types.end(),
                                         [](auto type) { return !is_float(type); });
        if (whole_numbers && !before_.original)
            out.stage.original = std::make_shared<const Stage>(before_);
        out.stage.definitions[index_] = combination();
        out.nest = combining_nest(out.stage.definitions[index_]);
        return out;
    }

private:
    ReductionAxis axis(const LoopState& loop) const {
        return {loop.name, Extent(0), Extent(expressions_.extent(loop)), definition_.where};
    }

    void add_reduction(Definition work, Stage& factor) const {
        work.free = factor.variables;
        if (work.axes.empty()) { // each element has one term, or none
            auto identity = reduction_identity(work.reduction, factor.types);
            if (work.condition)
                for (std::size_t c = 0; c < work.values.size(); ++c)
                    work.values[c] = select(work.condition, work.values[c], identity[c]);
            work.kind = DefinitionKind::Pure;
            work.condition = nullptr;
        }
        factor.definitions.push_back(std::move(work));
    }

    void add_update(Definition work, Stage& factor) const {
        Definition start;
        start.free = factor.variables;
        start.where = definition_.where;
        for (auto type : factor.types)
            start.values.push_back(neutral_element(work.update, type));
        factor.definitions.push_back(std::move(start));
        work.free.insert(work.free.begin(), loop_.name);
        work.left.insert(work.left.begin(), variable(loop_.name));
        factor.definitions.push_back(std::move(work));
    }

    // op[k](R[k, v]), or S[v] op= R[k, v] over k.
    Definition combination() const {
        Definition out;
        out.kind = definition_.kind;
        out.reduction = definition_.reduction;
        out.update = definition_.update;
        out.where = definition_.where;
        out.free = before_.variables;
        out.axes = {axis(loop_)};
        std::vector<ExprPtr> indices = {variable(loop_.name)};
        for (const auto& v : before_.variables)
            indices.push_back(variable(v));
        for (std::size_t c = 0; c < before_.types.size(); ++c)
            out.values.push_back(
                load(result_, before_.types[c], indices, static_cast<int>(c), definition_.where));
        if (out.kind == DefinitionKind::Update)
            out.left.assign(indices.begin() + 1, indices.end());
        return out;
    }

    DefinitionState combining_nest(const Definition& combination) const {
        DefinitionState nest = nest_;
        auto fresh = [&](const std::string& name, bool reduction) {
            LoopState loop;
            loop.id = nest.next_id++;
            loop.name = name;
            loop.reduction = reduction;
            return loop;
        };
        std::set<int> gone; // what derives from reduction axes
        for (const auto& root : nest_.roots)
            if (root.reduction)
                gone.insert(root.id);
        std::erase_if(nest.relations, [&](const Relation& r) {
            bool split = r.kind == Relation::Kind::Split;
            if (!gone.count(split ? r.parent : r.outer))
                return false;
            gone.insert({r.parent, r.outer, r.inner});
            return true;
        });
        nest.roots.clear();
        std::vector<LoopState> made; // free variables that the update's left side had taken
        for (const auto& name : combination.free) {
            auto root = std::find_if(nest_.roots.begin(), nest_.roots.end(),
                                     [&](const auto& r) { return !r.reduction && r.name == name; });
            if (root == nest_.roots.end())
                made.push_back(fresh(name, false));
            nest.roots.push_back(root == nest_.roots.end() ? made.back() : *root);
        }
        made.push_back(fresh(loop_.name, true));
        nest.roots.push_back(made.back());
        nest.loops.clear();
        for (const auto& loop : nest_.loops) {
            if (!loop.reduction)
                nest.loops.push_back(loop);
            if (loop.id == loop_.id)
                nest.loops.insert(nest.loops.end(), made.begin(), made.end());
        }
        nest.touched = true;
        return nest;
    }

    const Stage& before_;
    std::size_t index_;
    const Definition& definition_;
    const DefinitionState& nest_;
    const LoopState& loop_;
    std::string result_;
    AxisExpressions expressions_;
};

} // namespace

Result<Factored> factor_definition(const ScheduleState& state, const std::string& stage,
                                   int definition, std::size_t loop, const std::string& result) {
    return Factoring(state, stage, definition, loop, result).run();
}

} // namespace loopscope
