// Stores side by side whose lanes lie 2 to 4 elements apart and which together fill what lies
// between, such as out[2*x] and out[2*x + 1], or the channels of a pixel: their vectors are
// shuffled together and stored densely, and so are their masks.

#include "compiler/codegen/host/host_emitter.h"
#include "compiler/codegen/host/place.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <cstdlib>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;

namespace {

// beyond it, each dense vector takes shuffles of too many
constexpr std::int64_t kMaxInterleaved = 4;

// 0: no strided store of a vector whose values are independent of what it writes.
std::int64_t stride_of(const lower::Statement& s) {
    std::int64_t stride = 0;
    bool ramp = s.kind == StatementKind::Store && s.access->indices[0]->kind == ExprKind::Ramp;
    if (!ramp || !constant_value(s.access->indices[0]->args[1], stride) || stride < 2 ||
        stride > kMaxInterleaved || lower::loads_from(s, s.access->buffer))
        return 0;
    return stride;
}

bool interleave_together(const lower::Statement& a, const lower::Statement& b) {
    return stride_of(a) == stride_of(b) && a.access->buffer == b.access->buffer &&
           a.access->indices[0]->lanes == b.access->indices[0]->lanes &&
           a.access->streaming == b.access->streaming &&
           (a.access->mask == nullptr) == (b.access->mask == nullptr) &&
           equal(place_of(a.access->indices[0]->args[0]).rest,
                 place_of(b.access->indices[0]->args[0]).rest);
}

// Two strided stores that write the same element: their order counts.
bool collide(std::int64_t a, std::int64_t b, std::int64_t stride, std::int64_t lanes) {
    return (a - b) % stride == 0 && std::abs(a - b) < stride * lanes;
}

} // namespace

// The stores from `first` on that may be written in any order, in groups that are dense together; a
// store without others is a group of its own. Empty: nothing can be interleaved.
std::vector<HostEmitter::InterleavedStores> HostEmitter::interleaved_groups(const Statement& block,
                                                                            std::size_t first) {
    const auto& stores = block.children;
    if (!stores[first])
        return {};
    const auto stride = stride_of(*stores[first]);
    if (stride == 0)
        return {};
    std::vector<std::int64_t> constants;
    auto last = first;
    for (;
         last < stores.size() && stores[last] && interleave_together(*stores[first], *stores[last]);
         ++last) {
        auto constant = place_of(stores[last]->access->indices[0]->args[0]).constant;
        for (auto other : constants)
            if (collide(constant, other, stride, stores[first]->access->indices[0]->lanes))
                return {};
        constants.push_back(constant);
    }
    std::vector<InterleavedStores> groups;
    std::vector<bool> taken(constants.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        if (taken[i])
            continue;
        InterleavedStores group{{stores[first + i].get()}};
        for (auto begin = constants[i]; begin > constants[i] - stride; --begin) {
            std::vector<std::size_t> members;
            for (auto wanted = begin; wanted < begin + stride; ++wanted)
                for (std::size_t k = 0; k < constants.size(); ++k)
                    if (constants[k] == wanted && !taken[k])
                        members.push_back(k);
            if (static_cast<std::int64_t>(members.size()) != stride)
                continue;
            group.members.clear();
            for (auto k : members) {
                taken[k] = true;
                group.members.push_back(stores[first + k].get());
            }
            any = true;
            break;
        }
        taken[i] = true;
        groups.push_back(std::move(group));
    }
    return any ? groups : std::vector<InterleavedStores>{};
}

// Writes the stores of a block from `first` on together, where that is possible; gives how many it
// has written.
std::size_t HostEmitter::interleaved_stores(const Statement& block, std::size_t first) {
    std::size_t written = 0;
    for (const auto& group : interleaved_groups(block, first)) {
        if (group.members.size() == 1)
            statement(*group.members[0]);
        else
            store_interleaved(group);
        written += group.members.size();
    }
    return written;
}

void HostEmitter::store_interleaved(const InterleavedStores& group) {
    const auto& least = *group.members[0];
    const Buffer buffer = buffers_.at(least.access->buffer);
    const int count = least.access->indices[0]->lanes;
    auto enclosing = b_.getCurrentDebugLocation();
    std::vector<Value*> vectors, masks;
    for (const auto* member : group.members) {
        set_origin(member->origin);
        memo_.emplace_back();
        vectors.push_back(to_memory(buffer.type, lanes(member->value, count)));
        masks.push_back(member->access->mask ? lanes(member->access->mask, count) : nullptr);
        memo_.pop_back();
    }
    set_origin(least.origin);
    memo_.emplace_back();
    auto begin = linear(least.access->indices[0]->args[0]);
    for (std::size_t piece = 0; piece < vectors.size(); ++piece) {
        auto at = begin.plus(Linear::of(static_cast<std::int64_t>(piece) * count));
        store_dense(buffer, at, interleaved(vectors, piece),
                    least.access->mask ? interleaved(masks, piece) : nullptr, count,
                    least.access->streaming);
    }
    memo_.pop_back();
    b_.SetCurrentDebugLocation(enclosing);
}

// Piece number `piece` of v0[0], v1[0], …, v0[1], v1[1], …, as long as one of the vectors. Two at a
// time, and then what each two have contributed.
Value* HostEmitter::interleaved(const std::vector<Value*>& vectors, std::size_t piece) {
    auto count = llvm::cast<llvm::FixedVectorType>(vectors[0]->getType())->getNumElements();
    auto chosen = [&](Value* a, Value* b, auto lane_of) {
        llvm::SmallVector<int, 64> order(count, llvm::PoisonMaskElem);
        for (unsigned lane = 0; lane < count; ++lane) {
            auto element = piece * count + lane;
            order[lane] = lane_of(static_cast<int>(lane), element % vectors.size(),
                                  static_cast<int>(element / vectors.size()));
        }
        return b_.CreateShuffleVector(a, b, order);
    };
    const int second = static_cast<int>(count); // where the second operand of a shuffle begins
    Value* result = nullptr;
    for (std::size_t v = 0; v < vectors.size(); v += 2) {
        bool pair = v + 1 < vectors.size();
        Value* part = vectors[v];
        if (pair)
            part = chosen(vectors[v], vectors[v + 1], [&](int, std::size_t from, int element) {
                return from == v       ? element
                       : from == v + 1 ? second + element
                                       : llvm::PoisonMaskElem;
            });
        result =
            !result ? part : chosen(result, part, [&](int lane, std::size_t from, int element) {
                return from < v ? lane : second + (pair ? lane : element);
            });
    }
    return result;
}

} // namespace loopscope::codegen
