// The instructions that touch memory: index lanes to offsets, through the boundary, then gather or
// scatter.
#include "compiler/run/reference/arithmetic.h"
#include "compiler/run/reference/boundary.h"
#include "compiler/run/reference/code.h"
#include "compiler/run/reference/types.h"

namespace loopscope::reference {

namespace {

struct Offsets {
    std::int64_t at[kLanes];
    bool outside[kLanes]; // set for zero and constant boundaries only
    bool any_outside = false;
};

// Index lanes as i64. A u64 beyond i64 keeps what the boundary needs of it: its place within the
// period, or "far".
void widen(const Access& access, std::size_t dimension, const Frame& f, std::int64_t* index) {
    with_type(access.index_types[dimension], [&]<typename T>(Tag<T>) -> Kernel {
        const T* lanes = f.lanes<T>(access.indices[dimension]);
        for (int lane = 0; lane < f.count; ++lane)
            index[lane] = static_cast<std::int64_t>(lanes[lane]);
        return nullptr;
    });
    if (access.index_types[dimension] != ScalarType::U64)
        return;
    auto extent = static_cast<std::uint64_t>(access.storage->extents[dimension]);
    auto boundary = access.storage->boundary;
    std::uint64_t period = boundary == BoundaryKind::Wrap                    ? extent
                           : boundary == BoundaryKind::Mirror                ? 2 * extent
                           : boundary == BoundaryKind::Reflect && extent > 1 ? 2 * extent - 2
                                                                             : 0;
    for (int lane = 0; lane < f.count; ++lane)
        if (index[lane] < 0)
            index[lane] =
                period ? static_cast<std::int64_t>(static_cast<std::uint64_t>(index[lane]) % period)
                       : std::numeric_limits<std::int64_t>::max();
}

void note_escape(const Access& access, std::size_t dimension, std::int64_t index, Frame& f) {
    if (!f.escape)
        f.escape = Escape{access.storage, static_cast<int>(dimension), index};
}

// Applies the boundary of one dimension; what is not inside afterwards is replaced by the origin.
template <typename Map> void map_lanes(Frame& f, std::int64_t* index, Map map) {
    for (int lane = 0; lane < f.count; ++lane)
        index[lane] = map(index[lane]);
}

void check_inside(const Access& access, std::size_t d, Frame& f, std::int64_t* index) {
    auto origin = access.storage->origin[d], end = origin + access.storage->extents[d];
    bool inside = true;
    for (int lane = 0; lane < f.count; ++lane)
        inside &= (index[lane] >= origin) & (index[lane] < end);
    if (inside)
        return;
    for (int lane = 0; lane < f.count; ++lane)
        if (index[lane] < origin || index[lane] >= end) {
            note_escape(access, d, index[lane], f);
            index[lane] = origin;
        }
}

void mark_outside(const Access& access, std::size_t d, Frame& f, std::int64_t* index,
                  Offsets& offsets) {
    auto extent = access.storage->extents[d];
    for (int lane = 0; lane < f.count; ++lane) {
        bool outside = (index[lane] < 0) | (index[lane] >= extent);
        offsets.outside[lane] |= outside;
        offsets.any_outside |= outside;
        index[lane] = outside ? 0 : index[lane];
    }
}

void apply_boundary(const Access& access, std::size_t d, BoundaryKind boundary, Frame& f,
                    std::int64_t* index, Offsets& offsets) {
    auto n = access.storage->extents[d];
    switch (boundary) {
    case BoundaryKind::None: check_inside(access, d, f, index); break;
    case BoundaryKind::Edge: map_lanes(f, index, [n](auto i) { return edge(i, n); }); break;
    case BoundaryKind::Mirror: map_lanes(f, index, [n](auto i) { return mirror(i, n); }); break;
    case BoundaryKind::Reflect: map_lanes(f, index, [n](auto i) { return reflect(i, n); }); break;
    case BoundaryKind::Wrap: map_lanes(f, index, [n](auto i) { return wrap(i, n); }); break;
    case BoundaryKind::Zero:
    case BoundaryKind::Constant: mark_outside(access, d, f, index, offsets); break;
    }
}

void compute_offsets(const Access& access, BoundaryKind boundary, Frame& f, Offsets& offsets) {
    std::int64_t index[kLanes];
    std::fill_n(offsets.at, f.count, 0);
    if (boundary == BoundaryKind::Zero || boundary == BoundaryKind::Constant)
        std::fill_n(offsets.outside, f.count, false);
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
        widen(access, d, f, index);
        apply_boundary(access, d, boundary, f, index, offsets);
        auto origin = access.storage->origin[d], stride = access.storage->strides[d];
        for (int lane = 0; lane < f.count; ++lane)
            offsets.at[lane] += (index[lane] - origin) * stride;
    }
}

template <typename T> T loaded(T value) { return value; }
// A file's or a caller's bool may be any byte: all but 0 are true.
template <> Truth loaded(Truth value) { return value == Truth::False ? Truth::False : Truth::True; }

template <typename T> void load_lanes(const Instruction& i, Frame& f) {
    Offsets offsets;
    compute_offsets(*i.access, i.access->storage->boundary, f, offsets);
    const T* data = reinterpret_cast<const T*>(i.access->storage->data);
    T* target = f.lanes<T>(i.target);
    if (!offsets.any_outside) {
        for (int lane = 0; lane < f.count; ++lane)
            target[lane] = loaded(data[offsets.at[lane]]);
        return;
    }
    // An input without elements has nothing to read: every lane is outside.
    auto outside = from_bits<T>(i.access->storage->outside);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = offsets.outside[lane] ? outside : loaded(data[offsets.at[lane]]);
}

} // namespace

Kernel load_kernel(ScalarType type) {
    return with_type(type, []<typename T>(Tag<T>) -> Kernel { return load_lanes<T>; });
}

void store_lanes(const Access& access, int value, int condition, Frame& f) {
    Offsets offsets;
    compute_offsets(access, BoundaryKind::None, f,
                    offsets); // the box covers the writes of lanes that are off, too
    with_type(access.storage->type, [&]<typename T>(Tag<T>) -> Kernel {
        T* data = reinterpret_cast<T*>(access.storage->data);
        const T* lanes = f.lanes<T>(value);
        const Truth* on = condition < 0 ? nullptr : f.lanes<Truth>(condition);
        for (int lane = 0; lane < f.count; ++lane)
            if (!on || on[lane] == Truth::True)
                data[offsets.at[lane]] = lanes[lane];
        return nullptr;
    });
}

} // namespace loopscope::reference
