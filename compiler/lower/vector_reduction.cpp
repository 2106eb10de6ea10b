// A vectorised reduction axis: all lanes combine their terms into one place.
//
//     vectorised for k in 0..8 {                allocate t: f32[8] in register
//         acc[i] = acc[i] + A[k]         →      t[ramp(0, 1, 8)] = A[ramp(0, 1, 8)]
//     }                                         acc[i] = acc[i] + t[0]
//                                               …
//                                               acc[i] = acc[i] + t[7]
//
// Terms of operations that no order changes (integers, minima, maxima, bit and logical operations)
// are combined by halves instead: 8 lanes into 4, 2, 1, and the last into the place. So are steps
// of argmin and argmax, whose value and rank go together: each half meets the other in a step of
// its own (selection.cpp).
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"
#include "compiler/lower/widening.h"

namespace loopscope::lower {

namespace {

ExprPtr index(int i) { return constant_int(ScalarType::I32, i); }

// t[first, first + count) as a vector, or a scalar.
ExprPtr lanes_from(int first, int count) {
    return count == 1 ? index(first) : ramp(index(first), index(1), count);
}

} // namespace

StatementPtr Widening::reduction(const StatementPtr& s, const Reduction& r,
                                 const std::vector<ExprPtr>& indices) {
    auto off = mask_ ? neutral_terms(r) : std::vector<ExprPtr>{};
    if (mask_ && off.empty())
        throw Impossible();
    std::vector<ExprPtr> terms;
    for (std::size_t i = 0; i < r.terms.size(); ++i) {
        auto term = widen(r.terms[i]);
        if (mask_)
            term = select(mask_, with_lanes(term, lanes_), with_lanes(off[i], lanes_));
        terms.push_back(term);
    }
    // Terms that differ between lanes go through memory that becomes registers: there is no other
    // way to one lane.
    std::vector<std::string> temporaries;
    std::vector<StatementPtr> stores;
    for (const auto& term : terms) {
        temporaries.push_back(term->lanes > 1 ? names_.fresh(s->access->buffer + ".lanes") : "");
        if (term->lanes > 1)
            stores.push_back(lower::store(s->origin, temporaries.back(), {lane_numbers()}, term));
    }
    auto type = terms[0]->type;
    bool halves = r.op != Op::None && any_order(r.op, type) && terms[0]->lanes > 1;
    auto combine = halves ? combine_by_halves(s, r, indices, temporaries[0])
                          : combine_in_order(s, r, indices, terms, temporaries);
    stores.push_back(combine);
    auto result = block(std::move(stores), s->origin);
    for (const auto& name : temporaries)
        if (!name.empty())
            result = allocate(s->origin, name, type, {Extent(lanes_)}, device::registers(), result);
    return result;
}

StatementPtr Widening::combine_in_order(const StatementPtr& s, const Reduction& r,
                                        const std::vector<ExprPtr>& indices,
                                        const std::vector<ExprPtr>& lane_terms,
                                        const std::vector<std::string>& temporaries) {
    auto type = s->value->type;
    std::vector<StatementPtr> steps;
    for (int lane = 0; lane < lanes_; ++lane) {
        std::vector<ExprPtr> terms;
        for (std::size_t i = 0; i < lane_terms.size(); ++i)
            terms.push_back(
                temporaries[i].empty()
                    ? lane_terms[i]
                    : loopscope::load(temporaries[i], lane_terms[i]->type, {index(lane)}));
        steps.push_back(as_streaming(
            lower::store(s->origin, s->access->buffer, indices,
                         combined(r, loopscope::load(s->access->buffer, type, indices), terms)),
            s->access->streaming));
    }
    return block(std::move(steps), s->origin);
}

StatementPtr Widening::combine_by_halves(const StatementPtr& s, const Reduction& r,
                                         const std::vector<ExprPtr>& indices,
                                         const std::string& temporary) {
    auto type = r.terms[0]->type;
    auto steps = join_halves(s->origin, temporary, r.op, type);
    steps.push_back(as_streaming(
        lower::store(s->origin, s->access->buffer, indices,
                     combined(r, loopscope::load(s->access->buffer, s->value->type, indices),
                              {loopscope::load(temporary, type, {index(0)})})),
        s->access->streaming));
    return block(std::move(steps), s->origin);
}

// All lanes of the temporary combined into its first.
std::vector<StatementPtr> Widening::join_halves(const NodeId& origin, const std::string& temporary,
                                                Op op, ScalarType type) const {
    auto part = [&](int first, int count) {
        return loopscope::load(temporary, type, {lanes_from(first, count)});
    };
    std::vector<StatementPtr> steps;
    for (int count = lanes_; count > 1; count -= count / 2) {
        int half = count / 2;
        auto joined = binary(op, part(0, half), part(count - half, half));
        steps.push_back(lower::store(origin, temporary, {lanes_from(0, half)}, joined));
    }
    return steps;
}

// One atomic store of what the lanes make together: its order is not defined anyway.
StatementPtr Widening::atomic_reduction(const StatementPtr& s, std::vector<ExprPtr> indices) {
    auto type = s->value->type;
    auto term = with_lanes(widen(s->value), lanes_);
    if (mask_)
        term =
            select(mask_, term,
                   with_lanes(neutral_terms({s->access->op, true, false, {s->value}})[0], lanes_));
    auto temporary = names_.fresh(s->access->buffer + ".lanes");
    auto steps = join_halves(s->origin, temporary, s->access->op, type);
    steps.insert(steps.begin(), lower::store(s->origin, temporary, {lane_numbers()}, term));
    steps.push_back(lower::atomic(s->origin, s->access->buffer, std::move(indices), s->access->op,
                                  loopscope::load(temporary, type, {index(0)})));
    return allocate(s->origin, temporary, type, {Extent(lanes_)}, device::registers(),
                    block(std::move(steps)));
}

// argmin or argmax over the lanes, by halves: the order does not matter.
StatementPtr Widening::selection(const StatementPtr& s, const Selection& step) {
    auto whole = step;
    std::vector<ScalarType> types;
    for (auto& place : whole.places) {
        place.indices = widened(place.indices);
        types.push_back(place.type);
    }
    auto off = reduction_identity(step.op, types);
    bool lanes = mask_ != nullptr;
    for (std::size_t c = 0; c < types.size(); ++c) {
        auto& term = whole.terms[c] = widen(step.terms[c]);
        if (mask_)
            term = select(mask_, with_lanes(term, lanes_), with_lanes(off[c], lanes_));
        lanes = lanes || term->lanes > 1;
    }
    if (!lanes) // all lanes have one term
        return as_streaming(selection_step(s->origin, s->variable, whole), streams(s));
    std::vector<Place> temporaries;
    std::vector<StatementPtr> steps;
    for (std::size_t c = 0; c < types.size(); ++c) {
        auto name = names_.fresh(step.places[c].buffer + ".lanes");
        temporaries.push_back({name, types[c], {index(0)}});
        steps.push_back(
            lower::store(s->origin, name, {lane_numbers()}, with_lanes(whole.terms[c], lanes_)));
        whole.terms[c] = temporaries[c].load();
    }
    for (int count = lanes_; count > 1; count -= count / 2)
        steps.push_back(halved(s, step.op, temporaries, count));
    steps.push_back(as_streaming(selection_step(s->origin, s->variable, whole), streams(s)));
    auto result = block(std::move(steps), s->origin);
    for (const auto& t : temporaries)
        result =
            allocate(s->origin, t.buffer, t.type, {Extent(lanes_)}, device::registers(), result);
    return result;
}

// The first half of `count` lanes meets the last half.
StatementPtr Widening::halved(const StatementPtr& s, ReductionOp op,
                              const std::vector<Place>& temporaries, int count) {
    int half = count / 2;
    auto name = names_.fresh(loop_.variable + ".half");
    auto lane = half == 1 ? index(0) : variable(name);
    Selection step{op, temporaries, {}};
    for (auto& place : step.places) {
        place.indices = {binary(Op::Add, lane, index(count - half))};
        step.terms.push_back(place.load());
        place.indices = {lane};
    }
    auto body = selection_step(s->origin, names_.fresh(s->variable), step);
    if (half == 1)
        return body;
    auto loop = for_loop(s->origin, name, index(0), index(half), ForKind::Vectorized, body);
    scope_.bind_loop(name, loop->loop->begin, loop->loop->extent);
    return Widening(*loop, half, scope_, names_).statement(body);
}

} // namespace loopscope::lower
