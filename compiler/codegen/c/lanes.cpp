#include "compiler/codegen/c/lanes.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <optional>

namespace loopscope::codegen {

namespace {

constexpr int kCheapNodes = 24;

// By how much an index grows from lane to lane, where that is one constant.
std::optional<std::int64_t> stride(const ExprPtr& e) {
    if (e->lanes == 1)
        return 0;
    std::int64_t constant = 0;
    switch (e->kind) {
    case ExprKind::Broadcast: return 0;
    case ExprKind::Ramp:
        return constant_value(e->args[1], constant) ? std::optional(constant) : std::nullopt;
    case ExprKind::Binary: {
        auto left = stride(e->args[0]), right = stride(e->args[1]);
        if (!left || !right)
            return std::nullopt;
        if (e->op == Op::Add)
            return *left + *right;
        if (e->op == Op::Subtract)
            return *left - *right;
        return *left == 0 && *right == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    default: return std::nullopt;
    }
}

} // namespace

int lanes_of(const lower::Statement& s) {
    int count = std::max<int>(s.value->lanes, s.access->mask ? s.access->mask->lanes : 1);
    for (const auto& index : s.access->indices)
        count = std::max<int>(count, index->lanes);
    return count;
}

bool keeps_lanes_apart(const std::vector<ExprPtr>& indices) {
    return std::any_of(indices.begin(), indices.end(),
                       [](const ExprPtr& index) { return stride(index).value_or(0) != 0; });
}

bool reads_other_lanes(const lower::Statement& s) {
    bool found = false;
    auto look = [&](const Expr& e) {
        if (is_load(e) && e.name == s.access->buffer) {
            std::size_t indices = e.args.size() - (e.kind == ExprKind::MaskedLoad ? 1 : 0);
            bool same = indices == s.access->indices.size();
            for (std::size_t i = 0; same && i < indices; ++i)
                same = equal(e.args[i], s.access->indices[i]);
            found = found || !same;
        }
        return !found;
    };
    visit(s.value, look);
    if (s.access->mask)
        visit(s.access->mask, look);
    for (const auto& index : s.access->indices)
        visit(index, look);
    return found;
}

bool is_loop_of_elements(const lower::Statement& loop) {
    bool good = true;
    lower::visit_statements(loop.children[0], [&](const lower::Statement& s) {
        using lower::StatementKind;
        bool plain = s.kind == StatementKind::Block || s.kind == StatementKind::Let ||
                     s.kind == StatementKind::If || s.kind == StatementKind::Store;
        bool moves =
            s.kind != StatementKind::Store ||
            std::any_of(s.access->indices.begin(), s.access->indices.end(),
                        [&](const ExprPtr& index) { return uses_variable(index, loop.variable); });
        for (const auto& e : lower::expressions(s))
            good = good && e->lanes == 1;
        good = good && plain && moves;
        return good;
    });
    return good;
}

bool is_cheap_in_lanes(const ExprPtr& e) {
    int nodes = 0;
    bool reads = false;
    visit(e, [&](const Expr& x) {
        reads = reads || is_load(x) || x.kind == ExprKind::Call || x.kind == ExprKind::Let;
        return ++nodes <= kCheapNodes;
    });
    return nodes <= kCheapNodes && !reads;
}

} // namespace loopscope::codegen
