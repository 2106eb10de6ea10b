#include "compiler/lower/gpu/access_groups.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope::lower {

namespace {

// An index as what varies and a constant; of a vector, of its first lane.
std::pair<ExprPtr, std::int64_t> without_constant(const ExprPtr& e) {
    std::int64_t value = 0;
    if (e->kind == ExprKind::Ramp) {
        auto [base, constant] = without_constant(e->args[0]);
        return {ramp(base, e->args[1], e->lanes), constant};
    }
    if (constant_value(e, value))
        return {constant_int(e->type, 0), value};
    if (e->kind == ExprKind::Binary && e->op == Op::Add) {
        if (constant_value(e->args[1], value))
            return {e->args[0], value};
        // Deeper, where something was added to it.
        auto [left, constant] = without_constant(e->args[0]);
        return {constant == 0 ? e : binary(Op::Add, left, e->args[1]), constant};
    }
    return {e, 0};
}

ExprPtr plus(const ExprPtr& e, const ExprPtr& more) {
    if (e->kind != ExprKind::Ramp && e->type != more->type)
        return binary(Op::Add, e, cast(e->type, more));
    return e->kind == ExprKind::Ramp ? ramp(plus(e->args[0], more), e->args[1], e->lanes)
                                     : binary(Op::Add, e, more);
}

// Are expressions of one access those of another, whose loops have other names? Statements side by
// side have lanes of their own.
class Renamed {
public:
    Renamed(const ThreadAccess& a, const ThreadAccess& b) {
        for (std::size_t l = 0; l < std::min(a.loops.size(), b.loops.size()); ++l)
            if (a.loops[l].name != b.loops[l].name)
                names_[b.loops[l].name] = variable(a.loops[l].name, a.loops[l].begin->type);
    }

    bool equal(const ExprPtr& x, const ExprPtr& y) const {
        if (loopscope::equal(x, y))
            return true;
        return !names_.empty() && loopscope::equal(x, substitute(y, [&](const std::string& name) {
                                                       auto found = names_.find(name);
                                                       return found == names_.end() ? nullptr
                                                                                    : found->second;
                                                   }));
    }
    bool equal(const std::vector<ExprPtr>& xs, const std::vector<ExprPtr>& ys) const {
        return std::equal(xs.begin(), xs.end(), ys.begin(), ys.end(),
                          [&](const auto& x, const auto& y) { return equal(x, y); });
    }
    bool equal(const std::vector<ThreadAccess::Loop>& xs,
               const std::vector<ThreadAccess::Loop>& ys) const {
        return std::equal(xs.begin(), xs.end(), ys.begin(), ys.end(),
                          [&](const auto& x, const auto& y) {
                              return equal(x.extent, y.extent) && equal(x.begin, y.begin);
                          });
    }

private:
    std::map<std::string, ExprPtr> names_; // of the first, by that of the second
};

bool same_form(const ThreadAccess& a, const ThreadAccess& b) {
    if (a.buffer != b.buffer || a.writes != b.writes || a.atomic != b.atomic)
        return false;
    const Renamed renamed(a, b);
    return renamed.equal(a.loops, b.loops) && renamed.equal(a.indices, b.indices) &&
           renamed.equal(a.conditions, b.conditions);
}

} // namespace

ThreadAccess AccessGroup::whole() const {
    auto out = form;
    for (std::size_t d = 0; d < form.indices.size(); ++d) {
        auto least = (*constants.begin())[d], greatest = least;
        for (const auto& each : constants) {
            least = std::min(least, each[d]);
            greatest = std::max(greatest, each[d]);
        }
        ExprPtr from = constant_int(ScalarType::I32, least);
        if (greatest > least) {
            const auto name = "$between" + std::to_string(d);
            out.loops.push_back({name, constant_int(ScalarType::I32, 0),
                                 constant_int(ScalarType::I32, greatest - least + 1)});
            from = binary(Op::Add, from, variable(name));
        }
        out.indices[d] = plus(out.indices[d], from);
    }
    return out;
}

AccessGroups::AccessGroups(const std::vector<ThreadAccess>& accesses) {
    for (const auto& access : accesses) {
        AccessGroup group{access, {}};
        std::vector<std::int64_t> constants;
        for (auto& index : group.form.indices) {
            auto [varies, constant] = without_constant(index);
            index = std::move(varies);
            constants.push_back(constant);
        }
        group.constants.insert(std::move(constants));
        add(std::move(group));
    }
}

void AccessGroups::add(AccessGroup group) {
    for (auto& known : groups_)
        if (same_form(known.form, group.form)) {
            known.constants.merge(group.constants);
            return;
        }
    groups_.push_back(std::move(group));
}

void AccessGroups::add(const AccessGroups& more) {
    for (const auto& group : more.groups_)
        add(group);
}

void AccessGroups::assume(const ExprPtr& condition) {
    for (auto& group : groups_)
        group.form.conditions.push_back(condition);
}

} // namespace loopscope::lower
