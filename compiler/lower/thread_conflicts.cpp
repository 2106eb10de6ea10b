#include "compiler/lower/thread_conflicts.h"

#include "compiler/lower/instructions.h"
#include "compiler/lower/statements.h"
#include "compiler/lower/thread_elements.h"
#include "core/ir/range.h"
#include "core/polyhedral/integer_sets.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace loopscope::lower {

namespace {

constexpr unsigned long kQuota = 100'000;

// Integer points (thread, iteration) of both executions in isl's notation. Names of variables become v0, v1, …; what differs
// between the executions has a name for each.
class Question {
public:
    Question(const LaunchShape& shape) : shape_(shape) {
        for (const auto* dimensions : {&shape.grid, &shape.block})
            for (const auto& dimension : *dimensions)
                if (!dimension.variable.empty())
                    ranges_[dimension.variable] = {0, dimension.extent - 1};
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
                equalities_.push_back(x + " = " + y);
        }
    }

    // Along one dimension alone, of which fewer variables know.
    bool some_dimension_impossible(ConflictAnswers& answers) const {
        return equalities_.size() > 1 &&
               std::any_of(equalities_.begin(), equalities_.end(), [&](const auto& equality) {
                   return is_empty(connected(equality), answers);
               });
    }

    bool impossible(ConflictAnswers& answers) {
        std::string different;
        for (const auto& dimension : shape_.block)
            if (!dimension.variable.empty() && dimension.extent > 1)
                different += (different.empty() ? "" : " or ") + own(dimension.variable, 0) +
                             " != " + own(dimension.variable, 1);
        if (different.empty())
            return true; // one thread
        auto all = constraints_;
        all.insert(all.end(), equalities_.begin(), equalities_.end());
        all.push_back("(" + different + ")");
        return is_empty(all, answers);
    }

private:
    // Numbers of the variables "v12" in a constraint.
    static std::set<std::size_t> variables_of(const std::string& constraint) {
        std::set<std::size_t> out;
        for (auto at = constraint.find('v'); at != std::string::npos;
             at = constraint.find('v', at + 1))
            out.insert(std::stoul(constraint.substr(at + 1)));
        return out;
    }

    // The constraint, and those that have variables in common with it, or with those.
    std::vector<std::string> connected(const std::string& constraint) const {
        std::vector<std::string> out{constraint};
        auto reached = variables_of(constraint);
        std::vector<bool> taken(constraints_.size(), false);
        for (bool more = true; more;) {
            more = false;
            for (std::size_t c = 0; c < constraints_.size(); ++c) {
                const auto own = variables_of(constraints_[c]);
                if (taken[c] || std::none_of(own.begin(), own.end(),
                                             [&](auto v) { return reached.count(v) > 0; }))
                    continue;
                taken[c] = more = true;
                reached.insert(own.begin(), own.end());
                out.push_back(constraints_[c]);
            }
        }
        return out;
    }

    // Is there no point? By the variables that take part, numbered anew, so that one question has one text.
    static bool is_empty(const std::vector<std::string>& constraints, ConflictAnswers& answers) {
        std::map<std::size_t, std::size_t> numbers;
        std::string condition;
        for (const auto& constraint : constraints) {
            condition += condition.empty() ? "" : " and ";
            std::size_t from = 0;
            for (auto at = constraint.find('v'); at != std::string::npos;
                 at = constraint.find('v', from)) {
                std::size_t digits = 0;
                const auto v = std::stoul(constraint.substr(at + 1), &digits);
                condition += constraint.substr(from, at + 1 - from) +
                             std::to_string(numbers.try_emplace(v, numbers.size()).first->second);
                from = at + 1 + digits;
            }
            condition += constraint.substr(from);
        }
        std::string text = "{ [";
        for (std::size_t i = 0; i < numbers.size(); ++i)
            text += (i ? ", v" : "v") + std::to_string(i);
        text += "] : " + condition + " }";
        auto [known, first] = answers.asked.try_emplace(text, false);
        if (first)
            known->second = polyhedral::is_empty(text, kQuota) == polyhedral::Emptiness::Empty;
        return known->second;
    }

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
            const auto first = range_of(loop.begin, known()),
                       count = range_of(loop.extent, known());
            if (first && count)
                ranges_[loop.name] = {first->least, first->greatest + count->greatest - 1};
            const auto v = own(loop.name, side);
            const auto begin = affine(*loop.begin, side), extent = affine(*loop.extent, side);
            if (!begin.empty() && !extent.empty())
                constraints_.push_back(begin + " <= " + v + " < " + begin + " + " + extent);
        }
    }

    RangeOf known() const {
        return [this](const std::string& name) -> std::optional<Interval> {
            auto found = ranges_.find(name);
            return found == ranges_.end() ? std::nullopt : std::optional(found->second);
        };
    }

    // Is it exact, as isl would compute it? What lowering makes of indices is, in i32 and i64; a program's own index may wrap.
    bool is_exact(const Expr& e) const {
        const bool of_lowering = e.type == ScalarType::I32 || e.type == ScalarType::I64;
        if (e.lanes > 1)
            return of_lowering;
        bool all_known = true;
        const auto own = known();
        const auto range = range_of(std::make_shared<const Expr>(e), [&](const std::string& name) {
            auto found = own(name);
            all_known = all_known && found;
            return found;
        });
        return range || (of_lowering && !all_known);
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
            return is_integer(e.type) && is_integer(e.args[0]->type) && is_exact(e)
                       ? affine(*e.args[0], side)
                       : std::string();
        case ExprKind::Unary: {
            const auto a =
                e.op == Op::Negate && is_exact(e) ? affine(*e.args[0], side) : std::string();
            return a.empty() ? a : "(-" + a + ")";
        }
        case ExprKind::Binary: return combined(e, side);
        case ExprKind::Broadcast: return affine(*e.args[0], side);
        case ExprKind::Ramp: {
            const auto base = affine(*e.args[0], side);
            if (base.empty() || !constant_value(e.args[1], value))
                return {};
            return "(" + base + " + " + std::to_string(value) + " * " + lane(e.lanes, side) + ")";
        }
        default: return {};
        }
    }

    // Of a vector: all its indices are of one lane at a time.
    std::string lane(int lanes, int side) {
        const auto v = own("$lane", side);
        bounded(v, 0, lanes);
        return v;
    }

    std::string combined(const Expr& e, int side) {
        const auto a = affine(*e.args[0], side), b = affine(*e.args[1], side);
        if (a.empty() || b.empty() || !is_exact(e))
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
    std::map<std::string, Interval> ranges_;
    std::vector<std::string> constraints_;
    std::vector<std::string> equalities_; // of indices
};

} // namespace

AccessFinder::AccessFinder(const LaunchShape& shape) : lanes_(shape.block[0]), body_(shape.body) {
    visit_statements(body_, [&](const Statement& s) {
        if (s.kind == StatementKind::Allocate)
            types_[s.buffer] = s.type;
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
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
        const auto& operand = s.operands[o];
        const auto effect = effect_of(s.name, o);
        const auto before = out.size();
        add(operand.buffer, effect.bytes > 0 ? operand.indices : std::vector<ExprPtr>(),
            effect.writes);
        if (out.size() == before)
            continue;
        out.back().atomic = Op::None;
        if (effect.bytes > 0)
            follows(out.back(), effect.bytes, s.name + "." + std::to_string(o));
    }
    return out;
}

// So many bytes from the element on that any lane of the warp names, for each gets some of all: loops of their own.
void AccessFinder::follows(ThreadAccess& access, std::int64_t size, const std::string& name) const {
    const auto type = types_.find(access.buffer);
    const auto count = type == types_.end() ? size : size / bytes(type->second);
    access.loops.push_back(
        {name, constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, count)});
    access.indices.back() = binary(Op::Add, access.indices.back(), variable(name));
    const auto lane = name + ".lane";
    access.loops.push_back(
        {lane, constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, kWarp)});
    auto first = constant_int(ScalarType::I32, 0); // of the warp
    if (lanes_.extent > kWarp) {
        const auto warp = constant_int(ScalarType::I32, kWarp);
        first = binary(Op::Multiply, binary(Op::Divide, variable(lanes_.variable), warp), warp);
    }
    for (auto& index : access.indices)
        index = loopscope::substitute(index, [&](const std::string& used) -> ExprPtr {
            return !lanes_.variable.empty() && used == lanes_.variable
                       ? binary(Op::Add, first, variable(lane))
                       : nullptr;
        });
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
                  const LaunchShape& shape, ConflictAnswers& answers) {
    if (!first.writes && !second.writes)
        return false;
    if (first.buffer != second.buffer) // one memory all the same, where they lie at one place
        return first.room >= 0 && second.room >= 0 && first.room < second.room_end &&
               second.room < first.room_end;
    if (first.atomic != Op::None && first.atomic == second.atomic)
        return false;
    if (auto known = answers.of_one_form(first, second, meeting, shape); known && !*known)
        return false;
    Question question(shape);
    question.loops(first, second, meeting);
    question.conditions(first, 0);
    question.conditions(second, 1);
    if (first.indices.size() == second.indices.size()) // else one of them is anywhere
        question.same_element(first, second);
    return !question.some_dimension_impossible(answers) && !question.impossible(answers);
}

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

namespace {

ExprPtr plus(const ExprPtr& e, const ExprPtr& more) {
    if (e->kind != ExprKind::Ramp && e->type != more->type)
        return binary(Op::Add, e, cast(e->type, more));
    return e->kind == ExprKind::Ramp ? ramp(plus(e->args[0], more), e->args[1], e->lanes)
                                     : binary(Op::Add, e, more);
}

// Accesses of one form, whose constants are from `least` to `greatest`.
struct Form {
    ThreadAccess access; // its indices without them
    std::vector<std::int64_t> least, greatest;
    std::vector<ThreadAccess> members;

    bool takes(const ThreadAccess& other, const std::vector<ExprPtr>& indices) const {
        if (other.buffer != access.buffer || other.writes != access.writes ||
            other.atomic != access.atomic || indices.size() != access.indices.size() ||
            other.loops.size() != access.loops.size() ||
            other.conditions.size() != access.conditions.size())
            return false;
        for (std::size_t l = 0; l < other.loops.size(); ++l)
            if (other.loops[l].name != access.loops[l].name ||
                !equal(other.loops[l].extent, access.loops[l].extent) ||
                !equal(other.loops[l].begin, access.loops[l].begin))
                return false;
        for (std::size_t c = 0; c < other.conditions.size(); ++c)
            if (!equal(other.conditions[c], access.conditions[c]))
                return false;
        for (std::size_t d = 0; d < indices.size(); ++d)
            if (!equal(indices[d], access.indices[d]))
                return false;
        return true;
    }

    ThreadAccess whole() const {
        auto out = access;
        for (std::size_t d = 0; d < least.size(); ++d) {
            ExprPtr from = constant_int(ScalarType::I32, least[d]);
            if (greatest[d] > least[d]) {
                const auto name = "$between" + std::to_string(d);
                out.loops.push_back({name, constant_int(ScalarType::I32, 0),
                                     constant_int(ScalarType::I32, greatest[d] - least[d] + 1)});
                from = binary(Op::Add, from, variable(name));
            }
            out.indices[d] = plus(out.indices[d], from);
        }
        return out;
    }
};

} // namespace

std::vector<AccessGroup> grouped(const std::vector<ThreadAccess>& accesses) {
    std::vector<Form> forms;
    std::unordered_multimap<Hash, std::size_t>
        by_indices; // unrolled loops make thousands of accesses
    for (const auto& access : accesses) {
        std::vector<ExprPtr> indices;
        std::vector<std::int64_t> constants;
        for (const auto& index : access.indices) {
            auto [varies, constant] = without_constant(index);
            indices.push_back(std::move(varies));
            constants.push_back(constant);
        }
        auto key = hash_of(access.buffer);
        for (const auto& index : indices)
            key = combine(key, index->hash);
        const auto [begin, end] = by_indices.equal_range(key);
        const auto known = std::find_if(begin, end, [&](const auto& entry) {
            return forms[entry.second].takes(access, indices);
        });
        if (known == end) {
            by_indices.emplace(key, forms.size());
            forms.push_back({access, constants, constants, {access}});
            forms.back().access.indices = std::move(indices);
            continue;
        }
        auto* form = &forms[known->second];
        form->members.push_back(access);
        for (std::size_t d = 0; d < constants.size(); ++d) {
            form->least[d] = std::min(form->least[d], constants[d]);
            form->greatest[d] = std::max(form->greatest[d], constants[d]);
        }
    }
    std::vector<AccessGroup> out;
    for (auto& form : forms) {
        auto whole = form.members.size() == 1 ? form.members[0] : form.whole();
        out.push_back({std::move(whole), std::move(form.members)});
    }
    return out;
}

bool may_conflict(const AccessGroup& first, const AccessGroup& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers) {
    const auto& a = first.members[0];
    const auto& b = second.members[0];
    if ((!a.writes && !b.writes) || (a.atomic != Op::None && a.atomic == b.atomic))
        return false;
    if (a.buffer != b.buffer)
        return may_conflict(a, b, meeting, shape, answers); // all of them lie where these do
    const bool several = first.members.size() > 1 || second.members.size() > 1;
    if (several && !answers.of_one_form(a, b, meeting, shape) &&
        !may_conflict(first.whole, second.whole, meeting, shape, answers))
        return false;
    return std::any_of(first.members.begin(), first.members.end(), [&](const auto& x) {
        return std::any_of(second.members.begin(), second.members.end(), [&](const auto& y) {
            return may_conflict(x, y, meeting, shape, answers);
        });
    });
}

} // namespace loopscope::lower
