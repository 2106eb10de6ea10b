#include "compiler/codegen/nvptx/tma_requests.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>
#include <string>

namespace loopscope::codegen {

using lower::Statement;
using lower::StatementKind;

namespace {

// How many warps release the slots that the mbarriers count: those of all blocks that say so.
std::int64_t releasing_warps(const std::string& mbarriers, const lower::LaunchShape& shape) {
    std::int64_t threads = shape.threads(), blocks = 1;
    auto find = [&](auto& self, const Statement& s, std::int64_t count) -> void {
        if (s.kind == StatementKind::Threads)
            count = s.threads->count;
        if (s.kind == StatementKind::Release && !s.operands.empty() &&
            s.operands[0].buffer == mbarriers) {
            threads = count;
            blocks = lower::sharing_blocks(shape, s.level);
        }
        for (const auto& child : s.children)
            self(self, *child, count);
    };
    find(find, *shape.body, threads);
    return blocks * ((threads + lower::kWarp - 1) / lower::kWarp);
}

} // namespace

TensorMap tensor_map_of(const Statement& copy, const lower::LaunchShape& shape) {
    const auto part = lower::box_part(copy, lower::sharing_blocks(shape, copy.level));
    return {copy.operands[1].buffer, part->box, copy.box->swizzle};
}

std::vector<TensorMap> tensor_maps_of(const lower::LaunchShape& shape) {
    std::vector<TensorMap> maps;
    lower::visit_statements(shape.body, [&](const Statement& s) {
        if (s.kind != StatementKind::BulkCopy)
            return true;
        auto map = tensor_map_of(s, shape);
        if (std::find(maps.begin(), maps.end(), map) == maps.end())
            maps.push_back(std::move(map));
        return true;
    });
    return maps;
}

std::int64_t bytes_of_box(const TensorMap& map, ScalarType type) {
    std::int64_t size = bytes(type);
    for (auto along : map.box)
        size *= along;
    return size;
}

std::optional<CountedArrivals> counted_arrivals(const Statement& allocation,
                                                const lower::LaunchShape& shape) {
    bool counts = false, frees = false; // boxes that arrive; slots
    lower::visit_statements(allocation.children[0], [&](const Statement& s) {
        counts = counts || (s.kind == StatementKind::BulkCopy &&
                            s.operands[2].buffer == allocation.storage->buffer);
        frees = frees || (s.kind == StatementKind::Acquire && !s.operands.empty() &&
                          s.operands[0].buffer == allocation.storage->buffer);
        return !counts && !frees;
    });
    if (!counts && !frees)
        return std::nullopt;
    return CountedArrivals{allocation.storage->extents[0].constant(),
                           frees ? releasing_warps(allocation.storage->buffer, shape) : 1, frees};
}

bool threads_write_where_it_does(const lower::StatementPtr& body, const SharedLayout& layout) {
    std::set<std::string> of_engine, of_threads;
    lower::visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::BulkCopy)
            of_engine.insert(s.operands[0].buffer);
        else if (lower::writes(s))
            of_threads.insert(s.access->buffer);
        else if (s.kind == StatementKind::Intrinsic)
            for (const auto& operand : s.operands)
                if (lower::writes_operand(s, operand.buffer))
                    of_threads.insert(operand.buffer);
        return true;
    });
    return std::any_of(of_engine.begin(), of_engine.end(), [&](const auto& filled) {
        return std::any_of(of_threads.begin(), of_threads.end(),
                           [&](const auto& written) { return layout.overlap(filled, written); });
    });
}

} // namespace loopscope::codegen
