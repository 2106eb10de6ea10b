#include "compiler/lower/gpu/fragment_places.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include <utility>

namespace loopscope::lower {

namespace {} // namespace

StatementPtr for_lanes(const NodeId& origin, const std::string& lane, std::int64_t lanes,
                       StatementPtr body) {
    return edited(for_loop(origin, lane, constant_index(0), constant_index(lanes), ForKind::Bound,
                           std::move(body)),
                  [](Statement& s) { s.loop->level = kLaneLevel; });
}

ExprPtr element_index(const IntrinsicOperand& operand, std::size_t axis, const std::string& lane,
                      std::int64_t r) {
    return loopscope::substitute(operand.layout[axis], [&](const std::string& name) -> ExprPtr {
        return name == "lane" ? variable(lane) : name == "r" ? constant_index(r) : nullptr;
    });
}

std::vector<ExprPtr> register_indices(const FragmentLayout& layout,
                                      const std::vector<ExprPtr>& relative, ExprPtr r) {
    std::vector<ExprPtr> out;
    for (std::size_t d = 0; d < relative.size(); ++d)
        out.push_back(layout.tile[d] > 1
                          ? binary(Op::Divide, relative[d], constant_index(layout.tile[d]))
                          : relative[d]);
    out.push_back(std::move(r));
    return out;
}

std::int64_t row_divisor(const FragmentScope& scope, const ExprPtr& load,
                         const LaneElements& elements) {
    return known_divisor(scope.spelled_out(with_zeros(load->args.back(), elements.variables)));
}

} // namespace loopscope::lower
