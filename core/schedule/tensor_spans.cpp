#include "core/schedule/tensor_spans.h"

#include <algorithm>

namespace loopscope {

InnerLoops::InnerLoops(const DefinitionState& nest, const NestLayout& layout, std::size_t from) {
    for (auto p = from; p < nest.loops.size(); ++p)
        extents_.emplace(layout.variables[p], layout.extents[p]);
}

LinearForm InnerLoops::plain(const LinearForm& form) const {
    return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
        auto loop = extents_.find(atom.name);
        return loop != extents_.end() && loop->second <= 1 ? std::optional(LinearForm(0))
                                                           : std::nullopt;
    });
}

LinearForm InnerLoops::base(const LinearForm& form) const {
    return with_variables(form, [&](const Atom& atom) {
        return extents_.count(atom.name) ? std::optional(LinearForm(0)) : std::nullopt;
    });
}

bool InnerLoops::moves(const LinearForm& form) const {
    const auto value = plain(form);
    return std::any_of(extents_.begin(), extents_.end(), [&](const auto& loop) {
        return loop.second > 1 && depends_on(value, loop.first);
    });
}

std::optional<std::map<std::string, std::int64_t>> InnerLoops::steps(const LinearForm& form) const {
    std::map<std::string, std::int64_t> out;
    const auto value = plain(form);
    for (const auto& [atom, step] : value.terms())
        if (atom->kind == Atom::Kind::Variable && extents_.count(atom->name))
            out.emplace(atom->name, step);
        else if (moves(LinearForm(atom)))
            return std::nullopt;
    return out;
}

std::int64_t InnerLoops::counted(const std::map<std::string, std::int64_t>& steps) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> loops; // step, extent
    for (const auto& [variable, step] : steps)
        loops.emplace_back(step, extent(variable));
    std::sort(loops.begin(), loops.end());
    std::int64_t count = 1;
    for (const auto& [step, extent] : loops) {
        if (step != count)
            return 0;
        count *= extent;
    }
    return count;
}

Result<std::vector<AxisSpan>> axis_spans(const DefinitionState& nest, const NestLayout& layout,
                                         const InnerLoops& inside, const std::string& name,
                                         const std::string& here) {
    std::vector<AxisSpan> out;
    for (std::size_t a = 0; a < layout.axes.size(); ++a) {
        const auto& [axis, form] = layout.axes[a];
        const auto steps = inside.steps(form);
        if (!steps)
            return error(axis + " of " + name + " is not linear in the loops inside of " + here +
                             ": a loop there is fused of two",
                         "tensorize before the loops are fused, or fuse those outside alone");
        AxisSpan span{axis, nest.roots[a].reduction, inside.plain(form), inside.base(form), 1};
        span.extent = inside.counted(*steps);
        if (span.extent == 0)
            return error(
                "the loops inside of " + here + " do not take neighbouring values of " + axis +
                    ", each once",
                "put the inner loop of each split innermost, and the outer one outside of " + here);
        out.push_back(std::move(span));
    }
    return out;
}

} // namespace loopscope
