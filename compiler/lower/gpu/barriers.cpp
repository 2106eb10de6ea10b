// Barriers where threads of a block need what others have written, or overwrite what others read,
// and nowhere else.
//
//     for C.ko in 0..16 {                           for C.ko in 0..16 {
//         As[thread_x] = A[…]                           As[thread_x] = A[…]
//         C.acc = C.acc + As[0] …              ->       barrier block
//     }                                                 C.acc = C.acc + As[0] …
//                                                       barrier block
//                                                   }
//
// Each part of the program is known by what it accesses before its first barrier and after its
// last; two that follow each other get a barrier between them where accesses of one and of the
// other may meet (thread_conflicts.h), a loop at the end of its iterations where one meets the
// next. What stands in a condition that differs between threads takes none inside.
//
// Barriers of blocks that are there already are made anew: the first time they hold the program
// together while other passes change it, the last time they are those that it needs as it then is.
//
// Expects launches after divide_work.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/thread_conflicts.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

struct ProgramPart {
    StatementPtr statement;
    AccessGroups entry, exit; // before the first barrier, behind the last one
    bool cut = false;         // every thread passes a barrier in it
    // of a loop that ends its iterations with a barrier: one that begins them so, and `exit` is
    // then what stays open
    StatementPtr begin_instead;
    AccessGroups open;
};

StatementPtr without_barriers(const StatementPtr& body) {
    return rewrite(body, [](const StatementPtr& s) {
        return s->kind == StatementKind::Barrier && s->level == "block" ? empty_block() : s;
    });
}

class Inserter {
public:
    explicit Inserter(const LaunchShape& shape)
        : shape_(shape), finder_(shape), uniformity_(shape) {}

    StatementPtr run() {
        if (shape_.threads() == 1)
            return shape_.body;
        return part(shape_.body).statement;
    }

private:
    ProgramPart part(const StatementPtr& s) {
        switch (s->kind) {
        case StatementKind::Block: return sequence(s);
        case StatementKind::For: return loop(s);
        case StatementKind::If: return conditional(s);
        case StatementKind::Let:
        case StatementKind::Allocate: {
            const AccessGroups own(finder_.of(*s));
            uniformity_.bind(*s);
            finder_.enter(*s);
            auto inner = part(s->children[0]);
            finder_.leave(*s);
            inner.statement = with_children(s, {inner.statement});
            inner.begin_instead = nullptr;
            return own.empty() ? inner : after({nullptr, own, own, false, nullptr, {}}, inner);
        }
        case StatementKind::Barrier: return {s, {}, {}, s->level == "block", nullptr, {}};
        case StatementKind::Wait: {
            // Data that have arrived are everybody's behind a barrier. Their slot was taken when
            // the copies began.
            return {s, {}, AccessGroups(finder_.completed(s->step->token)), false, nullptr, {}};
        }
        default: {
            const AccessGroups accesses(finder_.of(*s));
            return {s, accesses, accesses, false, nullptr, {}};
        }
        }
    }

    // A let's value, which stands before its body; the statement is the body's.
    static ProgramPart after(const ProgramPart& first, ProgramPart second) {
        second.entry.add(first.entry);
        if (!second.cut)
            second.exit.add(first.exit);
        return second;
    }

    bool meet(const AccessGroups& first, const AccessGroups& second, const Meeting& meeting) {
        return may_conflict(first, second, meeting, shape_, answers_);
    }

    ProgramPart sequence(const StatementPtr& s) {
        std::vector<StatementPtr> out;
        ProgramPart whole;
        const Meeting here{depth_, false, false};
        for (const auto& child : s->children) {
            auto next = part(child);
            const bool wait = !fixed_ && meet(whole.exit, next.entry, here);
            if (wait && next.begin_instead) {
                next.statement = next.begin_instead;
                next.entry.clear();
                next.exit = next.open;
                next.cut = true;
            } else if (wait) {
                out.push_back(barrier(child->origin, "block"));
                if (!whole.cut)
                    whole.cut = true;
                whole.exit.clear();
            }
            if (!whole.cut)
                whole.entry.add(next.entry);
            if (next.cut)
                whole.exit = next.exit;
            else
                whole.exit.add(next.exit);
            whole.cut = whole.cut || next.cut;
            out.push_back(next.statement);
        }
        whole.statement = with_children(s, std::move(out));
        return whole;
    }

    ProgramPart loop(const StatementPtr& s) {
        const bool uniform = uniformity_(s->loop->begin) == Uniformity::Block &&
                             uniformity_(s->loop->extent) == Uniformity::Block &&
                             s->loop->kind != ForKind::Vectorized;
        const AccessGroups own(finder_.of(*s)); // of its bounds
        uniformity_.bind(*s);
        finder_.enter(*s);
        const auto fixed = fixed_;
        fixed_ = fixed_ || !uniform;
        ++depth_;
        auto body = part(s->children[0]);
        --depth_;
        fixed_ = fixed;
        finder_.leave(*s);
        std::int64_t extent = 0;
        const bool runs = constant_value(s->loop->extent, extent) && extent > 0;
        const bool again = !constant_value(s->loop->extent, extent) || extent > 1;
        ProgramPart out;
        out.entry = body.entry;
        out.exit = body.exit;
        // in front of the first barrier stands the first iteration, behind the last one the last
        if (body.cut) {
            const auto self = variable(s->variable, s->loop->begin->type);
            out.entry.assume(binary(Op::Equal, self, s->loop->begin));
            out.exit.assume(binary(Op::Equal, self,
                                   binary(Op::Add, s->loop->begin,
                                          binary(Op::Subtract, s->loop->extent,
                                                 constant_int(s->loop->extent->type, 1)))));
        }
        out.entry.add(own);
        out.cut = body.cut && runs;
        out.statement = with_children(s, {body.statement});
        if (!again || !uniform || fixed_ || !meet(body.exit, body.entry, {depth_, true, body.cut}))
            return out;
        if (runs) {
            out.begin_instead =
                with_children(s, {block({barrier(s->origin, "block"), body.statement})});
            out.open = body.exit;
        }
        out.statement = with_children(s, {block({body.statement, barrier(s->origin, "block")})});
        out.cut = runs;
        if (runs)
            out.exit.clear();
        return out;
    }

    ProgramPart conditional(const StatementPtr& s) {
        const AccessGroups own(finder_.of(*s));
        const auto fixed = fixed_;
        fixed_ = fixed_ || uniformity_(s->condition) != Uniformity::Block;
        ProgramPart out;
        out.entry.add(own);
        out.exit.add(own);
        out.cut = s->children.size() > 1;
        std::vector<StatementPtr> branches;
        for (std::size_t b = 0; b < s->children.size(); ++b) {
            finder_.enter(*s, b);
            auto branch = part(s->children[b]);
            finder_.leave(*s);
            out.entry.add(branch.entry);
            out.exit.add(branch.exit);
            out.cut = out.cut && branch.cut;
            branches.push_back(branch.statement);
        }
        fixed_ = fixed;
        out.statement = with_children(s, std::move(branches));
        return out;
    }

    const LaunchShape& shape_;
    AccessFinder finder_;
    ConflictAnswers answers_;
    UniformityOf uniformity_;
    std::size_t depth_ = 0; // loops around
    bool fixed_ = false;    // in a condition that differs between threads
};

} // namespace

Program barriers(const Program& program, const TargetInfo&) {
    auto out = program;
    for (auto& launch : out.launches)
        if (on_device(launch))
            launch.body = map_inside(launch, [](LaunchShape shape) {
                shape.body = without_barriers(shape.body);
                return Inserter(shape).run();
            });
    return out;
}

} // namespace loopscope::lower
