// The invariants of program.h, checked statement by statement. Longer than files are here: one
// walk, a function for each kind.
#include "compiler/lower/expression_text.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/statements.h"
#include "core/ir/functions.h"
#include "core/schedule/gpu/swizzling.h"

#include <algorithm>
#include <concepts>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

namespace {

constexpr std::size_t kMaxErrors = 100;

struct BufferInfo {
    ScalarType type;
    std::size_t rank;
    bool writable;
    bool swizzled = false;
    bool repeated = false; // allocated anew in each iteration of a loop
};

class Verifier {
public:
    explicit Verifier(const Program& program) : program_(program) {}

    Diagnostics run() {
        for (const auto& symbol : program_.symbols)
            declare_variable(symbol, ScalarType::I64, 1);
        std::set<std::string> arguments;
        for (const auto& a : program_.arguments) {
            check(arguments.insert(a.buffer).second, "argument ", a.buffer, " is declared twice");
            argument(a);
        }
        for (const auto& b : program_.buffers) {
            check(arguments.insert(b.buffer).second, "buffer ", b.buffer, " is declared twice");
            extents(b.buffer, b.extents);
        }
        for (const auto& launch : program_.launches)
            this->launch(launch);
        return std::move(errors_);
    }

private:
    // The parts of the message are put together where it is needed: almost everything is as it
    // should be.
    template <typename... Parts> void check(bool fine, const Parts&... parts) {
        if (fine || errors_.size() >= kMaxErrors)
            return;
        std::string message;
        (add(message, parts), ...);
        if (where_)
            message += " (at " + where_->text() + ")";
        errors_.push_back(error(std::move(message)));
    }
    static void add(std::string& message, std::string_view part) { message += part; }
    static void add(std::string& message, std::integral auto part) {
        message += std::to_string(part);
    }
    static void add(std::string& message, const ExprPtr& part) { message += expression_text(part); }

    void argument(const Argument& a) {
        check(a.mins.empty() || a.mins.size() == a.extents.size(), a.buffer,
              " has another number of mins than extents");
        check(a.window.empty() || a.window.size() == a.extents.size(), a.buffer,
              "'s window has another rank");
        extents(a.buffer, a.extents);
    }

    void extents(const std::string& buffer, const std::vector<Extent>& list) {
        for (const auto& e : list)
            for (const auto& [symbol, coefficient] : e.terms())
                check(variables_.count(symbol) != 0, "an extent of ", buffer,
                      " uses the unknown symbol ", symbol);
    }

    void launch(const Launch& launch) {
        buffers_.clear();
        for (const auto& name : launch.arguments) {
            for (const auto& a : program_.arguments)
                if (a.buffer == name)
                    buffers_[name] = {a.type, a.extents.size(), a.role == Role::Output};
            for (const auto& b : program_.buffers)
                if (b.buffer == name)
                    buffers_[name] = {b.type, b.extents.size(), true};
            check(buffers_.count(name) != 0, "launch ", launch.name, " uses the unknown buffer ",
                  name);
        }
        check(launch.body != nullptr, "launch ", launch.name, " has no body");
        if (!launch.body)
            return;
        statement(*launch.body);
        if (!complete_)
            return;
        for (auto& e : check_collectives(launch))
            if (errors_.size() < kMaxErrors)
                errors_.push_back(std::move(e));
        for (auto& e : check_handovers(launch))
            if (errors_.size() < kMaxErrors)
                errors_.push_back(std::move(e));
        for (auto& e : check_products(launch))
            if (errors_.size() < kMaxErrors)
                errors_.push_back(std::move(e));
        for (auto& e : check_multicast(launch))
            if (errors_.size() < kMaxErrors)
                errors_.push_back(std::move(e));
    }

    struct Variable {
        ScalarType type;
        int lanes;
    };

    void declare_variable(const std::string& name, ScalarType type, int lanes) {
        check(!name.empty(), "a variable without a name");
        check(all_names_.insert(name).second, "variable ", name, " is bound twice");
        variables_[name] = {type, lanes};
    }

    void statement(const Statement& s) {
        auto outer = where_;
        if (!s.origin.stage.empty())
            where_ = &s.origin;
        const auto [complete, faults] = part_faults(s);
        for (const auto& fault : faults)
            check(false, fault);
        if (complete)
            of_kind(s);
        complete_ = complete_ && complete;
        where_ = outer;
    }

    void of_kind(const Statement& s) {
        switch (s.kind) {
        case StatementKind::Block:
            for (const auto& child : s.children) {
                check(child->kind != StatementKind::Block, "a block inside a block");
                statement(*child);
            }
            break;
        case StatementKind::For: loop(s); break;
        case StatementKind::If:
            scalar_bool(s.condition, "an if's condition");
            for (const auto& child : s.children)
                statement(*child);
            break;
        case StatementKind::Let:
            expression(s.value);
            bound(s, s.value->type, s.value->lanes);
            break;
        case StatementKind::Store: store(s); break;
        case StatementKind::Atomic: atomic(s); break;
        case StatementKind::Prefetch: prefetch(s); break;
        case StatementKind::Allocate: allocation(s); break;
        case StatementKind::Evaluate: expression(s.value); break;
        case StatementKind::Barrier: break;
        case StatementKind::Copy: copy(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Acquire:
        case StatementKind::Commit:
        case StatementKind::Release:
        case StatementKind::Wait: arrivals(s, 0); break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        case StatementKind::Threads: of_threads(s); break;
        }
    }

    void of_threads(const Statement& s) {
        check(!of_threads_, "statements of some threads inside of others");
        of_threads_ = true;
        statement(*s.children[0]);
        of_threads_ = false;
    }

    void bound(const Statement& s, ScalarType type, int lanes) {
        declare_variable(s.variable, type, lanes);
        statement(*s.children[0]);
        variables_.erase(s.variable);
    }

    void loop(const Statement& s) {
        const auto &begin = s.loop->begin, &extent = s.loop->extent;
        expression(begin);
        expression(extent);
        auto type = begin->type;
        check(type == ScalarType::I32 || type == ScalarType::I64, "loop ", s.variable,
              " runs over ", name(type));
        check(extent->type == type, "loop ", s.variable, " begins as ", name(type),
              " and extends as ", name(extent->type));
        check(begin->lanes == 1 && extent->lanes == 1, "loop ", s.variable, " has vector bounds");
        const int again = s.loop->kind == ForKind::Bound ? 0 : 1;
        loops_ += again;
        bound(s, type, 1);
        loops_ -= again;
    }

    void scalar_bool(const ExprPtr& e, const char* what) {
        expression(e);
        check(is_bool(e->type) && e->lanes == 1, what, " is not a bool scalar: ", e);
    }

    void store(const Statement& s) {
        const auto& [buffer, mask, indices, streaming, op] = *s.access;
        expression(s.value);
        auto found = buffers_.find(buffer);
        check(found != buffers_.end(), "a store to the unknown buffer ", buffer);
        if (found == buffers_.end())
            return;
        check(found->second.writable, "a store to the input ", buffer);
        check(found->second.type == s.value->type, "a store of ", name(s.value->type), " to ",
              buffer);
        int lanes = index_lanes(buffer, indices, found->second.rank);
        check(lanes == s.value->lanes || lanes == 1 || s.value->lanes == 1, "a store of ",
              s.value->lanes, " lanes at ", lanes);
        if (!mask)
            return;
        expression(mask);
        check(is_bool(mask->type) && mask->lanes == std::max<int>(lanes, s.value->lanes),
              "the mask of the store to ", buffer, " has other lanes than the value");
    }

    void copy(const Statement& s) {
        check(is_load(*s.value), "a copy of what is no load");
        store(s);
    }

    // The mbarriers of a step of a pipeline, if it has some: words of 64 bits in shared memory.
    void arrivals(const Statement& s, std::size_t operand) {
        if (operand >= s.operands.size())
            return;
        const auto& name = s.operands[operand].buffer;
        auto found = buffers_.find(name);
        check(found != buffers_.end() && found->second.type == ScalarType::U64 &&
                  found->second.rank == 1,
              "the pipeline " + s.step->token + " has no mbarriers " + name);
        check(found == buffers_.end() || !found->second.repeated, "the mbarriers ", name,
              " are made anew in each iteration of a loop, and groups count on");
    }

    void bulk_copy(const Statement& s) {
        check(s.operands.size() == 3,
              "a bulk copy with " + std::to_string(s.operands.size()) + " operands");
        if (s.operands.size() != 3)
            return;
        arrivals(s, 2);
        const auto &to = s.operands[0], &from = s.operands[1];
        for (const auto* operand : {&to, &from}) {
            auto found = buffers_.find(operand->buffer);
            check(found != buffers_.end(), "a bulk copy of the unknown buffer " + operand->buffer);
            if (found == buffers_.end())
                return;
            for (const auto& index : operand->indices)
                check(scalar_integer(index), "a bulk copy at " + expression_text(index));
        }
        const auto &target = buffers_.at(to.buffer), &source = buffers_.at(from.buffer);
        check(target.writable, "a bulk copy to the input " + to.buffer);
        check(target.type == source.type,
              "a bulk copy of " + std::string(name(source.type)) + " to " + to.buffer);
        check(to.indices.size() == (program_.flat ? 1 : target.rank),
              "a bulk copy to " + to.buffer + " by " + std::to_string(to.indices.size()) +
                  " indices");
        check(from.indices.size() == source.rank && s.box->extents.size() == source.rank,
              "a bulk copy of a box that has other dimensions than " + from.buffer);
    }

    void intrinsic(const Statement& s) {
        for (std::size_t o = 0; o < s.operands.size(); ++o) {
            const auto& operand = s.operands[o];
            auto found = buffers_.find(operand.buffer);
            check(found != buffers_.end(), s.instruction, " works on the unknown buffer ",
                  operand.buffer);
            if (found == buffers_.end())
                continue;
            check(index_lanes(operand.buffer, operand.indices, found->second.rank) == 1,
                  s.instruction, " works on lanes of ", operand.buffer);
            if (operand.matrix) {
                matrix(s, operand);
                continue;
            }
            // An index says where the first element is: the others must be in its chunk.
            const auto touched = effect_of(s, o).bytes;
            check(!found->second.swizzled || (touched > 0 && touched <= kSwizzledChunk),
                  s.instruction, " takes more than a chunk of the swizzled buffer ",
                  operand.buffer);
        }
    }

    void matrix(const Statement& s, const Operand& operand) {
        const auto& m = *operand.matrix;
        const bool known = m.row_bytes == 32 || m.row_bytes == 64 || m.row_bytes == 128;
        check(known && (m.along == 0 || m.along == 1) && m.rows > 0 &&
                  m.rows % SharedMatrix::kUnit == 0 && m.columns > 0 && m.panel_bytes >= 0 &&
                  m.panel_bytes % m.unit_bytes() == 0,
              s.instruction, " takes ", operand.buffer, " as no matrix that there is");
        const auto size = bytes(buffers_.at(operand.buffer).type);
        check(!known || m.panel_bytes > 0 || m.columns * size <= m.row_bytes, s.instruction,
              " takes longer rows of ", operand.buffer, " than there are");
    }

    void prefetch(const Statement& s) {
        const auto& buffer = s.access->buffer;
        auto found = buffers_.find(buffer);
        check(found != buffers_.end(), "a prefetch of the unknown buffer ", buffer);
        if (found == buffers_.end())
            return;
        int lanes = index_lanes(buffer, s.access->indices, found->second.rank);
        check(lanes == 1, "a prefetch of ", lanes, " lanes of ", buffer);
    }

    void atomic(const Statement& s) {
        const auto op = s.access->op;
        if (op != Op::None)
            check(combines_atomically(op, s.value->type), "an atomic ", symbol(op), " of ",
                  name(s.value->type));
        store(s);
    }

    // Whether the extents are constant and the rows fit the swizzle's pattern.
    bool has_pattern(const Storage& s) const {
        if (s.extents.empty() || program_.flat ||
            !std::all_of(s.extents.begin(), s.extents.end(),
                         [](const Extent& e) { return e.is_constant(); }))
            return false;
        const auto pattern = swizzling(s.extents.back().constant() * bytes(s.type), 1);
        return pattern && pattern->bytes() == s.swizzle && s.alignment % pattern->alignment() == 0;
    }

    void allocation(const Statement& s) {
        const auto& storage = *s.storage;
        const auto& buffer = storage.buffer;
        extents(buffer, storage.extents);
        check(allocated_.insert(buffer).second, "buffer ", buffer, " is allocated twice");
        check(!buffers_.count(buffer), "the allocated buffer ", buffer, " has an argument's name");
        check(storage.swizzle == 0 || has_pattern(storage), "buffer ", buffer,
              " has no rows to swizzle by ", storage.swizzle, " bytes");
        buffers_[buffer] = {storage.type, storage.extents.size(), true, storage.swizzle != 0,
                            loops_ > 0};
        statement(*s.children[0]);
        buffers_.erase(buffer);
    }

    // Checks indices and gives their lanes.
    int index_lanes(const std::string& buffer, const std::vector<ExprPtr>& indices,
                    std::size_t rank) {
        std::size_t expected = program_.flat ? 1 : rank;
        check(indices.size() == expected, buffer, " has ", expected, " indices, not ",
              indices.size());
        int lanes = 1;
        for (const auto& index : indices) {
            expression(index);
            check(is_integer(index->type), "an index of ", buffer, " is ", name(index->type));
            check(lanes == 1 || index->lanes == 1 || lanes == index->lanes, "the indices of ",
                  buffer, " have different lanes");
            lanes = std::max<int>(lanes, index->lanes);
        }
        return lanes;
    }

    bool scalar_integer(const ExprPtr& e) {
        expression(e);
        return is_integer(e->type) && e->lanes == 1;
    }

    // Checks an expression and all below it.
    void expression(const ExprPtr& e) {
        std::unordered_set<const Expr*> seen;
        node(*e, seen);
    }

    void node(const Expr& e, std::unordered_set<const Expr*>& seen) {
        if (!e.args.empty() && !seen.insert(&e).second)
            return;
        if (e.kind == ExprKind::Let)
            return let(e, seen);
        for (const auto& a : e.args)
            node(*a, seen);
        switch (e.kind) {
        case ExprKind::Constant: check(e.lanes == 1, "a constant with lanes"); break;
        case ExprKind::Variable: variable(e); break;
        case ExprKind::Unary:
            check(e.lanes == e.args[0]->lanes && e.type == e.args[0]->type,
                  "a unary operation changes its type");
            break;
        case ExprKind::Binary: binary(e); break;
        case ExprKind::Select:
            check(is_bool(e.args[0]->type), "a select's condition is no bool");
            same(e, e.args[1], "a select's arm");
            same(e, e.args[2], "a select's arm");
            check(e.args[0]->lanes == e.lanes, "a select's condition has other lanes");
            break;
        case ExprKind::Cast: check(e.lanes == e.args[0]->lanes, "a cast changes the lanes"); break;
        case ExprKind::Fma:
            for (const auto& a : e.args)
                same(e, a, "an operand of fma");
            check(is_float(e.type), "fma of integers");
            break;
        case ExprKind::Call:
            for (const auto& a : e.args)
                same(e, a, "an argument of a function");
            check(is_float(e.type), "a function of integers");
            check(static_cast<int>(e.args.size()) == prelude_parameters(e.name), "no function ",
                  e.name, " of ", e.args.size(), " arguments");
            break;
        case ExprKind::Reinterpret:
            check(e.lanes == e.args[0]->lanes && bytes(e.type) == bytes(e.args[0]->type),
                  "bits of another width");
            check(is_float(e.type) ? is_unsigned(e.args[0]->type)
                                   : is_unsigned(e.type) && is_float(e.args[0]->type),
                  "bits of ", name(e.args[0]->type), " as ", name(e.type));
            break;
        case ExprKind::Load:
        case ExprKind::MaskedLoad: load(e); break;
        case ExprKind::Ramp:
            check(e.args[0]->lanes == 1 && e.args[1]->lanes == 1, "a ramp of vectors");
            check(e.type == e.args[0]->type && e.type == e.args[1]->type && is_integer(e.type),
                  "a ramp's types do not agree");
            break;
        case ExprKind::Broadcast:
            check(e.args[0]->lanes == 1 && e.type == e.args[0]->type, "a broadcast of a vector");
            break;
        case ExprKind::Let: break;
        }
    }

    void let(const Expr& e, std::unordered_set<const Expr*>& seen) {
        node(*e.args[0], seen);
        check(!variables_.count(e.name), "let ", e.name, " hides a variable");
        variables_[e.name] = {e.args[0]->type, e.args[0]->lanes};
        node(*e.args[1], seen);
        variables_.erase(e.name);
        check(e.type == e.args[1]->type && e.lanes == e.args[1]->lanes, "let ", e.name,
              " has another type than its body");
    }

    void same(const Expr& e, const ExprPtr& a, const char* what) {
        check(a->type == e.type && a->lanes == e.lanes, what,
              " has another type or lanes than the whole");
    }

    void binary(const Expr& e) {
        const auto &a = *e.args[0], &b = *e.args[1];
        bool comparison = e.op >= Op::Less && e.op <= Op::NotEqual;
        check(a.type == b.type, "operands of ", symbol(e.op), " are ", name(a.type), " and ",
              name(b.type));
        check(a.lanes == b.lanes && a.lanes == e.lanes, "operands of ", symbol(e.op),
              " have different lanes");
        check(e.type == (comparison ? ScalarType::Bool : a.type), "the result of ", symbol(e.op),
              " has another type");
        bool logical = e.op == Op::LogicalAnd || e.op == Op::LogicalOr;
        check(comparison || logical == is_bool(a.type), symbol(e.op), " of ", name(a.type));
    }

    void variable(const Expr& e) {
        auto found = variables_.find(e.name);
        check(found != variables_.end(), "the variable ", e.name, " is not in scope");
        if (found != variables_.end())
            check(found->second.type == e.type && found->second.lanes == e.lanes, "the variable ",
                  e.name, " is used with another type");
    }

    void load(const Expr& e) {
        auto found = buffers_.find(e.name);
        check(found != buffers_.end(), "a load from the unknown buffer ", e.name);
        check(e.component == 0, "a load of a component of ", e.name,
              ": a tuple's parts are buffers of their own");
        if (found == buffers_.end())
            return;
        check(found->second.type == e.type, "a load of ", name(e.type), " from ", e.name);
        std::size_t indices = e.args.size() - (e.kind == ExprKind::MaskedLoad ? 1 : 0);
        int lanes = 1;
        for (std::size_t i = 0; i < indices; ++i) {
            const auto& index = *e.args[i];
            check(is_integer(index.type), "an index of ", e.name, " is ", name(index.type));
            check(lanes == 1 || index.lanes == 1 || lanes == index.lanes, "the indices of ", e.name,
                  " have different lanes");
            lanes = std::max<int>(lanes, index.lanes);
        }
        std::size_t expected = program_.flat ? 1 : found->second.rank;
        check(indices == expected, e.name, " has ", expected, " indices, not ", indices);
        if (e.kind == ExprKind::MaskedLoad)
            check(is_bool(e.args.back()->type) && e.args.back()->lanes == e.lanes,
                  "the mask of a load from ", e.name, " has other lanes");
        check(lanes == e.lanes || (lanes == 1 && e.kind == ExprKind::MaskedLoad), "a load from ",
              e.name, " has other lanes than its indices");
    }

    const Program& program_;
    Diagnostics errors_;
    const NodeId* where_ = nullptr; // of the statement at hand
    bool complete_ = true;          // each statement has the parts of its kind
    bool of_threads_ = false;       // inside of statements of some threads
    int loops_ = 0;                 // around it, but for the launch's dimensions
    std::unordered_map<std::string, Variable> variables_;
    std::unordered_map<std::string, BufferInfo> buffers_;
    std::unordered_set<std::string> all_names_;
    std::unordered_set<std::string> allocated_;
};

} // namespace

Diagnostics verify(const Program& program) { return Verifier(program).run(); }

} // namespace loopscope::lower
