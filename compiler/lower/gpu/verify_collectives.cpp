// Collective statements: do all threads of their level reach them?
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/statements.h"

#include "core/base/result.h"

#include <algorithm>
#include <set>
#include <string>

namespace loopscope::lower {

namespace {

class CollectiveWalk {
public:
    explicit CollectiveWalk(const LaunchShape& shape)
        : uniformity_(shape), threads_(shape.threads()) {
        for (const auto& dimension : shape.cluster)
            if (dimension.extent > 1)
                of_block_.insert(dimension.variable);
    }

    void statement(const Statement& s, Uniformity around) {
        if (is_collective(s.kind))
            collective(s, around);
        if (s.kind == StatementKind::Threads)
            of_threads(s);
        const auto parted = parted_, apart = apart_;
        parted_ = parted_ || s.kind == StatementKind::Threads;
        apart_ =
            apart_ || (s.kind == StatementKind::If && differs(s.condition)) ||
            (s.kind == StatementKind::For && (differs(s.loop->begin) || differs(s.loop->extent)));
        if (s.kind == StatementKind::Let && differs(s.value))
            of_block_.insert(s.variable);
        if (s.kind == StatementKind::For) {
            around = std::max({around, uniformity_(s.loop->begin), uniformity_(s.loop->extent)});
            if (s.loop->kind == ForKind::Vectorized || s.loop->kind == ForKind::Parallel)
                around = Uniformity::Thread;
        }
        if (s.kind == StatementKind::If)
            around = std::max(around, uniformity_(s.condition));
        uniformity_.bind(s);
        for (const auto& child : s.children)
            statement(*child, around);
        parted_ = parted;
        apart_ = apart;
    }

    Diagnostics errors;

private:
    // They are whole warps, or one thread, of those that there are.
    void of_threads(const Statement& s) {
        const auto [begin, count] = *s.threads;
        if (begin % kWarp != 0 || (count % kWarp != 0 && count != 1) || begin + count > threads_)
            errors.push_back(error("statements of threads " + std::to_string(begin) + " to " +
                                   std::to_string(begin + count) + ", of " +
                                   std::to_string(threads_) +
                                   ": they are no whole warps of the block"));
    }

    void collective(const Statement& s, Uniformity around) {
        const bool of_warp = (s.kind == StatementKind::Barrier && s.level == "warp") ||
                             s.kind == StatementKind::Intrinsic;
        if (s.kind == StatementKind::Barrier && s.level == kClusterLevel && (parted_ || apart_))
            errors.push_back(error("a barrier of the cluster that not all of its threads reach"));
        const bool of_group =
            is_product_of_group(s) || begins_products(s) || leaves_products(s) || ends_products(s);
        const auto needed = of_group  ? Uniformity::Group
                            : of_warp ? Uniformity::Warp
                                      : Uniformity::Block;
        if (around <= needed)
            return;
        const auto what = s.kind == StatementKind::Barrier     ? "a barrier of the " + s.level
                          : s.kind == StatementKind::Intrinsic ? s.instruction
                          : s.kind == StatementKind::BulkCopy
                              ? "the bulk copy to " + s.operands[0].buffer
                              : "a step of the pipeline " + s.step->token;
        errors.push_back(error(what + " that not all threads reach" +
                               (s.origin.stage.empty() ? "" : " (at " + s.origin.text() + ")")));
    }

    // May it be another value in each block of the cluster?
    bool differs(const ExprPtr& e) const {
        return any_node(e, [&](const Expr& x) {
            return is_load(x) || (x.kind == ExprKind::Variable && of_block_.count(x.name));
        });
    }

    UniformityOf uniformity_;
    std::int64_t threads_;
    std::set<std::string> of_block_;      // names whose values blocks of a cluster may differ in
    bool parted_ = false, apart_ = false; // some threads alone, some blocks alone
};

} // namespace

UniformityOf::UniformityOf(const LaunchShape& shape) {
    constexpr std::int64_t kGroup = 4 * kWarp;
    std::int64_t threads = 1; // that have one value
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (shape.block[axis].extent > 1)
            names_[shape.block[axis].variable] = threads % kGroup == 0  ? Uniformity::Group
                                                 : threads % kWarp == 0 ? Uniformity::Warp
                                                                        : Uniformity::Thread;
        threads *= shape.block[axis].extent;
    }
}

void UniformityOf::bind(const Statement& s) {
    auto of = Uniformity::Block;
    if (s.kind == StatementKind::Let)
        of = (*this)(s.value);
    else if (s.kind == StatementKind::For && s.loop->kind != ForKind::Bound)
        of = std::max((*this)(s.loop->begin), (*this)(s.loop->extent));
    if (of != Uniformity::Block)
        names_[s.variable] = of;
}

Uniformity UniformityOf::operator()(const ExprPtr& e) const {
    auto out = Uniformity::Block;
    visit(e, [&](const Expr& x) {
        if (is_load(x))
            out = Uniformity::Thread;
        else if (x.kind == ExprKind::Variable)
            if (auto found = names_.find(x.name); found != names_.end())
                out = std::max(out, found->second);
        return true;
    });
    return out;
}

Diagnostics check_collectives(const Launch& launch) {
    bool any = false,
         // reductions across threads stand in the loops that bind those, until they are dimensions
        bound = false;
    bool lanes = false; // so does what the lanes of a warp do
    visit_statements(launch.body, [&](const Statement& s) {
        const bool reduces = s.kind == StatementKind::Intrinsic && !s.level.empty();
        const bool parted = s.kind == StatementKind::Threads;
        any = any || parted || is_collective(s.kind);
        bound = bound || parted || (is_collective(s.kind) && !reduces);
        lanes = lanes || (s.kind == StatementKind::For && s.loop->level == kLaneLevel);
        return true;
    });
    if (!any)
        return {};
    if (!on_device(launch))
        return {error("launch " + launch.name + " on the host has steps of a device")};
    auto shape = launch_shape(launch);
    if (lanes || (!shape && !bound))
        return {};
    if (!shape)
        return {error("launch " + launch.name +
                      " has collective steps, and no dimensions at its head")};
    CollectiveWalk walk(*shape);
    walk.statement(*shape->body, Uniformity::Block);
    return std::move(walk.errors);
}

} // namespace loopscope::lower
