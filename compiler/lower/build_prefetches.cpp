#include "compiler/lower/build_prefetches.h"

#include "compiler/lower/build_stores.h"
#include "compiler/lower/statements.h"
#include "core/schedule/nest_layout.h"
#include "core/schedule/region_needs.h"

#include <set>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMaxWrittenOut = 16; // few of them are written out
std::set<std::size_t> components_read(const ScheduleTree& tree, const Prefetch& prefetch,
                                      const Stage& source) {
    std::set<std::size_t> out;
    const auto& stage = tree.find_stage(prefetch.stage)->stage;
    each_load(stage.definitions[static_cast<std::size_t>(prefetch.definition)], [&](const Expr& e) {
        if (e.name == source.name)
            out.insert(static_cast<std::size_t>(e.component));
    });
    return out;
}

// A loop for each dimension of the part, over whole lines along the contiguous one.
StatementPtr lines_of(const TreeNode& node, const BuildScope& scope, const Prefetch& prefetch,
                      const Stage& source, std::size_t component) {
    std::vector<ExprPtr> indices;
    std::vector<std::pair<std::string, std::int64_t>> loops;
    for (std::size_t d = 0; d < prefetch.region.dimensions.size(); ++d) {
        const auto& dimension = prefetch.region.dimensions[d];
        const bool lines = d == prefetch.contiguous;
        const auto count = lines ? prefetch.lines : dimension.extent.hint();
        auto index = scope.resolved(dimension.min);
        if (count > 1) {
            const bool shared =
                prefetch.stage != node.id.stage || prefetch.definition != node.id.definition;
            auto name = node.variable + "." +
                        (shared ? loop_variable(prefetch.stage, prefetch.definition, "") : "") +
                        component_buffer(source, component) + "." + dimension.index + ".ahead";
            auto step = variable(name);
            if (lines)
                step = binary(Op::Min, binary(Op::Multiply, step, constant_index(prefetch.step)),
                              constant_index(dimension.extent.hint() - 1));
            index = binary(Op::Add, index, step);
            loops.emplace_back(name, count);
        }
        indices.push_back(index);
    }
    auto body = lower::prefetch(node.id, component_buffer(source, component),
                                source.is_input ? indices : scope.relative(source.name, indices));
    const auto kind = prefetch.count() <= kMaxWrittenOut ? ForKind::Unrolled : ForKind::Serial;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        body = for_loop(node.id, loop->first, constant_index(0), constant_index(loop->second), kind,
                        body);
    return body;
}

} // namespace

StatementPtr loop_prefetches(const TreeNode& loop, const BuildScope& scope) {
    std::vector<StatementPtr> out;
    for (const auto& prefetch : loop.prefetches) {
        const auto& source = *scope.tree.derived->find(prefetch.source);
        if (prefetch.lines == 0 || scope.empty(source.name))
            continue;
        for (auto component : components_read(scope.tree, prefetch, source))
            out.push_back(lines_of(loop, scope, prefetch, source, component));
    }
    return block(std::move(out));
}

} // namespace loopscope::lower
