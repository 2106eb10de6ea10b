#include "compiler/codegen/nvptx/copy_engine.h"

#include "compiler/lower/instructions.h"
#include "compiler/lower/launch.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>
#include <string>

namespace loopscope::codegen {

using lower::Statement;
using lower::StatementKind;

namespace {

// Who reads what the objects count releases of, in warps.
std::int64_t releasing_warps(const std::string& objects, const lower::StatementPtr& body,
                             std::int64_t threads) {
    std::int64_t releasing = threads;
    auto find = [&](auto& self, const Statement& s, std::int64_t count) -> void {
        if (s.kind == StatementKind::Threads)
            count = threads_of(s).count;
        if (s.kind == StatementKind::Release && !s.operands.empty() &&
            s.operands[0].buffer == objects)
            releasing = count;
        for (const auto& child : s.children)
            self(self, *child, count);
    };
    find(find, *body, threads);
    return (releasing + lower::kWarp - 1) / lower::kWarp;
}

} // namespace

ThreadRange threads_of(const Statement& threads) {
    ThreadRange range;
    constant_value(threads.begin, range.begin);
    constant_value(threads.extent, range.count);
    return range;
}

TensorMap tensor_map_of(const Statement& copy) {
    TensorMap map{copy.operands[1].buffer, {}, copy.swizzle};
    for (const auto& extent : copy.extents)
        map.box.push_back(extent.constant());
    return map;
}

std::vector<TensorMap> tensor_maps_of(const lower::StatementPtr& body) {
    std::vector<TensorMap> maps;
    lower::visit_statements(body, [&](const Statement& s) {
        if (s.kind != StatementKind::BulkCopy)
            return true;
        auto map = tensor_map_of(s);
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
                                                const lower::StatementPtr& body,
                                                std::int64_t threads) {
    bool counts = false, frees = false; // what arrives; rooms
    lower::visit_statements(allocation.children[0], [&](const Statement& s) {
        counts = counts ||
                 (s.kind == StatementKind::BulkCopy && s.operands[2].buffer == allocation.buffer);
        frees = frees || (s.kind == StatementKind::Acquire && !s.operands.empty() &&
                          s.operands[0].buffer == allocation.buffer);
        return !counts && !frees;
    });
    if (!counts && !frees)
        return std::nullopt;
    return CountedArrivals{allocation.extents[0].constant(),
                           frees ? releasing_warps(allocation.buffer, body, threads) : 1, frees};
}

bool threads_write_where_it_does(const lower::StatementPtr& body, const SharedLayout& layout) {
    std::set<std::string> of_engine, of_threads;
    lower::visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::BulkCopy)
            of_engine.insert(s.operands[0].buffer);
        else if (lower::writes(s))
            of_threads.insert(s.buffer);
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
