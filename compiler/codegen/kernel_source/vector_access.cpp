#include "compiler/codegen/kernel_source/vector_access.h"

#include "compiler/lower/one_lane.h"
#include "compiler/lower/simplify_expression.h"

#include <numeric>

namespace loopscope::codegen {

namespace {

using lower::Affine;

// The element that the indices name, counted from the buffer's first.
std::optional<Affine> position(const lower::KnownFacts& scope, const CBuffer& buffer,
                               const std::vector<ExprPtr>& indices) {
    Affine sum;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const bool scaled = d > 0 && !buffer.flat;
        if (scaled && !buffer.extents[d].is_constant())
            return std::nullopt;
        Affine next;
        auto index = scope.affine(indices[d]);
        if (!index || !next.add(sum, scaled ? buffer.extents[d].constant() : 1) ||
            !next.add(*index, 1))
            return std::nullopt;
        sum = next;
    }
    return sum;
}

// What divides the position of the first lane; nothing unless the others follow it one by one. 0:
// it is 0.
std::optional<std::int64_t> divisor_of_first(const Affine& position, int lanes) {
    const auto lane = lower::lane_atom(lanes);
    if (position.coefficient(lane) != 1)
        return std::nullopt;
    std::int64_t divisor = std::abs(position.constant);
    for (const auto& term : position.terms) {
        if (equal(term.atom, lane))
            continue;
        if (term.atom->lanes > 1)
            return std::nullopt;
        divisor = std::gcd(divisor, term.coefficient);
    }
    return divisor;
}

int lanes_at_once(int lanes, int size, std::int64_t divisor, const AccessLimits& limits) {
    auto fits = [&](int n) {
        const bool aligned =
            limits.alignment == 0 || (limits.alignment % (n * size) == 0 && divisor % n == 0);
        return lanes % n == 0 && n <= limits.lanes && n * size <= limits.bytes && aligned;
    };
    int together = 1;
    while (fits(2 * together))
        together *= 2;
    return together;
}

std::vector<ExprPtr> in_lane(lower::KnownFacts& scope, const std::vector<ExprPtr>& indices,
                             int lanes, int lane) {
    std::vector<ExprPtr> out;
    lower::ExpressionSimplifier simplifier(scope);
    for (const auto& index : indices) {
        lower::OneLane one(scope, "", lanes, constant_int(index->type, lane));
        auto element = one.of(index);
        if (!element)
            return {};
        out.push_back(simplifier.run(element));
    }
    return out;
}

} // namespace

std::optional<VectorAccess> vector_access(lower::KnownFacts& scope, const CBuffer& buffer,
                                          const std::vector<ExprPtr>& indices, int lanes,
                                          const AccessLimits& limits) {
    auto at = position(scope, buffer, indices);
    auto divisor = at ? divisor_of_first(*at, lanes) : std::nullopt;
    if (!divisor)
        return std::nullopt;
    VectorAccess access;
    access.together = lanes_at_once(lanes, bytes(buffer.type), *divisor, limits);
    if (access.together == 1)
        return std::nullopt;
    for (int lane = 0; lane < lanes; lane += access.together) {
        access.begins.push_back(in_lane(scope, indices, lanes, lane));
        if (access.begins.back().empty())
            return std::nullopt;
    }
    return access;
}

} // namespace loopscope::codegen
