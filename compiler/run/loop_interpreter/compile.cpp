#include "compiler/lower/reduction.h"
#include "compiler/lower/statements.h"
#include "compiler/run/loop_interpreter/code.h"
#include "core/language/prelude.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::loop_interpreter {

namespace {

using lower::ForKind;
using lower::Program;
using lower::Statement;
using lower::StatementKind;

[[noreturn]] void unsupported(const std::string& what) {
    throw Stop{error("the interpreter of loop programs does not know " + what)};
}

class Compiler {
public:
    Compiler(const Program& program, const LoopInterpreterOptions& options, Memory& memory,
             std::map<std::string, std::uint32_t>& stores)
        : program_(program), options_(options), memory_(memory), stores_(stores) {}

    Code run() {
        for (const auto& symbol : program_.symbols) {
            auto found = options_.symbols.find(symbol);
            if (found == options_.symbols.end())
                throw Stop{error("the symbol " + symbol + " has no value")};
            variables_[symbol] = constant(static_cast<Cell>(found->second));
        }
        for (const auto& a : program_.arguments)
            stores_[a.buffer] = add_store(a.buffer, a.type, a.extents);
        for (const auto& launch : program_.launches)
            code_.launches.push_back(statement(*launch.body));
        return std::move(code_);
    }

private:
    std::uint32_t add_store(const std::string& name, ScalarType type,
                            const std::vector<Extent>& extents) {
        std::vector<std::int64_t> values;
        for (const auto& e : extents)
            values.push_back(e.value(options_.symbols));
        return memory_.add_store(name, type, std::move(values), levels_);
    }

    std::uint32_t cells(std::uint32_t count) {
        auto first = code_.cells.size();
        if (first + count > 100'000'000)
            throw Stop{error("the loop program is too large to interpret")};
        code_.cells.resize(first + count);
        return static_cast<std::uint32_t>(first);
    }

    std::uint32_t constant(Cell value) {
        auto at = cells(1);
        code_.cells[at] = value;
        return at;
    }

    // Statements.

    Node statement(const Statement& s) {
        Node n;
        n.kind = s.kind;
        if (s.loop)
            n.for_kind = s.loop->kind;
        n.origin = &s.origin;
        if (s.kind != StatementKind::Prefetch) // it computes nothing
            for (const auto& e : lower::expressions(s))
                n.cost = n.cost + cost_of(e);
        if (s.kind == StatementKind::Atomic) // as the store of the sum of what is there would cost
            n.cost = n.cost + cost_of_combining(s);
        n.head.begin = here();
        std::size_t outer_levels = levels_;
        head(s, n);
        n.head.end = here();
        for (const auto& child : s.children)
            n.children.push_back(statement(*child));
        levels_ = outer_levels;
        return n;
    }

    static Cost cost_of_combining(const Statement& s) {
        auto cost = cost_of_node(*binary(s.access->op, s.value, s.value));
        for (const auto& index : s.access->indices)
            cost = cost + cost_of(index);
        return cost;
    }

    std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }

    void head(const Statement& s, Node& n) {
        origin_ = &s.origin;
        reduction_ = 0;
        switch (s.kind) {
        case StatementKind::Block: break;
        case StatementKind::For: loop(s, n); break;
        case StatementKind::If: n.condition = expression(s.condition); break;
        case StatementKind::Let:
            if (auto step = lower::match_selection(s, scope_))
                reduction_ = selections_[s.variable] =
                    kFirstSelection + static_cast<std::uint32_t>(step->op);
            variables_[s.variable] = expression(s.value);
            scope_.bind_let(s.variable, s.value);
            break;
        case StatementKind::Evaluate: expression(s.value); break;
        case StatementKind::Barrier:
        case StatementKind::Copy:
        case StatementKind::BulkCopy:
        case StatementKind::Acquire:
        case StatementKind::Commit:
        case StatementKind::Wait:
        case StatementKind::Release:
        case StatementKind::Intrinsic:
        case StatementKind::Threads: break; // of devices, which run_loop_program refuses
        case StatementKind::Store: store(s, n); break;
        case StatementKind::Prefetch: prefetch(s, n); break;
        case StatementKind::Atomic: atomic(s, n); break;
        case StatementKind::Allocate:
            n.store = stores_[s.storage->buffer] =
                add_store(s.storage->buffer, s.storage->type, s.storage->extents);
            break;
        }
    }

    static bool only_prefetches(const Statement& s) {
        bool only = true;
        lower::visit_statements(s.children[0], [&](const Statement& x) {
            return only = only && (x.kind == StatementKind::For || x.kind == StatementKind::Block ||
                                   x.kind == StatementKind::Prefetch);
        });
        return only;
    }

    void loop(const Statement& s, Node& n) {
        scope_.bind_loop(s.variable, s.loop->begin, s.loop->extent);
        n.begin = expression(s.loop->begin);
        n.extent = expression(s.loop->extent);
        n.narrow = s.loop->begin->type == ScalarType::I32;
        n.variable = variables_[s.variable] = cells(1);
        if (s.loop->kind == ForKind::Parallel || s.loop->kind == ForKind::Vectorized ||
            s.loop->kind == ForKind::Bound)
            ++levels_;
        for (std::size_t f = 0; f < options_.footprints.size(); ++f)
            if (options_.footprints[f] == s.origin && !only_prefetches(s))
                n.footprint = static_cast<std::int64_t>(f);
    }

    void store(const Statement& s, Node& n) {
        if (auto r = lower::match_reduction(s))
            reduction_ = static_cast<std::uint32_t>(lower::combining_operation(*r)) + 1;
        else if (s.value->kind == ExprKind::Select)
            if (auto found = selections_.find(s.value->args[0]->name); found != selections_.end())
                reduction_ = found->second;
        write(s, n);
    }

    // Combines by an instruction of one lane on cells of its own: old value, operand, result.
    void atomic(const Statement& s, Node& n) {
        write(s, n);
        auto scratch = cells(3);
        Instruction combine;
        combine.a = scratch;
        combine.b = scratch + 1;
        combine.result = scratch + 2;
        combine.run = binary_kernel(s.access->op, s.value->type);
        if (!combine.run)
            unsupported(std::string("an atomic ") + symbol(s.access->op) + " on " +
                        name(s.value->type));
        code_.accesses[n.access].combine = combine;
    }

    void prefetch(const Statement& s, Node& n) {
        Access a;
        a.prefetches = true;
        for (const auto& index : s.access->indices) {
            a.indices.push_back(expression(index));
            a.scalar.push_back(true);
        }
        n.access = add_access(std::move(a), s.access->buffer);
    }

    void write(const Statement& s, Node& n) {
        Access a;
        a.site.writes = true;
        a.lanes = s.value->lanes;
        for (const auto& index : s.access->indices)
            a.lanes = std::max<std::uint32_t>(a.lanes, index->lanes);
        for (const auto& index : s.access->indices) {
            a.indices.push_back(expression(index));
            a.scalar.push_back(index->lanes == 1);
        }
        a.mask = s.access->mask ? static_cast<std::int64_t>(expression(s.access->mask)) : -1;
        a.value = expression(s.value);
        a.scalar_value = s.value->lanes == 1;
        if (s.kind == StatementKind::Atomic) // what its value loads is loaded plainly
            reduction_ = kFirstAtomic + static_cast<std::uint32_t>(s.access->op);
        n.access = add_access(std::move(a), s.access->buffer);
    }

    std::uint32_t add_access(Access a, const std::string& buffer) {
        a.flat = program_.flat;
        a.site.store = stores_.at(buffer);
        a.site.origin = origin_;
        a.site.reduction = reduction_;
        code_.accesses.push_back(std::move(a));
        return static_cast<std::uint32_t>(code_.accesses.size() - 1);
    }

    // Expressions. Nodes shared within one expression run once; `entries_` remembers who uses whom,
    // so that accesses can count as often as they stand in the text.

    struct Entry {
        std::uint32_t cell = 0;
        std::int64_t access = -1;
        std::vector<std::size_t> uses;
    };

    std::uint32_t expression(const ExprPtr& e) {
        entries_.clear();
        memo_.clear();
        auto root = compile(e);
        std::vector<std::uint64_t> occurrences(entries_.size(), 0);
        occurrences[root] = 1;
        constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 32;
        for (std::size_t i = entries_.size(); i-- > 0;) { // users come after what they use
            for (auto used : entries_[i].uses)
                occurrences[used] = std::min(kMaxElements, occurrences[used] + occurrences[i]);
            if (entries_[i].access >= 0)
                code_.accesses[static_cast<std::size_t>(entries_[i].access)].site.occurrences =
                    occurrences[i];
        }
        return entries_[root].cell;
    }

    std::size_t compile(const ExprPtr& e) {
        if (auto found = memo_.find(e.get()); found != memo_.end())
            return found->second;
        auto entry = e->kind == ExprKind::Let ? let(*e) : node(*e);
        entries_.push_back(std::move(entry));
        memo_[e.get()] = entries_.size() - 1;
        return entries_.size() - 1;
    }

    // The body has a memo of its own: bodies of equal names may be shared, values not.
    Entry let(const Expr& e) {
        Entry entry;
        auto value = compile(e.args[0]);
        decltype(memo_) outer;
        std::swap(outer, memo_);
        variables_[e.name] = entries_[value].cell;
        auto body = compile(e.args[1]);
        std::swap(outer, memo_);
        entry.cell = entries_[body].cell;
        entry.uses = {value, body};
        return entry;
    }

    Entry node(const Expr& e) {
        Entry entry;
        std::vector<std::uint32_t> args;
        for (const auto& a : e.args) {
            entry.uses.push_back(compile(a));
            args.push_back(entries_[entry.uses.back()].cell);
        }
        if (e.kind == ExprKind::Call) {
            entry.cell = call(e, args);
        } else if (e.kind == ExprKind::Constant) {
            entry.cell = constant(e.bits);
        } else if (e.kind == ExprKind::Variable) {
            entry.cell = variables_.at(e.name);
        } else if (is_load(e)) {
            entry.cell = cells(e.lanes);
            entry.access = load(e, args, entry.cell);
        } else {
            entry.cell = cells(e.lanes);
            operation(e, args, entry.cell, e.lanes);
        }
        return entry;
    }

    // A call evaluates the function's definition, every node of it in all lanes.
    std::uint32_t call(const Expr& e, const std::vector<std::uint32_t>& args) {
        const auto& function = prelude_function(e.name, e.type);
        Definition definition{e.lanes, {}, {}};
        for (std::size_t i = 0; i < args.size(); ++i)
            definition.names[function.parameters.at(i)] = args[i];
        return part(function.body, definition);
    }

    struct Definition {
        std::uint32_t lanes;
        std::unordered_map<std::string, std::uint32_t> names; // first cells
        std::unordered_map<const Expr*, std::uint32_t> memo;
    };

    std::uint32_t part(const ExprPtr& e, Definition& d) {
        if (auto found = d.memo.find(e.get()); found != d.memo.end())
            return found->second;
        auto cell = new_part(*e, d);
        d.memo[e.get()] = cell;
        return cell;
    }

    std::uint32_t new_part(const Expr& e, Definition& d) {
        if (e.kind == ExprKind::Variable)
            return d.names.at(e.name);
        if (e.kind == ExprKind::Let) {
            d.names[e.name] = part(e.args[0], d);
            return part(e.args[1], d);
        }
        std::vector<std::uint32_t> args;
        for (const auto& a : e.args)
            args.push_back(part(a, d));
        auto result = cells(d.lanes);
        if (e.kind == ExprKind::Constant)
            std::fill_n(code_.cells.begin() + result, d.lanes, e.bits);
        else
            operation(e, args, result, d.lanes);
        return result;
    }

    std::int64_t load(const Expr& e, std::vector<std::uint32_t> args, std::uint32_t result) {
        Access a;
        a.lanes = e.lanes;
        if (e.kind == ExprKind::MaskedLoad) {
            a.mask = args.back();
            args.pop_back();
        }
        for (std::size_t i = 0; i < args.size(); ++i)
            a.scalar.push_back(e.args[i]->lanes == 1);
        a.indices = std::move(args);
        Instruction i;
        i.result = result;
        i.lanes = e.lanes;
        i.access = add_access(std::move(a), e.name);
        code_.instructions.push_back(i);
        return i.access;
    }

    void operation(const Expr& e, const std::vector<std::uint32_t>& args, std::uint32_t result,
                   std::uint32_t lanes) {
        Instruction i;
        i.result = result;
        i.lanes = lanes;
        i.a = args[0];
        i.b = args.size() > 1 ? args[1] : 0;
        i.c = args.size() > 2 ? args[2] : 0;
        switch (e.kind) {
        case ExprKind::Unary: i.run = unary_kernel(e.op, e.type); break;
        case ExprKind::Binary: i.run = binary_kernel(e.op, e.args[0]->type); break;
        case ExprKind::Select: i.run = select_kernel(); break;
        case ExprKind::Cast: i.run = cast_kernel(e.type, e.args[0]->type); break;
        case ExprKind::Fma: i.run = fma_kernel(e.type); break;
        case ExprKind::Reinterpret: i.run = reinterpret_kernel(e.args[0]->type); break;
        case ExprKind::Ramp: i.run = ramp_kernel(e.type); break;
        case ExprKind::Broadcast: i.run = broadcast_kernel(); break;
        default: break;
        }
        if (!i.run)
            unsupported(std::string(e.op == Op::None ? "an operation" : symbol(e.op)) + " on " +
                        name(e.args[0]->type));
        code_.instructions.push_back(i);
    }

    const Program& program_;
    const LoopInterpreterOptions& options_;
    Memory& memory_;
    std::map<std::string, std::uint32_t>& stores_;
    Code code_;
    std::unordered_map<std::string, std::uint32_t> variables_;
    std::vector<Entry> entries_;
    std::unordered_map<const Expr*, std::size_t> memo_;
    lower::KnownFacts scope_;
    std::unordered_map<std::string, std::uint32_t> selections_; // by the name of their let
    const NodeId* origin_ = nullptr;
    std::uint32_t reduction_ = 0;
    std::size_t levels_ = 0;
};

} // namespace

Code compile(const Program& program, const LoopInterpreterOptions& options, Memory& memory,
             std::map<std::string, std::uint32_t>& stores) {
    return Compiler(program, options, memory, stores).run();
}

} // namespace loopscope::loop_interpreter
