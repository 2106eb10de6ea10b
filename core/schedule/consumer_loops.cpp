#include "core/schedule/consumer_loops.h"

#include "core/base/listed.h"
#include "core/schedule/line_list.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope {

namespace {

// What of P's nest makes the loops that are to be shared.
struct SharedLoops {
    std::vector<const LoopState*> loops; // outermost first
    std::vector<const Relation*> made;   // in order
    std::vector<std::size_t> roots;      // axes of P's definition that they run over
};

SharedLoops shared_loops_of(const DefinitionState& nest, int last) {
    SharedLoops out;
    std::set<int> needed;
    for (int p = 0; p <= nest.position_of(last); ++p) {
        out.loops.push_back(&nest.loops[static_cast<std::size_t>(p)]);
        needed.insert(out.loops.back()->id);
    }
    for (auto r = nest.relations.rbegin(); r != nest.relations.rend(); ++r) {
        const bool split = r->kind == Relation::Kind::Split;
        if (split ? !needed.count(r->outer) && !needed.count(r->inner) : !needed.count(r->parent))
            continue;
        out.made.insert(out.made.begin(), &*r);
        if (split)
            needed.insert(r->parent);
        else
            needed.insert({r->outer, r->inner});
    }
    for (std::size_t a = 0; a < nest.roots.size(); ++a)
        if (needed.count(nest.roots[a].id))
            out.roots.push_back(a);
    return out;
}

// At which of its variables the consumer reads each of those of the producer, by name.
class Correspondence {
public:
    Correspondence(const ScheduleState& state, const DefinitionRef& consumer, const LoopRef& loop)
        : state_(state),
          consumer_(consumer),
          producer_{loop.stage, loop.definition},
          program_(derive(state).pipeline),
          reader_(program_->find(consumer.stage)
                      ->definitions[static_cast<std::size_t>(consumer.definition)]) {
        each_load(reader_, [&](const Expr& load) {
            if (load.name != consumer.stage)
                sources_.insert(load.name);
            if (load.name == producer_.stage)
                loads_.push_back(&load);
        });
    }

    Result<std::map<std::string, std::string>> of(const SharedLoops& shared) const {
        if (loads_.empty())
            return error(consumer_.text() + " does not read " + producer_.stage,
                         sources_.empty()
                             ? "it reads nothing"
                             : "it reads " + listed({sources_.begin(), sources_.end()}));
        const auto& stage = *program_->find(producer_.stage);
        const auto& definition = stage.definitions[static_cast<std::size_t>(producer_.definition)];
        std::map<std::string, std::string> out;
        std::set<std::string> taken;
        for (auto root : shared.roots) {
            if (root >= definition.free.size())
                return error(reduced(shared), outside_of_reduction());
            const auto& variable = definition.free[root];
            const auto own = variable_at(stage.dimension_of(variable));
            if (own.empty() || !taken.insert(own).second)
                return error(
                    consumer_.text() + " does not read " + producer_.stage +
                        " element by element along " + variable +
                        ": an iteration of its loop there would need more than a tile of " +
                        producer_.stage,
                    "split " + consumer_.text() + " and compute " + producer_.stage +
                        " at its loop, which computes again what tiles share");
            out[variable] = own;
        }
        return out;
    }

private:
    // The free variable at which all loads stand there; empty: there is none.
    std::string variable_at(std::size_t dimension) const {
        const auto& index = loads_.front()->args[dimension];
        const bool same = std::all_of(loads_.begin(), loads_.end(), [&](const Expr* load) {
            return equal(load->args[dimension], index);
        });
        const auto& free = reader_.free;
        const bool own = index->kind == ExprKind::Variable &&
                         std::find(free.begin(), free.end(), index->name) != free.end();
        return same && own ? index->name : std::string();
    }

    std::string reduced(const SharedLoops& shared) const {
        const auto loop = std::find_if(shared.loops.begin(), shared.loops.end(),
                                       [](const LoopState* each) { return each->reduction; });
        return producer_.text() + "." + (*loop)->name + " runs over a reduction axis: what " +
               producer_.stage + " holds is complete only after its last iteration";
    }

    std::string outside_of_reduction() const {
        std::string names;
        for (const auto& loop : nest_of(state_, {producer_.stage, producer_.definition}).loops) {
            if (loop.reduction)
                break;
            names += (names.empty() ? "" : ", ") + loop.name;
        }
        return names.empty() ? "reorder a loop over a free variable outside of it first"
                             : "name a loop outside of it: " + names;
    }

    const ScheduleState& state_;
    DefinitionRef consumer_, producer_;
    std::shared_ptr<const Pipeline> program_;
    const Definition& reader_;
    std::set<std::string> sources_;
    std::vector<const Expr*> loads_;
};

// Gives the consumer the loops, line by line, and knows its nest as it then is.
class ConsumerNest {
public:
    ConsumerNest(const DefinitionState& producer, const DefinitionState& consumer,
                 const DefinitionRef& of, bool pure, LineList& lines)
        : producer_(producer), of_(of), pure_(pure), lines_(lines) {
        for (const auto& loop : consumer.loops)
            order_.push_back(loop.name);
    }

    void run(const SharedLoops& shared, const std::vector<std::string>& roots) {
        for (std::size_t r = 0; r < roots.size(); ++r)
            names_[producer_.roots[shared.roots[r]].id] = roots[r];
        for (const auto* relation : shared.made)
            relation->kind == Relation::Kind::Split ? split(*relation) : fuse(*relation);
        outwards(shared);
        for (const auto* loop : shared.loops)
            run_as(*loop);
    }

    const std::string& name_of(const LoopState& loop) const { return names_.at(loop.id); }

private:
    void split(const Relation& r) {
        const auto parent = names_.at(r.parent);
        const auto at = find(parent);
        order_.erase(at);
        const auto outer = fresh(r.outer, parent + "o"),
                   inner = fresh(r.inner, parent + "i", outer);
        const auto tail = r.tail == Tail::Shift && pure_ ? Tail::Shift : Tail::Guard;
        lines_.split(of_, parent, outer, inner, r.factor, tail);
        names_[r.outer] = outer;
        names_[r.inner] = inner;
        order_.insert(at, {outer, inner});
    }

    void fuse(const Relation& r) {
        const auto outer = names_.at(r.outer), inner = names_.at(r.inner);
        if (find(inner) != find(outer) + 1) {
            order_.erase(find(inner));
            order_.insert(find(outer) + 1, inner);
            lines_.reorder(of_, order_);
        }
        const auto at = find(outer);
        order_.erase(at, at + 2);
        const auto fused = fresh(r.parent, outer + "_" + inner);
        lines_.fuse(of_, outer, inner, fused);
        names_[r.parent] = fused;
        order_.insert(at, fused);
    }

    // The shared loops around all others, in P's order.
    void outwards(const SharedLoops& shared) {
        std::vector<std::string> wanted;
        for (const auto* loop : shared.loops)
            wanted.push_back(name_of(*loop));
        for (const auto& name : order_)
            if (std::find(wanted.begin(), wanted.end(), name) == wanted.end())
                wanted.push_back(name);
        if (wanted != order_)
            lines_.reorder(of_, wanted);
        order_ = wanted;
    }

    void run_as(const LoopState& loop) {
        const auto& name = name_of(loop);
        if (!loop.binding.empty())
            lines_.bind(of_, name, loop.binding);
        if (loop.persistent)
            lines_.persistent(of_, name);
        if (loop.kind == LoopKind::Parallel)
            lines_.parallel(of_, name);
        if (loop.kind == LoopKind::Unrolled)
            lines_.unroll(of_, name);
    }

    std::vector<std::string>::iterator find(const std::string& name) {
        return std::find(order_.begin(), order_.end(), name);
    }

    // P's name for the loop, where it has one still and the consumer has no other loop of that
    // name.
    std::string fresh(int id, const std::string& otherwise, const std::string& beside = {}) {
        const int at = producer_.position_of(id);
        auto name = at < 0 ? otherwise : producer_.loops[static_cast<std::size_t>(at)].name;
        while (name == beside || find(name) != order_.end())
            name += "_";
        return name;
    }

    const DefinitionState& producer_;
    DefinitionRef of_;
    bool pure_;
    LineList& lines_;
    std::vector<std::string> order_;
    std::map<int, std::string> names_; // by id of P's loop
};

// Is P no more than what the definition reads?
bool is_all_of(const ScheduleState& state, const std::string& producer, const DefinitionRef& of) {
    return !state.pipeline->find_output(producer) &&
           read_graph(state)->readers(producer) ==
               std::vector<DefinitionKey>{{of.stage, of.definition}};
}

} // namespace

Result<std::vector<DirectivePtr>> consumer_loop_lines(const ScheduleState& state,
                                                      const DefinitionRef& consumer,
                                                      const LoopRef& loop,
                                                      const SourceRange& where) {
    const DefinitionRef producer{loop.stage, loop.definition};
    const auto& nest = nest_of(state, {loop.stage, loop.definition});
    const auto shared = shared_loops_of(nest, loop.loop);
    for (const auto* each : shared.loops)
        if (each->kind == LoopKind::Vectorized)
            return error(producer.text() + "." + each->name +
                             " is vectorised: its lanes run at once",
                         "name a loop outside of it");
    const auto variables = Correspondence(state, consumer, loop).of(shared);
    if (!variables)
        return variables.errors();
    std::vector<std::string> roots;
    for (auto root : shared.roots)
        roots.push_back(variables->at(nest.roots[root].name));

    const auto* definition = state.definition(consumer.stage, consumer.definition); // null: a copy
    LineList lines(where);
    ConsumerNest made(nest, nest_of(state, {consumer.stage, consumer.definition}), consumer,
                      !definition || definition->kind == DefinitionKind::Pure, lines);
    made.run(shared, roots);
    const auto& last = made.name_of(*shared.loops.back());
    if (!is_all_of(state, producer.stage, consumer)) {
        lines.compute_with(consumer, producer, shared.loops.back()->name);
        return lines.take();
    }
    for (const auto* each : shared.loops)
        if (each->kind != LoopKind::Serial || !each->binding.empty())
            lines.serial(producer, each->name);
    lines.compute_at(producer.stage, consumer, last);
    return lines.take();
}

} // namespace loopscope
