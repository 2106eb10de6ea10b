// Checks of what threads of a block hand over: as many mbarriers on both sides, in memory that
// nothing else has.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace loopscope::lower {

namespace {

struct HandedOver {
    std::int64_t begin = 0, end = 0; // bytes of the block's memory
    bool meets(const HandedOver& other) const { return begin < other.end && other.begin < end; }
};

} // namespace

Diagnostics check_handovers(const Launch& launch) {
    const auto tokens = handed_over(launch.body);
    if (tokens.empty())
        return {};
    std::map<std::string, HandedOver> rooms;              // of planned allocations
    std::map<std::string, std::int64_t> counts;           // elements of what has one dimension
    std::map<std::string, std::set<std::string>> objects; // by token
    std::set<std::string> kept;                           // filled by copies, or mbarriers
    visit_statements(launch.body, [&](const Statement& s) {
        if (allocates_shared(s)) {
            if (s.storage->offset >= 0)
                rooms[s.storage->buffer] = {s.storage->offset, s.storage->offset + bytes_of(s)};
            if (s.storage->extents.size() == 1)
                counts[s.storage->buffer] = s.storage->extents[0].hint();
        }
        if (!s.step || !tokens.count(s.step->token))
            return true;
        for (const auto& operand : s.operands)
            if (s.kind != StatementKind::BulkCopy)
                objects[s.step->token].insert(operand.buffer), kept.insert(operand.buffer);
        if (s.kind == StatementKind::BulkCopy)
            kept.insert(s.operands[0].buffer);
        return true;
    });
    Diagnostics errors;
    for (const auto& [token, its] : objects)
        for (const auto& name : its)
            if (counts[name] != counts[*its.begin()])
                errors.push_back(error("the pipeline " + token + " has " +
                                       std::to_string(counts[*its.begin()]) + " mbarriers " +
                                       *its.begin() + ", and " + std::to_string(counts[name]) +
                                       " mbarriers " + name));
    for (const auto& name : kept)
        for (const auto& [other, room] : rooms)
            if (other != name && rooms.count(name) && rooms.at(name).meets(room) &&
                (!kept.count(other) || other < name))
                errors.push_back(error("the buffer " + other + " lies where " + name +
                                       " does, which producer warpgroups fill"));
    return errors;
}

} // namespace loopscope::lower
