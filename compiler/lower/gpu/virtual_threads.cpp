// virtual_threads: loops bound to `vthread`, the interleaved turns of one thread, move inwards to
// single statements. Work that threads share is then done once for all virtual threads, and private
// storage becomes as many arrays. Where shared work reads private storage, it reads the first
// virtual thread's: what a block shares is the same for all of them.
//
//     bound vthread for v in 0..2 {             allocate acc: f32[2, 1] in register
//         allocate acc: f32[1] in register      unrolled for v in 0..2 { acc[v, 0] = 0.0 }
//         acc[0] = 0.0                          for k in 0..8 {
//         for k in 0..8 {                    ->     bound threads for i in 0..32 { s[i] = A[k, i] }
//             bound threads for i in 0..32 {        unrolled for v in 0..2 {
//                 s[i] = A[k, i]                        acc[v, 0] = acc[v, 0] + s[16*v]
//             }                                     }
//             acc[0] = acc[0] + s[16*v]         }
//         }
//     }
//
// Expects launches after bind_levels. Guarantees that no loop of the levels kVirtualLevel and
// kBlockLevel is left.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <set>

namespace loopscope::lower {

namespace {

bool is_virtual(const Statement& s) {
    return s.kind == StatementKind::For && s.loop->kind == ForKind::Bound &&
           s.loop->level == kVirtualLevel;
}

bool done_by_all(const Statement& s) {
    return (s.kind == StatementKind::For && s.loop->kind == ForKind::Bound) ||
           is_collective(s.kind);
}

bool contains_work_of_all(const StatementPtr& s) {
    return any_statement(s,
                         [&](const Statement& x) { return done_by_all(x) || allocates_shared(x); });
}

class Distribution {
public:
    Distribution(const Statement& loop, NameSource& names)
        : loop_(loop), names_(names), self_(variable(loop.variable, loop.loop->begin->type)) {}

    StatementPtr run(const StatementPtr& s) {
        switch (s->kind) {
        case StatementKind::Block: return children(s);
        case StatementKind::For:
            if (done_by_all(*s))
                return once(s);
            return uses_variable(s->loop->begin, loop_.variable) ||
                           uses_variable(s->loop->extent, loop_.variable)
                       ? repeated(s)
                       : children(s);
        case StatementKind::If:
            return uses_variable(s->condition, loop_.variable) ? repeated(s) : children(s);
        case StatementKind::Let: return let(s);
        case StatementKind::Allocate: return allocation(s);
        case StatementKind::Intrinsic: return repeated(s); // each takes part
        default: return done_by_all(*s) ? once(s) : repeated(s);
        }
    }

private:
    StatementPtr once(const StatementPtr& s) const {
        return substitute(s, [&](const std::string& used) -> ExprPtr {
            return used == loop_.variable ? loop_.loop->begin : nullptr;
        });
    }

    StatementPtr children(const StatementPtr& s) {
        std::vector<StatementPtr> out;
        for (const auto& child : s->children)
            out.push_back(run(child));
        return with_children(s, std::move(out));
    }

    StatementPtr let(const StatementPtr& s) {
        if (!uses_variable(s->value, loop_.variable))
            return children(s);
        if (!contains_work_of_all(s))
            return repeated(s);
        return run(substitute(s->children[0], [&](const std::string& name) -> ExprPtr {
            return name == s->variable ? s->value : nullptr;
        }));
    }

    // Does what a virtual thread writes there depend on which one it is: what reduces over threads,
    // say? Work of all is not one's.
    bool is_written_by_each(const StatementPtr& allocation) const {
        bool found = false;
        visit_statements(allocation->children[0], [&](const Statement& s) {
            if (done_by_all(s))
                return false;
            if (!writes(s) || s.access->buffer != allocation->storage->buffer)
                return !found;
            for (const auto& e : expressions(s))
                found = found || uses_variable(e, loop_.variable);
            return !found;
        });
        return found;
    }

    // A thread's own memory: one for each virtual thread.
    StatementPtr allocation(const StatementPtr& s) {
        if (allocates_shared(*s) && !is_written_by_each(s)) {
            shared_.insert(s->storage->buffer);
            return children(s);
        }
        auto place = [&](std::vector<ExprPtr> indices) {
            indices.insert(indices.begin(), self_);
            return indices;
        };
        auto body = rewrite(
            s->children[0],
            [&](const StatementPtr& x) {
                if (!x->operands.empty())
                    return edited(x, [&](Statement& copy) {
                        for (auto& operand : copy.operands)
                            if (operand.buffer == s->storage->buffer)
                                operand.indices = place(operand.indices);
                    });
                if (!has_place(*x) || x->access->buffer != s->storage->buffer)
                    return x;
                return edited(x, [&](Statement& copy) {
                    copy.access->indices = place(copy.access->indices);
                });
            },
            [&](const ExprPtr& e) {
                return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
                    if (x->name != s->storage->buffer)
                        return x;
                    if (x->kind == ExprKind::Load)
                        return load(x->name, x->type, place(x->args), x->component, x->where);
                    if (x->kind != ExprKind::MaskedLoad)
                        return x;
                    return masked_load(x->name, x->type,
                                       place({x->args.begin(), x->args.end() - 1}), x->args.back());
                });
            });
        return edited(s, [&](Statement& copy) {
            copy.storage->extents.insert(copy.storage->extents.begin(), Extent(extent()));
            copy.children = {run(body)};
        });
    }

    StatementPtr repeated(const StatementPtr& s) {
        // What a block's threads share is written once for all virtual ones.
        if (writes(*s) && shared_.count(s->access->buffer))
            return s;
        const auto name = names_.fresh(loop_.variable);
        auto body = substitute(s, [&](const std::string& used) -> ExprPtr {
            return used == loop_.variable ? variable(name, loop_.loop->begin->type) : nullptr;
        });
        return for_loop(loop_.origin, name, loop_.loop->begin, loop_.loop->extent,
                        ForKind::Unrolled, body);
    }

    std::int64_t extent() const {
        std::int64_t value = 0;
        constant_value(loop_.loop->extent, value);
        return value;
    }

    const Statement& loop_;
    std::set<std::string> shared_; // allocated inside
    NameSource& names_;
    ExprPtr self_;
};

} // namespace

Program virtual_threads(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        auto distributed = rewrite(body, [&](const StatementPtr& s) {
            return is_virtual(*s) ? Distribution(*s, names).run(s->children[0]) : s;
        });
        // They have said what is the block's own work.
        return rewrite(distributed, [](const StatementPtr& s) {
            const bool mark = s->kind == StatementKind::For && s->loop->kind == ForKind::Bound &&
                              s->loop->level == kBlockLevel;
            return mark ? s->children[0] : s;
        });
    });
}

} // namespace loopscope::lower
