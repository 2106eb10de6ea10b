// spread_prefetches: many prefetches at the start of an iteration are spread over the loops inside
// it.
//
//     for x in 0..8 {                        for x in 0..8 {
//         for row in 0..16 {                     for y in 0..32 {
//             for line in 0..4 {                     unrolled for row in 0..2 {
//                 prefetch A[x*16 + row, line*16] →      prefetch A[x*16 + (y*2 + row)/4,
//             }                                                     (y*2 + row)%4*16]
//         }                                          }
//         for y in 0..32 {                           B[x, y] = A[x, y]
//             B[x, y] = A[x, y]                  }
//         }                                  }
//     }
//
// A processor waits for few lines at once: more of them in a row keep it from the work beside which
// they were to come. So they move into the one serial loop that follows them, and into the one
// inside that, until an iteration asks for as few as are written out; as long as no iteration asks
// for nothing, and not many ask again.
//
// Expects: any program. Guarantees: the same lines are asked for in the same order, each time
// before the loops inside end; the last ones of an iteration perhaps again.
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <optional>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kFew = 16; // stay together, written out
constexpr std::int64_t kMaxLines =
    1 << 20; // lines of one burst, so that their numbers are small ones
constexpr std::int64_t kRepeatedOneOf = 8; // at most one line in so many is asked for again
// The trips of a serial loop from a known place on; 0: it is another one.
std::int64_t trips_of(const Statement& s) {
    std::int64_t begin = 0, extent = 0;
    bool known = s.kind == StatementKind::For && s.loop->kind == ForKind::Serial &&
                 s.loop->begin->type == ScalarType::I32 && constant_value(s.loop->begin, begin) &&
                 constant_value(s.loop->extent, extent) && extent <= kMaxLines;
    return known ? std::max<std::int64_t>(extent, 0) : 0;
}

// Loops from 0 on around one prefetch.
struct Burst {
    std::vector<StatementPtr> loops;
    StatementPtr prefetch;
    std::int64_t lines = 1;
};

std::optional<Burst> burst_of(StatementPtr s) {
    Burst out;
    for (; s->kind == StatementKind::For; s = s->children[0]) {
        std::int64_t begin = 0;
        const auto trips = trips_of(*s);
        if (trips == 0 || out.lines * trips > kMaxLines || !constant_value(s->loop->begin, begin) ||
            begin != 0)
            return std::nullopt;
        out.lines *= trips;
        out.loops.push_back(s);
    }
    out.prefetch = s;
    return s->kind == StatementKind::Prefetch ? std::optional(out) : std::nullopt;
}

bool prefetches_alone(const StatementPtr& s) {
    bool alone = true;
    visit_statements(s, [&](const Statement& node) {
        alone = alone && (node.kind == StatementKind::For || node.kind == StatementKind::Block ||
                          node.kind == StatementKind::Prefetch);
        return alone;
    });
    return alone && !is_empty(s);
}

// The number of the statement that is not a prefetch; none: there are several.
std::optional<std::size_t> only_work(const std::vector<StatementPtr>& children) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (prefetches_alone(children[i]))
            continue;
        if (found)
            return std::nullopt;
        found = i;
    }
    return found;
}

class Spreading {
public:
    Spreading(const Burst& burst, NameSource& names) : burst_(burst), names_(names) {}

    // The work with the burst inside of its loops; null: it fits none of them.
    StatementPtr into(const StatementPtr& work) { return inside(work, nullptr, 1); }

private:
    bool fits(std::int64_t iterations) const {
        const auto asked = (burst_.lines + iterations - 1) / iterations * iterations;
        return iterations <= burst_.lines && asked - burst_.lines <= burst_.lines / kRepeatedOneOf;
    }

    // `iteration`: the number of that of the loops around, of so many; null: of one.
    StatementPtr inside(const StatementPtr& s, const ExprPtr& iteration, std::int64_t iterations) {
        if (s->kind == StatementKind::Let || s->kind == StatementKind::Block) {
            auto place = only_work(s->children);
            if (!place)
                return nullptr;
            auto work = inside(s->children[*place], iteration, iterations);
            if (!work)
                return nullptr;
            auto children = s->children;
            children[*place] = std::move(work);
            return with_children(s, std::move(children));
        }
        const auto trips = trips_of(*s);
        if (trips < 2 || iterations * trips > burst_.lines)
            return nullptr;
        std::int64_t begin = 0;
        auto now = variable(s->variable);
        if (constant_value(s->loop->begin, begin) && begin != 0)
            now = binary(Op::Subtract, now, constant_index(begin));
        if (iteration)
            now = binary(Op::Add, binary(Op::Multiply, iteration, constant_index(trips)), now);
        const auto all = iterations * trips;
        StatementPtr body;
        if (burst_.lines > all * kFew)
            body = inside(s->children[0], now, all);
        if (!body && fits(all))
            body = block({part(now, all), s->children[0]});
        return body ? with_children(s, {body}) : nullptr;
    }

    // What one of so many iterations asks for.
    StatementPtr part(const ExprPtr& iteration, std::int64_t iterations) {
        const auto each = (burst_.lines + iterations - 1) / iterations;
        const auto name = names_.fresh(burst_.loops[0]->variable);
        auto line = binary(Op::Multiply, iteration, constant_index(each));
        if (each > 1)
            line = binary(Op::Add, line, variable(name));
        if (each * iterations > burst_.lines)
            line = binary(Op::Min, line, constant_index(burst_.lines - 1));
        auto body = burst_.prefetch;
        for (auto loop = burst_.loops.rbegin(); loop != burst_.loops.rend(); ++loop) {
            const auto trips = constant_index(trips_of(**loop));
            const bool outermost = std::next(loop) == burst_.loops.rend();
            const auto at = outermost ? line : binary(Op::Modulo, line, trips);
            body = substitute(body, [&](const std::string& wanted) {
                return wanted == (*loop)->variable ? at : nullptr;
            });
            line = binary(Op::Divide, line, trips);
        }
        return each == 1 ? body
                         : for_loop(burst_.prefetch->origin, name, constant_index(0),
                                    constant_index(each),
                                    each <= kFew ? ForKind::Unrolled : ForKind::Serial, body);
    }

    const Burst& burst_;
    NameSource& names_;
};

StatementPtr spread(const StatementPtr& s, NameSource& names) {
    auto place = only_work(s->children);
    if (!place)
        return s;
    auto work = s->children[*place];
    std::vector<StatementPtr> before, after;
    for (std::size_t i = 0; i < s->children.size(); ++i) {
        if (i == *place)
            continue;
        auto burst = i < *place ? burst_of(s->children[i]) : std::nullopt;
        auto moved = burst && burst->lines > kFew ? Spreading(*burst, names).into(work) : nullptr;
        if (moved)
            work = std::move(moved);
        else
            (i < *place ? before : after).push_back(s->children[i]);
    }
    before.push_back(std::move(work));
    before.insert(before.end(), after.begin(), after.end());
    return with_children(s, std::move(before));
}

} // namespace

Program spread_prefetches(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        return rewrite(body, [&](const StatementPtr& s) {
            return s->kind == StatementKind::Block ? spread(s, names) : s;
        });
    });
}

} // namespace loopscope::lower
