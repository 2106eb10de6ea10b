// Faults of boxes that leave their array, where the TMA fills in zeros: what brings indices
// back inside, and boxes that begin elsewhere.

#include "tests/fuzz/plant_tools.h"
#include "tests/fuzz/planted_bugs.h"

#include <algorithm>
#include <functional>

namespace loopscope::fuzz {

namespace {

using namespace lower;

// Where boxes of images begin, but for the image and the channel, through `edit`, which gets the
// last index of that dimension.
bool change_places(Program& p,
                   const std::function<ExprPtr(const ExprPtr& index, std::int64_t last)>& edit) {
    return change_statements(p, [&](const StatementPtr& s) {
        if (s->kind != StatementKind::BulkCopy)
            return s;
        const auto& from = s->operands[1].buffer;
        const auto source =
            std::find_if(p.arguments.begin(), p.arguments.end(),
                         [&](const auto& argument) { return argument.buffer == from; });
        if (source == p.arguments.end() || from != "A")
            return s;
        return edited(s, [&](Statement& t) {
            auto& indices = t.operands[1].indices;
            for (std::size_t d = 1; d + 1 < indices.size(); ++d)
                indices[d] = edit(indices[d], source->extents[d].constant() - 1);
        });
    });
}

ExprPtr constant_like(const ExprPtr& index, std::int64_t value) {
    return constant_int(index->type, value);
}

// The first rows again, or the last, and not zeros.
bool from_first(Program& p, const ScheduleTree&) {
    return change_places(p, [](const ExprPtr& index, std::int64_t) {
        return binary(Op::Max, index, constant_like(index, 0));
    });
}
bool to_last(Program& p, const ScheduleTree&) {
    return change_places(p, [](const ExprPtr& index, std::int64_t last) {
        return binary(Op::Min, index, constant_like(index, last));
    });
}

bool one_later(Program& p, const ScheduleTree&) {
    return change_places(p, [](const ExprPtr& index, std::int64_t) {
        return binary(Op::Add, index, constant_like(index, 1));
    });
}
bool one_earlier(Program& p, const ScheduleTree&) {
    return change_places(p, [](const ExprPtr& index, std::int64_t) {
        return binary(Op::Subtract, index, constant_like(index, 1));
    });
}

// What is outside was to be inside.
bool no_border(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        return s->box && s->box->zero_border
                   ? edited(s, [](Statement& t) { t.box->zero_border = false; })
                   : s;
    });
}

} // namespace

std::vector<PlantedBug> planted_border_faults() {
    return {
        {"the first rows again in place of zeros", {}, from_first},
        {"the last rows again in place of zeros", {}, to_last},
        {"boxes one row further", {}, one_later},
        {"boxes one row too early", {}, one_earlier},
        {"boxes that may not leave their array", {}, no_border},
    };
}

} // namespace loopscope::fuzz
