// overlap_products: products that one iteration of a loop begins run on while the next one begins
// its own, so that tensor cores never wait for a warp that waits for them.
//
//     for k in 0..32 {                                   for k in 0..32 {
//         wait T 0 by T.arrivals                             wait T 0 by T.arrivals
//         intrinsic wgmma_begin_64 d                         intrinsic wgmma_begin_64 d
//         intrinsic wgmma_m64n128k16_f16 d, …       ->       intrinsic wgmma_m64n128k16_f16 d, …
//         intrinsic wgmma_end_64 d                           intrinsic wgmma_leave_64 d
//         release T by T.releases                            if k != 0 {
//     }                                                          release T by T.releases
//                                                            }
//                                                        }
//                                                        intrinsic wgmma_end_64 d
//                                                        release T by T.releases
//
// A group adds to the sums of the one before: the hardware takes them in order. Its operands must
// stay where they are until it is awaited, one iteration later: the slot of a pipeline is therefore
// released one iteration later. There must be three slots at least: with two the next load would
// begin only when the one before has arrived.
//
// It is done only where a loop, or a nest of loops one in the other, does nothing else: everything
// else could touch sums that are under way, or memory that they read. A pipeline without producer
// warpgroups, whose slots are freed by barriers, is left as it is: there the barrier stands in
// front of the load, which goes on for long before anything is awaited.
//
// Expects groups of products (group_products), and threads parted (specialize_warps). Guarantees
// what check_products asks for.
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMinSlots = 3;

using Objects = std::map<std::string, std::int64_t>; // arrays of mbarriers, and how many

// What is known of the whole launch.
struct Known {
    Objects objects;
    std::set<std::string> numbered; // registers that some access numbers by more than constants
};

// Loops one in the other, and what the innermost does.
struct ProductNest {
    std::vector<const Statement*> loops; // outermost first
    std::vector<StatementPtr> waits, group, releases;
    std::vector<StatementPtr> kept; // which `loops` points into
};

bool is_handed_over(const Statement& s, StatementKind kind) {
    return s.kind == kind && !s.operands.empty();
}

// Waits, one group, releases, in this order and nothing else.
bool read_body(const std::vector<StatementPtr>& body, ProductNest& nest) {
    auto next = body.begin();
    auto take = [&](std::vector<StatementPtr>& to, const auto& fits) {
        while (next != body.end() && fits(**next))
            to.push_back(*next++);
    };
    take(nest.waits, [](const Statement& s) { return is_handed_over(s, StatementKind::Wait); });
    if (next == body.end() || !begins_products(**next))
        return false;
    nest.group.push_back(*next++);
    take(nest.group, is_product_of_group);
    if (next == body.end() || !ends_products(**next))
        return false;
    nest.group.push_back(*next++);
    take(nest.releases,
         [](const Statement& s) { return is_handed_over(s, StatementKind::Release); });
    return next == body.end();
}

// What a statement does in turn, without its lets: their values stand where they were named.
void without_lets(const StatementPtr& s, std::vector<StatementPtr>& out) {
    if (s->kind == StatementKind::Let && !contains_load(s->value)) {
        without_lets(substitute(s->children[0],
                                [&](const std::string& name) {
                                    return name == s->variable ? s->value : nullptr;
                                }),
                     out);
    } else if (s->kind == StatementKind::Block) {
        for (const auto& child : s->children)
            without_lets(child, out);
    } else {
        out.push_back(s);
    }
}

bool read_nest(const Statement& loop, ProductNest& nest) {
    std::int64_t extent = 0;
    if (loop.kind != StatementKind::For || loop.loop->kind != ForKind::Serial ||
        !constant_value(loop.loop->extent, extent) || extent < 1)
        return false;
    nest.loops.push_back(&loop);
    std::vector<StatementPtr> body;
    without_lets(loop.children[0], body);
    nest.kept.insert(nest.kept.end(), body.begin(), body.end());
    if (body.size() == 1 && body[0]->kind == StatementKind::For)
        return read_nest(*body[0], nest);
    return read_body(body, nest);
}

// Is every slot that is waited for released in the same iteration, and are there others meanwhile?
bool hands_back(const ProductNest& nest, const Objects& objects) {
    std::multiset<std::string> taken, given;
    for (const auto& wait : nest.waits)
        taken.insert(wait->step->token);
    for (const auto& release : nest.releases) {
        given.insert(release->step->token);
        const auto known = objects.find(release->operands[0].buffer);
        if (known == objects.end() || known->second < kMinSlots)
            return false;
    }
    return taken == given && std::set(given.begin(), given.end()).size() == given.size();
}

// Registers alone hold sums that are under way: what is numbered by more than constants lies in
// memory.
bool is_in_registers(const ProductNest& nest, const Known& known) {
    const auto& sums = nest.group.front()->operands;
    return std::none_of(sums.begin(), sums.end(),
                        [&](const Operand& sum) { return known.numbered.count(sum.buffer) > 0; });
}

bool is_repeated(const ProductNest& nest) {
    return std::any_of(nest.loops.begin(), nest.loops.end(), [](const Statement* loop) {
        std::int64_t extent = 0;
        return constant_value(loop->loop->extent, extent) && extent > 1;
    });
}

bool is_numbered(const ExprPtr& index) {
    return any_node(index, [&](const Expr& x) {
        return x.kind == ExprKind::Variable || x.kind == ExprKind::Load;
    });
}

StatementPtr overlapped(const StatementPtr& loop, const Known& known) {
    ProductNest nest;
    if (!read_nest(*loop, nest) || !hands_back(nest, known.objects) ||
        !is_in_registers(nest, known) || !is_repeated(nest))
        return loop;
    auto body = nest.waits;
    body.insert(body.end(), nest.group.begin(), nest.group.end() - 1);
    const auto& end = nest.group.back();
    body.push_back(edited(end, [](Statement& s) {
        s.instruction = kLeaveProducts + s.instruction.substr(std::string(kEndProducts).size());
    }));
    ExprPtr later;
    for (const auto* each : nest.loops) {
        auto turned = binary(Op::NotEqual, variable(each->variable, each->loop->begin->type),
                             each->loop->begin);
        later = later ? binary(Op::LogicalOr, later, turned) : turned;
    }
    if (!nest.releases.empty())
        body.push_back(if_then(loop->origin, later, block(nest.releases)));
    auto out = block(std::move(body));
    for (auto each = nest.loops.rbegin(); each != nest.loops.rend(); ++each)
        out = edited(std::make_shared<const Statement>(**each),
                     [&](Statement& s) { s.children = {std::move(out)}; });
    auto all = std::vector<StatementPtr>{std::move(out), end};
    all.insert(all.end(), nest.releases.begin(), nest.releases.end());
    return block(std::move(all), loop->origin);
}

StatementPtr in(const StatementPtr& s, const Known& known) {
    auto out = overlapped(s, known);
    if (out != s)
        return out;
    std::vector<StatementPtr> children;
    for (const auto& child : s->children)
        children.push_back(child ? in(child, known) : child);
    return with_children(s, std::move(children));
}

} // namespace

Program overlap_products(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        bool any = false;
        Known known;
        auto number = [&](const std::string& buffer, const std::vector<ExprPtr>& indices) {
            if (std::any_of(indices.begin(), indices.end(), is_numbered))
                known.numbered.insert(buffer);
        };
        visit_statements(body, [&](const Statement& s) {
            any = any || begins_products(s);
            if (s.kind == StatementKind::Allocate && s.storage->extents.size() == 1)
                known.objects[s.storage->buffer] = s.storage->extents[0].hint();
            if (has_place(s))
                number(s.access->buffer, s.access->indices);
            for (const auto& operand : s.operands)
                number(operand.buffer, operand.indices);
            for (const auto& e : expressions(s))
                visit(e, [&](const Expr& x) {
                    if (is_load(x))
                        number(x.name, x.args);
                    return true;
                });
            return true;
        });
        return any ? in(body, known) : body;
    });
}

} // namespace loopscope::lower
