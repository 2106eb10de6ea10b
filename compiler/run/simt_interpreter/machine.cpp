#include "compiler/run/simt_interpreter/machine.h"

#include <algorithm>
#include <numeric>

namespace loopscope::simt_interpreter {

namespace {

using Kind = SimtFinding::Kind;

const std::string kNoBuffer;

bool stands(const Warp& warp) {
    return warp.state == Warp::State::AtBarrier || warp.state == Warp::State::AtObject;
}

// The coordinate of a thread along an axis; x runs fastest.
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
      handovers_(code, memory, judge,
                 static_cast<std::size_t>((code.shape.threads() + kWarp - 1) / kWarp)),
      accessor_(code, memory, judge, handovers_) {
    judge.use(&handovers_);
    const auto threads = static_cast<std::uint32_t>(code.shape.threads());
    warps_.resize((threads + kWarp - 1) / kWarp);
    memory.reserve(cell_bytes());
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
    const auto order_bytes =
        code_.shape.blocks() * static_cast<std::int64_t>(sizeof(std::uint32_t));
    memory_.reserve(order_bytes);
    std::vector<std::uint32_t> order(static_cast<std::size_t>(code_.shape.blocks()));
    std::iota(order.begin(), order.end(), 0);
    for (auto rest = order.size(); rest > 1; --rest)
        std::swap(order[rest - 1], order[dice_.below(rest)]);
    for (auto block : order) {
        if (progress_.deadlock)
            break;
        run_block(block);
    }
    memory_.reserve(-order_bytes - cell_bytes());
}

// The bytes of all warps' cells.
std::int64_t Machine::cell_bytes() const {
    return static_cast<std::int64_t>(warps_.size() * code_.cells.size() * sizeof(Cell));
}

// Blocks.

void Machine::run_block(std::uint32_t block) {
    begin_block(block);
    for (;;) {
        go_on();
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
    handovers_.begin_block();
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
    warp.held.clear();
    warp.reads.clear();
    std::fill(warp.meetings.begin(), warp.meetings.end(), 0);
    set_block_variables(warp);
}

void Machine::set_block_variables(Warp& warp) {
    const auto coordinates = block_coordinates(code_.shape, block_);
    for (const auto& v : code_.block_variables) {
        const auto blocks = code_.shape.cluster[v.axis].extent;
        warp.cells[v.value.cell] = static_cast<Cell>(v.in_cluster ? coordinates[v.axis] % blocks
                                                                  : coordinates[v.axis] / blocks);
    }
}

void Machine::set_thread_variables(Warp& warp) {
    for (const auto& v : code_.thread_variables)
        for (std::uint32_t t = 0; t < v.value.size(); ++t)
            warp.cells[v.value.cell + t] =
                coordinate(code_.shape.block, v.axis, warp.first_thread() + t);
}

// A step of the pipeline that some warps reach more often than others is one that not all threads
// reach.
void Machine::check_meetings() {
    for (const auto& s : code_.steps) {
        const bool of_block = s.kind == StepKind::Commit || s.kind == StepKind::Wait ||
                              s.kind == StepKind::Rendezvous || s.kind == StepKind::BulkCopy ||
                              s.kind == StepKind::AcquireSlot || s.kind == StepKind::TakeGroup ||
                              s.kind == StepKind::ReleaseSlot;
        if (!of_block)
            continue;
        auto times = [&](const Warp& w) { return w.meetings[s.site]; };
        const auto& first = warps_[s.of.begin / kWarp];
        for (const auto& warp : warps_)
            if (s.of.meets_warp(warp.first_thread()) && times(warp) != times(first)) {
                report_divergence(s, std::to_string(times(first)) + " times by warp " +
                                         std::to_string(first.number) + " and " +
                                         std::to_string(times(warp)) + " times by warp " +
                                         std::to_string(warp.number));
                break;
            }
    }
}

// Barriers of the block.

// Lets warps go on that waited at an mbarrier, and need no longer.
void Machine::go_on() {
    for (auto& warp : warps_)
        if (warp.state == Warp::State::AtObject && may_go_on(warp))
            warp.state = Warp::State::Ready;
}

bool Machine::may_go_on(const Warp& warp) const {
    const auto& s = running(warp);
    if (s.kind == StepKind::AcquireSlot)
        return !asks(warp, s) || handovers_.may_acquire(s.token);
    return s.kind != StepKind::TakeGroup || handovers_.has_arrived(s.token, warp);
}

// No warp can go on. At some barrier all must stand that it is for.
void Machine::meet() {
    for (const auto& warp : warps_)
        if (warp.state == Warp::State::AtBarrier && meet(running(warp)))
            return;
    report_deadlock();
}

// If some of those that the barrier is for have ended, it is one that not all threads reach, and
// the others go on. A barrier of some threads is taken for one of all: the others only load what is
// handed over, which is judged by itself.
bool Machine::meet(const Step& s) {
    std::string ended;
    for (const auto& warp : warps_) {
        if (!s.of.meets_warp(warp.first_thread()))
            continue;
        if (warp.state == Warp::State::Ended)
            ended += (ended.empty() ? "" : ", ") + std::to_string(warp.number);
        else if (warp.state != Warp::State::AtBarrier || &running(warp) != &s)
            return false;
    }
    if (!ended.empty())
        report_divergence(s, "not by warp " + ended + ", which had ended");
    ++code_.sites[s.site].counts.barriers;
    judge_.barrier();
    next_epoch();
    for (auto& warp : warps_)
        if (warp.state == Warp::State::AtBarrier && &running(warp) == &s) {
            warp.state = Warp::State::Ready;
            ++warp.next;
        }
    return true;
}

void Machine::report_divergence(const Step& s, const std::string& who) {
    findings_.report(Kind::Divergence, code_.sites[s.site].origin, nullptr, &kNoBuffer, [&] {
        return std::string(s.collective) + " is reached " + who + " (" +
               block_text(code_.shape, block_) + ")";
    });
}

void Machine::report_deadlock() {
    std::vector<std::uint32_t> places;
    for (const auto& warp : warps_)
        if (stands(warp) && std::find(places.begin(), places.end(), warp.next) == places.end())
            places.push_back(warp.next);
    std::sort(places.begin(), places.end());
    auto site_of = [&](std::size_t i) -> const Site& {
        return code_.sites[code_.steps[places[std::min(i, places.size() - 1)]].site];
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
        if (stands(warp) && warp.next == step)
            text += (count++ ? ", " : "") + std::to_string(warp.number);
    const auto& s = code_.steps[step];
    auto origin = code_.sites[s.site].origin->text();
    return (count == 1 ? "warp " : "warps ") + text + (count == 1 ? " waits at " : " wait at ") +
           s.collective + (origin.empty() ? "" : " (" + origin + ")");
}

} // namespace loopscope::simt_interpreter
