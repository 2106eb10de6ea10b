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
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/promotion.h"
#include "compiler/lower/statements.h"
#include "core/base/fields.h"

#include <algorithm>
#include <unordered_set>

namespace loopscope::lower {

namespace {

bool accesses(const StatementPtr& s, const std::string& buffer) {
    return any_statement(s, [&](const Statement& x) {
        return (writes(x) && x.access->buffer == buffer) || loads_from(x, buffer);
    });
}

class AccumulatorPromotion : public Promotion {
public:
    explicit AccumulatorPromotion(NameSource& names) : names_(names) {}

private:
    void promote(Site& site) override {
        for (auto& a : accumulators_of(site.loop, scope_)) {
            if (registers_.count(a.buffer) || meets_others(site.loop, a.buffer))
                continue;
            auto stores = forwarded(a, site.done);
            bool safe = std::all_of(a.elements.begin(), a.elements.end(), [](const Element& e) {
                return e.accessed.known || e.forwarded;
            });
            if (!safe)
                continue;
            Registers to{names_.fresh(a.buffer + ".register"), a.buffer, a.type,
                         register_extents(a), [a](const std::vector<ExprPtr>& indices) {
                             return place(a, element_of(a, indices));
                         }};
            registers_.insert(to.name);
            site.loop = moved(site.loop, to);
            for (auto i : stores) {
                site.done[i] = moved_store(site.done[i], to);
                site.first = std::min(site.first, i);
            }
            fill(a, to.name, site.before, site.after);
            site.made.push_back(std::move(to));
        }
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
            if (s->kind == StatementKind::Store && s->access->buffer == a.buffer &&
                !s->access->mask)
                element = std::find_if(a.elements.begin(), a.elements.end(), [&](const Element& e) {
                    return !e.forwarded && !e.mask && same_value(e.indices, s->access->indices);
                });
            if (element == a.elements.end()) {
                if (accesses(s, a.buffer))
                    break;
                continue;
            }
            element->forwarded = true;
            stores.push_back(i);
            // what it reads must be in memory
            if (loads_from(s->value, a.buffer))
                break;
        }
        return stores;
    }

    static std::size_t element_of(const Accumulator& a, const std::vector<ExprPtr>& indices) {
        auto found = std::find_if(a.elements.begin(), a.elements.end(),
                                  [&](const Element& e) { return same_value(e.indices, indices); });
        return static_cast<std::size_t>(found - a.elements.begin());
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
        return a.forwarded == b.forwarded &&
               (a.forwarded || same_value(a.accessed.conditions, b.accessed.conditions));
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

    NameSource& names_;
    std::unordered_set<std::string> registers_; // made here
};

} // namespace

Program promote_accumulators(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(
        program, [&](const StatementPtr& body) { return AccumulatorPromotion(names).run(body); });
}

} // namespace loopscope::lower
