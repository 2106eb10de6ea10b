#include "compiler/run/simt_interpreter/accessor.h"

#include "compiler/run/simt_interpreter/counters.h"
#include "compiler/run/simt_interpreter/handovers.h"

#include <cstring>

namespace loopscope::simt_interpreter {

void Accessor::begin(Warp& warp, std::uint32_t block, std::uint32_t epoch, std::uint32_t launch) {
    warp_ = &warp;
    act_ = {};
    act_.block = block;
    act_.epoch = epoch;
    act_.launch = launch;
    act_.thread = static_cast<std::uint16_t>(warp.first_thread());
}

Act Accessor::act(std::uint32_t site) const {
    auto act = act_;
    act.site = site;
    act.warp_epoch = warp_->epoch;
    act.waits = warp_->waits;
    return act;
}

Mask Accessor::on(const Access& a, std::uint32_t lane) const {
    if (!a.mask)
        return warp_->active;
    if (a.mask->uniform)
        return warp_->cells[a.mask->at(lane, 0)] ? warp_->active : 0;
    const auto* bits = warp_->cells.data() + a.mask->at(lane, 0);
    Mask on = 0;
    for (std::uint32_t t = 0; t < kWarp; ++t)
        on |= Mask{bits[t] != 0} << t;
    return on & warp_->active;
}

// Elements are computed without a sign: those of threads that are off may overflow, and are not
// looked at.
Places Accessor::resolve(const Indexed& what, std::uint32_t lane, Mask on) {
    Places places;
    places.same = true;
    Mask outside = 0;
    Cell base = 0;
    std::array<Cell, kWarp> own{};
    for (std::size_t d = 0; d < what.indices.size(); ++d) {
        const auto& index = what.indices[d];
        const auto extent = static_cast<Cell>(what.flat ? what.store.count : what.store.extents[d]);
        const auto stride = static_cast<Cell>(what.flat ? 1 : what.store.strides[d]);
        const auto* cells = warp_->cells.data() + index.at(lane, 0);
        if (index.uniform) {
            base += cells[0] * stride;
            outside |= cells[0] < extent ? 0 : ~Mask{0};
            continue;
        }
        places.same = false;
        for (std::uint32_t t = 0; t < kWarp; ++t) {
            own[t] += cells[t] * stride;
            outside |= Mask{cells[t] >= extent} << t;
        }
    }
    for (std::uint32_t t = 0; t < kWarp; ++t)
        places.element[t] = static_cast<std::int64_t>(base + own[t]);
    if (outside & on)
        report_outside(what, lane, outside & on);
    places.on = on & ~outside;
    return places;
}

void Accessor::report_outside(const Indexed& what, std::uint32_t lane, Mask outside) {
    for_threads(outside, [&](std::uint32_t t) {
        std::string text;
        for (const auto& index : what.indices)
            text += (text.empty() ? "" : ", ") +
                    std::to_string(static_cast<std::int64_t>(warp_->cells[index.at(lane, t)]));
        auto who = act(what.site);
        who.thread = static_cast<std::uint16_t>(who.thread + t);
        judge_.report_outside(what.store, text, who);
    });
}

void Accessor::resolve_lanes(const Access& a) {
    if (lanes_.size() < a.lanes)
        lanes_.resize(a.lanes);
    const Indexed what{memory_[a.store], a.indices, a.flat, a.site};
    for (std::uint32_t l = 0; l < a.lanes; ++l)
        lanes_[l] = resolve(what, l, on(a, l));
}

void Accessor::count(const Access& a, bool writes) {
    const auto& s = memory_[a.store];
    auto& counts = code_.sites[a.site].counts;
    if (s.space == Space::Global)
        count_global(counts, s, std::span(lanes_).first(a.lanes), writes);
    else if (s.space == Space::Shared)
        count_shared(counts, s, std::span(lanes_).first(a.lanes));
}

void Accessor::load(const Access& a) {
    resolve_lanes(a);
    count(a, false);
    for (std::uint32_t l = 0; l < a.lanes; ++l) {
        std::array<Cell, kWarp> all;
        auto* out = warp_->cells.data() + a.value.at(l, 0);
        read(a.store, lanes_[l], a.site, a.value.uniform ? all.data() : out);
        if (a.value.uniform)
            *out = all[0];
    }
}

// What is off becomes zero.
void Accessor::read(std::uint32_t number, const Places& places, std::uint32_t site, Cell* out) {
    const auto& s = memory_[number];
    if (places.on == 0) {
        std::fill_n(out, kWarp, 0);
        return;
    }
    if (s.space == Space::Private) {
        read_private(s, places, site, out);
    } else {
        judge_.read(memory_[number], places, act(site));
        gather(s, places, out);
    }
    if (!places.same)
        for_threads(~places.on, [&](std::uint32_t t) { out[t] = 0; });
    else if (places.on != warp_->active) // its first thread counts where the value is one for all
        for_threads(~places.on & warp_->active, [&](std::uint32_t t) { out[t] = 0; });
}

void Accessor::read_private(const Store& s, const Places& places, std::uint32_t site, Cell* out) {
    Mask missing = 0;
    if (places.same) {
        auto row = s.row(warp_->number, places.element[0]);
        missing = places.on & ~s.written_by[row];
        std::copy_n(s.cells.data() + row * kWarp, kWarp, out);
    } else {
        for_threads(places.on, [&](std::uint32_t t) {
            auto row = s.row(warp_->number, places.element[t]);
            missing |= ~s.written_by[row] & (Mask{1} << t);
            out[t] = s.cells[row * kWarp + t];
        });
    }
    for_threads(missing, [&](std::uint32_t t) {
        auto who = act(site);
        who.thread = static_cast<std::uint16_t>(who.thread + t);
        judge_.report_uninitialized(s, places.element[t], who);
    });
}

void Accessor::store(const Access& a) {
    resolve_lanes(a);
    auto& s = memory_[a.store];
    if (!a.combine.run)
        count(a, true);
    for (std::uint32_t l = 0; l < a.lanes; ++l) {
        if (a.combine.run) {
            combine(s, lanes_[l], a, l);
            continue;
        }
        std::array<Cell, kWarp> alike;
        const auto* values = warp_->cells.data() + a.value.at(l, 0);
        if (a.value.uniform) {
            alike.fill(*values);
            values = alike.data();
        }
        write(a.store, lanes_[l], a.site, values);
    }
}

void Accessor::write(std::uint32_t number, const Places& places, std::uint32_t site,
                     const Cell* values) {
    auto& s = memory_[number];
    if (s.space == Space::Global) {
        Mask repeats = 0;
        for_threads(places.on, [&](std::uint32_t t) {
            if (std::memcmp(s.data + places.element[t] * s.element_bytes, &values[t],
                            static_cast<std::size_t>(s.element_bytes)) == 0)
                repeats |= Mask{1} << t;
        });
        judge_.write(s, places, act(site), repeats);
    } else if (s.space != Space::Private) {
        judge_.write(s, places, act(site));
    }
    for_threads(places.on, [&](std::uint32_t t) {
        if (s.space != Space::Private)
            return store_element(s, places.element[t], values[t]);
        auto row = s.row(warp_->number, places.element[t]);
        s.cells[row * kWarp + t] = values[t];
        s.written_by[row] |= Mask{1} << t;
    });
}

void Accessor::forget(std::uint32_t store, std::int64_t element, Mask threads) {
    auto& s = memory_[store];
    s.written_by[s.row(warp_->number, element)] &= ~threads;
}

void Accessor::combine(Store& s, const Places& places, const Access& a, std::uint32_t lane) {
    auto who = act(a.site);
    code_.sites[a.site].counts.atomics += static_cast<std::uint64_t>(std::popcount(places.on));
    std::array<Cell, kWarp> old;
    if (s.space == Space::Private) {
        read_private(s, places, a.site, old.data());
    } else {
        who.operation = code_.sites[a.site].operation;
        judge_.update(s, places, who);
    }
    auto* cells = warp_->cells.data();
    for_threads(places.on, [&](std::uint32_t t) {
        auto row = s.row(warp_->number, places.element[t]);
        const bool own = s.space == Space::Private;
        cells[a.combine.a] = own ? s.cells[row * kWarp + t] : load_element(s, places.element[t]);
        cells[a.combine.b] = cells[a.value.at(lane, t)];
        a.combine.run(cells, a.combine);
        if (own)
            s.cells[row * kWarp + t] = cells[a.combine.result];
        else
            store_element(s, places.element[t], cells[a.combine.result]);
    });
}

void Accessor::prefetch(const Access& a) { resolve_lanes(a); }

void Accessor::allocate(std::uint32_t number) {
    auto& s = memory_[number];
    auto row = s.row(warp_->number, 0);
    for (std::int64_t e = 0; e < s.count; ++e)
        s.written_by[row + static_cast<std::size_t>(e)] &= ~warp_->active;
}

// Copies.

void Accessor::copy(const Access& a, std::uint32_t token) {
    resolve_lanes(a);
    count(a, true);
    for (std::uint32_t l = 0; l < a.lanes; ++l)
        begin_copies(a, l, warp_->tokens[token]);
}

void Accessor::begin_copies(const Access& a, std::uint32_t lane, TokenQueue& queue) {
    const auto& places = lanes_[lane];
    const auto& s = memory_[a.store];
    for_threads(places.on, [&](std::uint32_t t) {
        auto who = act(a.site);
        who.thread = static_cast<std::uint16_t>(who.thread + t);
        PendingCopy copy;
        copy.thread = static_cast<std::uint8_t>(t);
        copy.group = queue.commits[t];
        copy.store = a.store;
        copy.site = a.site;
        copy.element = places.element[t];
        copy.value = warp_->cells[a.value.at(lane, t)];
        copy.flight = judge_.begin_copy(a.store, copy.element, who);
        queue.pending.push_back(copy);
    });
    code_.sites[a.site].counts.asynchronous_bytes +=
        static_cast<std::uint64_t>(std::popcount(places.on) * s.element_bytes);
}

namespace {

std::int64_t place_of(const Call& call, std::int64_t element, const Store& target) {
    return call.swizzle ? call.swizzle->place(element * target.element_bytes) / target.element_bytes
                        : element;
}

} // namespace

// The box in runs of as many elements as a warp has threads, so that reading it costs what such a
// run costs.
void Accessor::bulk_copy(const Call& call, std::uint32_t token) {
    const auto &to = call.operands[0], &from = call.operands[1];
    const auto& source = memory_[from.store];
    const auto& target = memory_[to.store];
    std::int64_t points = 1, first = 0;
    for (auto along : call.box)
        points *= along;
    std::vector<std::int64_t> corner;
    for (const auto& index : from.indices)
        corner.push_back(static_cast<std::int64_t>(warp_->cells[index.at(0, 0)]));
    for (std::size_t d = 0; d < to.indices.size(); ++d)
        first += static_cast<std::int64_t>(warp_->cells[to.indices[d].at(0, 0)]) *
                 (call.flat ? 1 : target.strides[d]);
    if (first < 0 || first + points > target.count) {
        judge_.report_outside(target,
                              std::to_string(first) + " and " + std::to_string(points) +
                                  " elements from there on",
                              act(call.site));
        return;
    }
    for (std::size_t d = 0; d < call.box.size() && !call.zero_border; ++d)
        if (corner[d] < 0 || corner[d] + call.box[d] > source.extents[d]) {
            judge_.report_outside(source,
                                  std::to_string(corner[d]) + " and " +
                                      std::to_string(call.box[d]) +
                                      " elements from there on along "
                                      "dimension " +
                                      std::to_string(d),
                                  act(call.site));
            break;
        }
    for (std::int64_t begin = 0; begin < points; begin += kWarp) {
        Places places;
        for (std::uint32_t t = 0; t < kWarp && begin + t < points; ++t) {
            auto rest = begin + t;
            std::int64_t element = 0;
            bool inside = true;
            for (std::size_t d = call.box.size(); d-- > 0; rest /= call.box[d]) {
                const auto at = corner[d] + rest % call.box[d];
                inside = inside && at >= 0 && at < source.extents[d];
                element += at * source.strides[d];
            }
            places.element[t] = element;
            places.on |= Mask{inside} << t;
        }
        std::array<Cell, kWarp> values{};
        read(from.store, places, call.site, values.data());
        count_global(code_.sites[call.site].counts, source, std::span(&places, 1), false);
        for (std::uint32_t t = 0; t < kWarp && begin + t < points; ++t)
            begin_copy(call, place_of(call, first + begin + t, target), values[t], token);
    }
    code_.sites[call.site].counts.asynchronous_bytes +=
        static_cast<std::uint64_t>(points * target.element_bytes);
}

void Accessor::begin_copy(const Call& call, std::int64_t element, Cell value, std::uint32_t token) {
    if (handovers_.is_handed_over(token))
        return handovers_.begin_copy(token, call.operands[0].store, element, value, act(call.site));
    auto& queue = warp_->tokens[token];
    PendingCopy copy;
    copy.group = queue.commits[0];
    copy.store = call.operands[0].store;
    copy.site = call.site;
    copy.element = element;
    copy.value = value;
    copy.flight = judge_.begin_copy(copy.store, element, act(call.site));
    queue.pending.push_back(copy);
}

void Accessor::commit(std::uint32_t token) {
    for_threads(warp_->active, [&](std::uint32_t t) { ++warp_->tokens[token].commits[t]; });
}

void Accessor::wait(std::uint32_t token, int pending) {
    ++warp_->waits;
    auto& queue = warp_->tokens[token];
    auto under_way = [&](const PendingCopy& c) {
        return !(warp_->active >> c.thread & 1) ||
               c.group + static_cast<std::int64_t>(pending) >= queue.commits[c.thread];
    };
    std::size_t kept = 0;
    for (const auto& c : queue.pending) {
        if (under_way(c)) {
            queue.pending[kept++] = c;
            continue;
        }
        auto who = act(c.site);
        who.thread = static_cast<std::uint16_t>(who.thread + c.thread);
        judge_.arrive(c.flight, c.store, c.element, who);
        store_element(memory_[c.store], c.element, c.value);
    }
    queue.pending.resize(kept);
}

// Intrinsics.

Places Accessor::operand(const Call::Operand& operand, bool flat, std::uint32_t site,
                         Mask threads) {
    return resolve({memory_[operand.store], operand.indices, flat, site}, 0, threads);
}

} // namespace loopscope::simt_interpreter
