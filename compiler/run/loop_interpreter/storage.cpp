#include "compiler/run/loop_interpreter/storage.h"

#include <cstring>

namespace loopscope::loop_interpreter {

namespace {

constexpr std::uint32_t kMany = 0x7fffffff; // as an iteration: more than one

template <typename T> Cell read_as(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_signed_v<T>)
        return static_cast<Cell>(static_cast<std::int64_t>(value));
    else
        return value;
}

Cell read(const Store& store, std::int64_t index) {
    auto at = store.data + index * bytes(store.type);
    switch (store.type) {
    case ScalarType::Bool: return read_as<std::uint8_t>(at) != 0;
    case ScalarType::I8: return read_as<std::int8_t>(at);
    case ScalarType::I16: return read_as<std::int16_t>(at);
    case ScalarType::I32: return read_as<std::int32_t>(at);
    case ScalarType::U8: return read_as<std::uint8_t>(at);
    case ScalarType::U16:
    case ScalarType::F16:
    case ScalarType::BF16: return read_as<std::uint16_t>(at);
    case ScalarType::U32:
    case ScalarType::F32: return read_as<std::uint32_t>(at);
    default: return read_as<std::uint64_t>(at);
    }
}

} // namespace

Memory::Memory(const LoopInterpreterOptions& options)
    : levels(), footprints(options.footprints.size()), options_(options) {}

void Memory::reserve(std::int64_t bytes) {
    used_ += bytes;
    if (used_ <= options_.memory_limit)
        return;
    auto d = error("the interpreter of loop programs needs more than " +
                       std::to_string(options_.memory_limit) + " bytes",
                   "make the pipeline's parameters smaller, or raise the limit");
    d.code = "memory-limit";
    throw Stop{d};
}

std::uint32_t Memory::add_store(const std::string& name, ScalarType type,
                                std::vector<std::int64_t> extents, std::size_t first_level) {
    auto count = element_count(extents);
    if (!count)
        throw Stop{count.errors().front()};
    Store s;
    s.name = name;
    s.type = type;
    s.extents = std::move(extents);
    s.count = *count;
    s.first_level = first_level;
    s.stamps.resize(footprints.size());
    s.in_execution.resize(footprints.size());
    stores_.push_back(std::move(s));
    return static_cast<std::uint32_t>(stores_.size() - 1);
}

void Memory::use_input(std::uint32_t number, const Buffer& buffer) {
    auto& s = stores_[number];
    s.input = true;
    // never written: the verifier refuses stores to inputs
    s.data = const_cast<std::byte*>(buffer.data.data());
    reserve(s.count);
    s.touched.assign(static_cast<std::size_t>(s.count), 0);
}

void Memory::allocate(std::uint32_t number) {
    auto& s = stores_[number];
    ++s.epoch;
    if (s.data || s.count == 0)
        return;
    if (s.count > options_.memory_limit / bytes(s.type))
        reserve(options_.memory_limit);
    reserve(s.count * (bytes(s.type) + static_cast<std::int64_t>(sizeof(std::uint32_t)) + 1));
    auto count = static_cast<std::size_t>(s.count);
    s.owned.resize(count * static_cast<std::size_t>(bytes(s.type)));
    s.data = s.owned.data();
    s.written.assign(count, 0);
    s.touched.assign(count, 0);
}

Cell Memory::load(Site& site, std::int64_t index) {
    auto value = old_value(site, index);
    note(stores_[site.store], site, index);
    return value;
}

Cell Memory::old_value(const Site& site, std::int64_t index) {
    auto& s = stores_[site.store];
    if (!s.input && s.written[static_cast<std::size_t>(index)] != s.epoch)
        report(LoopFinding::Kind::UninitializedRead, *site.origin, s.name,
               [&] { return "reads " + place(s, index) + ", which nothing has written"; });
    return read(s, index);
}

void Memory::write(Site& site, std::int64_t index, Cell value) {
    auto& s = stores_[site.store];
    s.written[static_cast<std::size_t>(index)] = s.epoch;
    note(s, site, index);
    // Cells hold the value in their low bytes, and hosts are little-endian.
    std::memcpy(s.data + index * bytes(s.type), &value, static_cast<std::size_t>(bytes(s.type)));
}

void Memory::note(Store& s, Site& site, std::int64_t index) {
    site.elements += site.occurrences;
    s.touched[static_cast<std::size_t>(index)] |= site.writes ? 2 : 1;
    if (!levels.empty() && options_.check_conflicts && !s.input)
        check_conflicts(s, site, index);
    if (!footprints.empty())
        note_footprints(s, site.writes, index);
}

void Memory::check_conflicts(Store& s, const Site& site, std::int64_t index) {
    if (s.shadows.size() + s.first_level < levels.size())
        s.shadows.resize(levels.size() - s.first_level);
    for (std::size_t l = s.first_level; l < levels.size(); ++l) {
        auto& shadows = s.shadows[l - s.first_level];
        if (shadows.empty()) {
            reserve(s.count * static_cast<std::int64_t>(sizeof(Store::Shadow)));
            shadows.resize(static_cast<std::size_t>(s.count));
        }
        const auto& level = levels[l];
        auto& shadow = shadows[static_cast<std::size_t>(index)];
        // Combining by one operation may meet itself in other lanes, an atomic one anywhere.
        bool itself_allowed = level.vectorized || site.reduction >= kFirstAtomic;
        auto reduction = itself_allowed ? site.reduction : 0;
        auto meets = [&](const Store::Shadow::Last& last) {
            bool itself = reduction != 0 && last.reduction == reduction;
            return last.execution == level.execution && last.iteration != level.iteration &&
                   !itself;
        };
        if (meets(shadow.write))
            conflict(s, site, index, level, true);
        else if (site.writes && meets(shadow.read))
            conflict(s, site, index, level, false);
        auto& last = site.writes ? shadow.write : shadow.read;
        bool others = last.execution == level.execution && last.iteration != level.iteration;
        last = {level.execution, others ? kMany : level.iteration,
                others && last.reduction != reduction ? 0 : reduction};
    }
}

void Memory::conflict(const Store& s, const Site& site, std::int64_t index, const Level& level,
                      bool other_wrote) {
    report(LoopFinding::Kind::Conflict, *site.origin, s.name, [&] {
        return std::string(site.writes ? "writes " : "reads ") + place(s, index) +
               " in iteration " + std::to_string(level.iteration) + " of the " +
               (level.vectorized ? "vectorised" : "parallel") + " loop " + level.origin->text() +
               ", which another iteration " + (other_wrote ? "writes" : "reads");
    });
}

void Memory::check_lanes(Site& site, std::int64_t index) {
    auto& s = stores_[site.store];
    if (s.lane_store.empty()) {
        reserve(s.count * static_cast<std::int64_t>(sizeof(std::uint32_t)));
        s.lane_store.assign(static_cast<std::size_t>(s.count), 0);
    }
    auto& last = s.lane_store[static_cast<std::size_t>(index)];
    if (last == vector_store_)
        report(LoopFinding::Kind::Conflict, *site.origin, s.name,
               [&] { return "two lanes of one store write " + place(s, index); });
    last = vector_store_;
}

void Memory::note_footprints(Store& s, bool writes, std::int64_t index) {
    for (std::size_t f = 0; f < footprints.size(); ++f) {
        const auto& loop = footprints[f];
        if (!loop.running)
            continue;
        auto& stamps = s.stamps[f];
        if (stamps.empty()) {
            reserve(s.count * static_cast<std::int64_t>(sizeof(Store::Stamp)));
            stamps.resize(static_cast<std::size_t>(s.count));
        }
        auto& stamp = stamps[static_cast<std::size_t>(index)];
        auto& mine = writes ? stamp.write : stamp.read;
        if (mine == loop.execution)
            continue;
        auto& sum = s.in_execution[f];
        (writes ? sum.written : sum.read) += bytes(s.type);
        if ((writes ? stamp.read : stamp.write) != loop.execution)
            sum.touched += bytes(s.type);
        mine = loop.execution;
    }
}

std::string Memory::place(const Store& s, std::int64_t index) const {
    std::string text;
    for (auto extent = s.extents.rbegin(); extent != s.extents.rend(); ++extent) {
        text = std::to_string(index % *extent) + (text.empty() ? "" : ", ") + text;
        index /= *extent;
    }
    return s.name + "[" + text + "]";
}

} // namespace loopscope::loop_interpreter
