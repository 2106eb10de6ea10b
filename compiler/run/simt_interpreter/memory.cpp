#include "compiler/run/simt_interpreter/memory.h"

#include <algorithm>
#include <cstring>

namespace loopscope::simt_interpreter {

namespace {

template <typename T> Cell read_as(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_signed_v<T>)
        return static_cast<Cell>(static_cast<std::int64_t>(value));
    else
        return value;
}

template <typename T> void gather_as(const Store& store, const Places& places, Cell* out) {
    if (places.same) {
        auto value = read_as<T>(store.data + places.element[0] * sizeof(T));
        std::fill_n(out, kWarp, value);
        return;
    }
    for_threads(places.on, [&](std::uint32_t t) {
        out[t] = read_as<T>(store.data + places.element[t] * sizeof(T));
    });
}

// Calls f with a value of the integer type whose bytes, extended to a cell, are the cell of `type`.
// A bool's byte is 0 or 1.
template <typename F> auto with_stored(ScalarType type, F f) {
    switch (type) {
    case ScalarType::I8: return f(std::int8_t{});
    case ScalarType::I16: return f(std::int16_t{});
    case ScalarType::I32: return f(std::int32_t{});
    case ScalarType::Bool:
    case ScalarType::U8: return f(std::uint8_t{});
    case ScalarType::U16:
    case ScalarType::F16:
    case ScalarType::BF16: return f(std::uint16_t{});
    case ScalarType::U32:
    case ScalarType::F32: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
    }
}

} // namespace

Cell load_element(const Store& store, std::int64_t element) {
    return cell_of_bytes(store.type, store.data + element * store.element_bytes);
}

Cell cell_of_bytes(ScalarType type, const std::byte* at) {
    return with_stored(type, [&](auto x) { return read_as<decltype(x)>(at); });
}

void store_element(Store& store, std::int64_t element, Cell value) {
    // Cells hold the value in their low bytes, and hosts are little-endian.
    std::memcpy(store.data + element * store.element_bytes, &value,
                static_cast<std::size_t>(store.element_bytes));
    store.written[static_cast<std::size_t>(element)] = store.stamp;
}

void gather(const Store& store, const Places& places, Cell* out) {
    with_stored(store.type, [&](auto x) { gather_as<decltype(x)>(store, places, out); });
}

void Memory::reserve(std::int64_t bytes) {
    used_ += bytes;
    if (used_ <= limit_)
        return;
    auto d = error("the interpreter of launches on a device needs more than " +
                       std::to_string(limit_) + " bytes",
                   "make the pipeline's parameters smaller, or raise the limit");
    d.code = "memory-limit";
    throw Stop{d};
}

std::uint32_t Memory::add(const std::string& name, ScalarType type, Space space,
                          std::vector<std::int64_t> extents) {
    auto count = element_count(extents);
    if (!count)
        throw Stop{count.errors().front()};
    Store s;
    s.name = name;
    s.type = type;
    s.space = space;
    s.count = *count;
    s.element_bytes = bytes(type);
    s.strides.assign(extents.size(), 1);
    for (auto d = extents.size(); d-- > 1;)
        s.strides[d - 1] = s.strides[d] * extents[d];
    s.extents = std::move(extents);
    stores_.push_back(std::move(s));
    // products below stay within 64 bits
    if (*count > limit_)
        reserve(*count);
    return static_cast<std::uint32_t>(stores_.size() - 1);
}

void Memory::use_input(std::uint32_t number, const Buffer& buffer) {
    auto& s = stores_[number];
    s.input = true;
    // never written: the verifier refuses stores to inputs
    s.data = const_cast<std::byte*>(buffer.data.data());
}

void Memory::make_global(std::uint32_t number) {
    auto& s = stores_[number];
    reserve(s.count * (s.element_bytes + static_cast<std::int64_t>(sizeof(std::uint32_t))));
    s.owned.resize(static_cast<std::size_t>(s.count * s.element_bytes));
    s.data = s.owned.data();
    s.written.assign(static_cast<std::size_t>(s.count), 0);
}

void Memory::make_shared(std::uint32_t number) {
    make_global(number);
    watch(number);
}

void Memory::find_aliases(const std::vector<std::uint32_t>& stores) {
    auto end = [](const Store& s) { return s.offset + s.count * s.element_bytes; };
    for (auto a : stores)
        for (auto b : stores) {
            const auto &x = stores_[a], &y = stores_[b];
            if (a != b && x.offset >= 0 && y.offset >= 0 && x.offset < end(y) && y.offset < end(x))
                stores_[a].aliases.push_back(b);
        }
}

void Memory::make_private(std::uint32_t number, std::uint32_t warps) {
    auto& s = stores_[number];
    constexpr auto kRow = static_cast<std::int64_t>(sizeof(Cell) * kWarp + sizeof(Mask));
    if (s.count > limit_ / kRow)
        reserve(limit_);
    reserve(s.count * warps * kRow);
    auto rows = static_cast<std::size_t>(s.count) * warps;
    s.cells.assign(rows * kWarp, 0);
    s.written_by.assign(rows, 0);
}

void Memory::release(std::uint32_t number) {
    auto& s = stores_[number];
    used_ -= static_cast<std::int64_t>(s.owned.size() + s.written.size() * sizeof(std::uint32_t) +
                                       s.watch.size() * sizeof(ElementWatch) +
                                       s.cells.size() * sizeof(Cell) +
                                       s.written_by.size() * sizeof(Mask));
    s.data = nullptr;
    s.owned = {};
    s.written = {};
    s.watch = {};
    s.cells = {};
    s.written_by = {};
}

void Memory::watch(std::uint32_t number) {
    auto& s = stores_[number];
    s.watched = true;
    auto count = static_cast<std::size_t>(s.count);
    if (s.watch.size() != count) {
        reserve(s.count * static_cast<std::int64_t>(sizeof(ElementWatch)));
        s.watch.resize(count);
    }
    if (s.space == Space::Global && s.global_watch.size() != count) {
        reserve(s.count * static_cast<std::int64_t>(sizeof(GlobalWatch)));
        s.global_watch.resize(count);
    }
}

Overlap overlap(const Store& s, std::int64_t element, const Store& other) {
    const auto first = s.offset + element * s.element_bytes - other.offset,
               last = first + s.element_bytes - 1;
    if (last < 0)
        return {};
    return {std::max<std::int64_t>(first, 0) / other.element_bytes,
            std::min(last / other.element_bytes + 1, other.count)};
}

std::string place_text(const Store& s, std::int64_t element) {
    std::string text;
    for (auto extent = s.extents.rbegin(); extent != s.extents.rend(); ++extent) {
        text = std::to_string(element % *extent) + (text.empty() ? "" : ", ") + text;
        element /= *extent;
    }
    return s.name + "[" + text + "]";
}

} // namespace loopscope::simt_interpreter
