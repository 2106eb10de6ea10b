#include "compiler/lower/promotion.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

StatementPtr moved_store(const StatementPtr& s, const Registers& to) {
    if (s->kind != StatementKind::Store || s->access->buffer != to.buffer)
        return s;
    return edited(s, [&](Statement& copy) {
        copy.access->indices = to.place(s->access->indices);
        copy.access->mask = nullptr;
        copy.access->buffer = to.name;
        copy.access->streaming = false;
    });
}

StatementPtr moved(const StatementPtr& s, const Registers& to) {
    return rewrite(
        s, [&](const StatementPtr& x) { return moved_store(x, to); },
        [&](const ExprPtr& e) {
            return loopscope::rewrite(e, [&](const ExprPtr& x) {
                bool masked = x->kind == ExprKind::MaskedLoad;
                if (x->name != to.buffer || (x->kind != ExprKind::Load && !masked))
                    return x;
                return load(to.name, to.type,
                            to.place({x->args.begin(), x->args.end() - (masked ? 1 : 0)}));
            });
        });
}

StatementPtr Promotion::run(const StatementPtr& s) {
    auto mark = scope_.mark();
    std::vector<StatementPtr> done;
    append(s, done);
    scope_.restore(mark);
    return block(std::move(done));
}

bool Promotion::meets_others(const StatementPtr& loop, const std::string& buffer) const {
    auto found = allocated_.find(buffer);
    bool own = found != allocated_.end() && allocates_own(*found->second);
    return !own && contains_collective(loop);
}

void Promotion::append(const StatementPtr& s, std::vector<StatementPtr>& done) {
    Site site{s, done, done.size(), {}, {}, {}};
    if (s->kind == StatementKind::For && s->loop->kind == ForKind::Serial)
        promote(site);
    auto mark = scope_.mark();
    auto inner = children(site.loop);
    scope_.restore(mark);
    auto first = done.begin() + static_cast<std::ptrdiff_t>(site.first);
    std::vector<StatementPtr> region(first, done.end());
    done.erase(first, done.end());
    region.insert(region.end(), site.before.begin(), site.before.end());
    region.push_back(inner);
    region.insert(region.end(), site.after.begin(), site.after.end());
    auto result = block(std::move(region));
    for (const auto& to : site.made)
        result = allocate(s->origin, to.name, to.type, to.extents, device::registers(), result);
    done.push_back(result);
}

StatementPtr Promotion::children(const StatementPtr& s) {
    scope_.bind(*s);
    if (s->kind == StatementKind::Allocate)
        allocated_[s->storage->buffer] = s;
    std::vector<StatementPtr> out;
    for (const auto& child : s->children)
        s->kind == StatementKind::Block ? append(child, out) : out.push_back(run(child));
    return with_children(s, std::move(out));
}

} // namespace loopscope::lower
