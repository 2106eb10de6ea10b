// promote_accumulators: what a serial loop accumulates stays in registers while it runs.
//
//     C[i, ramp(j, 1, 8)] = 0                  allocate C.register: f32[1, 8] in register
//     for k in 0..512 {                        C.register[0, ramp(0, 1, 8)] = 0
//         C[i, ramp(j, 1, 8)] =           →    for k in 0..512 {
//             C[i, ramp(j, 1, 8)] +                C.register[0, …] = C.register[0, …] + A[…]*B[…]
//             A[…]*B[…]                        }
//     }                                        C[i, ramp(j, 1, 8)] = C.register[0, ramp(0, 1, 8)]
//
// For a serial loop and a buffer all of whose accesses in the loop go to the same few elements:
// their indices use no name bound in the loop and load nothing, they have equal lanes, and each two
// are the same or provably apart; masks must be as fixed, and the same for all accesses of an
// element (the register's other lanes are never stored, nor seen: in memory they would give zero).
// An element must be accessed in every run of the loop, or be stored right before it, or it must be
// known before the loop whether it will be: else the loads and stores that this pass adds could
// touch what the program does not. It is known where the conditions around its accesses, and that
// loops run at all, use no name bound in the loop, or hold in the loop's first (or last) iteration
// if in any:
//
//     for k in 0..n {                          if n > 0 and n - 1 >= j { C.register[0] = C[j] }
//         if k >= j { C[j] = C[j] + A[k] }  →  for k in 0..n {
//     }                                            if k >= j {
//                                                      C.register[0] = C.register[0] + A[k]
//                                                  }
//                                              }
//                                              if n > 0 and n - 1 >= j { C[j] = C.register[0] }
//
// Outer loops come first, so an accumulator stays in registers over all reduction loops around its
// statement. A store to an element before the loop in the same block, with no other access to the
// buffer between, becomes the register's first value; else it is loaded.
//
// Expects: unrolled and vectorised loops are gone. Guarantees: the same values in memory after the
// loop; registers are indexed by constants alone (and the ramp of all lanes), so that they become
// values in generated code. Where a store to an element streams, the one after the loop does.
#include "compiler/lower/accumulators.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <unordered_set>

namespace loopscope::lower {

namespace {

bool accesses(const StatementPtr& s, const std::string& buffer) {
    bool found = false;
    visit_statements(s, [&](const Statement& x) {
        found = found || (writes(x) && x.buffer == buffer);
        for (const auto& e : expressions(x))
            visit(e, [&](const Expr& y) {
                bool loads = y.kind == ExprKind::Load || y.kind == ExprKind::MaskedLoad;
                found = found || (loads && y.name == buffer);
                return !found;
            });
        return !found;
    });
    return found;
}

class AccumulatorPromotion {
public:
    explicit AccumulatorPromotion(NameSource& names) : names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        auto mark = scope_.mark();
        std::vector<StatementPtr> done;
        append(s, done);
        scope_.restore(mark);
        return block(std::move(done));
    }

private:
    bool is_own(const std::string& buffer) const { return own_.count(buffer) != 0; }

    StatementPtr children(const StatementPtr& s) {
        scope_.bind(*s);
        if (allocates_own(*s))
            own_.insert(s->buffer);
        std::vector<StatementPtr> out;
        for (const auto& child : s->children)
            s->kind == StatementKind::Block ? append(child, out) : out.push_back(run(child));
        return with_children(s, std::move(out));
    }

    // Appends a statement to those before it in its block, of which a loop may take some into its
    // registers.
    void append(const StatementPtr& s, std::vector<StatementPtr>& done) {
        auto loop = s;
        std::vector<Accumulator> accumulators;
        if (s->kind == StatementKind::For && s->for_kind == ForKind::Serial)
            accumulators = accumulators_of(s, scope_);
        // Between barriers no other thread touches an element that this one writes; beyond one it
        // may.
        const bool meets_others = !accumulators.empty() && contains_collective(s);
        std::size_t first = done.size();
        std::vector<StatementPtr> before, after;
        std::vector<std::pair<std::string, Accumulator>> registers;
        for (auto& a : accumulators) {
            if (registers_.count(a.buffer) || (meets_others && !is_own(a.buffer)))
                continue;
            auto stores = forwarded(a, done);
            bool safe = std::all_of(a.elements.begin(), a.elements.end(), [](const Element& e) {
                return e.accessed.known || e.forwarded;
            });
            if (!safe)
                continue;
            auto name = names_.fresh(a.buffer + ".register");
            registers_.insert(name);
            registers.emplace_back(name, a);
            loop = moved(loop, a, name);
            for (auto i : stores) {
                done[i] = moved(done[i], a, name, true);
                first = std::min(first, i);
            }
            fill(a, name, before, after);
        }
        auto mark = scope_.mark();
        auto inner = children(loop);
        scope_.restore(mark);
        std::vector<StatementPtr> region(done.begin() + static_cast<std::ptrdiff_t>(first),
                                         done.end());
        done.resize(first);
        region.insert(region.end(), before.begin(), before.end());
        region.push_back(inner);
        region.insert(region.end(), after.begin(), after.end());
        auto result = block(std::move(region));
        for (const auto& [name, a] : registers)
            result =
                allocate(s->origin, name, a.type, register_extents(a), device::registers(), result);
        done.push_back(result);
    }

    static std::vector<Extent> register_extents(const Accumulator& a) {
        std::vector<Extent> extents{Extent(static_cast<std::int64_t>(a.elements.size()))};
        if (a.lanes > 1)
            extents.push_back(Extent(a.lanes));
        return extents;
    }

    static std::vector<ExprPtr> place(const Accumulator& a, std::size_t element) {
        std::vector<ExprPtr> out{constant_int(ScalarType::I32, static_cast<std::int64_t>(element))};
        if (a.lanes > 1)
            out.push_back(
                ramp(constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, 1), a.lanes));
        return out;
    }

    // Which statements before the loop store first values; marks their elements.
    static std::vector<std::size_t> forwarded(Accumulator& a,
                                              const std::vector<StatementPtr>& done) {
        std::vector<std::size_t> stores;
        for (std::size_t i = done.size(); i-- > 0;) {
            const auto& s = done[i];
            auto element = a.elements.end();
            if (s->kind == StatementKind::Store && s->buffer == a.buffer && !s->mask)
                element = std::find_if(a.elements.begin(), a.elements.end(), [&](const Element& e) {
                    return !e.forwarded && !e.mask && same_indices(e.indices, s->indices);
                });
            if (element == a.elements.end()) {
                if (accesses(s, a.buffer))
                    break;
                continue;
            }
            element->forwarded = true;
            stores.push_back(i);
            bool reads = false;
            visit(s->value, [&](const Expr& x) {
                reads = reads || (x.name == a.buffer &&
                                  (x.kind == ExprKind::Load || x.kind == ExprKind::MaskedLoad));
                return !reads;
            });
            // what it reads must be in memory
            if (reads)
                break;
        }
        return stores;
    }

    // The statement with all accesses to the elements moved to their registers; of a first value
    // only the store itself.
    static StatementPtr moved(const StatementPtr& s, const Accumulator& a, const std::string& name,
                              bool store_only = false) {
        auto element_of = [&](const std::vector<ExprPtr>& indices) {
            auto found = std::find_if(a.elements.begin(), a.elements.end(), [&](const Element& e) {
                return same_indices(e.indices, indices);
            });
            return static_cast<std::size_t>(found - a.elements.begin());
        };
        auto on_statement = [&](const StatementPtr& x) {
            if (x->kind != StatementKind::Store || x->buffer != a.buffer)
                return x;
            return edited(x, [&](Statement& copy) {
                copy.indices = place(a, element_of(x->indices));
                copy.mask = nullptr;
                copy.buffer = name;
                copy.streaming = false;
            });
        };
        if (store_only)
            return on_statement(s);
        return rewrite(s, on_statement, [&](const ExprPtr& e) {
            return loopscope::rewrite(e, [&](const ExprPtr& x) {
                bool masked = x->kind == ExprKind::MaskedLoad;
                if (x->name != a.buffer || (x->kind != ExprKind::Load && !masked))
                    return x;
                return load(
                    name, a.type,
                    place(a, element_of({x->args.begin(), x->args.end() - (masked ? 1 : 0)})));
            });
        });
    }

    static void fill(const Accumulator& a, const std::string& name,
                     std::vector<StatementPtr>& before, std::vector<StatementPtr>& after) {
        for (std::size_t i = 0; i < a.elements.size();) {
            const auto& first = a.elements[i];
            std::vector<StatementPtr> loads, stores;
            for (; i < a.elements.size() && alike(first, a.elements[i]); ++i) {
                const auto& e = a.elements[i];
                if (!e.forwarded)
                    loads.push_back(store(e.origin, name, place(a, i),
                                          e.mask ? masked_load(a.buffer, a.type, e.indices, e.mask)
                                                 : load(a.buffer, a.type, e.indices)));
                stores.push_back(as_streaming(
                    store(e.origin, a.buffer, e.indices, load(name, a.type, place(a, i)), e.mask),
                    e.streaming));
            }
            add_under(first, std::move(loads), before);
            add_under(first, std::move(stores), after);
        }
    }

    // Loaded and stored under the same conditions.
    static bool alike(const Element& a, const Element& b) {
        const auto &x = a.accessed.conditions, &y = b.accessed.conditions;
        return a.forwarded == b.forwarded &&
               (a.forwarded ||
                std::equal(x.begin(), x.end(), y.begin(), y.end(),
                           [](const ExprPtr& p, const ExprPtr& q) { return equal(p, q); }));
    }

    static void add_under(const Element& e, std::vector<StatementPtr> statements,
                          std::vector<StatementPtr>& out) {
        ExprPtr all;
        if (!e.forwarded)
            for (const auto& condition : e.accessed.conditions)
                all = all ? binary(Op::LogicalAnd, all, condition) : condition;
        if (!statements.empty())
            out.push_back(all ? if_then(e.origin, all, block(std::move(statements)))
                              : block(std::move(statements)));
    }

    KnownFacts scope_;
    NameSource& names_;
    std::unordered_set<std::string> registers_; // made here
    std::unordered_set<std::string> own_;       // of each thread: allocated, and not shared
};

} // namespace

Program promote_accumulators(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(
        program, [&](const StatementPtr& body) { return AccumulatorPromotion(names).run(body); });
}

} // namespace loopscope::lower
