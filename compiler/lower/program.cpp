#include "compiler/lower/program.h"

#include "compiler/lower/statement_fields.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

namespace {

StatementPtr finish(Statement s) { return std::make_shared<const Statement>(std::move(s)); }

Statement make(StatementKind kind, NodeId origin) {
    Statement s;
    s.kind = kind;
    s.origin = std::move(origin);
    return s;
}

StatementPtr body_or_empty(StatementPtr body) { return body ? std::move(body) : empty_block(); }

void append_flat(std::vector<StatementPtr>& out, const StatementPtr& s) {
    if (!s)
        return;
    if (s->kind != StatementKind::Block) {
        out.push_back(s);
        return;
    }
    for (const auto& child : s->children)
        append_flat(out, child);
}

} // namespace

StatementPtr block(std::vector<StatementPtr> children, NodeId origin) {
    auto s = make(StatementKind::Block, std::move(origin));
    for (const auto& child : children)
        append_flat(s.children, child);
    if (s.children.size() == 1)
        return s.children[0];
    return finish(std::move(s));
}

StatementPtr for_loop(NodeId origin, std::string name, ExprPtr begin, ExprPtr extent, ForKind kind,
                      StatementPtr body) {
    assert(begin->type == extent->type);
    auto s = make(StatementKind::For, std::move(origin));
    s.variable = std::move(name);
    s.loop = Loop{std::move(begin), std::move(extent), kind, {}};
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr if_then(NodeId origin, ExprPtr condition, StatementPtr then, StatementPtr otherwise) {
    assert(is_bool(condition->type));
    auto s = make(StatementKind::If, std::move(origin));
    s.condition = std::move(condition);
    s.children = {body_or_empty(std::move(then))};
    if (otherwise && !is_empty(otherwise))
        s.children.push_back(std::move(otherwise));
    return finish(std::move(s));
}

StatementPtr let_statement(NodeId origin, std::string name, ExprPtr value, StatementPtr body) {
    auto s = make(StatementKind::Let, std::move(origin));
    s.variable = std::move(name);
    s.value = std::move(value);
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr store(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, ExprPtr value,
                   ExprPtr mask) {
    auto s = make(StatementKind::Store, std::move(origin));
    s.access = ElementAccess{std::move(buffer), std::move(mask), std::move(indices)};
    s.value = std::move(value);
    return finish(std::move(s));
}

StatementPtr atomic(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, Op op,
                    ExprPtr value, ExprPtr mask) {
    auto s = make(StatementKind::Atomic, std::move(origin));
    s.access = ElementAccess{std::move(buffer), std::move(mask), std::move(indices), false, op};
    s.value = std::move(value);
    return finish(std::move(s));
}

StatementPtr prefetch(NodeId origin, std::string buffer, std::vector<ExprPtr> indices) {
    auto s = make(StatementKind::Prefetch, std::move(origin));
    s.access = ElementAccess{std::move(buffer), nullptr, std::move(indices)};
    return finish(std::move(s));
}

StatementPtr allocate(NodeId origin, Storage storage, StatementPtr body) {
    auto s = make(StatementKind::Allocate, std::move(origin));
    s.storage = std::move(storage);
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr allocate(NodeId origin, std::string buffer, ScalarType type,
                      std::vector<Extent> extents, device::MemoryScope scope, StatementPtr body) {
    return allocate(std::move(origin),
                    Storage{std::move(buffer), type, std::move(extents), std::move(scope)},
                    std::move(body));
}

StatementPtr evaluate(NodeId origin, ExprPtr value) {
    auto s = make(StatementKind::Evaluate, std::move(origin));
    s.value = std::move(value);
    return finish(std::move(s));
}

StatementPtr barrier(NodeId origin, std::string level) {
    auto s = make(StatementKind::Barrier, std::move(origin));
    s.level = std::move(level);
    return finish(std::move(s));
}

StatementPtr copy(NodeId origin, std::string token, std::string buffer,
                  std::vector<ExprPtr> indices, ExprPtr value) {
    auto s = make(StatementKind::Copy, std::move(origin));
    s.step = PipelineStep{std::move(token)};
    s.access = ElementAccess{std::move(buffer), nullptr, std::move(indices)};
    s.value = std::move(value);
    return finish(std::move(s));
}

StatementPtr pipeline_step(StatementKind kind, NodeId origin, PipelineStep step) {
    auto s = make(kind, std::move(origin));
    s.step = std::move(step);
    return finish(std::move(s));
}

StatementPtr intrinsic(NodeId origin, std::string name, std::vector<Operand> operands) {
    auto s = make(StatementKind::Intrinsic, std::move(origin));
    s.instruction = std::move(name);
    s.operands = std::move(operands);
    return finish(std::move(s));
}

StatementPtr threads(ThreadRange range, StatementPtr body) {
    auto s = make(StatementKind::Threads, {});
    s.threads = range;
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr bulk_copy(NodeId origin, std::string token, std::vector<Operand> operands,
                       CopiedBox box) {
    auto s = make(StatementKind::BulkCopy, std::move(origin));
    s.step = PipelineStep{std::move(token)};
    s.operands = std::move(operands);
    s.box = std::move(box);
    return finish(std::move(s));
}

StatementPtr as_copy(const StatementPtr& store, std::string token) {
    return edited(store, [&](Statement& s) {
        s.kind = StatementKind::Copy;
        s.step = PipelineStep{std::move(token)};
    });
}

StatementPtr as_store(const StatementPtr& copy) {
    return edited(copy, [](Statement& s) {
        s.kind = StatementKind::Store;
        s.step = std::nullopt;
    });
}

StatementPtr with_children(const StatementPtr& s, std::vector<StatementPtr> children) {
    if (children == s->children)
        return s;
    for (auto& child : children)
        child = body_or_empty(std::move(child));
    if (s->kind == StatementKind::Block)
        return block(std::move(children), s->origin);
    if (s->kind == StatementKind::If) {
        auto otherwise = children.size() > 1 ? children[1] : nullptr;
        return if_then(s->origin, s->condition, children[0], otherwise);
    }
    return edited(s, [&](Statement& copy) { copy.children = std::move(children); });
}

StatementPtr map_expressions(const StatementPtr& s,
                             const std::function<ExprPtr(const ExprPtr&)>& map) {
    std::vector<ExprPtr> mapped;
    bool changed = false;
    each_expression(*s, [&](const ExprPtr& e) {
        mapped.push_back(map(e));
        changed = changed || mapped.back() != e;
    });
    if (!changed)
        return s;
    return edited(s, [&](Statement& copy) {
        auto next = mapped.begin();
        each_expression(copy, [&](ExprPtr& e) { e = std::move(*next++); });
    });
}

StatementPtr rewrite(const StatementPtr& s,
                     const std::function<StatementPtr(const StatementPtr&)>& on_statement,
                     const std::function<ExprPtr(const ExprPtr&)>& on_expr) {
    std::vector<StatementPtr> children;
    children.reserve(s->children.size());
    for (const auto& child : s->children)
        children.push_back(rewrite(child, on_statement, on_expr));
    auto rebuilt = with_children(s, std::move(children));
    if (s->kind ==
        StatementKind::
            Block) // one that shrank to a single child is that child, which has been seen
        return rebuilt->kind == StatementKind::Block ? on_statement(rebuilt) : rebuilt;
    return on_statement(on_expr ? map_expressions(rebuilt, on_expr) : rebuilt);
}

bool equal(const StatementPtr& a, const StatementPtr& b) {
    return a == b || (a && b && same_value(*a, *b));
}

bool equal(const Program& a, const Program& b) { return same_value(a, b); }

bool Argument::operator==(const Argument& other) const {
    auto whole = [](const Argument& x) {
        const auto& [buffer, role, type, extents, mins, window] = x;
        return std::tuple(buffer, role, type, extents,
                          mins.empty() ? std::vector<std::int64_t>(extents.size()) : mins,
                          window.empty() ? extents : window);
    };
    return whole(*this) == whole(other);
}

void visit_statements(const StatementPtr& s, const std::function<bool(const Statement&)>& visit) {
    if (!s || !visit(*s))
        return;
    for (const auto& child : s->children)
        visit_statements(child, visit);
}

bool any_statement(const StatementPtr& s, const std::function<bool(const Statement&)>& holds) {
    return s && (holds(*s) || std::any_of(s->children.begin(), s->children.end(),
                                          [&](const auto& c) { return any_statement(c, holds); }));
}

std::vector<ExprPtr> expressions(const Statement& s) {
    std::vector<ExprPtr> out;
    each_expression(s, [&](const ExprPtr& e) { out.push_back(e); });
    return out;
}

bool combines_atomically(Op op, ScalarType type) {
    if (is_bool(type))
        return op == Op::LogicalAnd || op == Op::LogicalOr;
    return op == Op::Add || op == Op::Multiply || op == Op::Min || op == Op::Max;
}

bool is_empty(const StatementPtr& s) {
    return !s || (s->kind == StatementKind::Block && s->children.empty());
}

StatementPtr empty_block() { return finish(make(StatementKind::Block, {})); }

Program map_bodies(const Program& program,
                   const std::function<StatementPtr(const StatementPtr&)>& map) {
    Program out = program;
    for (auto& launch : out.launches)
        launch.body = body_or_empty(map(launch.body));
    return out;
}

StatementPtr substitute(const StatementPtr& s,
                        const std::function<ExprPtr(const std::string&)>& value_of) {
    return rewrite(
        s, [](const StatementPtr& x) { return x; },
        [&](const ExprPtr& e) { return loopscope::substitute(e, value_of); });
}

bool uses_variable(const StatementPtr& s, const std::string& name) {
    return any_statement(s, [&](const Statement& x) {
        const auto own = expressions(x);
        return std::any_of(own.begin(), own.end(),
                           [&](const auto& e) { return uses_variable(e, name); });
    });
}

bool loads_from(const ExprPtr& e, const std::string& buffer) {
    return any_node(e, [&](const Expr& x) { return is_load(x) && x.name == buffer; });
}

bool loads_from(const Statement& s, const std::string& buffer) {
    const auto own = expressions(s);
    return std::any_of(own.begin(), own.end(),
                       [&](const auto& e) { return loads_from(e, buffer); });
}

StatementPtr as_streaming(const StatementPtr& s, bool streaming) {
    return rewrite(s, [&](const StatementPtr& x) {
        if (x->kind != StatementKind::Store || x->access->streaming == streaming)
            return x;
        return edited(x, [&](Statement& copy) { copy.access->streaming = streaming; });
    });
}

bool streams(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) {
        return x.kind == StatementKind::Store && x.access->streaming;
    });
}

std::size_t size_of(const StatementPtr& s) {
    std::size_t size = 0;
    visit_statements(s, [&](const Statement& x) {
        ++size;
        for (const auto& e : expressions(x))
            visit(e, [&](const Expr&) { return ++size, true; });
        return true;
    });
    return size;
}

} // namespace loopscope::lower
