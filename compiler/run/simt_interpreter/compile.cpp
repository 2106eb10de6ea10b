#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/statements.h"
#include "compiler/run/simt_interpreter/expression_compiler.h"
#include "compiler/run/simt_interpreter/intrinsics.h"

#include <algorithm>
#include <set>

namespace loopscope::simt_interpreter {

namespace {

using lower::ForKind;
using lower::Statement;
using lower::StatementKind;

class LaunchCompiler {
public:
    LaunchCompiler(const lower::Launch& launch, const Compiling& compiling)
        : compiling_(compiling), expressions_(code_, compiling.memory, compiling.program.flat) {
        auto shape = lower::launch_shape(launch);
        if (!shape)
            throw Stop{error("the launch " + launch.name + " has no dimensions",
                             "bind its loops first: the pass bind_levels")};
        // Blocks run one after another, each as if it alone had asked for what they share: that
        // they do is proven of the text.
        if (auto problems = lower::check_multicast(launch); !problems.empty())
            throw Stop{problems.front()};
        code_.name = launch.name;
        code_.shape = std::move(*shape);
        handed_over_ = lower::handed_over(code_.shape.body);
        of_ = {0, static_cast<std::uint32_t>(code_.shape.threads())};
        expressions_.stores = compiling.globals;
    }

    LaunchCode run() {
        expressions_.begin(no_origin_);
        for (const auto& symbol : compiling_.program.symbols)
            expressions_.name(
                symbol, expressions_.constant(static_cast<Cell>(compiling_.symbols.at(symbol))));
        dimensions();
        statement(*code_.shape.body);
        expressions_.begin(no_origin_);
        add(StepKind::End);
        expressions_.finish();
        return std::move(code_);
    }

private:
    // The numbers of a block are the same in all its threads; those of a thread, but for x, in a
    // warp of a block whose rows are whole warps.
    void dimensions() {
        const auto &grid = code_.shape.grid, &cluster = code_.shape.cluster,
                   &block = code_.shape.block;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!grid[axis].variable.empty())
                code_.block_variables.push_back({axis, dimension(grid[axis], true)});
            if (!cluster[axis].variable.empty())
                code_.block_variables.push_back({axis, dimension(cluster[axis], true), true});
        }
        const bool rows = block[0].extent % kWarp == 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (!block[axis].variable.empty())
                code_.thread_variables.push_back({axis, dimension(block[axis], axis > 0 && rows)});
    }

    Value dimension(const lower::LaunchDimension& d, bool uniform) {
        auto value = expressions_.new_variable(1, uniform);
        expressions_.name(d.variable, value);
        return value;
    }

    std::uint32_t here() const { return static_cast<std::uint32_t>(code_.steps.size()); }

    // The step whose head is what has been compiled since `begin`.
    std::uint32_t add(StepKind kind, std::uint32_t head_begin) {
        Step step;
        step.kind = kind;
        step.head = {head_begin, static_cast<std::uint32_t>(code_.instructions.size())};
        code_.steps.push_back(step);
        return here() - 1;
    }
    std::uint32_t add(StepKind kind) {
        return add(kind, static_cast<std::uint32_t>(code_.instructions.size()));
    }

    std::uint32_t begin(const Statement& s) {
        expressions_.begin(s.origin);
        return static_cast<std::uint32_t>(code_.instructions.size());
    }

    // Ends a step that computes something: prefetches do not.
    void finish_step(std::uint32_t step, const Statement& s) {
        auto& added = code_.steps[step];
        added.origin = &s.origin;
        for (const auto& e : lower::expressions(s))
            added.cost = added.cost + cost_of(e);
        if (s.kind == StatementKind::Atomic)
            added.cost = added.cost + cost_of_node(*binary(s.access->op, s.value, s.value));
    }

    void statement(const Statement& s) {
        auto mark = expressions_.mark();
        switch (s.kind) {
        case StatementKind::Block: children(s); break;
        case StatementKind::For: loop(s); break;
        case StatementKind::If: branch(s); break;
        case StatementKind::Let: let(s); break;
        case StatementKind::Evaluate: evaluate(s); break;
        case StatementKind::Store: store(s); break;
        case StatementKind::Atomic: atomic(s); break;
        case StatementKind::Copy: copy(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Allocate: allocate(s); break;
        case StatementKind::Prefetch: prefetch(s); break;
        case StatementKind::Barrier: barrier(s); break;
        case StatementKind::Acquire:
            if (handed_over_.count(s.step->token))
                acquire_slot(s);
            else
                pipeline(s, StepKind::Rendezvous, "a step acquire");
            break;
        case StatementKind::Commit: pipeline(s, StepKind::Commit, "a step commit"); break;
        case StatementKind::Wait:
            if (handed_over_.count(s.step->token))
                take_group(s);
            else
                pipeline(s, StepKind::Wait, "a step wait");
            break;
        case StatementKind::Release:
            if (handed_over_.count(s.step->token))
                pipeline(s, StepKind::ReleaseSlot, "a step release");
            else
                pipeline(s, StepKind::Rendezvous, "a step release");
            break;
        case StatementKind::Threads: threads(s); break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        }
        expressions_.release(mark);
    }

    void children(const Statement& s) {
        for (const auto& child : s.children)
            statement(*child);
    }

    void loop(const Statement& s) {
        if (s.loop->kind == ForKind::Bound)
            throw Stop{
                error("the launch " + code_.name + " has a loop of " + s.loop->level + " inside")};
        auto head = begin(s);
        auto first = expressions_.kept(s.loop->begin), extent = expressions_.kept(s.loop->extent);
        auto variable = expressions_.new_variable(1, first.uniform);
        auto step = add(StepKind::Loop, head);
        auto& added = code_.steps[step];
        added.a = first;
        added.b = extent;
        added.variable = variable;
        added.wide = s.loop->begin->type == ScalarType::I64;
        finish_step(step, s);
        expressions_.name(s.variable, variable);
        children(s);
        auto end = add(StepKind::LoopEnd);
        code_.steps[end].target = step;
        code_.steps[step].target = here();
    }

    void branch(const Statement& s) {
        auto head = begin(s);
        auto condition = expressions_.expression(s.condition);
        auto step = add(StepKind::Branch, head);
        code_.steps[step].a = condition;
        code_.steps[step].uniform = condition.uniform;
        finish_step(step, s);
        const auto side_end = condition.uniform ? StepKind::Jump : StepKind::SideEnd;
        statement(*s.children[0]);
        auto then_end = add(side_end);
        code_.steps[step].target = here();
        if (s.children.size() > 1) {
            statement(*s.children[1]);
            auto else_end = add(side_end);
            code_.steps[else_end].target = here();
        } else if (!condition.uniform) {
            auto else_end = add(side_end);
            code_.steps[else_end].target = here();
        }
        code_.steps[then_end].target = here();
    }

    void let(const Statement& s) {
        auto head = begin(s);
        expressions_.name(s.variable, expressions_.kept(s.value));
        finish_step(add(StepKind::Compute, head), s);
        children(s);
    }

    void evaluate(const Statement& s) {
        auto head = begin(s);
        expressions_.expression(s.value);
        finish_step(add(StepKind::Compute, head), s);
    }

    std::uint32_t add_access(Access a) {
        code_.accesses.push_back(std::move(a));
        return static_cast<std::uint32_t>(code_.accesses.size() - 1);
    }

    // The indices, the value and the mask of what writes.
    Access target(const Statement& s, Deed deed) {
        auto value = expressions_.expression(s.value);
        auto a = expressions_.place(s.access->buffer, s.access->indices, s.access->mask, deed);
        a.value = value;
        a.lanes = std::max(a.lanes, value.lanes);
        return a;
    }

    void store(const Statement& s) {
        auto head = begin(s);
        auto access = add_access(target(s, Deed::Writes));
        auto step = add(StepKind::Store, head);
        code_.steps[step].access = access;
        finish_step(step, s);
    }

    // Combines by an instruction of one lane on cells of its own: old value, operand, result.
    void atomic(const Statement& s) {
        auto head = begin(s);
        auto a = target(s, Deed::Updates);
        code_.sites[a.site].operation = static_cast<std::uint8_t>(s.access->op);
        a.combine.a = expressions_.scratch(3);
        a.combine.b = a.combine.a + 1;
        a.combine.result = a.combine.a + 2;
        a.combine.run = loop_interpreter::binary_kernel(s.access->op, s.value->type);
        auto access = add_access(std::move(a));
        auto step = add(StepKind::Store, head);
        code_.steps[step].access = access;
        finish_step(step, s);
    }

    void copy(const Statement& s) {
        auto head = begin(s);
        auto a = target(s, Deed::Copies);
        if (compiling_.memory[a.store].space == Space::Private)
            throw Stop{error("the asynchronous copy to " + s.access->buffer +
                             " fills memory of one thread; such copies fill shared memory")};
        auto access = add_access(std::move(a));
        auto step = add(StepKind::Copy, head);
        code_.steps[step].access = access;
        code_.steps[step].token = token(s.step->token);
        finish_step(step, s);
    }

    void bulk_copy(const Statement& s) {
        auto head = begin(s);
        Call call;
        call.flat = compiling_.program.flat;
        for (const auto& extent : s.box->extents)
            call.box.push_back(extent.constant());
        for (std::size_t o = 0; o < 2; ++o) // mbarriers are the interpreter's queue
            call.operands.push_back(operand(s.operands[o]));
        if (compiling_.memory[call.operands[0].store].space != Space::Shared)
            throw Stop{error("the bulk copy to " + s.operands[0].buffer +
                             " fills memory that is not the block's; such copies fill shared "
                             "memory")};
        if (s.box->swizzle)
            call.swizzle = swizzling(s.box->swizzle, 1);
        call.zero_border = s.box->zero_border;
        call.site = expressions_.add_site(Deed::Copies);
        auto step = add(StepKind::BulkCopy, head);
        code_.steps[step].call = static_cast<std::uint32_t>(code_.calls.size());
        code_.steps[step].token = token(s.step->token);
        code_.steps[step].site = call.site;
        code_.steps[step].collective = "a bulk copy";
        code_.steps[step].of = of_;
        if (handed_over_.count(s.step->token)) {
            auto& target = compiling_.memory[call.operands[0].store];
            target.handover = token(s.step->token) + 1;
            target.groups.resize(static_cast<std::size_t>(target.count));
        }
        finish_step(step, s);
        code_.calls.push_back(std::move(call));
    }

    Call::Operand operand(const lower::Operand& o) {
        Call::Operand operand;
        operand.store = expressions_.stores.at(o.buffer);
        for (const auto& index : o.indices)
            operand.indices.push_back(expressions_.expression(index));
        if (o.matrix && !compiling_.program.flat)
            throw Stop{
                error("a matrix of " + o.buffer +
                          " in shared memory, in a program of which passes have not yet settled "
                          "where its elements lie",
                      "run all passes first")};
        operand.matrix = o.matrix;
        return operand;
    }

    std::uint32_t token(const std::string& name) {
        if (tokens_.try_emplace(name, code_.tokens).second) {
            ++code_.tokens;
            code_.handovers.emplace_back().name = name;
        }
        return tokens_[name];
    }

    void acquire_slot(const Statement& s) {
        pipeline(s, StepKind::AcquireSlot, "a step acquire");
        const auto& releases = compiling_.memory[expressions_.stores.at(s.operands[0].buffer)];
        code_.handovers[token(s.step->token)].slots = static_cast<std::uint32_t>(releases.count);
    }

    void take_group(const Statement& s) {
        pipeline(s, StepKind::TakeGroup, "a step wait");
        code_.handovers[token(s.step->token)].readers = of_;
    }

    void threads(const Statement& s) {
        begin(s);
        const auto [first, count] = *s.threads;
        const auto outer = of_;
        of_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first + count)};
        const auto step = add(StepKind::Threads);
        code_.steps[step].of = of_;
        children(s);
        const auto end = add(StepKind::ThreadsEnd);
        code_.steps[step].target = code_.steps[end].target = here();
        of_ = outer;
    }

    void prefetch(const Statement& s) {
        auto head = begin(s);
        auto access = add_access(
            expressions_.place(s.access->buffer, s.access->indices, nullptr, Deed::Reads));
        auto step = add(StepKind::Prefetch, head);
        code_.steps[step].access = access;
    }

    void allocate(const Statement& s) {
        std::vector<std::int64_t> extents;
        for (const auto& e : s.storage->extents)
            extents.push_back(e.value(compiling_.symbols));
        auto space = lower::allocates_shared(s) ? Space::Shared : Space::Private;
        auto number =
            compiling_.memory.add(s.storage->buffer, s.storage->type, space, std::move(extents));
        compiling_.memory[number].offset = s.storage->offset;
        compiling_.memory[number].alignment = lower::shared_alignment(s);
        code_.allocations.push_back(number);
        expressions_.stores[s.storage->buffer] = number;
        begin(s);
        if (space == Space::Private) {
            auto step = add(StepKind::Allocate);
            code_.steps[step].store = number;
        }
        children(s);
        expressions_.stores.erase(s.storage->buffer);
    }

    void barrier(const Statement& s) {
        begin(s);
        const bool of_warp = s.level == "warp";
        auto step = add(of_warp ? StepKind::WarpBarrier : StepKind::BlockBarrier);
        collective(step, of_warp                ? "a barrier of the warp"
                         : s.level == "cluster" ? "a barrier of the cluster"
                                                : "a barrier of the block");
    }

    void pipeline(const Statement& s, StepKind kind, const char* what) {
        begin(s);
        auto step = add(kind);
        code_.steps[step].token = token(s.step->token);
        code_.steps[step].pending = s.step->pending;
        collective(step, what);
    }

    void collective(std::uint32_t step, const char* what) {
        code_.steps[step].collective = what;
        code_.steps[step].of = of_;
        code_.steps[step].site = expressions_.add_site(Deed::Reads);
    }

    void intrinsic(const Statement& s) {
        auto head = begin(s);
        Call call;
        call.flat = compiling_.program.flat;
        std::vector<const Store*> stores;
        for (const auto& o : s.operands) {
            call.operands.push_back(operand(o));
            stores.push_back(&compiling_.memory[call.operands.back().store]);
        }
        auto found = find_intrinsic(s.instruction, stores);
        if (!found)
            throw Stop{found.errors().front()};
        call.entry = found->entry;
        call.number = found->number;
        call.site = expressions_.add_site(lower::stores_matrix(s) ? Deed::Writes : Deed::Reads);
        auto step = add(StepKind::Intrinsic, head);
        code_.steps[step].call = static_cast<std::uint32_t>(code_.calls.size());
        code_.steps[step].site = call.site;
        code_.steps[step].collective = s.instruction.c_str();
        code_.steps[step].of = of_;
        finish_step(step, s);
        code_.calls.push_back(std::move(call));
    }

    const Compiling& compiling_;
    LaunchCode code_;
    ExpressionCompiler expressions_;
    std::map<std::string, std::uint32_t> tokens_;
    std::set<std::string> handed_over_; // of them
    ThreadRange of_;                    // who runs what is compiled
    const NodeId no_origin_{};
};

} // namespace

LaunchCode compile(const lower::Launch& launch, const Compiling& compiling) {
    return LaunchCompiler(launch, compiling).run();
}

} // namespace loopscope::simt_interpreter
