// Checks of warpgroups' products that are left under way: nothing touches their sums or writes what
// they read, and each group of them is awaited. (Slots of pipelines are released by steps, which
// the interpreter of SIMT programs judges.)
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include "core/base/result.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace loopscope::lower {

namespace {

class ProductWalk {
public:
    void statement(const Statement& s) {
        switch (s.kind) {
        case StatementKind::For: loop(s); return;
        case StatementKind::If: branches(s); return;
        case StatementKind::Threads:
            children(s);
            at_end(s);
            return;
        default: break;
        }
        if (leaves_products(s)) {
            if (!under_way_.empty() && !among(under_way_, s.operands))
                report(s.instruction + " leaves " + s.operands[0].buffer + " under way beside " +
                           under_way_[0].buffer + ", which nothing awaits",
                       s);
            under_way_ = s.operands;
            read_.insert(group_reads_.begin(), group_reads_.end());
            group_reads_.clear();
        } else if (ends_products(s)) {
            if (!among(under_way_, s.operands))
                report(s.instruction + " does not await all sums that are under way", s);
            under_way_.clear();
            read_.clear();
            group_reads_.clear();
        } else if (is_product_of_group(s)) {
            for (const auto& operand : s.operands)
                if (operand.matrix)
                    group_reads_.insert(operand.buffer);
        } else if (!begins_products(s)) {
            touch(s);
        }
        children(s);
    }

    void at_end(const Statement& s) {
        if (!under_way_.empty())
            report("the sums " + under_way_[0].buffer + " are under way at the end", s);
        under_way_.clear();
    }

    Diagnostics errors;

private:
    void children(const Statement& s) {
        for (const auto& child : s.children)
            if (child)
                statement(*child);
    }

    // What the second turn of the walk finds under way at its end, the first one did: a group takes
    // the place of the one before.
    void loop(const Statement& s) {
        const auto before = under_way_;
        touch(s);
        children(s);
        if (!among(under_way_, before))
            children(s);
        if (under_way_.empty())
            under_way_ = before;
    }

    void branches(const Statement& s) {
        touch(s);
        const auto before = under_way_;
        statement(*s.children[0]);
        const auto then = under_way_;
        under_way_ = before;
        if (s.children.size() > 1 && s.children[1])
            statement(*s.children[1]);
        for (const auto& sum : then)
            if (!among({sum}, under_way_))
                under_way_.push_back(sum);
    }

    static bool among(const std::vector<Operand>& some, const std::vector<Operand>& all) {
        return std::all_of(some.begin(), some.end(), [&](const Operand& one) {
            return std::any_of(all.begin(), all.end(),
                               [&](const Operand& known) { return same_place(known, one); });
        });
    }

    bool is_under_way(const std::string& buffer) const {
        return std::any_of(under_way_.begin(), under_way_.end(),
                           [&](const Operand& operand) { return operand.buffer == buffer; });
    }

    void touch(const Statement& s) {
        bool touches = has_place(s) && is_under_way(s.access->buffer);
        for (const auto& operand : s.operands)
            touches = touches || is_under_way(operand.buffer);
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                if (is_load(x))
                    touches = touches || is_under_way(x.name);
                return true;
            });
        for (const auto& buffer : read_)
            if ((writes(s) && s.access->buffer == buffer) || writes_operand(s, buffer))
                report(buffer + " is written, which products under way may still read", s);
        if (touches)
            report("the sums " + under_way_[0].buffer + " are touched while they are under way", s);
    }

    void report(const std::string& what, const Statement& s) {
        errors.push_back(
            error(what + (s.origin.stage.empty() ? "" : " (at " + s.origin.text() + ")")));
    }

    std::vector<Operand> under_way_;           // sums of groups that some path to here has left
    std::set<std::string> read_, group_reads_; // by groups that were left; by the one at hand
};

} // namespace

Diagnostics check_products(const Launch& launch) {
    bool any = false;
    visit_statements(launch.body,
                     [&](const Statement& s) { return !(any = any || leaves_products(s)); });
    if (!any)
        return {};
    ProductWalk walk;
    walk.statement(*launch.body);
    walk.at_end(*launch.body);
    return std::move(walk.errors);
}

} // namespace loopscope::lower
