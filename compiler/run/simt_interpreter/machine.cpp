#include "compiler/run/simt_interpreter/machine.h"

#include "compiler/run/simt_interpreter/intrinsics.h"

#include <algorithm>
#include <numeric>

namespace loopscope::simt_interpreter {

namespace {

using Kind = SimtFinding::Kind;

constexpr std::uint64_t kLongestTurn = 64; // steps
const std::string kNoBuffer;

// Of unit `number` along an axis; x runs fastest.
Cell coordinate(const std::array<lower::LaunchDimension, 3>& dimensions, std::size_t axis,
                std::int64_t number) {
    for (std::size_t d = 0; d < axis; ++d)
        number /= dimensions[d].extent;
    return static_cast<Cell>(number % dimensions[axis].extent);
}

} // namespace

Machine::Machine(LaunchCode& code, Memory& memory, Judge& judge, Findings& findings,
                 const SimtOptions& options, Progress& progress, std::uint32_t launch)
    : code_(code),
      memory_(memory),
      findings_(findings),
      judge_(judge),
      options_(options),
      progress_(progress),
      launch_(launch),
      dice_(combine(options.seed, launch)),
      accessor_(code, memory, judge) {
    const auto threads = static_cast<std::uint32_t>(code.shape.threads());
    warps_.resize((threads + kWarp - 1) / kWarp);
    memory.reserve(static_cast<std::int64_t>(warps_.size() * code.cells.size() * sizeof(Cell)));
    for (std::uint32_t w = 0; w < warps_.size(); ++w) {
        auto& warp = warps_[w];
        const auto left = threads - w * kWarp;
        warp.number = w;
        warp.live = left >= kWarp ? ~Mask{0} : (Mask{1} << left) - 1;
        warp.cells = code.cells;
        warp.tokens.resize(code.tokens);
        warp.meetings.resize(code.sites.size());
        set_thread_variables(warp);
    }
}

void Machine::run() {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(code_.shape.blocks()));
    memory_.reserve(static_cast<std::int64_t>(order.size() * sizeof(order[0])));
    std::iota(order.begin(), order.end(), 0);
    for (auto rest = order.size(); rest > 1; --rest)
        std::swap(order[rest - 1], order[dice_.below(rest)]);
    for (auto block : order) {
        if (progress_.deadlock)
            break;
        run_block(block);
    }
    memory_.reserve(-static_cast<std::int64_t>(order.size() * sizeof(order[0]) +
                                               warps_.size() * code_.cells.size() * sizeof(Cell)));
}

// Blocks.

void Machine::run_block(std::uint32_t block) {
    begin_block(block);
    for (;;) {
        std::vector<Warp*> ready;
        for (auto& warp : warps_)
            if (warp.state == Warp::State::Ready)
                ready.push_back(&warp);
        const bool ended = std::all_of(warps_.begin(), warps_.end(),
                                       [](const Warp& w) { return w.state == Warp::State::Ended; });
        if (ended || progress_.deadlock)
            break;
        if (ready.empty())
            meet();
        else
            turn(*ready[dice_.below(ready.size())]);
    }
    if (!progress_.deadlock)
        check_meetings();
    judge_.end_block();
}

void Machine::begin_block(std::uint32_t block) {
    block_ = block;
    next_epoch();
    for (auto number : code_.allocations)
        if (memory_[number].space == Space::Shared)
            ++memory_[number].stamp;
        else
            std::fill(memory_[number].written_by.begin(), memory_[number].written_by.end(), 0);
    for (auto& warp : warps_)
        begin_warp(warp);
}

void Machine::begin_warp(Warp& warp) {
    warp.active = warp.live;
    warp.state = Warp::State::Ready;
    warp.next = 0;
    warp.epoch = 0;
    warp.waits = 0;
    warp.frames.clear();
    for (auto& queue : warp.tokens)
        queue = {};
    std::fill(warp.meetings.begin(), warp.meetings.end(), 0);
    set_block_variables(warp);
}

void Machine::set_block_variables(Warp& warp) {
    for (const auto& v : code_.block_variables)
        warp.cells[v.value.cell] = coordinate(code_.shape.grid, v.axis, block_);
}

void Machine::set_thread_variables(Warp& warp) {
    for (const auto& v : code_.thread_variables)
        for (std::uint32_t t = 0; t < v.value.size(); ++t)
            warp.cells[v.value.cell + t] =
                coordinate(code_.shape.block, v.axis, warp.first_thread() + t);
}

// A step of the pipeline that some warps reach more often than others is one that not all threads reach.
void Machine::check_meetings() {
    for (const auto& s : code_.steps) {
        const bool of_block = s.kind == StepKind::Commit || s.kind == StepKind::Wait ||
                              s.kind == StepKind::Rendezvous;
        if (!of_block)
            continue;
        auto times = [&](const Warp& w) { return w.meetings[s.site]; };
        for (const auto& warp : warps_)
            if (times(warp) != times(warps_[0])) {
                report_divergence(s, std::to_string(times(warps_[0])) + " times by warp 0 and " +
                                         std::to_string(times(warp)) + " times by warp " +
                                         std::to_string(warp.number));
                break;
            }
    }
}

// Barriers of the block.

// No warp can go on. All that have not ended must stand at one barrier; if others have ended, it is a barrier that not all
// threads reach, and those that do go on.
void Machine::meet() {
    const Warp* first = nullptr;
    std::string ended;
    bool one_place = true;
    for (const auto& warp : warps_) {
        if (warp.state == Warp::State::Ended) {
            ended += (ended.empty() ? "" : ", ") + std::to_string(warp.number);
            continue;
        }
        first = first ? first : &warp;
        one_place = one_place && warp.next == first->next;
    }
    if (!one_place)
        return report_deadlock();
    const auto& s = running(*first);
    if (!ended.empty())
        report_divergence(s, "not by warp " + ended + ", which had ended");
    ++code_.sites[s.site].counts.barriers;
    judge_.barrier();
    next_epoch();
    for (auto& warp : warps_)
        if (warp.state == Warp::State::AtBarrier) {
            warp.state = Warp::State::Ready;
            ++warp.next;
        }
}

void Machine::report_deadlock() {
    std::vector<std::uint32_t> places;
    for (const auto& warp : warps_)
        if (warp.state == Warp::State::AtBarrier &&
            std::find(places.begin(), places.end(), warp.next) == places.end())
            places.push_back(warp.next);
    std::sort(places.begin(), places.end());
    auto site_of = [&](std::size_t i) -> const Site& {
        return code_.sites[code_.steps[places[i]].site];
    };
    findings_.report(Kind::Deadlock, site_of(0).origin, site_of(1).origin, &kNoBuffer, [&] {
        std::string text = block_text(code_.shape, block_) + " cannot go on: ";
        for (std::size_t i = 0; i < places.size(); ++i)
            text += (i ? "; " : "") + waiting_text(places[i]);
        return text;
    });
    progress_.deadlock = true;
}

// "warps 0 and 2 wait at a barrier of the block (C/ko)"
std::string Machine::waiting_text(std::uint32_t step) const {
    std::string text;
    std::size_t count = 0;
    for (const auto& warp : warps_)
        if (warp.state == Warp::State::AtBarrier && warp.next == step)
            text += (count++ ? ", " : "") + std::to_string(warp.number);
    const auto& s = code_.steps[step];
    auto origin = code_.sites[s.site].origin->text();
    return (count == 1 ? "warp " : "warps ") + text + (count == 1 ? " waits at " : " wait at ") +
           s.collective + (origin.empty() ? "" : " (" + origin + ")");
}

// Turns.

void Machine::turn(Warp& warp) {
    accessor_.begin(warp, block_, progress_.epoch, launch_);
    for (auto left = 1 + dice_.below(kLongestTurn); left > 0; --left) {
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
    case StepKind::Allocate: accessor_.allocate(s.store); break;
    case StepKind::Prefetch: accessor_.prefetch(code_.accesses[s.access]); break;
    case StepKind::WarpBarrier: warp.epoch += converged(warp, s); break;
    case StepKind::Commit:
        converged(warp, s);
        accessor_.commit(s.token);
        break;
    case StepKind::Wait:
        converged(warp, s);
        accessor_.wait(s.token, s.pending);
        return false;
    case StepKind::Rendezvous: converged(warp, s); break;
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

// Collective steps.

bool Machine::converged(Warp& warp, const Step& s) {
    ++warp.meetings[s.site];
    if (warp.active == warp.live)
        return true;
    report_divergence(s, "by " + threads_text(warp.first_thread(), warp.active) + " of warp " +
                             std::to_string(warp.number) + " alone");
    return false;
}

void Machine::report_divergence(const Step& s, const std::string& who) {
    findings_.report(Kind::Divergence, code_.sites[s.site].origin, nullptr, &kNoBuffer, [&] {
        return std::string(s.collective) + " is reached " + who + " (" +
               block_text(code_.shape, block_) + ")";
    });
}

// A barrier that a part of a warp reaches would wait for ever, or for another one: it is reported, and passed.
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
