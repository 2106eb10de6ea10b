#include "compiler/run/simt_interpreter/judge.h"

#include "compiler/run/simt_interpreter/handovers.h"

#include <algorithm>

namespace loopscope::simt_interpreter {

namespace {

constexpr std::size_t kManySuspects = 1 << 16; // more are not kept waiting

Act of_thread(Act act, std::uint32_t thread_of_warp) {
    act.thread = static_cast<std::uint16_t>(act.thread + thread_of_warp);
    return act;
}

std::size_t at_element(std::int64_t element) { return static_cast<std::size_t>(element); }

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

// Accesses.

template <typename F> void Judge::for_aliases(const Spot& spot, F f) {
    for (auto number : spot.store.aliases) {
        auto& other = memory_[number];
        auto [begin, end] = overlap(spot.store, spot.element, other);
        for (auto element = begin; element < end; ++element)
            f(Spot{other, element});
    }
}

void Judge::read(Store& s, const Places& places, Act act) {
    if (s.input)
        return;
    if (s.handover != 0) {
        auto held = places;
        for_threads(places.on, [&](std::uint32_t t) {
            if (!handovers_->judge(s, places.element[t], of_thread(act, t), false))
                held.on &= ~(Mask{1} << t);
        });
        check_written(s, held, act);
        return;
    }
    check_written(s, places, act);
    if (!s.watched)
        return;
    Mask on = places.on;
    if (places.same && s.space == Space::Shared && s.aliases.empty()) {
        const auto& watch = s.watch[at_element(places.element[0])];
        if (watch.writes.epoch() != act.epoch && !watch.flight) {
            // Nothing to meet, and two threads stand for all.
            Mask rest = on & (on - 1);
            on = (on ^ rest) | (rest & -rest);
        }
    }
    for_threads(on, [&](std::uint32_t t) { read_one({s, places.element[t]}, of_thread(act, t)); });
}

void Judge::read_one(const Spot& spot, const Act& act) {
    check(spot, spot, act, false);
    for_aliases(spot, [&](const Spot& other) { check(spot, other, act, false); });
    spot.watch().reads.add(act);
    if (spot.store.space == Space::Global) {
        check_blocks(spot, act, false);
        spot.global().reads.add(act);
    }
}

void Judge::write(Store& s, const Places& places, Act act, Mask repeats) {
    for_threads(places.on, [&](std::uint32_t t) {
        if (s.handover != 0)
            handovers_->judge(s, places.element[t], of_thread(act, t), true);
        else
            write_one({s, places.element[t]}, of_thread(act, t), repeats >> t & 1);
    });
}

void Judge::write_one(const Spot& spot, const Act& act, bool repeats) {
    check(spot, spot, act, true);
    for_aliases(spot, [&](const Spot& other) {
        check(spot, other, act, true);
        other.store.written[at_element(other.element)] = 0;
    });
    spot.watch().writes.add(act);
    if (spot.store.space == Space::Global) {
        check_blocks(spot, act, true, repeats);
        spot.global().writes.add(act);
    }
}

// Where threads update one element at once, the first of them that writes makes it written to the
// others.
void Judge::update(Store& s, const Places& places, Act act) {
    check_written(s, places, act);
    write(s, places, act);
}

void Judge::check(const Spot& mine, const Spot& theirs, const Act& act, bool writes) {
    const auto& w = theirs.watch();
    if (writes)
        if (auto other = w.reads.against(act))
            meet(mine, theirs, act, *other);
    if (auto other = w.writes.against(act))
        meet(mine, theirs, act, *other);
    if (w.flight)
        meet_flight(mine, theirs, act);
}

void Judge::check_blocks(const Spot& spot, const Act& act, bool writes, bool repeats) {
    const auto& g = spot.global();
    if (writes)
        if (auto other = g.reads.against(act))
            meet(spot, spot, act, *other);
    if (auto other = repeats ? std::nullopt : g.writes.against(act))
        meet(spot, spot, act, *other);
}

void Judge::meet(const Spot& mine, const Spot& theirs, const Act& act, const Party& other) {
    const auto &my_site = site(act.site), &others_site = site(other.site);
    auto& w = mine.watch();
    const bool one_block = act.block == other.block;
    const bool known = one_block ? w.raced == act.epoch : mine.global().raced == act.launch;
    // what races with both has been reported
    if (known && combine_alike(my_site.operation, others_site.operation))
        return;
    w.raced = theirs.watch().raced = act.epoch;
    if (mine.store.space == Space::Global)
        mine.global().raced = act.launch;
    const auto me = party_of(act);
    const bool arrives = my_site.deed == Deed::Copies, arrived = others_site.deed == Deed::Copies;
    if (arrives == arrived || !one_block)
        return race({mine, me}, {theirs, other});
    if (arrives ? other.first_waits < act.waits : act.waits < other.last_waits) {
        if (arrives)
            report_early(mine, me, theirs, other);
        else
            report_early(theirs, other, mine, me);
    }
    if (arrives ? other.last_waits >= act.waits : act.waits >= other.first_waits)
        race({mine, me}, {theirs, other});
}

// Elements that nobody has written.

void Judge::check_written(Store& s, const Places& places, const Act& act) {
    for_threads(places.on, [&](std::uint32_t t) {
        auto element = places.element[t];
        if (s.written[at_element(element)] != s.stamp)
            suspect(s, element, of_thread(act, t));
    });
}

void Judge::suspect(const Store& s, std::int64_t element, const Act& act) {
    if (!s.watched)
        return report_uninitialized(s, element, act);
    // that will be reported
    if (s.watch[at_element(element)].flight)
        return;
    suspects_.push_back({&s, element, act});
    if (suspects_.size() > kManySuspects)
        barrier();
}

void Judge::barrier() {
    for (const auto& suspect : suspects_) {
        if (suspect.store->watch[at_element(suspect.element)].raced == suspect.act.epoch)
            continue;
        if (suspect.store->space == Space::Global)
            global_suspects_.push_back(suspect);
        else
            report_uninitialized(*suspect.store, suspect.element, suspect.act);
    }
    suspects_.clear();
    if (global_suspects_.size() > kManySuspects)
        end_launch();
}

void Judge::end_launch() {
    for (const auto& suspect : global_suspects_)
        if (suspect.store->global_watch[at_element(suspect.element)].raced != launch_)
            report_uninitialized(*suspect.store, suspect.element, suspect.act);
    global_suspects_.clear();
}

void Judge::end_block() {
    for (std::uint32_t f = 1; f < flights_.size(); ++f)
        if (flights_[f].used) {
            for (const auto& early : flights_[f].early)
                report_early(flights_[f], early);
            land(f);
        }
    barrier();
}

// Copies under way.

std::uint32_t Judge::begin_copy(std::uint32_t store, std::int64_t element, const Act& act) {
    const Spot spot{memory_[store], element};
    auto& w = spot.watch();
    if (w.flight) {
        meet_flight(spot, spot, act);
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
    flight.store = &spot.store;
    flight.element = element;
    add_early(flight, spot);
    for_aliases(spot, [&](const Spot& other) {
        add_early(flight, other);
        if (other.watch().flight)
            meet_flight(spot, other, act);
    });
    return w.flight;
}

void Judge::arrive(std::uint32_t number, std::uint32_t store, std::int64_t element,
                   const Act& act) {
    if (number != 0) {
        for (const auto& early : flights_[number].early)
            if (!unordered(early.act, act)) // else the write below meets it
                report_early(flights_[number], early);
        land(number);
    }
    write_one({memory_[store], element}, act);
}

void Judge::land(std::uint32_t number) {
    auto& flight = flights_[number];
    flight.store->watch[at_element(flight.element)].flight = 0;
    flight.early.clear();
    flight.used = false;
    free_flights_.push_back(number);
}

void Judge::meet_flight(const Spot& mine, const Spot& theirs, const Act& act) {
    auto& flight = flights_[theirs.watch().flight];
    if (flight.act.thread == act.thread) // its own accesses have an order
        report_early(theirs, party_of(flight.act), mine, party_of(act));
    else
        add_early(flight, mine, act);
}

// Accesses to `spot` that are at the same time as the flight's beginning, as far as barriers say.
void Judge::add_early(Flight& flight, const Spot& spot) {
    const auto& w = spot.watch();
    for (const auto* set : {&w.reads, &w.writes})
        if (auto other = set->against(flight.act)) {
            auto early = flight.act;
            early.site = other->site;
            early.thread = other->thread;
            early.waits = other->first_waits;
            add_early(flight, spot, early);
        }
}

void Judge::add_early(Flight& flight, const Spot& spot, const Act& act) {
    spot.watch().raced = flight.store->watch[at_element(flight.element)].raced = act.epoch;
    auto like = [&](const Flight::Early& e) {
        return e.store == &spot.store && e.act.site == act.site && e.act.epoch == act.epoch &&
               e.act.waits == act.waits && e.act.warp() == act.warp() &&
               e.act.warp_epoch == act.warp_epoch;
    };
    if (std::none_of(flight.early.begin(), flight.early.end(), like))
        flight.early.push_back({&spot.store, spot.element, act});
}

void Judge::report_early(const Flight& flight, const Flight::Early& early) {
    report_early({*flight.store, flight.element}, party_of(flight.act),
                 {*early.store, early.element}, party_of(early.act));
}

} // namespace loopscope::simt_interpreter
