// ALCOP III-A, third step: the load-and-use loop of each buffer. From the copy outwards it is the
// first sequential loop whose variable does not index inside the buffer: each of its iterations
// fills the buffer anew.
#include "compiler/lower/gpu/pipelining/analysis.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower::pipelining {

namespace {

// The loops around the first store to the buffer, outermost first, and that store.
bool path_to(const StatementPtr& s, const std::string& buffer, std::vector<StatementPtr>& loops,
             StatementPtr& store) {
    if ((writes(*s) && s->access->buffer == buffer) ||
        (is_copy_instruction(*s) && writes_operand(*s, buffer))) {
        store = s;
        return true;
    }
    const bool loop = s->kind == StatementKind::For;
    if (loop)
        loops.push_back(s);
    for (const auto& child : s->children)
        if (path_to(child, buffer, loops, store))
            return true;
    if (loop)
        loops.pop_back();
    return false;
}

} // namespace

void find_loops(const StatementPtr& body, Plan& plan) {
    for (auto& entry : plan) {
        std::vector<StatementPtr> loops;
        StatementPtr store;
        if (!path_to(body, entry.buffer, loops, store))
            continue;
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
            const bool sequential =
                (*loop)->loop->kind == ForKind::Serial || (*loop)->loop->kind == ForKind::Unrolled;
            bool indexes = false;
            const auto& place =
                writes(*store) ? store->access->indices : store->operands[0].indices;
            for (const auto& index : place)
                indexes = indexes || uses_variable(index, (*loop)->variable);
            std::int64_t begin = 0, extent = 0;
            if (!sequential || indexes)
                continue;
            if (constant_value((*loop)->loop->begin, begin) && begin == 0 &&
                constant_value((*loop)->loop->extent, extent)) {
                entry.loop = (*loop)->variable;
                entry.extent = extent;
            }
            break;
        }
    }
}

} // namespace loopscope::lower::pipelining
