#include "compiler/run/simt_interpreter/expression_compiler.h"

#include "core/language/prelude.h"

#include <algorithm>

namespace loopscope::simt_interpreter {

namespace {

using namespace loop_interpreter;

constexpr std::uint32_t kMaxCells = 4'000'000; // of a warp

// Kernels that know threads; those of the loop-program interpreter do the rest, over all cells of a
// value.

void spread_kernel(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        std::fill_n(cells + i.result + l * kWarp, kWarp, cells[i.a + l]);
}
void widen_kernel(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        std::copy_n(cells + i.a, kWarp, cells + i.result + l * kWarp);
}
void move_kernel(Cell* cells, const Instruction& i) {
    std::copy_n(cells + i.a, i.lanes, cells + i.result);
}

Kernel kernel_of(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Unary: return unary_kernel(e.op, e.type);
    case ExprKind::Binary: return binary_kernel(e.op, e.args[0]->type);
    case ExprKind::Select: return select_kernel();
    case ExprKind::Cast: return cast_kernel(e.type, e.args[0]->type);
    case ExprKind::Fma: return fma_kernel(e.type);
    case ExprKind::Reinterpret: return reinterpret_kernel(e.args[0]->type);
    default: return nullptr;
    }
}

} // namespace

void ExpressionCompiler::begin(const NodeId& origin) {
    origin_ = &origin;
    top_ = kept_;
    forget();
}

void ExpressionCompiler::forget() {
    memo_.clear();
    spread_.clear();
}

Value ExpressionCompiler::expression(const ExprPtr& e) { return compile(e, {&variables_, &memo_}); }

// The value's cells lie below those of what is computed on the way, so that the last instruction
// can put it there at once.
Value ExpressionCompiler::kept(const ExprPtr& e) {
    forget();
    auto room = scratch(e->lanes * kWarp);
    auto v = expression(e);
    // a variable or constant, which stays where it is
    if (v.cell < room || v.cell >= kConstants)
        return v;
    auto& last = code_.instructions.back();
    if (last.result == v.cell) {
        last.result = room;
        if (!last.run)
            code_.accesses[last.access].value.cell = room;
    } else {
        moved(v, room);
    }
    v.cell = room;
    kept_ = room + v.size();
    forget();
    return v;
}

Value ExpressionCompiler::new_variable(std::uint32_t lanes, bool uniform) {
    Value v{0, lanes, uniform};
    v.cell = scratch(v.size());
    kept_ = top_;
    return v;
}

std::uint32_t ExpressionCompiler::scratch(std::uint32_t cells) {
    auto first = top_;
    if (cells > kMaxCells || top_ + cells > kMaxCells)
        throw Stop{error("the launch " + code_.name + " is too large to interpret")};
    top_ += cells;
    most_ = std::max(most_, top_);
    return first;
}

Value ExpressionCompiler::constant(Cell bits, bool uniform) {
    auto [found, added] = constant_values_.try_emplace({bits, uniform}, Value{0, 1, uniform});
    if (added) {
        if (constants_.size() > kMaxCells)
            throw Stop{error("the launch " + code_.name + " is too large to interpret")};
        found->second.cell = kConstants + static_cast<std::uint32_t>(constants_.size());
        constants_.insert(constants_.end(), found->second.size(), bits);
    }
    return found->second;
}

std::uint32_t ExpressionCompiler::add_site(Deed deed) {
    code_.sites.push_back({origin_, deed, 0, {}});
    return static_cast<std::uint32_t>(code_.sites.size() - 1);
}

Value ExpressionCompiler::compile(const ExprPtr& e, KnownNames scope) {
    if (auto found = scope.memo->find(e.get()); found != scope.memo->end())
        return found->second;
    auto value = e->kind == ExprKind::Let ? let(*e, scope) : node(*e, scope);
    scope.memo->emplace(e.get(), value);
    return value;
}

// The body has a memo of its own: bodies of equal names may be shared, values not.
Value ExpressionCompiler::let(const Expr& e, KnownNames scope) {
    (*scope.names)[e.name] = compile(e.args[0], scope);
    std::unordered_map<const Expr*, Value> inner;
    return compile(e.args[1], {scope.names, &inner});
}

Value ExpressionCompiler::node(const Expr& e, KnownNames scope) {
    if (e.kind == ExprKind::Constant)
        return constant(e.bits);
    if (e.kind == ExprKind::Variable)
        return scope.names->at(e.name);
    std::vector<Value> arguments;
    for (const auto& a : e.args)
        arguments.push_back(compile(a, scope));
    switch (e.kind) {
    case ExprKind::Call: return call(e, arguments);
    case ExprKind::Load:
    case ExprKind::MaskedLoad: return load(e, std::move(arguments));
    case ExprKind::Ramp: return ramp(e, arguments[0], arguments[1]);
    case ExprKind::Broadcast: return widened(arguments[0], e.lanes);
    default: return operation(kernel_of(e), e, std::move(arguments));
    }
}

// A call evaluates the function's definition, whose constants are scalars.
Value ExpressionCompiler::call(const Expr& e, const std::vector<Value>& arguments) {
    const auto& function = prelude_function(e.name, e.type);
    std::unordered_map<std::string, Value> names;
    std::unordered_map<const Expr*, Value> memo;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        names[function.parameters.at(i)] = arguments[i];
    return widened(compile(function.body, {&names, &memo}), e.lanes);
}

Value ExpressionCompiler::load(const Expr& e, std::vector<Value> arguments) {
    Access a;
    if (e.kind == ExprKind::MaskedLoad) {
        a.mask = arguments.back();
        arguments.pop_back();
    }
    a.store = stores.at(e.name);
    a.site = add_site(Deed::Reads);
    a.flat = flat_;
    a.lanes = e.lanes;
    // All threads read one element, and get one value; each thread's own memory has as many as
    // there are threads.
    bool uniform = memory_[a.store].space != Space::Private && (!a.mask || a.mask->uniform);
    for (const auto& index : arguments)
        uniform = uniform && index.uniform;
    a.indices = std::move(arguments);
    a.value = {0, e.lanes, uniform};
    a.value.cell = scratch(a.value.size());
    Instruction i;
    i.result = a.value.cell;
    i.access = static_cast<std::uint32_t>(code_.accesses.size());
    code_.instructions.push_back(i);
    auto value = a.value;
    code_.accesses.push_back(std::move(a));
    return value;
}

Access ExpressionCompiler::place(const std::string& buffer, const std::vector<ExprPtr>& indices,
                                 const ExprPtr& mask, Deed deed) {
    Access a;
    a.store = stores.at(buffer);
    a.flat = flat_;
    for (const auto& index : indices) {
        a.indices.push_back(expression(index));
        a.lanes = std::max(a.lanes, a.indices.back().lanes);
    }
    if (mask)
        a.mask = expression(mask);
    a.site = add_site(deed);
    return a;
}

// base + stride*lane, by the operations of the type.
Value ExpressionCompiler::ramp(const Expr& e, const Value& base, const Value& stride) {
    auto lanes = emit(ramp_kernel(e.type), {constant(0), constant(1)}, e.lanes, true);
    const auto multiply = binary_kernel(Op::Multiply, e.type), add = binary_kernel(Op::Add, e.type);
    return operation(add, e, {base, operation(multiply, e, {stride, lanes})});
}

Value ExpressionCompiler::operation(Kernel kernel, const Expr& e, std::vector<Value> arguments) {
    if (!kernel)
        throw Stop{error("the interpreter of launches on a device does not know " +
                         std::string(e.op == Op::None ? "an operation" : symbol(e.op)) + " on " +
                         loopscope::name(e.args[0]->type))};
    std::uint32_t lanes = 1;
    bool uniform = true;
    for (const auto& a : arguments) {
        lanes = std::max(lanes, a.lanes);
        uniform = uniform && a.uniform;
    }
    for (auto& a : arguments) {
        a = widened(a, lanes);
        if (!uniform)
            a = spread(a);
    }
    return emit(kernel, arguments, lanes, uniform);
}

Value ExpressionCompiler::emit(Kernel kernel, const std::vector<Value>& operands,
                               std::uint32_t lanes, bool uniform) {
    Value v{0, lanes, uniform};
    v.cell = scratch(v.size());
    Instruction i;
    i.run = kernel;
    i.result = v.cell;
    i.a = operands[0].cell;
    i.b = operands.size() > 1 ? operands[1].cell : 0;
    i.c = operands.size() > 2 ? operands[2].cell : 0;
    i.lanes = v.size();
    code_.instructions.push_back(i);
    return v;
}

Value ExpressionCompiler::widened(const Value& v, std::uint32_t lanes) {
    if (v.lanes == lanes)
        return v;
    auto wide = emit(v.uniform ? broadcast_kernel() : widen_kernel, {v}, lanes, v.uniform);
    code_.instructions.back().lanes = lanes;
    return wide;
}

Value ExpressionCompiler::spread(const Value& v) {
    if (!v.uniform)
        return v;
    if (v.cell >= kConstants && v.lanes == 1)
        return constant(constants_[v.cell - kConstants], false);
    if (auto found = spread_.find(v.cell); found != spread_.end() && found->second.lanes == v.lanes)
        return found->second;
    auto wide = emit(spread_kernel, {v}, v.lanes, false);
    code_.instructions.back().lanes = v.lanes;
    spread_[v.cell] = wide;
    return wide;
}

Value ExpressionCompiler::moved(const Value& v, std::uint32_t to) {
    Instruction i;
    i.run = move_kernel;
    i.a = v.cell;
    i.result = to;
    i.lanes = v.size();
    code_.instructions.push_back(i);
    return {to, v.lanes, v.uniform};
}

void ExpressionCompiler::relocate(std::uint32_t& cell) const {
    if (cell >= kConstants)
        cell = cell - kConstants + most_;
}

void ExpressionCompiler::finish() {
    auto value = [&](Value& v) { relocate(v.cell); };
    for (auto& i : code_.instructions)
        for (auto* cell : {&i.a, &i.b, &i.c})
            relocate(*cell);
    for (auto& a : code_.accesses) {
        std::for_each(a.indices.begin(), a.indices.end(), value);
        if (a.mask)
            value(*a.mask);
        value(a.value);
    }
    for (auto& c : code_.calls)
        for (auto& o : c.operands)
            std::for_each(o.indices.begin(), o.indices.end(), value);
    for (auto& s : code_.steps)
        for (auto* v : {&s.a, &s.b, &s.variable})
            value(*v);
    code_.cells.assign(most_, 0);
    code_.cells.insert(code_.cells.end(), constants_.begin(), constants_.end());
}

} // namespace loopscope::simt_interpreter
