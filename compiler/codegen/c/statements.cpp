#include "compiler/codegen/c/statements.h"

#include "compiler/codegen/c/lanes.h"
#include "compiler/lower/statements.h"

namespace loopscope::codegen {

using lower::ForKind;
using lower::StatementKind;

namespace {

// "for" and the like of a stage's axis: "yo" of "out.yo".
std::string without_stage(const std::string& name, const std::string& stage) {
    return !stage.empty() && name.size() > stage.size() + 1 &&
                   name.compare(0, stage.size() + 1, stage + ".") == 0
               ? name.substr(stage.size() + 1)
               : name;
}

// e + n, with n drawn into it: where a loop that does not begin at 0 ends.
ExprPtr plus(const ExprPtr& e, std::int64_t n) {
    std::int64_t value = 0;
    auto number = [&](std::int64_t v) { return constant_int(e->type, v); };
    if (constant_value(e, value))
        return number(value + n);
    if (e->kind == ExprKind::Binary) {
        const auto &a = e->args[0], &b = e->args[1];
        if (e->op == Op::Min || e->op == Op::Max)
            return binary(e->op, plus(a, n), plus(b, n));
        if (e->op == Op::Subtract && constant_value(a, value))
            return binary(e->op, number(value + n), b);
        bool sum = e->op == Op::Add || e->op == Op::Subtract;
        if (sum && constant_value(b, value))
            return plus(a, n + (e->op == Op::Add ? value : -value));
    }
    return n == 0 ? e : n > 0 ? binary(Op::Add, e, number(n)) : binary(Op::Subtract, e, number(-n));
}

} // namespace

void CStatements::statement(const Statement& s) {
    switch (s.kind) {
    case StatementKind::Block: children(s); break;
    case StatementKind::For: loop(s); break;
    case StatementKind::If: conditional(s); break;
    case StatementKind::Let: s.value->lanes > 1 ? let_vector(s) : let_scalar(s); break;
    case StatementKind::Store: store(s); break;
    case StatementKind::Atomic: atomic(s); break;
    case StatementKind::Prefetch: prefetch(s); break;
    case StatementKind::Allocate: allocate(s); break;
    case StatementKind::Evaluate: break;
    case StatementKind::Barrier:
    case StatementKind::Copy:
    case StatementKind::BulkCopy:
    case StatementKind::Acquire:
    case StatementKind::Commit:
    case StatementKind::Wait:
    case StatementKind::Release:
    case StatementKind::Intrinsic:
    case StatementKind::Threads: device_step(s); break;
    }
    after(s);
}

void CStatements::children(const Statement& s) {
    for (const auto& child : s.children)
        if (child)
            statement(*child);
}

void CStatements::nested(const Statement& s) {
    auto stage = stage_;
    out_.indent();
    names_.open_scope();
    statement(s);
    names_.close_scope();
    out_.outdent();
    stage_ = stage;
}

// Names the stage, and which of its definitions, where another begins.
void CStatements::stage_comment(const Statement& s) {
    if (s.origin.stage.empty())
        return;
    bool whole = s.origin.definition < 0;
    auto text = (whole ? "" : definition_name(s.origin.stage, s.origin.definition)) +
                (whole                      ? "storage of " + s.origin.stage
                 : s.origin.name == "@init" ? ": initial values"
                                            : "");
    if (text == stage_)
        return;
    stage_ = text;
    out_.line("// " + text, s.origin);
}

void CStatements::declarations(const NodeId& origin) {
    for (const auto& declaration : expressions_.take_declarations())
        out_.line(declaration, origin);
}

std::string CStatements::scoped_name(const Statement& s, const std::string& name) {
    auto short_name = c_identifier(without_stage(name, s.origin.stage));
    return names_.is_free(short_name) ? names_.scoped(short_name) : names_.scoped(name);
}

void CStatements::loop(const Statement& s) {
    std::int64_t extent = 0;
    if (constant_value(s.loop->extent, extent) && extent <= 0)
        return;
    stage_comment(s);
    auto stage = stage_;
    names_.open_scope();
    begin_loop(s);
    expressions_.in_elements = s.loop->kind == ForKind::Vectorized;
    nested(*s.children[0]);
    expressions_.in_elements = false;
    out_.indent();
    end_of_loop(s);
    out_.outdent();
    out_.line("}", s.origin);
    names_.close_scope();
    expressions_.variables.erase(s.variable);
    stage_ = stage;
}

void CStatements::begin_loop(const Statement& s) {
    std::int64_t first = 0, count = 0;
    auto end = constant_value(s.loop->begin, first)
                   ? plus(s.loop->extent, first)
                   : binary(Op::Add, s.loop->begin, s.loop->extent);
    expressions_.begin({s.loop->begin, s.loop->extent});
    bool constant = constant_value(s.loop->begin, first) && constant_value(s.loop->extent, count);
    auto to = constant ? std::to_string(first + count)
              : constant_value(s.loop->begin, first) && first == 0
                  ? expressions_.text(s.loop->extent)
                  : "";
    auto in_begin = expressions_.range(s.loop->begin),
         in_extent = expressions_.range(s.loop->extent);
    bool fits = to.empty() ? expressions_.range(end).has_value()
                           : !constant || first + count <= greatest(s.loop->begin->type);
    auto type = std::string(c_type(s.loop->begin->type));
    auto from = expressions_.text(s.loop->begin);
    if (to.empty())
        to = fits ? expressions_.text(end)
                  : "(int64_t)" + expressions_.operand(s.loop->begin, Binding::Unary) + " + " +
                        expressions_.operand(s.loop->extent, Binding::Product);
    declarations(s.origin);
    std::optional<std::int64_t> unrolled;
    if (s.loop->kind == ForKind::Unrolled && constant_value(s.loop->extent, count) &&
        count <= kMaxUnrolled)
        unrolled = count;
    before_loop(s, unrolled);
    // Loops of elements that no loop of the schedule stands for are numbered.
    bool lanes = s.loop->kind == ForKind::Vectorized && s.variable.rfind("lane_", 0) == 0;
    auto name = lanes ? names_.scoped("lane") : scoped_name(s, s.variable);
    std::optional<Interval> range;
    if (in_begin && in_extent && in_extent->greatest >= 1)
        range = Interval{in_begin->least, in_begin->greatest + in_extent->greatest - 1};
    expressions_.variables[s.variable] = {name, range, nullptr, false};
    auto counter = fits ? name : names_.scoped(name + "_at");
    out_.line("for (" + (fits ? type : "int64_t") + " " + counter + " = " + from + "; " + counter +
                  " < " + to + "; " + counter + "++) {",
              s.origin);
    if (!fits) {
        out_.indent();
        out_.line("const " + type + " " + name + " = (" + type + ")" + counter + ";", s.origin);
        out_.outdent();
    }
}

void CStatements::conditional(const Statement& s) {
    expressions_.begin({s.condition});
    auto condition = expressions_.text(s.condition);
    if (condition == "true" || condition == "false") {
        expressions_.take_declarations();
        bool holds = condition == "true";
        if (holds || s.children.size() > 1)
            statement(*s.children[holds ? 0 : 1]);
        return;
    }
    stage_comment(s);
    declarations(s.origin);
    out_.line("if (" + condition + ") {", s.origin);
    nested(*s.children[0]);
    if (s.children.size() > 1) {
        out_.line("} else {", s.origin);
        nested(*s.children[1]);
    }
    out_.line("}", s.origin);
}

void CStatements::let_scalar(const Statement& s) {
    expressions_.begin({s.value});
    auto text = expressions_.text(s.value);
    auto range = is_integer(s.value->type) ? expressions_.range(s.value) : std::nullopt;
    declarations(s.origin);
    auto name = names_.unique(without_stage(s.variable, s.origin.stage));
    expressions_.declare(name);
    out_.line(std::string("const ") + c_type(s.value->type) + " " + name + " = " + text + ";",
              s.origin);
    expressions_.variables[s.variable] = {name, range, nullptr, false};
    children(s);
    expressions_.variables.erase(s.variable);
}

// What is cheap to compute anew in each lane, such as a mask, is written where it is used; the rest
// is an array.
void CStatements::let_vector(const Statement& s) {
    auto range = is_integer(s.value->type) ? expressions_.range(s.value) : std::nullopt;
    if (is_cheap_in_lanes(s.value)) {
        expressions_.variables[s.variable] = {"", range, s.value, false};
    } else {
        int count = s.value->lanes;
        auto name = scoped_name(s, s.variable);
        stage_comment(s);
        out_.line(std::string(c_type(s.value->type)) + " " + name + "[" + std::to_string(count) +
                      "];",
                  s.origin);
        over_lanes(count, true, s.origin, [&] {
            guarded(nullptr, s.origin, {s.value}, [&] {
                return name + "[" + expressions_.lane + "] = " + expressions_.text(s.value) + ";";
            });
        });
        expressions_.variables[s.variable] = {name, range, nullptr, false};
        expressions_.variables[s.variable].in_lanes = true;
    }
    children(s);
    expressions_.variables.erase(s.variable);
}

} // namespace loopscope::codegen
