#include "compiler/run/reference/code_builder.h"

#include "compiler/run/reference/types.h"
#include "core/language/prelude.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace loopscope::reference {

namespace {
constexpr auto kForEver = std::numeric_limits<std::size_t>::max();

[[noreturn]] void impossible(const Expr& e, const std::string& why) {
    throw std::logic_error("reference interpreter: " + why + " in '" +
                           to_text(std::make_shared<const Expr>(e)) + "'");
}
} // namespace

int CodeBuilder::compile(const ExprPtr& e) {
    if (auto found = scope_.known.find(e.get()); found != scope_.known.end())
        return found->second;
    if (e->lanes != 1)
        impossible(*e, "a vector");
    int value = compile_new(*e);
    scope_.known.emplace(e.get(), value);
    alive_.push_back(e);
    return value;
}

int CodeBuilder::compile_new(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant: return constant(e);
    case ExprKind::Variable: return variable(e);
    case ExprKind::Unary: return emit(unary_kernel(e.op, e.type), e);
    case ExprKind::Binary: return emit(binary_kernel(e.op, e.args[0]->type), e);
    case ExprKind::Select: return emit(select_kernel(e.type), e);
    case ExprKind::Cast: return emit(cast_kernel(e.args[0]->type, e.type), e);
    case ExprKind::Reinterpret: return emit(reinterpret_kernel(e.args[0]->type, e.type), e);
    case ExprKind::Fma: return emit(fma_kernel(e.type), e);
    case ExprKind::Call: return call(e);
    case ExprKind::Load: return load(e);
    case ExprKind::Let:
        // Let names are unique in a pipeline, so a name once bound stays bound to that value.
        scope_.lets[e.name] = compile(e.args[0]);
        return compile(e.args[1]);
    default: impossible(e, "a loop program's expression");
    }
}

int CodeBuilder::constant(const Expr& e) {
    for (const auto& c : code_.constants)
        if (c.type == e.type && c.bits == e.bits)
            return c.reg;
    code_.constants.push_back({e.type, e.bits, new_value()});
    return code_.constants.back().reg;
}

int CodeBuilder::variable(const Expr& e) {
    if (auto let = scope_.lets.find(e.name); let != scope_.lets.end())
        return let->second;
    for (const auto& v : code_.variables)
        if (v.name == e.name && v.type == e.type)
            return v.reg;
    code_.variables.push_back({e.name, e.type, new_value()});
    return code_.variables.back().reg;
}

// A function of the prelude is what its definition says, with its parameters standing for the
// arguments.
int CodeBuilder::call(const Expr& e) {
    if (!is_prelude_function(e.name) ||
        e.args.size() != static_cast<std::size_t>(prelude_parameters(e.name)))
        impossible(e, "no such function");
    const auto& function = prelude_function(e.name, e.type);
    KnownNames inner;
    for (std::size_t a = 0; a < e.args.size(); ++a)
        inner.lets[function.parameters[a]] = compile(e.args[a]);
    std::swap(scope_, inner);
    int value = compile(function.body);
    std::swap(scope_, inner);
    return value;
}

int CodeBuilder::load(const Expr& e) {
    auto found = storages_.find(e.name);
    if (found == storages_.end() || static_cast<std::size_t>(e.component) >= found->second.size())
        impossible(e, "unknown stage");
    const auto& storage = found->second[static_cast<std::size_t>(e.component)];
    if (storage.type != e.type || storage.extents.size() != e.args.size())
        impossible(e, "wrong type or number of indices");
    auto access = std::make_unique<Access>();
    access->storage = &storage;
    for (const auto& index : e.args) {
        access->indices.push_back(compile(index));
        access->index_types.push_back(index->type);
    }
    Instruction i;
    i.run = load_kernel(e.type);
    i.access = access.get();
    i.target = new_value();
    code_.accesses.push_back(std::move(access));
    code_.instructions.push_back(i);
    source_counts_.push_back(0);
    return i.target;
}

int CodeBuilder::emit(Kernel kernel, const Expr& e) {
    if (!kernel)
        impossible(e, "no such operation");
    Instruction i;
    i.run = kernel;
    for (std::size_t a = 0; a < e.args.size(); ++a)
        i.sources[a] = compile(e.args[a]);
    i.target = new_value();
    code_.instructions.push_back(i);
    source_counts_.push_back(static_cast<int>(e.args.size()));
    return i.target;
}

std::vector<std::size_t> CodeBuilder::last_uses() const {
    std::vector<std::size_t> last(static_cast<std::size_t>(values_), 0);
    auto use = [&](int value, std::size_t when) {
        auto& l = last[static_cast<std::size_t>(value)];
        l = std::max(l, when);
    };
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
        for (int s = 0; s < source_counts_[i]; ++s)
            use(code_.instructions[i].sources[s], i);
        if (code_.instructions[i].access)
            for (int index : code_.instructions[i].access->indices)
                use(index, i);
        use(code_.instructions[i].target, i);
    }
    for (int value : results_)
        use(value, kForEver);
    for (const auto& c : code_.constants)
        use(c.reg, kForEver);
    for (const auto& v : code_.variables)
        use(v.reg, kForEver);
    return last;
}

// A register per value; one is free again after the instruction that reads it last. (Not for that
// instruction's own result: a cast may change the width of the lanes while it reads them.)
std::vector<int> CodeBuilder::assign_registers() const {
    auto last = last_uses();
    std::vector<int> registers(static_cast<std::size_t>(values_), -1);
    std::vector<int> unused;
    int count = 0;
    auto take = [&](int value) {
        int reg = unused.empty() ? count++ : unused.back();
        if (!unused.empty())
            unused.pop_back();
        registers[static_cast<std::size_t>(value)] = reg;
    };
    for (const auto& c : code_.constants)
        take(c.reg);
    for (const auto& v : code_.variables)
        take(v.reg);
    std::vector<std::vector<int>> ending(code_.instructions.size());
    for (std::size_t v = 0; v < last.size(); ++v)
        if (last[v] < ending.size())
            ending[last[v]].push_back(static_cast<int>(v));
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
        take(code_.instructions[i].target);
        for (int value : ending[i])
            unused.push_back(registers[static_cast<std::size_t>(value)]);
    }
    return registers;
}

Code CodeBuilder::finish() {
    auto registers = assign_registers();
    auto reg = [&](int& value) { value = registers[static_cast<std::size_t>(value)]; };
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
        auto& instruction = code_.instructions[i];
        reg(instruction.target);
        for (int s = 0; s < source_counts_[i]; ++s)
            reg(instruction.sources[s]);
    }
    for (auto& access : code_.accesses)
        for (int& index : access->indices)
            reg(index);
    for (auto& c : code_.constants)
        reg(c.reg);
    for (auto& v : code_.variables)
        reg(v.reg);
    for (int value : results_)
        code_.results.push_back(registers[static_cast<std::size_t>(value)]);
    for (int r : registers)
        code_.register_count = std::max(code_.register_count, r + 1);
    return std::move(code_);
}

} // namespace loopscope::reference
