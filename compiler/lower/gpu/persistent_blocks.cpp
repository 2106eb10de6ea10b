// persistent_blocks: blocks of a persistent dimension run one iteration after another.
//
//     bound block.x for block_x in 0..100 blocks 16 {
//         bound thread.x for thread_x in 0..32 {
//             C[32*block_x + thread_x] = …
//
//     ->
//
//     bound block.x for block_x.first in 0..16 {
//         bound thread.x for thread_x in 0..32 {
//             for block_x.turn in 0..(99 - block_x.first)/16 + 1 blocks 16 {
//                 let block_x = block_x.turn*16 + block_x.first
//                 C[32*block_x + thread_x] = …
//
// All threads of a block make as many iterations: barriers may stand inside. The barriers that are
// made afterwards keep an iteration from overwriting what the one before still uses in shared
// memory. Mbarriers of bulk copies stay the block's from its first iteration to its last, for
// groups count on: they are allocated around the loops.
//
// Stands behind the passes that make much of what an index of blocks is (guards, clamps,
// pipelines): inside of the loop the body is what it would be with a block for each iteration.
// Expects launches after bind_levels. Guarantees that no dimension asks for blocks; loops of
// iterations that blocks take in turn say so.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

class Turns {
public:
    explicit Turns(NameSource& names) : names_(names) {}

    // Rewrites the chain of dimensions and what is inside.
    StatementPtr run(const StatementPtr& s) {
        if (s->kind != StatementKind::For || s->loop->kind != ForKind::Bound)
            return inside(s);
        const auto body = [&] { return run(s->children[0]); };
        if (s->loop->run_by == 0)
            return with_children(s, {body()});
        std::int64_t extent = 0;
        constant_value(s->loop->extent, extent);
        if (extent <= s->loop->run_by)
            return edited(with_children(s, {body()}),
                          [](Statement& copy) { copy.loop->run_by = 0; });
        const auto first = names_.unused(s->variable + ".first");
        dimensions_.push_back({s, first, extent});
        return edited(with_children(s, {body()}), [&](Statement& copy) {
            copy.variable = first;
            copy.loop->extent = constant_int(s->loop->begin->type, s->loop->run_by);
            copy.loop->run_by = 0;
        });
    }

private:
    struct Dimension {
        StatementPtr loop;
        std::string first;
        std::int64_t extent = 0;
    };

    StatementPtr inside(StatementPtr body) {
        if (dimensions_.empty())
            return body;
        std::vector<StatementPtr> counting;
        body = without_arrivals(body, counting);
        for (auto d = dimensions_.rbegin(); d != dimensions_.rend(); ++d)
            body = turns(*d, std::move(body));
        for (auto& allocation : counting)
            body = with_children(allocation, {std::move(body)});
        return body;
    }

    // `taken`: receives the allocations of mbarriers.
    static StatementPtr without_arrivals(const StatementPtr& body,
                                         std::vector<StatementPtr>& taken) {
        std::set<std::string> arrivals;
        visit_statements(body, [&](const Statement& s) {
            if (s.kind == StatementKind::BulkCopy)
                arrivals.insert(s.operands[2].buffer);
            if (s.kind == StatementKind::Acquire)
                for (const auto& releases : s.operands)
                    arrivals.insert(releases.buffer);
            return true;
        });
        return rewrite(body, [&](const StatementPtr& s) {
            if (s->kind != StatementKind::Allocate || !arrivals.count(s->storage->buffer))
                return s;
            taken.push_back(s);
            return s->children[0];
        });
    }

    StatementPtr turns(const Dimension& d, StatementPtr body) {
        const auto& loop = *d.loop;
        const auto type = loop.loop->begin->type;
        auto number = [&](std::int64_t value) { return constant_int(type, value); };
        const auto first = variable(d.first, type), blocks = number(loop.loop->run_by);
        const auto turn = names_.unused(loop.variable + ".turn");
        const auto count =
            d.extent % loop.loop->run_by == 0
                ? number(d.extent / loop.loop->run_by)
                : binary(
                      Op::Add,
                      binary(Op::Divide, binary(Op::Subtract, number(d.extent - 1), first), blocks),
                      number(1));
        const auto at = binary(Op::Add, binary(Op::Multiply, variable(turn, type), blocks), first);
        const auto loops = for_loop(loop.origin, turn, number(0), count, ForKind::Serial,
                                    let_statement(loop.origin, loop.variable, at, std::move(body)));
        return edited(loops, [&](Statement& copy) { copy.loop->turns_of = loop.loop->run_by; });
    }

    NameSource& names_;
    std::vector<Dimension> dimensions_; // outermost first
};

} // namespace

Program persistent_blocks(const Program& program, const TargetInfo&) {
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches)
        if (on_device(launch))
            launch.body = Turns(names).run(launch.body);
    return out;
}

} // namespace loopscope::lower
