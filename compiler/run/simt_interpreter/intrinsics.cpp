#include "compiler/run/simt_interpreter/intrinsics.h"

#include <algorithm>
#include <charconv>

namespace loopscope::simt_interpreter {

namespace {

std::vector<IntrinsicEntry> all_entries() {
    std::vector<IntrinsicEntry> all;
    for (auto part : {shuffles(), matrix_loads(), matrix_instructions(), whole_matrices(),
                      warpgroup_products()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

const std::vector<IntrinsicEntry>& table() {
    static const auto entries = all_entries();
    return entries;
}

// Is it the entry's name, with its number?
bool matches(const IntrinsicEntry& entry, const std::string& name, int& number) {
    if (!entry.name.ends_with('#'))
        return entry.name == name;
    auto stem = entry.name.substr(0, entry.name.size() - 1);
    if (!name.starts_with(stem))
        return false;
    const auto* last = name.data() + name.size();
    auto [end, status] = std::from_chars(name.data() + stem.size(), last, number);
    return status == std::errc() && end == last && number >= 0;
}

std::string wrong_operand(const OperandRule& rule, const Store& store) {
    if (rule.space != store.space && !(rule.or_global && store.space == Space::Global))
        return store.name + (rule.space == Space::Private ? " is not of one thread"
                                                          : " is not in shared memory");
    if (rule.types.empty() ||
        std::find(rule.types.begin(), rule.types.end(), store.type) != rule.types.end())
        return {};
    return store.name + " is " + name(store.type);
}

} // namespace

Result<FoundIntrinsic> find_intrinsic(const std::string& name,
                                      const std::vector<const Store*>& operands) {
    for (const auto& entry : table()) {
        FoundIntrinsic found{&entry, 0};
        if (!matches(entry, name, found.number))
            continue;
        if (!entry.any_number && entry.operands.size() != operands.size())
            return error("the intrinsic " + name + " has " + std::to_string(entry.operands.size()) +
                         " operands, not " + std::to_string(operands.size()));
        for (std::size_t i = 0; i < operands.size(); ++i) {
            auto wrong = wrong_operand(entry.operands[entry.any_number ? 0 : i], *operands[i]);
            if (wrong.empty() && entry.one_type && operands[i]->type != operands[0]->type)
                wrong = operands[i]->name + " is of another type than " + operands[0]->name;
            if (!wrong.empty())
                return error("the intrinsic " + name + " does not take its operand " +
                             std::to_string(i + 1) + ": " + wrong);
        }
        return found;
    }
    return error("the interpreter of launches on a device does not know the intrinsic " + name);
}

IntrinsicRun::IntrinsicRun(const Call& call, Accessor& accessor, SimtCounts& counts)
    : call_(call), accessor_(accessor), counts_(counts), places_(call.operands.size()) {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (store(i).space == Space::Private)
            places_[i] = places(i, on());
}

Places IntrinsicRun::places(std::size_t operand, Mask threads) const {
    return accessor_.operand(call_.operands[operand], call_.flat, call_.site, threads & on());
}

// The places `offset` elements further; where that leaves the buffer, the thread is off.
Places IntrinsicRun::moved(std::size_t operand, std::int64_t offset) {
    auto places = places_[operand];
    for_threads(places.on, [&](std::uint32_t t) {
        auto first = places.element[t];
        places.element[t] += offset;
        if (places.element[t] < count(operand))
            return;
        places.on &= ~(Mask{1} << t);
        report(SimtFinding::Kind::OutOfBounds, operand, first, t,
               "has too few elements from there on");
    });
    places.same = false; // threads that left take no part
    return places;
}

Lanes IntrinsicRun::read(std::size_t operand, std::int64_t offset) {
    return read_at(operand, moved(operand, offset));
}

Lanes IntrinsicRun::read_at(std::size_t operand, const Places& places) {
    Lanes values{};
    accessor_.read(call_.operands[operand].store, places, call_.site, values.data());
    return values;
}

void IntrinsicRun::write_at(std::size_t operand, const Places& places, const Lanes& values) {
    accessor_.write(call_.operands[operand].store, places, call_.site, values.data());
}

void IntrinsicRun::write(std::size_t operand, const Lanes& values, std::int64_t offset) {
    accessor_.write(call_.operands[operand].store, moved(operand, offset), call_.site,
                    values.data());
}

const HeldSums* IntrinsicRun::held(std::size_t operand) const {
    const auto element = places_[operand].element[0];
    for (const auto& held : accessor_.held())
        if (held.store == call_.operands[operand].store && held.element == element)
            return &held;
    return nullptr;
}

void IntrinsicRun::hold(std::size_t operand, std::vector<Lanes> sums) {
    const auto store = call_.operands[operand].store;
    const auto element = places_[operand].element[0];
    for (std::size_t r = 0; r < sums.size(); ++r)
        accessor_.forget(store, element + static_cast<std::int64_t>(r), on());
    auto& all = accessor_.held();
    std::erase_if(all,
                  [&](const auto& held) { return held.store == store && held.element == element; });
    all.push_back({store, element, std::move(sums)});
}

void IntrinsicRun::deliver(std::size_t operand) {
    const auto* held = this->held(operand);
    if (!held)
        return;
    const auto sums = held->sums;
    std::erase_if(accessor_.held(), [&](const auto& each) { return &each == held; });
    for (std::size_t r = 0; r < sums.size(); ++r)
        write(operand, sums[r], static_cast<std::int64_t>(r));
}

void IntrinsicRun::read_later(std::size_t operand, const Places& places) {
    const auto& s = store(operand);
    if (s.handover == 0)
        return;
    auto& reads = accessor_.reads_under_way();
    for_threads(places.on, [&](std::uint32_t t) {
        const SlotRead read{s.handover - 1,
                            s.groups[static_cast<std::size_t>(places.element[t])].number,
                            call_.operands[operand].store, false};
        const bool known = std::any_of(reads.begin(), reads.end(), [&](const SlotRead& other) {
            return other.store == read.store && other.group == read.group && !other.left;
        });
        if (!known)
            reads.push_back(read);
    });
}

void IntrinsicRun::await_before() {
    auto& reads = accessor_.reads_under_way();
    std::erase_if(reads, [](const SlotRead& read) { return read.left; });
    for (auto& read : reads)
        read.left = true;
}

void IntrinsicRun::await_all() { accessor_.reads_under_way().clear(); }

void IntrinsicRun::report(SimtFinding::Kind kind, std::size_t operand, std::int64_t element,
                          std::uint32_t thread, const std::string& what) {
    auto act = accessor_.act(call_.site);
    act.thread = static_cast<std::uint16_t>(act.thread + thread);
    accessor_.judge().report_operand(kind, store(operand), element, act, what);
}

} // namespace loopscope::simt_interpreter
