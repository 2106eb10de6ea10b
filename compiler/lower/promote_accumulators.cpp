// promote_accumulators: what a serial loop accumulates stays in registers while it runs.
//
//     C[i, ramp(j, 1, 8)] = 0                        allocate C.register: f32[1, 8] in register
//     for k in 0..512 {                              C.register[0, ramp(0, 1, 8)] = 0
//         C[i, ramp(j, 1, 8)] =               →      for k in 0..512 {
//             C[i, ramp(j, 1, 8)] + A[…]*B[…]            C.register[0, …] = C.register[0, …] + A[…]*B[…]
//     }                                              }
//                                                    C[i, ramp(j, 1, 8)] = C.register[0, ramp(0, 1, 8)]
//
// For a serial loop and a buffer all of whose accesses in the loop go to the same few elements: their indices use no
// name bound in the loop and load nothing, they have equal lanes, and each two are the same or provably apart; masks
// must be as fixed, and the same for all accesses of an element (the register's other lanes are never stored). An
// element must be accessed in every run of the loop, or be stored right before it, or it must be known before the loop
// whether it will be: else the loads and stores that this pass adds could touch what the program does not. It is known
// where the conditions around its accesses, and that loops run at all, use no name bound in the loop, or hold in the
// loop's first (or last) iteration if in any:
//
//     for k in 0..n {                                if n > 0 and n - 1 >= j { C.register[0] = C[j] }
//         if k >= j { C[j] = C[j] + A[k] }      →    for k in 0..n {
//     }                                                  if k >= j { C.register[0] = C.register[0] + A[k] }
//                                                    }
//                                                    if n > 0 and n - 1 >= j { C[j] = C.register[0] }
//
// Outer loops come first, so an accumulator stays in registers over all reduction loops around its statement. A store to
// an element before the loop in the same block, with no other access to the buffer between, becomes the register's first
// value; else it is loaded.
//
// Expects: unrolled and vectorised loops are gone. Guarantees: the same values in memory after the loop; registers are
// indexed by constants alone (and the ramp of all lanes), so that they become values in generated code. Where a store to an
// element streams, the one after the loop does.
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/scope.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

namespace loopscope::lower {

namespace {

constexpr std::size_t kMostElements = 64; // more would not be registers any longer

// In which runs of the loop something happens: in those before which all conditions hold.
struct Presence {
    bool known = true;
    std::vector<ExprPtr> conditions;
    std::optional<bool>
        in_last; // those that depend on the loop hold in its last iteration if in any; false: in its first

    bool always() const { return known && conditions.empty(); }
    // One of two, where that is known.
    Presence or_else(const Presence& other) const {
        if (always() || other.always())
            return {};
        auto within = [](const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
            return std::all_of(a.begin(), a.end(), [&](const ExprPtr& x) {
                return std::any_of(b.begin(), b.end(),
                                   [&](const ExprPtr& y) { return equal(x, y); });
            });
        };
        if (known && other.known && within(conditions, other.conditions))
            return *this;
        if (known && other.known && within(other.conditions, conditions))
            return other;
        return {false, {}, {}};
    }
};

struct Element {
    std::vector<ExprPtr> indices;
    ExprPtr mask; // null: all lanes
    NodeId origin;
    Presence accessed;
    bool forwarded = false;
    // Before it is stored in an iteration. Else nothing accumulates: a shifted tail may store one point again and again,
    // and memory that folds to one element holds another in each iteration.
    bool loaded = false;
    bool stored_first = false; // before any load, if at all
    bool streaming = false;    // some store of it
};

struct Accumulator {
    std::string buffer;
    ScalarType type = ScalarType::F32;
    int lanes = 1;
    std::vector<Element> elements;
    bool stored = false;
    bool possible = true;
};

bool same_indices(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ExprPtr& x, const ExprPtr& y) { return equal(x, y); });
}

int lanes_of(const std::vector<ExprPtr>& indices) {
    int lanes = 1;
    for (const auto& i : indices)
        lanes = std::max<int>(lanes, i->lanes);
    return lanes;
}

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

// Finds the accumulators of one loop.
class Collector {
public:
    Collector(const StatementPtr& loop, Scope& scope) : loop_(*loop), scope_(scope) {
        visit_statements(loop, [&](const Statement& s) {
            if (s.kind == StatementKind::For || s.kind == StatementKind::Let)
                bound_.insert(s.name);
            if (s.kind == StatementKind::Allocate)
                allocated_.insert(s.buffer);
            return true;
        });
        statement(*loop, {}, true);
    }

    std::vector<Accumulator> take() {
        std::erase_if(found_, [&](const Accumulator& a) {
            return !a.possible || !a.stored || !accumulates(a) || !apart(a);
        });
        return std::move(found_);
    }

private:
    // `runs`: in which runs of the loop. `serial`: in order, by one thread.
    void statement(const Statement& s, Presence runs, bool serial) {
        auto mark = scope_.mark();
        for (const auto& e : expressions(s))
            loads(e, s.origin, runs, serial);
        if (s.kind == StatementKind::Atomic) // memory that others combine into as well
            accumulator(s.buffer, s.value->type, s.value->lanes).possible = false;
        if (s.kind == StatementKind::Store)
            access({s.buffer, s.value->type, s.indices, s.mask,
                    std::max<int>(s.value->lanes, lanes_of(s.indices)), true, s.streaming},
                   s.origin, runs, serial);
        if (s.kind == StatementKind::For) {
            auto trips = scope_.range(s.extent);
            if (!trips || trips->least < 1)
                runs = where(runs, binary(Op::Greater, s.extent, constant_int(s.extent->type, 0)));
            serial = serial && s.for_kind == ForKind::Serial;
            scope_.bind_loop(s.name, s.begin, s.extent);
        }
        if (s.kind == StatementKind::Let)
            scope_.bind_let(s.name, s.value);
        for (std::size_t i = 0; i < s.children.size(); ++i) {
            auto inside = runs;
            if (s.kind == StatementKind::If)
                inside = where(runs, i == 0 ? s.condition : unary(Op::LogicalNot, s.condition));
            statement(*s.children[i], inside, serial);
        }
        scope_.restore(mark);
    }

    // Of these runs those in which the condition holds at some time, too.
    Presence where(Presence runs, const ExprPtr& condition) const {
        std::vector<ExprPtr> parts;
        conjuncts(with_lets(condition), parts);
        for (const auto& part : parts) {
            if (is_fixed({part})) {
                runs.conditions.push_back(part);
                continue;
            }
            auto last = best_in_last(*part);
            if (!last || (runs.in_last && *runs.in_last != *last))
                return {false, {}, {}};
            runs.in_last = last;
            auto at = loop_.begin;
            if (*last)
                at = binary(Op::Subtract, binary(Op::Add, at, loop_.extent),
                            constant_int(at->type, 1));
            runs.conditions.push_back(substitute(
                part, [&](const std::string& name) { return name == loop_.name ? at : nullptr; }));
        }
        return runs;
    }

    // Does a comparison hold in the last iteration of the loop (false: in the first) if in any? nullopt: not known.
    std::optional<bool> best_in_last(const Expr& e) const {
        bool less = e.op == Op::Less || e.op == Op::LessEqual;
        bool greater = e.op == Op::Greater || e.op == Op::GreaterEqual;
        if (e.kind != ExprKind::Binary || (!less && !greater))
            return std::nullopt;
        auto a = scope_.affine(e.args[0]), b = scope_.affine(e.args[1]);
        auto between = a && b ? difference(*a, *b) : std::nullopt;
        auto self = variable(loop_.name, loop_.begin->type);
        auto slope = between ? between->coefficient(self) : 0;
        if (slope == 0 || !between->add_term(self, -slope) || contains_load(loop_.begin) ||
            contains_load(loop_.extent))
            return std::nullopt;
        for (const auto& term : between->terms)
            if (!is_fixed({term.atom}))
                return std::nullopt;
        return (slope > 0) == greater;
    }

    // With the values of the lets inside the loop.
    ExprPtr with_lets(ExprPtr e) const {
        for (bool again = true; again;) {
            again = false;
            e = substitute(e, [&](const std::string& name) -> ExprPtr {
                auto value = bound_.count(name) ? scope_.let_value(name) : nullptr;
                again = again || value;
                return value;
            });
        }
        return e;
    }

    void loads(const ExprPtr& e, const NodeId& origin, const Presence& runs, bool serial) {
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Load)
                access({x.name, x.type, x.args, nullptr, x.lanes, false, false}, origin, runs,
                       serial);
            if (x.kind == ExprKind::MaskedLoad)
                access({x.name,
                        x.type,
                        {x.args.begin(), x.args.end() - 1},
                        x.args.back(),
                        x.lanes,
                        false,
                        false},
                       origin, runs, serial);
            return true;
        });
    }

    struct Access {
        std::string buffer;
        ScalarType type;
        std::vector<ExprPtr> indices;
        ExprPtr mask;
        int lanes;
        bool is_store;
        bool streaming;
    };

    void access(Access x, const NodeId& origin, const Presence& runs, bool serial) {
        if (allocated_.count(x.buffer))
            return;
        auto& a = accumulator(x.buffer, x.type, x.lanes);
        // Masks are mostly names: what counts is what they stand for.
        if (x.mask)
            x.mask = with_lets(x.mask);
        a.stored = a.stored || x.is_store;
        bool fixed = is_fixed(x.indices) && (!x.mask || is_fixed({x.mask}));
        a.possible =
            a.possible && fixed && serial && x.lanes == a.lanes && x.lanes == lanes_of(x.indices);
        if (!a.possible)
            return;
        for (auto& element : a.elements)
            if (same_indices(element.indices, x.indices)) {
                element.accessed = element.accessed.or_else(runs);
                element.loaded = element.loaded || (!x.is_store && !element.stored_first);
                element.origin = x.is_store ? origin : element.origin;
                element.streaming = element.streaming || x.streaming;
                a.possible = equal(element.mask, x.mask);
                return;
            }
        // A store under a condition counts: nothing may have been written before it, and the load before the loop would read
        // that.
        a.elements.push_back(
            {x.indices, x.mask, origin, runs, false, !x.is_store, x.is_store, x.streaming});
        a.possible = a.elements.size() <= kMostElements;
    }

    Accumulator& accumulator(const std::string& buffer, ScalarType type, int lanes) {
        for (auto& a : found_)
            if (a.buffer == buffer)
                return a;
        Accumulator a;
        a.buffer = buffer;
        a.type = type;
        a.lanes = lanes;
        found_.push_back(a);
        return found_.back();
    }

    bool is_fixed(const std::vector<ExprPtr>& indices) const {
        bool fixed = true;
        for (const auto& i : indices)
            visit(i, [&](const Expr& x) {
                bool loads = x.kind == ExprKind::Load || x.kind == ExprKind::MaskedLoad;
                fixed = fixed && !loads && !(x.kind == ExprKind::Variable && bound_.count(x.name));
                return fixed;
            });
        return fixed;
    }

    static bool accumulates(const Accumulator& a) {
        return std::all_of(a.elements.begin(), a.elements.end(),
                           [](const Element& e) { return e.loaded; });
    }

    // Each two elements differ by a constant in some dimension, by more than their lanes reach.
    bool apart(const Accumulator& a) const {
        std::vector<std::vector<std::optional<Affine>>> forms;
        for (const auto& e : a.elements) {
            forms.emplace_back();
            for (const auto& i : e.indices)
                forms.back().push_back(scope_.affine(i));
        }
        for (std::size_t i = 0; i < forms.size(); ++i)
            for (std::size_t j = i + 1; j < forms.size(); ++j)
                if (!apart(forms[i], forms[j], a.lanes))
                    return false;
        return true;
    }

    static bool apart(const std::vector<std::optional<Affine>>& a,
                      const std::vector<std::optional<Affine>>& b, int lanes) {
        for (std::size_t d = 0; d < a.size(); ++d) {
            auto between = a[d] && b[d] ? difference(*a[d], *b[d]) : std::nullopt;
            if (!between || !between->is_constant())
                continue;
            auto stride = std::abs(a[d]->coefficient(lane_atom(lanes)));
            auto gap = std::abs(between->constant);
            if (gap > stride * (lanes - 1) || (stride > 1 && gap % stride != 0))
                return true;
        }
        return false;
    }

    const Statement& loop_;
    Scope& scope_;
    std::unordered_set<std::string> bound_, allocated_;
    std::vector<Accumulator> found_;
};

class Promotion {
public:
    explicit Promotion(NameSource& names) : names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        auto mark = scope_.mark();
        std::vector<StatementPtr> done;
        append(s, done);
        scope_.restore(mark);
        return block(std::move(done));
    }

private:
    StatementPtr children(const StatementPtr& s) {
        if (s->kind == StatementKind::For)
            scope_.bind_loop(s->name, s->begin, s->extent);
        if (s->kind == StatementKind::Let)
            scope_.bind_let(s->name, s->value);
        std::vector<StatementPtr> out;
        for (const auto& child : s->children)
            s->kind == StatementKind::Block ? append(child, out) : out.push_back(run(child));
        return with_children(s, std::move(out));
    }

    // Appends a statement to those before it in its block, of which a loop may take some into its registers.
    void append(const StatementPtr& s, std::vector<StatementPtr>& done) {
        auto loop = s;
        std::vector<Accumulator> accumulators;
        if (s->kind == StatementKind::For && s->for_kind == ForKind::Serial)
            accumulators = Collector(s, scope_).take();
        std::size_t first = done.size();
        std::vector<StatementPtr> before, after;
        std::vector<std::pair<std::string, Accumulator>> registers;
        for (auto& a : accumulators) {
            if (registers_.count(a.buffer))
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
            result = allocate(s->origin, name, a.type, register_extents(a), "register", result);
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
            if (reads)
                break; // what it reads must be in memory
        }
        return stores;
    }

    // The statement with all accesses to the elements moved to their registers; of a first value only the store itself.
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

    Scope scope_;
    NameSource& names_;
    std::unordered_set<std::string> registers_; // made here
};

} // namespace

Program promote_accumulators(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program,
                      [&](const StatementPtr& body) { return Promotion(names).run(body); });
}

} // namespace loopscope::lower
