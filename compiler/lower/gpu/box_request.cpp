#include "compiler/lower/gpu/box_request.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/linear_in_loops.h"
#include "compiler/lower/gpu/zero_borders.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/swizzling.h"

#include <algorithm>
#include <utility>

namespace loopscope::lower {

namespace {

// The limit of the tensor memory accelerator (TMA): CUDA's driver API, cuTensorMapEncodeTiled.
constexpr std::size_t kMaxDimensions = 5;
constexpr std::int64_t kMaxAlong = 256; // elements of a box
constexpr std::int64_t kUnit = 16;      // bytes: rows of the array and of the box
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32;

constexpr const char* kConditional = "elements of it have a condition of their own";
constexpr const char* kNotDense =
    "it does not lie in shared memory as it does in the array, one element behind the other";

bool is_plain(const Statement& s) {
    std::int64_t begin = 0, extent = 0;
    return s.kind == StatementKind::For && constant_value(s.loop->begin, begin) && begin == 0 &&
           constant_value(s.loop->extent, extent);
}

// A copy, and the loops of several iterations around it: one of one iteration walks through
// nothing.
struct Walk {
    LoopExtents loops;
    StatementPtr copy;
};

Walk walk_of(const StatementPtr& nest) {
    Walk walk;
    std::map<std::string, ExprPtr> once;
    for (const auto* at = nest.get(); at->kind == StatementKind::For; at = at->children[0].get()) {
        std::int64_t extent = 0;
        constant_value(at->loop->extent, extent);
        if (extent == 1)
            once[at->variable] = at->loop->begin;
        else
            walk.loops[at->variable] = extent;
    }
    walk.copy = substitute(innermost_copy(nest), [&](const std::string& name) -> ExprPtr {
        const auto begin = once.find(name);
        return begin == once.end() ? nullptr : begin->second;
    });
    return walk;
}

bool constant_extents(const CopiedArray& array) {
    return std::all_of(array.extents.begin(), array.extents.end(),
                       [](const Extent& e) { return e.is_constant(); });
}

// Can the TMA take boxes of it?
bool fits(const CopiedArray& array) {
    if (!constant_extents(array) || array.extents.empty() || array.extents.size() > kMaxDimensions)
        return false;
    const auto row = array.extents.back().constant() * bytes(array.type);
    return (array.extents.size() == 1 || row % kUnit == 0) &&
           std::all_of(array.extents.begin(), array.extents.end(), [](const Extent& e) {
               return e.constant() > 0 && e.constant() <= kMaxExtent;
           });
}

struct CopiedBetween {
    const CopiedArray *from, *to;
};

Result<CopiedBetween> arrays_of(const Statement& copy, const CopiedArrays& arrays) {
    const auto& name = copy.value->name;
    const auto from = arrays.global.find(name);
    const auto to = arrays.shared.find(copy.access->buffer);
    if (copy.access->mask)
        return error(kConditional);
    if (from == arrays.global.end() || to == arrays.shared.end())
        return error("it is no copy from global into shared memory");
    // Barriers do not order what threads write and what the TMA reads (PTX ISA, "Async Proxy").
    if (arrays.written.count(name))
        return error(name + ", which it is a copy of, is computed by the same launch");
    if (!fits(from->second) || !constant_extents(to->second))
        return error("of " + name +
                     " the extents are no constants, the dimensions more than 5, or the rows no "
                     "multiple of 16 bytes");
    return CopiedBetween{&from->second, &to->second};
}

// What is loaded, where what is outside of the array is zero by itself.
Result<std::vector<ExprPtr>> source_indices(const Expr& load, const CopiedArray& from) {
    if (load.kind != ExprKind::MaskedLoad)
        return load.args;
    auto outside = indices_with_zero_border(load, from.extents);
    if (!outside)
        return error(kConditional);
    return std::move(*outside);
}

// A dimension of more than one element, and by which loops it is walked through.
struct Along {
    std::int64_t count = 1;
    LoopCoefficients loops;
    bool operator==(const Along&) const = default;
};

// An index: where it begins, and what walks on from there. Nothing: loops leave elements out, meet
// some twice, or do something else.
struct WalkedIndex {
    ExprPtr first;
    Along along;
};

std::optional<WalkedIndex> walked_index(const ExprPtr& index, const LoopExtents& loops) {
    const auto form = linear_in_loops(index, loops);
    if (!form)
        return std::nullopt;
    const auto count = covered(*form, loops);
    if (!count)
        return std::nullopt;
    return WalkedIndex{form->base, {*count, form->coefficients}};
}

// A side of the copy: from which element on, and how many along each dimension.
struct Side {
    std::vector<ExprPtr> first;
    std::vector<std::int64_t> counts;
    std::vector<Along> walked;
};

// The side of the array: each loop walks along one dimension, no diagonal.
Result<Side> box_of(const Walk& walk, const std::vector<ExprPtr>& indices,
                    const std::string& array) {
    Side box;
    std::set<std::string> taken;
    for (const auto& index : indices) {
        const auto at = walked_index(index, walk.loops);
        if (at && at->along.count > kMaxAlong)
            return error("it has " + std::to_string(at->along.count) +
                         " elements along one dimension of " + array + ", and a box at most " +
                         std::to_string(kMaxAlong));
        bool apart = at.has_value();
        if (at)
            for (const auto& [loop, coefficient] : at->along.loops)
                apart = taken.insert(loop).second && apart;
        if (!apart)
            return error("it is no box of " + array +
                         ", as of what a boundary other than zeros folds back into it");
        box.first.push_back(at->first);
        box.counts.push_back(at->along.count);
        if (at->along.count > 1)
            box.walked.push_back(at->along);
    }
    if (taken.size() != walk.loops.size())
        return error(kNotDense);
    return box;
}

// The side of shared memory, which the box fills without gaps.
Result<Side> room_of(const Walk& walk, const CopiedArray& to) {
    Side room;
    for (std::size_t d = 0; d < to.extents.size(); ++d) {
        const auto at = walked_index(walk.copy->access->indices[d], walk.loops);
        if (!at)
            return error(kNotDense);
        const auto& [first, along] = *at;
        const auto extent = to.extents[d].constant();
        const bool several = along.count > 1;
        const bool whole = is_zero(first) && along.count == extent;
        const bool between_rows = !several && !room.walked.empty() && extent != 1;
        if ((several && !whole) || between_rows)
            return error(kNotDense);
        room.first.push_back(several ? constant_int(first->type, 0) : first);
        room.counts.push_back(along.count);
        if (several)
            room.walked.push_back(along);
    }
    return room;
}

std::int64_t row_bytes(const BoxRequest& request) {
    return request.extents.back() * bytes(request.type);
}

// Rows as the TMA and the target's pattern take them.
Status check_rows(const BoxRequest& request) {
    const auto row = row_bytes(request);
    std::int64_t size = bytes(request.type);
    for (auto along : request.extents)
        size *= along;
    if (row % kUnit != 0 || size % kSharedAlignment != 0)
        return error("it has rows of " + std::to_string(row) + " bytes and " +
                     std::to_string(size) + " in all, which are no multiples of 16 and of 128");
    if (request.swizzle == 0)
        return success();
    const auto panels = row / request.swizzle;
    if (row % request.swizzle != 0 ||
        size / panels % swizzling(request.swizzle, 1)->alignment() != 0)
        return error("its rows are no multiple of its pattern's " +
                     std::to_string(request.swizzle) + " bytes");
    return success();
}

ExprPtr advanced(const ExprPtr& index, std::int64_t more) {
    std::int64_t value = 0;
    if (constant_value(index, value))
        return constant_int(index->type, value + more);
    return more == 0 ? index : binary(Op::Add, index, constant_int(index->type, more));
}

Operand advanced(Operand operand, std::int64_t more) {
    operand.indices.back() = advanced(operand.indices.back(), more);
    return operand;
}

} // namespace

StatementPtr innermost_copy(StatementPtr at) {
    for (; is_plain(*at); at = at->children[0])
        if (at->loop->kind == ForKind::Serial || at->loop->kind == ForKind::Parallel)
            break; // iterations in order: the loop of a prologue
    return at->kind == StatementKind::Copy ? at : nullptr;
}

Result<BoxRequest> box_request(const StatementPtr& nest, const CopiedArrays& arrays) {
    const auto walk = walk_of(nest);
    const auto& copy = *walk.copy;
    const auto between = arrays_of(copy, arrays);
    if (!between)
        return between.errors();
    const auto indices = source_indices(*copy.value, *between->from);
    if (!indices)
        return indices.errors();
    auto box = box_of(walk, *indices, copy.value->name);
    if (!box)
        return box.errors();
    auto room = room_of(walk, *between->to);
    if (!room)
        return room.errors();
    // One behind the other in both, by the same loops.
    if (box->walked != room->walked || box->walked.empty())
        return error(kNotDense);
    BoxRequest request{copy.origin,
                       copy.step->token,
                       {copy.access->buffer, std::move(room->first)},
                       {copy.value->name, std::move(box->first)},
                       std::move(box->counts),
                       between->to->type,
                       between->to->swizzle,
                       copy.value->kind == ExprKind::MaskedLoad};
    if (auto fine = check_rows(request); !fine)
        return fine.errors();
    return request;
}

// The TMA permutes rows of exactly the pattern's length, by the address alone: a request for
// each panel.
StatementPtr bulk_copies_of(const BoxRequest& request, const std::string& arrivals) {
    const auto panels = request.swizzle ? row_bytes(request) / request.swizzle : 1;
    const auto along = request.extents.back() / panels;
    CopiedBox box{
        {request.extents.begin(), request.extents.end()}, request.swizzle, request.zero_border};
    box.extents.back() = Extent(along);
    std::vector<StatementPtr> out;
    for (std::int64_t p = 0; p < panels; ++p)
        out.push_back(bulk_copy(request.origin, request.token,
                                {advanced(request.target, p * along),
                                 advanced(request.source, p * along),
                                 {arrivals, {}}},
                                box));
    return block(std::move(out));
}

} // namespace loopscope::lower
