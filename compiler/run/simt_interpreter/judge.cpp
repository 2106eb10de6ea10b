#include "compiler/run/simt_interpreter/judge.h"

#include <algorithm>
#include <tuple>

namespace loopscope::simt_interpreter {

namespace {

using Kind = SimtFinding::Kind;

constexpr std::size_t kManySuspects = 1 << 16; // more are not kept waiting

Act of_thread(Act act, std::uint32_t thread_of_warp) {
    act.thread = static_cast<std::uint16_t>(act.thread + thread_of_warp);
    return act;
}

std::size_t index(std::int64_t element) { return static_cast<std::size_t>(element); }

Party party_of(const Act& act) { return {act.site, act.block, act.waits, act.waits, act.thread}; }

// Has no barrier of the block or of one warp passed from `early` to `now`?
bool unordered(const Act& early, const Act& now) {
    return early.epoch == now.epoch &&
           (early.warp() != now.warp() || early.warp_epoch == now.warp_epoch);
}

} // namespace

void Judge::begin_launch(const LaunchCode& code, std::uint32_t number) {
    code_ = &code;
    launch_ = number;
}

void Judge::read(Store& s, const Places& places, Act act) {
    if (s.input)
        return;
    check_written(s, places, act);
    if (!s.watched)
        return;
    Mask on = places.on;
    if (places.same && s.watch[index(places.element[0])].writes.epoch() != act.epoch &&
        s.space == Space::Shared && !s.watch[index(places.element[0])].flight) {
        // Nothing to meet, and two threads stand for all.
        Mask rest = on & (on - 1);
        on = (on ^ rest) | (rest & -rest);
    }
    for_threads(on, [&](std::uint32_t t) { read_one(s, places.element[t], of_thread(act, t)); });
}

void Judge::read_one(Store& s, std::int64_t element, const Act& act) {
    auto& w = s.watch[index(element)];
    if (auto other = w.writes.against(act))
        meet(s, element, act, *other);
    w.reads.add(act);
    if (w.flight)
        meet_flight(s, element, act);
    if (s.space != Space::Global)
        return;
    auto& g = s.global_watch[index(element)];
    if (auto other = g.writes.against(act))
        meet(s, element, act, *other);
    g.reads.add(act);
}

void Judge::write(Store& s, const Places& places, Act act) {
    for_threads(places.on,
                [&](std::uint32_t t) { write_one(s, places.element[t], of_thread(act, t)); });
}

void Judge::write_one(Store& s, std::int64_t element, const Act& act) {
    auto& w = s.watch[index(element)];
    if (auto other = w.reads.against(act))
        meet(s, element, act, *other);
    if (auto other = w.writes.against(act))
        meet(s, element, act, *other);
    w.writes.add(act);
    if (w.flight)
        meet_flight(s, element, act);
    if (s.space != Space::Global)
        return;
    auto& g = s.global_watch[index(element)];
    if (auto other = g.reads.against(act))
        meet(s, element, act, *other);
    if (auto other = g.writes.against(act))
        meet(s, element, act, *other);
    g.writes.add(act);
}

// Where threads update one element at once, the first of them that writes makes it written to the others.
void Judge::update(Store& s, const Places& places, Act act) {
    check_written(s, places, act);
    write(s, places, act);
}

void Judge::check_written(Store& s, const Places& places, const Act& act) {
    for_threads(places.on, [&](std::uint32_t t) {
        auto element = places.element[t];
        if (s.written[index(element)] != s.stamp)
            suspect(s, element, of_thread(act, t));
    });
}

void Judge::suspect(const Store& s, std::int64_t element, const Act& act) {
    if (!s.watched)
        return report_uninitialised(s, element, act);
    if (s.watch[index(element)].flight)
        return; // that will be reported
    suspects_.push_back({&s, element, act});
    if (suspects_.size() > kManySuspects)
        barrier();
}

void Judge::barrier() {
    for (const auto& suspect : suspects_) {
        if (suspect.store->watch[index(suspect.element)].raced == suspect.act.epoch)
            continue;
        if (suspect.store->space == Space::Global)
            global_suspects_.push_back(suspect);
        else
            report_uninitialised(*suspect.store, suspect.element, suspect.act);
    }
    suspects_.clear();
    if (global_suspects_.size() > kManySuspects)
        end_launch();
}

void Judge::end_launch() {
    for (const auto& suspect : global_suspects_)
        if (suspect.store->global_watch[index(suspect.element)].raced != launch_)
            report_uninitialised(*suspect.store, suspect.element, suspect.act);
    global_suspects_.clear();
}

void Judge::end_block() {
    for (std::uint32_t f = 1; f < flights_.size(); ++f)
        if (flights_[f].used) {
            for (const auto& early : flights_[f].early)
                report_early(memory_[flights_[f].store], flights_[f].element,
                             party_of(flights_[f].act), party_of(early));
            land(f);
        }
    barrier();
}

// Copies under way.

std::uint32_t Judge::begin_copy(std::uint32_t store, std::int64_t element, const Act& act) {
    auto& s = memory_[store];
    auto& w = s.watch[index(element)];
    if (w.flight) {
        meet_flight(s, element, act);
        return 0; // the first one's flight stands for both
    }
    if (free_flights_.empty()) {
        free_flights_.push_back(static_cast<std::uint32_t>(flights_.size()));
        flights_.emplace_back();
    }
    w.flight = free_flights_.back();
    free_flights_.pop_back();
    auto& flight = flights_[w.flight];
    flight.used = true;
    flight.act = act;
    flight.store = store;
    flight.element = element;
    for (const auto* set : {&w.reads, &w.writes})
        if (auto other = set->against(act)) {
            auto early = act; // at the same time, as far as barriers say
            early.site = other->site;
            early.thread = other->thread;
            early.waits = other->first_waits;
            add_early(flight, early);
        }
    return w.flight;
}

void Judge::arrive(std::uint32_t number, std::uint32_t store, std::int64_t element,
                   const Act& act) {
    if (number != 0) {
        for (const auto& early : flights_[number].early)
            if (!unordered(early, act)) // else the write below meets it
                report_early(memory_[store], element, party_of(flights_[number].act),
                             party_of(early));
        land(number);
    }
    write_one(memory_[store], element, act);
}

void Judge::land(std::uint32_t number) {
    auto& flight = flights_[number];
    memory_[flight.store].watch[index(flight.element)].flight = 0;
    flight.early.clear();
    flight.used = false;
    free_flights_.push_back(number);
}

void Judge::meet_flight(Store& s, std::int64_t element, const Act& act) {
    auto& flight = flights_[s.watch[index(element)].flight];
    if (flight.act.thread == act.thread)
        report_early(s, element, party_of(flight.act),
                     party_of(act)); // its own accesses have an order
    else
        add_early(flight, act);
}

void Judge::add_early(Flight& flight, const Act& act) {
    memory_[flight.store].watch[index(flight.element)].raced = act.epoch;
    auto like = [&](const Act& e) {
        return e.site == act.site && e.epoch == act.epoch && e.waits == act.waits &&
               e.warp() == act.warp() && e.warp_epoch == act.warp_epoch;
    };
    if (std::none_of(flight.early.begin(), flight.early.end(), like))
        flight.early.push_back(act);
}

// Reports.

// Two accesses, at least one of which writes, that no barrier orders.
void Judge::meet(Store& s, std::int64_t element, const Act& act, const Party& other) {
    const auto &mine = site(act.site), &others = site(other.site);
    auto& w = s.watch[index(element)];
    const bool one_block = act.block == other.block;
    const bool known =
        one_block ? w.raced == act.epoch : s.global_watch[index(element)].raced == act.launch;
    if (known && combine_alike(mine.operation, others.operation))
        return; // what races with both has been reported
    w.raced = act.epoch;
    if (!one_block)
        s.global_watch[index(element)].raced = act.launch;
    const auto me = party_of(act);
    const bool arrives = mine.deed == Deed::Copies, arrived = others.deed == Deed::Copies;
    if (arrives == arrived || !one_block)
        return race(s, element, me, other);
    const auto &copy = arrives ? me : other, &access = arrives ? other : me;
    if (access.first_waits < copy.last_waits)
        report_early(s, element, copy, access);
    if (access.last_waits >= copy.first_waits)
        race(s, element, me, other);
}

void Judge::report_early(const Store& s, std::int64_t element, const Party& copy,
                         const Party& access) {
    findings_.report(
        Kind::ReadBeforeArrival, site(access.site).origin, site(copy.site).origin, &s.name, [&] {
            return place_text(s, element) + " is " +
                   done_by(site(access.site).deed, access.thread) + " of " +
                   block_text(code_->shape, access.block) + " while a copy of thread " +
                   std::to_string(copy.thread) + " to it is under way";
        });
}

// Writers are named first. The finding's origin is the statement that reads; of two that write, the one that stands later in the
// text.
void Judge::race(const Store& s, std::int64_t element, Party first, Party second) {
    auto rank = [&](const Party& p) {
        return std::tuple(site(p.site).deed == Deed::Reads, p.site, p.block, p.thread);
    };
    if (rank(second) < rank(first))
        std::swap(first, second);
    findings_.report(Kind::Race, site(second.site).origin, site(first.site).origin, &s.name, [&] {
        const bool one_block = first.block == second.block;
        auto of = [&](const Party& p) { return " of " + block_text(code_->shape, p.block); };
        return place_text(s, element) + " is " + done_by(site(first.site).deed, first.thread) +
               (one_block ? "" : of(first)) + " and " +
               done_by(site(second.site).deed, second.thread) + of(second) +
               (one_block ? " with no barrier between them" : ", and nothing orders blocks");
    });
}

void Judge::report_uninitialised(const Store& s, std::int64_t element, const Act& act) {
    findings_.report(Kind::UninitialisedRead, site(act.site).origin, nullptr, &s.name, [&] {
        auto text = "thread " + std::to_string(act.thread) + " of " + block_of(act) + " reads " +
                    place_text(s, element) + ", which nothing has written";
        return s.overwritten_by.empty() ? text
                                        : text + " since " + s.overwritten_by + " took its room";
    });
}

void Judge::report_outside(const Store& s, const std::string& indices, const Act& act) {
    findings_.report(Kind::OutOfBounds, site(act.site).origin, nullptr, &s.name, [&] {
        return "thread " + std::to_string(act.thread) + " of " + block_of(act) + " " +
               verb(site(act.site).deed) + " " + s.name + "[" + indices + "], whose extents are " +
               shape_text(s.extents);
    });
}

void Judge::report_operand(SimtFinding::Kind kind, const Store& s, std::int64_t element,
                           const Act& act, const std::string& what) {
    findings_.report(kind, site(act.site).origin, nullptr, &s.name, [&] {
        return place_text(s, element) + " of thread " + std::to_string(act.thread) + " of " +
               block_of(act) + " " + what;
    });
}

} // namespace loopscope::simt_interpreter
