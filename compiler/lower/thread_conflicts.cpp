#include "compiler/lower/thread_conflicts.h"

#include "compiler/lower/statements.h"
#include "core/polyhedral/integer_sets.h"

#include <set>
#include <tuple>

namespace loopscope::lower {

namespace {

constexpr unsigned long kQuota = 100'000;

// Integer points (thread, iteration) of both executions in isl's notation. Names of variables become v0, v1, …; what differs
// between the executions has a name for each.
class Question {
public:
    Question(const LaunchShape& shape) : shape_(shape) {
        for (const auto& dimension : shape.grid)
            if (!dimension.variable.empty())
                bounded(common(dimension.variable), 0, dimension.extent);
        for (const auto& dimension : shape.block)
            if (!dimension.variable.empty())
                for (int side = 0; side < 2; ++side)
                    bounded(own(dimension.variable, side), 0, dimension.extent);
    }

    void loops(const ThreadAccess& a, const ThreadAccess& b, const Meeting& meeting) {
        for (std::size_t l = 0; l < std::min(meeting.same, a.loops.size()); ++l)
            shared_.insert(a.loops[l].name);
        range(a, 0);
        range(b, 1);
        if (meeting.later && meeting.same < a.loops.size()) {
            const auto& name = a.loops[meeting.same].name;
            const auto first = own(name, 0), second = own(name, 1);
            constraints_.push_back(meeting.next ? second + " = " + first + " + 1"
                                                : second + " > " + first);
        }
    }

    void conditions(const ThreadAccess& access, int side) {
        for (const auto& c : access.conditions)
            if (auto text = condition(*c, side); !text.empty())
                constraints_.push_back(text);
    }

    void same_element(const ThreadAccess& a, const ThreadAccess& b) {
        for (std::size_t d = 0; d < a.indices.size(); ++d) {
            const auto x = affine(*a.indices[d], 0), y = affine(*b.indices[d], 1);
            if (!x.empty() && !y.empty())
                constraints_.push_back(x + " = " + y);
        }
    }

    bool impossible() {
        std::string different;
        for (const auto& dimension : shape_.block)
            if (!dimension.variable.empty() && dimension.extent > 1)
                different += (different.empty() ? "" : " or ") + own(dimension.variable, 0) +
                             " != " + own(dimension.variable, 1);
        if (different.empty())
            return true; // one thread
        constraints_.push_back("(" + different + ")");
        std::string text = "{ [";
        for (std::size_t i = 0; i < names_.size(); ++i)
            text += (i ? ", v" : "v") + std::to_string(i);
        text += "] : ";
        for (std::size_t i = 0; i < constraints_.size(); ++i)
            text += (i ? " and " : "") + constraints_[i];
        return polyhedral::is_empty(text + " }", kQuota) == polyhedral::Emptiness::Empty;
    }

private:
    std::string name(const std::string& key) {
        return "v" + std::to_string(names_.try_emplace(key, names_.size()).first->second);
    }
    std::string common(const std::string& variable) {
        shared_.insert(variable);
        return name(variable);
    }
    std::string own(const std::string& variable, int side) {
        return shared_.count(variable) ? name(variable)
                                       : name(variable + (side == 0 ? "@0" : "@1"));
    }
    void bounded(const std::string& v, std::int64_t least, std::int64_t end) {
        constraints_.push_back(std::to_string(least) + " <= " + v + " < " + std::to_string(end));
    }

    void range(const ThreadAccess& access, int side) {
        for (const auto& loop : access.loops) {
            const auto v = own(loop.name, side);
            const auto begin = affine(*loop.begin, side), extent = affine(*loop.extent, side);
            if (!begin.empty() && !extent.empty())
                constraints_.push_back(begin + " <= " + v + " < " + begin + " + " + extent);
        }
    }

    // Empty: no such form; the caller then knows less.
    std::string affine(const Expr& e, int side) {
        std::int64_t value = 0;
        switch (e.kind) {
        case ExprKind::Constant:
            if (!is_integer(e.type))
                return {};
            value = static_cast<std::int64_t>(e.bits);
            return "(" + std::to_string(value) + ")";
        case ExprKind::Variable: return own(e.name, side);
        case ExprKind::Cast:
            // Indices stay where they are exact: ranges of i32 and i64 hold every index of a launch.
            return is_integer(e.type) && is_integer(e.args[0]->type) &&
                           bytes(e.type) >= bytes(e.args[0]->type)
                       ? affine(*e.args[0], side)
                       : std::string();
        case ExprKind::Unary: {
            const auto a = e.op == Op::Negate ? affine(*e.args[0], side) : std::string();
            return a.empty() ? a : "(-" + a + ")";
        }
        case ExprKind::Binary: return combined(e, side);
        default: return {};
        }
    }

    std::string combined(const Expr& e, int side) {
        const auto a = affine(*e.args[0], side), b = affine(*e.args[1], side);
        if (a.empty() || b.empty())
            return {};
        std::int64_t n = 0;
        const bool by_constant = constant_value(e.args[1], n);
        switch (e.op) {
        case Op::Add: return "(" + a + " + " + b + ")";
        case Op::Subtract: return "(" + a + " - " + b + ")";
        case Op::Multiply:
            if (by_constant)
                return "(" + std::to_string(n) + " * " + a + ")";
            return constant_value(e.args[0], n) ? "(" + std::to_string(n) + " * " + b + ")"
                                                : std::string();
        case Op::Divide:
            return by_constant && n > 0 ? "floor(" + a + "/" + std::to_string(n) + ")"
                                        : std::string();
        case Op::Modulo:
            return by_constant && n > 0 ? "(" + a + " mod " + std::to_string(n) + ")"
                                        : std::string();
        case Op::Min: return "min(" + a + ", " + b + ")";
        case Op::Max: return "max(" + a + ", " + b + ")";
        default: return {};
        }
    }

    // Empty: nothing that isl could use.
    std::string condition(const Expr& e, int side) {
        if (e.kind == ExprKind::Unary && e.op == Op::LogicalNot) {
            const auto inner = condition(*e.args[0], side);
            return inner.empty() ? inner : "(not " + inner + ")";
        }
        if (e.kind != ExprKind::Binary)
            return {};
        if (e.op == Op::LogicalAnd || e.op == Op::LogicalOr) {
            const auto a = condition(*e.args[0], side), b = condition(*e.args[1], side);
            if (a.empty() || b.empty())
                return e.op == Op::LogicalOr ? std::string() : a.empty() ? b : a;
            return "(" + a + (e.op == Op::LogicalAnd ? " and " : " or ") + b + ")";
        }
        const char* sign = e.op == Op::Less           ? " < "
                           : e.op == Op::LessEqual    ? " <= "
                           : e.op == Op::Greater      ? " > "
                           : e.op == Op::GreaterEqual ? " >= "
                           : e.op == Op::Equal        ? " = "
                           : e.op == Op::NotEqual     ? " != "
                                                      : nullptr;
        if (!sign || !is_integer(e.args[0]->type))
            return {};
        const auto a = affine(*e.args[0], side), b = affine(*e.args[1], side);
        return a.empty() || b.empty() ? std::string() : "(" + a + sign + b + ")";
    }

    const LaunchShape& shape_;
    std::map<std::string, std::size_t> names_;
    std::set<std::string> shared_; // the same in both executions
    std::vector<std::string> constraints_;
};

} // namespace

AccessFinder::AccessFinder(const LaunchShape& shape) : body_(shape.body) {
    visit_statements(body_, [&](const Statement& s) {
        if (s.kind == StatementKind::Allocate && s.offset >= 0)
            rooms_[s.buffer] = {s.offset, s.offset + bytes_of(s)};
        return true;
    });
}

void AccessFinder::place(ThreadAccess& access) const {
    if (auto room = rooms_.find(access.buffer); room != rooms_.end())
        std::tie(access.room, access.room_end) = room->second;
}

void AccessFinder::enter(const Statement& s, std::size_t branch) {
    switch (s.kind) {
    case StatementKind::Let: lets_[s.name] = resolved(s.value); break;
    case StatementKind::For:
        loops_.push_back({s.name, resolved(s.begin), resolved(s.extent)});
        break;
    case StatementKind::If: {
        auto condition = resolved(s.condition);
        conditions_.push_back(branch == 0 ? condition : unary(Op::LogicalNot, condition));
        break;
    }
    case StatementKind::Allocate:
        if (s.scope != "shared")
            ++private_[s.buffer];
        break;
    default: break;
    }
}

void AccessFinder::leave(const Statement& s) {
    switch (s.kind) {
    case StatementKind::Let: lets_.erase(s.name); break;
    case StatementKind::For: loops_.pop_back(); break;
    case StatementKind::If: conditions_.pop_back(); break;
    case StatementKind::Allocate: private_.erase(s.buffer); break;
    default: break;
    }
}

ExprPtr AccessFinder::resolved(const ExprPtr& e) const {
    return loopscope::substitute(e, [&](const std::string& name) -> ExprPtr {
        auto let = lets_.find(name);
        return let == lets_.end() ? nullptr : let->second;
    });
}

std::vector<ThreadAccess> AccessFinder::of(const Statement& s) const {
    std::vector<ThreadAccess> out;
    auto add = [&](const std::string& buffer, const std::vector<ExprPtr>& indices, bool writes) {
        if (private_.count(buffer))
            return;
        ThreadAccess access{buffer, writes, s.op, {}, conditions_, loops_, s.origin, -1, -1};
        if (s.kind != StatementKind::Atomic)
            access.atomic = Op::None;
        for (const auto& index : indices)
            access.indices.push_back(resolved(index));
        place(access);
        out.push_back(std::move(access));
    };
    for (const auto& e : expressions(s))
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Load)
                add(x.name, x.args, false);
            else if (x.kind == ExprKind::MaskedLoad)
                add(x.name, {x.args.begin(), x.args.end() - 1}, false);
            return true;
        });
    if (writes(s))
        add(s.buffer, s.indices, true);
    for (const auto& operand : s.operands) { // what an instruction does with it is not looked at
        add(operand.buffer, {}, true);
        if (!out.empty() && out.back().buffer == operand.buffer)
            out.back().atomic = Op::None;
    }
    return out;
}

std::vector<ThreadAccess> AccessFinder::completed(const std::string& token) const {
    std::vector<ThreadAccess> out;
    visit_statements(body_, [&](const Statement& s) {
        if (s.kind == StatementKind::Copy && s.name == token)
            place(out.emplace_back(
                ThreadAccess{s.buffer, true, Op::None, {}, {}, {}, s.origin, -1, -1}));
        return true;
    });
    return out;
}

bool may_conflict(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting,
                  const LaunchShape& shape) {
    if (!first.writes && !second.writes)
        return false;
    if (first.buffer != second.buffer) // one memory all the same, where they lie at one place
        return first.room >= 0 && second.room >= 0 && first.room < second.room_end &&
               second.room < first.room_end;
    if (first.atomic != Op::None && first.atomic == second.atomic)
        return false;
    Question question(shape);
    question.loops(first, second, meeting);
    question.conditions(first, 0);
    question.conditions(second, 1);
    if (first.indices.size() == second.indices.size()) // else one of them is anywhere
        question.same_element(first, second);
    return !question.impossible();
}

} // namespace loopscope::lower
