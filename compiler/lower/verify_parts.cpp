// What one statement says by itself: that it has the parts of its kind and no others, and what
// holds of each part wherever it stands. Whether names are known and types agree, verify.cpp finds.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/statements.h"

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

enum StatementPart : unsigned {
    kVariable = 1u << 0,
    kLoop = 1u << 1,
    kCondition = 1u << 2,
    kValue = 1u << 3,
    kAccess = 1u << 4,
    kStorage = 1u << 5,
    kStep = 1u << 6,
    kBox = 1u << 7,
    kThreads = 1u << 8,
    kInstruction = 1u << 9,
    kLevel = 1u << 10,
    kOperands = 1u << 11,
};

constexpr std::pair<StatementPart, const char*> kPartNames[] = {
    {kVariable, "a variable"},
    {kLoop, "a loop"},
    {kCondition, "a condition"},
    {kValue, "a value"},
    {kAccess, "an access"},
    {kStorage, "storage"},
    {kStep, "a step of a pipeline"},
    {kBox, "a box"},
    {kThreads, "threads"},
    {kInstruction, "an instruction"},
    {kLevel, "a level"},
    {kOperands, "operands"},
};

// What a kind is called, which parts it has, and which it may have; how many bodies.
struct PartsOfKind {
    const char* name;
    unsigned has = 0, may_have = 0;
    std::size_t fewest = 0, most = 0;
};

PartsOfKind parts_of(StatementKind kind) {
    constexpr auto kAny = std::numeric_limits<std::size_t>::max();
    switch (kind) {
    case StatementKind::Block: return {"a block", 0, 0, 0, kAny};
    case StatementKind::For: return {"a loop", kVariable | kLoop, 0, 1, 1};
    case StatementKind::If: return {"an if", kCondition, 0, 1, 2};
    case StatementKind::Let: return {"a let", kVariable | kValue, 0, 1, 1};
    case StatementKind::Store: return {"a store", kAccess | kValue};
    case StatementKind::Atomic: return {"an atomic store", kAccess | kValue};
    case StatementKind::Allocate: return {"an allocation", kStorage, 0, 1, 1};
    case StatementKind::Prefetch: return {"a prefetch", kAccess};
    case StatementKind::Evaluate: return {"an evaluation", kValue};
    case StatementKind::Barrier: return {"a barrier", kLevel};
    case StatementKind::Copy: return {"a copy", kStep | kAccess | kValue};
    case StatementKind::BulkCopy: return {"a bulk copy", kStep | kBox | kOperands, kLevel};
    case StatementKind::Acquire: return {"an acquire", kStep, kOperands};
    case StatementKind::Commit: return {"a commit", kStep, kOperands};
    case StatementKind::Wait: return {"a wait", kStep, kOperands};
    case StatementKind::Release: return {"a release", kStep, kOperands | kLevel};
    case StatementKind::Intrinsic: return {"an intrinsic", kInstruction, kOperands | kLevel};
    case StatementKind::Threads: return {"statements of some threads", kThreads, 0, 1, 1};
    }
    return {"no statement"};
}

unsigned parts_in(const Statement& s) {
    auto if_there = [](bool there, StatementPart part) { return there ? part : 0u; };
    return if_there(!s.variable.empty(), kVariable) | if_there(bool(s.loop), kLoop) |
           if_there(s.condition != nullptr, kCondition) | if_there(s.value != nullptr, kValue) |
           if_there(bool(s.access), kAccess) | if_there(bool(s.storage), kStorage) |
           if_there(bool(s.step), kStep) | if_there(bool(s.box), kBox) |
           if_there(bool(s.threads), kThreads) | if_there(!s.instruction.empty(), kInstruction) |
           if_there(!s.level.empty(), kLevel) | if_there(!s.operands.empty(), kOperands);
}

class PartChecks {
public:
    explicit PartChecks(const Statement& s) : s_(s), kind_(parts_of(s.kind)) {}

    bool presence() {
        const auto there = parts_in(s_);
        for (const auto& [part, name] : kPartNames) {
            check(!(kind_.has & part) || (there & part), kind_.name, " without ", name);
            check(((kind_.has | kind_.may_have) & part) || !(there & part), kind_.name, " with ",
                  name);
        }
        const auto bodies = s_.children.size();
        check(bodies >= kind_.fewest && bodies <= kind_.most, kind_.name, " with ", bodies,
              " bodies");
        for (const auto& child : s_.children)
            check(child != nullptr, kind_.name, " without a body");
        if (s_.loop)
            check(s_.loop->begin && s_.loop->extent, "a loop without bounds");
        if (s_.access)
            indices(s_.access->buffer, s_.access->indices);
        for (const auto& operand : s_.operands)
            indices(operand.buffer, operand.indices);
        return faults.empty();
    }

    void contents() {
        if (s_.loop)
            loop(*s_.loop);
        if (s_.access)
            access(*s_.access);
        if (s_.storage)
            storage(*s_.storage);
        if (s_.step)
            step(*s_.step);
        if (s_.box)
            box(*s_.box);
        if (s_.threads)
            check(s_.threads->begin >= 0 && s_.threads->count > 0, "statements of no threads");
        if (s_.kind == StatementKind::Barrier)
            check(s_.level == "block" || s_.level == "warp" || s_.level == kClusterLevel,
                  "a barrier of the level ", s_.level);
    }

    std::vector<std::string> faults;

private:
    // The parts of the message are put together where it is needed: almost everything is as it
    // should be.
    template <typename... Parts> void check(bool fine, const Parts&... parts) {
        if (fine)
            return;
        std::string fault;
        (add(fault, parts), ...);
        faults.push_back(std::move(fault));
    }
    static void add(std::string& fault, std::string_view part) { fault += part; }
    static void add(std::string& fault, std::integral auto part) { fault += std::to_string(part); }

    void indices(const std::string& buffer, const std::vector<ExprPtr>& indices) {
        for (const auto& index : indices)
            check(index != nullptr, "an index of ", buffer, " is missing");
    }

    void loop(const Loop& loop) {
        check((loop.kind == ForKind::Bound) == !loop.level.empty(), "loop ", s_.variable,
              " and its level do not agree");
        const bool numbers = loop.kind == ForKind::Bound && level_unit(loop.level) == "block" &&
                             loop.level != kBlockLevel;
        for (const auto& [blocks, fine] : {std::pair(loop.run_by, numbers),
                                           std::pair(loop.turns_of, loop.kind == ForKind::Serial)})
            check(blocks == 0 || (blocks > 0 && fine), "loop ", s_.variable,
                  " numbers no blocks, of which there would be ", blocks);
    }

    void access(const ElementAccess& access) {
        const bool combines = s_.kind == StatementKind::Atomic;
        check(!access.streaming || s_.kind == StatementKind::Store, kind_.name, " to ",
              access.buffer, " that streams");
        check(!combines || access.op != Op::None, kind_.name, " to ", access.buffer,
              " without an operation");
        check(combines || access.op == Op::None, kind_.name, " to ", access.buffer,
              " with an operation");
        check(!access.mask || s_.kind != StatementKind::Prefetch, kind_.name, " of ", access.buffer,
              " with a mask");
    }

    void storage(const Storage& storage) {
        const auto& [slots, producers, loop, token] = storage.rotation;
        const bool shared = allocates_shared(s_);
        const auto alignment = storage.alignment;
        check(!storage.scope.name.empty(), "buffer ", storage.buffer, " has no scope");
        check(alignment > 0 && (alignment & (alignment - 1)) == 0, "buffer ", storage.buffer,
              "'s alignment is no power of two");
        check(storage.swizzle == 0 || shared, "buffer ", storage.buffer,
              " has no rows to swizzle by ", storage.swizzle, " bytes: it is no block's memory");
        check(storage.offset < 0 || shared, "buffer ", storage.buffer,
              " has a place in the block's memory, and is elsewhere");
        check(slots >= 1, "buffer ", storage.buffer, " rotates ", slots, " slots");
        check(producers >= 0 && (producers == 0 || slots > 1), "buffer ", storage.buffer, " has ",
              producers, " producers of ", slots, " slots");
        check(loop.empty() == token.empty() && (loop.empty() || slots > 1), "buffer ",
              storage.buffer, " is half planned as a pipeline");
    }

    void step(const PipelineStep& step) {
        const auto& [token, producers, slots, pending] = step;
        const bool acquires = s_.kind == StatementKind::Acquire;
        check(!token.empty(), "a step of a pipeline without a token");
        check(producers >= 0 && slots >= 1 && (acquires || (producers == 0 && slots == 1)),
              kind_.name, " of ", token, " with ", producers, " producers and ", slots, " slots");
        check(pending >= 0, "a wait for ", pending, " groups");
        check(pending <= 0 || s_.kind == StatementKind::Wait, kind_.name, " of ", token,
              " with groups under way");
    }

    void box(const CopiedBox& box) {
        for (const auto& extent : box.extents)
            check(extent.is_constant() && extent.constant() > 0, "a bulk copy of a box of ",
                  extent.text());
        check(box.swizzle == 0 || box.swizzle == 32 || box.swizzle == 64 || box.swizzle == 128,
              "a bulk copy of chunks swizzled by ", box.swizzle, " bytes");
    }

    const Statement& s_;
    PartsOfKind kind_;
};

} // namespace

PartFaults part_faults(const Statement& s) {
    PartChecks checks(s);
    const bool complete = checks.presence();
    if (complete)
        checks.contents();
    return {complete, std::move(checks.faults)};
}

} // namespace loopscope::lower
