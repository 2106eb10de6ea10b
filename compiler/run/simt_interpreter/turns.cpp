// A warp's turn: its steps, one after the other.
#include "compiler/run/simt_interpreter/intrinsics.h"
#include "compiler/run/simt_interpreter/machine.h"

namespace loopscope::simt_interpreter {

namespace {

constexpr std::uint64_t kMaxTurn = 64; // steps

} // namespace

void Machine::turn(Warp& warp) {
    accessor_.begin(warp, block_, progress_.epoch, launch_);
    for (auto left = 1 + dice_.below(kMaxTurn); left > 0; --left) {
        count_step();
        if (!step(warp))
            return;
    }
}

void Machine::stop_at_limit(const std::string& what) const {
    auto d = error("the launches take more than " + what,
                   "make the pipeline's parameters smaller, or raise the limit");
    d.code = "step-limit";
    throw Stop{d};
}

void Machine::next_epoch() {
    if (++progress_.epoch == 0)
        stop_at_limit("2^32 barriers of blocks");
}

void Machine::count_step() {
    if (++progress_.steps > options_.step_limit)
        stop_at_limit(std::to_string(options_.step_limit) + " steps of warps");
    if ((progress_.steps & 0x3ff) == 0 && options_.cancel &&
        options_.cancel->load(std::memory_order_relaxed)) {
        auto d = error("cancelled");
        d.code = "cancelled";
        throw Stop{d};
    }
}

bool Machine::step(Warp& warp) {
    auto& s = code_.steps[warp.next];
    s.lanes += static_cast<std::uint64_t>(std::popcount(warp.active));
    if (s.kind == StepKind::BlockBarrier)
        return block_barrier(warp, s);
    if (!may_go_on(warp)) {
        warp.state = Warp::State::AtObject;
        return false;
    }
    instructions(warp, s.head);
    ++warp.next;
    switch (s.kind) {
    case StepKind::Compute: break;
    case StepKind::Loop: loop(warp, s); break;
    case StepKind::LoopEnd: next_iteration(warp, s); break;
    case StepKind::Branch: branch(warp, s); break;
    case StepKind::SideEnd: end_side(warp, s); break;
    case StepKind::Jump: warp.next = s.target; break;
    case StepKind::Store: accessor_.store(code_.accesses[s.access]); break;
    case StepKind::Copy: accessor_.copy(code_.accesses[s.access], s.token); break;
    case StepKind::BulkCopy:
        if (converged(warp, s) && asks(warp, s))
            accessor_.bulk_copy(code_.calls[s.call], s.token);
        break;
    case StepKind::Allocate: accessor_.allocate(s.store); break;
    case StepKind::Prefetch: accessor_.prefetch(code_.accesses[s.access]); break;
    case StepKind::WarpBarrier: warp.epoch += converged(warp, s); break;
    case StepKind::Commit:
        converged(warp, s);
        if (!handovers_.is_handed_over(s.token))
            accessor_.commit(s.token);
        else if (asks(warp, s))
            handovers_.commit(s.token);
        break;
    case StepKind::Wait:
        converged(warp, s);
        accessor_.wait(s.token, s.pending);
        return false;
    case StepKind::Rendezvous: converged(warp, s); break;
    case StepKind::AcquireSlot:
        converged(warp, s);
        if (asks(warp, s))
            handovers_.acquire(s.token);
        break;
    case StepKind::TakeGroup:
        converged(warp, s);
        handovers_.take(s.token, warp);
        return false;
    case StepKind::ReleaseSlot:
        converged(warp, s);
        report_release(warp, s);
        handovers_.release(s.token, warp);
        break;
    case StepKind::Threads: threads(warp, s); break;
    case StepKind::ThreadsEnd: end_side(warp, s); break;
    case StepKind::Intrinsic: intrinsic(warp, s); break;
    case StepKind::End: warp.state = Warp::State::Ended; return false;
    case StepKind::BlockBarrier: break;
    }
    return true;
}

void Machine::instructions(Warp& warp, const Run& head) {
    auto* cells = warp.cells.data();
    for (auto i = head.begin; i < head.end; ++i) {
        const auto& instruction = code_.instructions[i];
        if (instruction.run)
            instruction.run(cells, instruction);
        else
            accessor_.load(code_.accesses[instruction.access]);
    }
}

// Loops and branches.

Mask Machine::iterating(const Warp& warp, const Step& loop, std::int64_t iteration) const {
    if (loop.b.uniform)
        return iteration < static_cast<std::int64_t>(warp.cells[loop.b.cell]) ? warp.active : 0;
    Mask on = 0;
    for_threads(warp.active, [&](std::uint32_t t) {
        if (iteration < static_cast<std::int64_t>(warp.cells[loop.b.at(0, t)]))
            on |= Mask{1} << t;
    });
    return on;
}

void Machine::set_variable(Warp& warp, const Step& loop, std::int64_t iteration) {
    for (std::uint32_t t = 0; t < loop.variable.size(); ++t) {
        auto value = warp.cells[loop.a.at(0, t)] + static_cast<Cell>(iteration);
        warp.cells[loop.variable.cell + t] =
            loop.wide ? value
                      : loop_interpreter::put<std::int32_t>(static_cast<std::int32_t>(value));
    }
}

void Machine::loop(Warp& warp, const Step& s) {
    Frame frame;
    frame.around = warp.active;
    if (Mask on = iterating(warp, s, 0)) {
        warp.frames.push_back(frame);
        warp.active = on;
        set_variable(warp, s, 0);
    } else {
        warp.next = s.target;
    }
}

void Machine::next_iteration(Warp& warp, const Step& end) {
    const auto& s = code_.steps[end.target];
    auto& frame = warp.frames.back();
    ++frame.iteration;
    if (Mask on = iterating(warp, s, frame.iteration)) {
        warp.active = on;
        warp.next = end.target + 1;
        set_variable(warp, s, frame.iteration);
    } else {
        warp.active = frame.around;
        warp.frames.pop_back();
    }
}

// Where the condition differs between threads, the sides run one after the other, in either order.
void Machine::branch(Warp& warp, const Step& s) {
    if (s.uniform) {
        if (!warp.cells[s.a.cell])
            warp.next = s.target;
        return;
    }
    Frame frame;
    frame.around = warp.active;
    Mask then = 0;
    for_threads(warp.active,
                [&](std::uint32_t t) { then |= Mask{warp.cells[s.a.at(0, t)] != 0} << t; });
    Mask otherwise = warp.active & ~then;
    if (then == 0 || (otherwise != 0 && dice_.below(2))) {
        frame.pending = then;
        frame.pending_step = warp.next;
        warp.active = otherwise;
        warp.next = s.target;
    } else {
        frame.pending = otherwise;
        frame.pending_step = s.target;
        warp.active = then;
    }
    warp.frames.push_back(frame);
}

void Machine::end_side(Warp& warp, const Step& s) {
    auto& frame = warp.frames.back();
    if (frame.pending) {
        warp.active = frame.pending;
        warp.next = frame.pending_step;
        frame.pending = 0;
    } else {
        warp.active = frame.around;
        warp.next = s.target;
        warp.frames.pop_back();
    }
}

// The others go on behind it, at once.
void Machine::threads(Warp& warp, const Step& s) {
    const auto mine = warp.active & s.of.in_warp(warp.first_thread());
    if (mine == 0) {
        warp.next = s.target;
        return;
    }
    Frame frame;
    frame.around = warp.active;
    warp.frames.push_back(frame);
    warp.active = mine;
}

// Products of its group may still read the slot.
void Machine::report_release(const Warp& warp, const Step& s) {
    const auto group = handovers_.next_release(s.token, warp);
    if (!handovers_.holds_group(s.token, warp))
        findings_.report(SimtFinding::Kind::ReadBeforeArrival, code_.sites[s.site].origin, nullptr,
                         &code_.handovers[s.token].name, [&] {
                             return "warp " + std::to_string(warp.number) + " releases a slot of " +
                                    code_.handovers[s.token].name +
                                    " that it has not waited for (" +
                                    block_text(code_.shape, block_) + ")";
                         });
    for (const auto& read : warp.reads)
        if (read.token == s.token && read.group == group)
            findings_.report(
                SimtFinding::Kind::ReadBeforeArrival, code_.sites[s.site].origin, nullptr,
                &memory_[read.store].name, [&] {
                    return "warp " + std::to_string(warp.number) + " releases a slot of " +
                           memory_[read.store].name +
                           " while products of its group are under way, which may still read it (" +
                           block_text(code_.shape, block_) + ")";
                });
}

// Collective steps.

bool Machine::converged(Warp& warp, const Step& s) {
    ++warp.meetings[s.site];
    if (warp.active == (warp.live & s.of.in_warp(warp.first_thread())))
        return true;
    report_divergence(s, "by " + threads_text(warp.first_thread(), warp.active) + " of warp " +
                             std::to_string(warp.number) + " alone");
    return false;
}

// A barrier that a part of a warp reaches would wait for ever, or for another one: it is reported,
// and passed.
bool Machine::block_barrier(Warp& warp, const Step& s) {
    if (!converged(warp, s)) {
        ++warp.next;
        return true;
    }
    warp.state = Warp::State::AtBarrier;
    return false;
}

void Machine::intrinsic(Warp& warp, const Step& s) {
    const auto& call = code_.calls[s.call];
    if (converged(warp, s) && call.entry->whole_warp && warp.live != ~Mask{0})
        report_divergence(s, "by warp " + std::to_string(warp.number) + ", which has only " +
                                 threads_text(warp.first_thread(), warp.live));
    IntrinsicRun run(call, accessor_, code_.sites[s.site].counts);
    call.entry->run(run);
}

} // namespace loopscope::simt_interpreter
