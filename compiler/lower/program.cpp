#include "compiler/lower/program.h"
#include "compiler/lower/statements.h"

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

bool equal_list(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!loopscope::equal(a[i], b[i]))
            return false;
    return true;
}

bool equal_fields(const Statement& a, const Statement& b) {
    return a.kind == b.kind && a.origin == b.origin && a.name == b.name &&
           a.for_kind == b.for_kind && a.level == b.level && a.buffer == b.buffer && a.op == b.op &&
           a.streaming == b.streaming && a.type == b.type && a.extents == b.extents &&
           a.scope == b.scope && a.alignment == b.alignment && a.rotation == b.rotation &&
           a.swizzle == b.swizzle && a.zero_border == b.zero_border && a.blocks == b.blocks &&
           a.offset == b.offset && a.pending == b.pending && a.producers == b.producers &&
           a.operands.size() == b.operands.size() && a.children.size() == b.children.size();
}

bool equal_operands(const Statement& a, const Statement& b) {
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (a.operands[i].buffer != b.operands[i].buffer ||
            a.operands[i].matrix != b.operands[i].matrix ||
            !equal_list(a.operands[i].indices, b.operands[i].indices))
            return false;
    return true;
}

bool equal_buffers(const std::vector<DeviceBuffer>& a, const std::vector<DeviceBuffer>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.buffer == y.buffer && x.type == y.type && x.extents == y.extents &&
               x.offset == y.offset;
    });
}

// An argument's mins may be left out where they are zero, its window where it is the whole.
bool equal_arguments(const Argument& a, const Argument& b) {
    auto mins = [](const Argument& x) {
        return x.mins.empty() ? std::vector<std::int64_t>(x.extents.size()) : x.mins;
    };
    auto window = [](const Argument& x) { return x.window.empty() ? x.extents : x.window; };
    return a.buffer == b.buffer && a.role == b.role && a.type == b.type && a.extents == b.extents &&
           mins(a) == mins(b) && window(a) == window(b);
}

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
    s.name = std::move(name);
    s.begin = std::move(begin);
    s.extent = std::move(extent);
    s.for_kind = kind;
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
    s.name = std::move(name);
    s.value = std::move(value);
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr store(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, ExprPtr value,
                   ExprPtr mask) {
    auto s = make(StatementKind::Store, std::move(origin));
    s.buffer = std::move(buffer);
    s.indices = std::move(indices);
    s.value = std::move(value);
    s.mask = std::move(mask);
    return finish(std::move(s));
}

StatementPtr atomic(NodeId origin, std::string buffer, std::vector<ExprPtr> indices, Op op,
                    ExprPtr value, ExprPtr mask) {
    auto s = make(StatementKind::Atomic, std::move(origin));
    s.buffer = std::move(buffer);
    s.indices = std::move(indices);
    s.op = op;
    s.value = std::move(value);
    s.mask = std::move(mask);
    return finish(std::move(s));
}

StatementPtr prefetch(NodeId origin, std::string buffer, std::vector<ExprPtr> indices) {
    auto s = make(StatementKind::Prefetch, std::move(origin));
    s.buffer = std::move(buffer);
    s.indices = std::move(indices);
    return finish(std::move(s));
}

StatementPtr allocate(NodeId origin, std::string buffer, ScalarType type,
                      std::vector<Extent> extents, std::string scope, StatementPtr body) {
    auto s = make(StatementKind::Allocate, std::move(origin));
    s.buffer = std::move(buffer);
    s.type = type;
    s.extents = std::move(extents);
    s.scope = std::move(scope);
    s.children = {body_or_empty(std::move(body))};
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
    s.name = std::move(token);
    s.buffer = std::move(buffer);
    s.indices = std::move(indices);
    s.value = std::move(value);
    return finish(std::move(s));
}

StatementPtr pipeline_step(StatementKind kind, NodeId origin, std::string token, int pending) {
    auto s = make(kind, std::move(origin));
    s.name = std::move(token);
    s.pending = pending;
    return finish(std::move(s));
}

StatementPtr intrinsic(NodeId origin, std::string name, std::vector<Operand> operands) {
    auto s = make(StatementKind::Intrinsic, std::move(origin));
    s.name = std::move(name);
    s.operands = std::move(operands);
    return finish(std::move(s));
}

StatementPtr threads(std::int64_t begin, std::int64_t count, StatementPtr body) {
    auto s = make(StatementKind::Threads, {});
    s.begin = constant_int(ScalarType::I32, begin);
    s.extent = constant_int(ScalarType::I32, count);
    s.children = {body_or_empty(std::move(body))};
    return finish(std::move(s));
}

StatementPtr bulk_copy(NodeId origin, std::string token, std::vector<Operand> operands,
                       std::vector<Extent> box, int swizzle, bool zero_border) {
    auto s = make(StatementKind::BulkCopy, std::move(origin));
    s.name = std::move(token);
    s.operands = std::move(operands);
    s.extents = std::move(box);
    s.swizzle = swizzle;
    s.zero_border = zero_border;
    return finish(std::move(s));
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
    auto mapped = [&](const ExprPtr& e) { return e ? map(e) : e; };
    auto begin = mapped(s->begin), extent = mapped(s->extent), condition = mapped(s->condition);
    auto value = mapped(s->value), mask = mapped(s->mask);
    std::vector<ExprPtr> indices;
    indices.reserve(s->indices.size());
    for (const auto& index : s->indices)
        indices.push_back(map(index));
    auto operands = s->operands;
    for (auto& operand : operands)
        for (auto& index : operand.indices)
            index = map(index);
    if (begin == s->begin && extent == s->extent && condition == s->condition &&
        value == s->value && mask == s->mask && indices == s->indices && operands == s->operands)
        return s;
    return edited(s, [&](Statement& copy) {
        copy.begin = begin;
        copy.extent = extent;
        copy.condition = condition;
        copy.value = value;
        copy.mask = mask;
        copy.indices = std::move(indices);
        copy.operands = std::move(operands);
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
    if (a == b)
        return true;
    if (!a || !b || !equal_fields(*a, *b))
        return false;
    if (!loopscope::equal(a->begin, b->begin) || !loopscope::equal(a->extent, b->extent) ||
        !loopscope::equal(a->condition, b->condition) || !loopscope::equal(a->value, b->value) ||
        !loopscope::equal(a->mask, b->mask) || !equal_list(a->indices, b->indices) ||
        !equal_operands(*a, *b))
        return false;
    for (std::size_t i = 0; i < a->children.size(); ++i)
        if (!equal(a->children[i], b->children[i]))
            return false;
    return true;
}

bool equal(const Program& a, const Program& b) {
    if (a.name != b.name || a.symbols != b.symbols || a.flat != b.flat ||
        a.arguments.size() != b.arguments.size() || a.launches.size() != b.launches.size() ||
        !equal_buffers(a.buffers, b.buffers))
        return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
        if (!equal_arguments(a.arguments[i], b.arguments[i]))
            return false;
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
        const auto &x = a.launches[i], &y = b.launches[i];
        if (x.name != y.name || x.place != y.place || x.arguments != y.arguments ||
            !equal(x.body, y.body))
            return false;
    }
    return true;
}

void visit_statements(const StatementPtr& s, const std::function<bool(const Statement&)>& visit) {
    if (!s || !visit(*s))
        return;
    for (const auto& child : s->children)
        visit_statements(child, visit);
}

std::vector<ExprPtr> expressions(const Statement& s) {
    std::vector<ExprPtr> out;
    for (const auto& e : {s.begin, s.extent, s.condition, s.value, s.mask})
        if (e)
            out.push_back(e);
    out.insert(out.end(), s.indices.begin(), s.indices.end());
    for (const auto& operand : s.operands)
        out.insert(out.end(), operand.indices.begin(), operand.indices.end());
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

bool uses_variable(const ExprPtr& e, const std::string& name) {
    bool found = false;
    visit(e, [&](const Expr& x) {
        found = found || (x.kind == ExprKind::Variable && x.name == name);
        return !found;
    });
    return found;
}

bool uses_variable(const StatementPtr& s, const std::string& name) {
    bool found = false;
    visit_statements(s, [&](const Statement& x) {
        for (const auto& e : expressions(x))
            found = found || uses_variable(e, name);
        return !found;
    });
    return found;
}

bool contains_load(const ExprPtr& e) {
    bool found = false;
    visit(e, [&](const Expr& x) {
        found = found || x.kind == ExprKind::Load || x.kind == ExprKind::MaskedLoad;
        return !found;
    });
    return found;
}

StatementPtr as_streaming(const StatementPtr& s, bool streaming) {
    return rewrite(s, [&](const StatementPtr& x) {
        if (x->kind != StatementKind::Store || x->streaming == streaming)
            return x;
        return edited(x, [&](Statement& copy) { copy.streaming = streaming; });
    });
}

bool streams(const StatementPtr& s) {
    bool found = false;
    visit_statements(s, [&](const Statement& x) {
        found = found || x.streaming;
        return !found;
    });
    return found;
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
