// vectorise: a vectorised loop of n iterations becomes code of n lanes.
//
//     vectorised for xi in 0..8 {                 out[y, ramp(xo*8, 1, 8)] =
//         out[y, xo*8 + xi] =              →          A[y, ramp(xo*8 + 1, 1, 8)]*broadcast(s[y], 8)
//             A[y, xo*8 + xi + 1]*s[y]
//
// - A condition that differs between lanes becomes a mask: stores and the loads that differ between
//   lanes are masked. What is the same in all lanes is loaded once, under a scalar condition that
//   some lane is on; where none can be written (the condition is not monotone in the lane) it is a
//   masked load too.
// - Inner loops stay loops. What is allocated inside gets the lanes as its innermost dimension.
// - All lanes combining into one place: see vector_reduction.cpp.
// - A vectorised loop around another vectorised loop becomes an unrolled one: the inner has the
//   lanes.
// - Loops become serial whose extent is not constant or above 65535, whose inner loops' bounds
//   differ between lanes, whose lanes may store to the same place in any other way, or which hold
//   vector code or prefetches already.
//
// Expects: iterations of vectorised loops that are independent, or such reductions (the schedule
// proves it). Guarantees: no vectorised loop is left; the bits are those of the serial loop, but
// for float sums and products over the lanes that inner loops interleave (the tree marks them as
// reassociating).
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"
#include "compiler/lower/widening.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMaxLanes = 65535;

bool contains_vectorized(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) {
        return x.kind == StatementKind::For && x.loop->kind == ForKind::Vectorized;
    });
}

class Vectorizer {
public:
    // `left`: receives the loops that stay serial.
    Vectorizer(NameSource& names, std::vector<ScalarLoop>& left) : names_(names), left_(left) {}

    StatementPtr run(const StatementPtr& s) {
        StatementScope inside(scope_, *s);
        return s->kind == StatementKind::For && s->loop->kind == ForKind::Vectorized ? loop(s)
                                                                                     : children(s);
    }

private:
    StatementPtr children(const StatementPtr& s) {
        return with_rebuilt_children(s, scope_,
                                     [&](const StatementPtr& child) { return run(child); });
    }

    StatementPtr loop(const StatementPtr& s) {
        auto as = [&](ForKind kind) {
            return edited(children(s), [&](Statement& copy) { copy.loop->kind = kind; });
        };
        std::int64_t extent = 0;
        if (contains_vectorized(s->children[0]))
            return as(ForKind::Unrolled);
        auto serial = [&](const char* why) {
            bool known = std::any_of(left_.begin(), left_.end(),
                                     [&](const auto& other) { return other.loop == s->origin; });
            if (!known)
                left_.push_back({s->origin, why});
            return as(ForKind::Serial);
        };
        if (!constant_value(s->loop->extent, extent))
            return serial("how often it runs is no constant");
        if (extent > kMaxLanes)
            return serial("it has more than 65535 iterations");
        // the same
        if (extent < 2)
            return as(ForKind::Serial);
        Widening widening(*s, static_cast<int>(extent), scope_, names_);
        auto wide = widening.run();
        return wide ? wide : serial(widening.why());
    }

    KnownFacts scope_;
    NameSource& names_;
    std::vector<ScalarLoop>& left_;
};

} // namespace

Program vectorize_and_tell(const Program& program, std::vector<ScalarLoop>& left) {
    NameSource names(program);
    left.clear();
    return map_bodies(program,
                      [&](const StatementPtr& body) { return Vectorizer(names, left).run(body); });
}

Program vectorize(const Program& program, const TargetInfo&) {
    std::vector<ScalarLoop> left;
    return vectorize_and_tell(program, left);
}

} // namespace loopscope::lower
