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
        switch (s.kind) {
        case StatementKind::Block:
            for (const auto& child : s.children) {
                check(child && child->kind != StatementKind::Block, "a block inside a block");
                body(child);
            }
            break;
        case StatementKind::For: loop(s); break;
        case StatementKind::If:
            scalar_bool(s.condition, "an if's condition");
            check(s.children.size() == 1 || s.children.size() == 2, "an if with ",
                  s.children.size(), " branches");
            for (const auto& child : s.children)
                body(child);
            break;
        case StatementKind::Let:
            if (expression(s.value, "a let's value"))
                bound(s, s.value->type, s.value->lanes);
            break;
        case StatementKind::Store: store(s); break;
        case StatementKind::Atomic: atomic(s); break;
        case StatementKind::Prefetch: prefetch(s); break;
        case StatementKind::Allocate: allocation(s); break;
        case StatementKind::Evaluate: expression(s.value, "an evaluated value"); break;
        case StatementKind::Barrier:
            check(s.level == "block" || s.level == "warp" || s.level == kClusterLevel,
                  "a barrier of the level ", s.level);
            break;
        case StatementKind::Copy: copy(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Acquire:
        case StatementKind::Commit:
        case StatementKind::Release:
            token(s);
            arrivals(s, 0);
            check(s.producers >= 0 && s.rotation >= 1, "the pipeline ", s.name, " has ",
                  s.producers, " producers and ", s.rotation, " slots");
            break;
        case StatementKind::Wait:
            token(s);
            arrivals(s, 0);
            check(s.pending >= 0, "a wait for ", s.pending, " groups");
            break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        case StatementKind::Threads: of_threads(s); break;
        }
        where_ = outer;
    }

    void of_threads(const Statement& s) {
        std::int64_t begin = 0, count = 0;
        check(s.begin && s.extent && constant_value(s.begin, begin) &&
                  constant_value(s.extent, count) && begin >= 0 && count > 0,
              "statements of no threads");
        check(!of_threads_, "statements of some threads inside of others");
        of_threads_ = true;
        only_child(s);
        of_threads_ = false;
    }

    void body(const StatementPtr& s) {
        check(s != nullptr, "a statement without a body");
        if (s)
            statement(*s);
    }

    void only_child(const Statement& s) {
        check(s.children.size() == 1, "a statement with ", s.children.size(), " bodies");
        for (const auto& child : s.children)
            body(child);
    }

    void bound(const Statement& s, ScalarType type, int lanes) {
        declare_variable(s.name, type, lanes);
        only_child(s);
        variables_.erase(s.name);
    }

    void loop(const Statement& s) {
        bool fine =
            expression(s.begin, "a loop's beginning") && expression(s.extent, "a loop's extent");
        if (!fine)
            return;
        auto type = s.begin->type;
        check(type == ScalarType::I32 || type == ScalarType::I64, "loop ", s.name, " runs over ",
              name(type));
        check(s.extent->type == type, "loop ", s.name, " begins as ", name(type),
              " and extends as ", name(s.extent->type));
        check(s.begin->lanes == 1 && s.extent->lanes == 1, "loop ", s.name, " has vector bounds");
        check((s.for_kind == ForKind::Bound) == !s.level.empty(), "loop ", s.name,
              " and its level do not agree");
        const bool numbers = level_unit(s.level) == "block" && s.level != kBlockLevel;
        check(s.blocks == 0 || (s.blocks > 0 && (numbers || s.for_kind == ForKind::Serial)),
              "loop ", s.name, " numbers no blocks, of which there would be ", s.blocks);
        const int again = s.for_kind == ForKind::Bound ? 0 : 1;
        loops_ += again;
        bound(s, type, 1);
        loops_ -= again;
    }

    void scalar_bool(const ExprPtr& e, const char* what) {
        if (expression(e, what))
            check(is_bool(e->type) && e->lanes == 1, what, " is not a bool scalar: ", e);
    }

    void store(const Statement& s) {
        check(s.children.empty(), "a store with a body");
        if (!expression(s.value, "a stored value"))
            return;
        auto found = buffers_.find(s.buffer);
        check(found != buffers_.end(), "a store to the unknown buffer ", s.buffer);
        if (found == buffers_.end())
            return;
        check(found->second.writable, "a store to the input ", s.buffer);
        check(found->second.type == s.value->type, "a store of ", name(s.value->type), " to ",
              s.buffer);
        int lanes = index_lanes(s.buffer, s.indices.data(), s.indices.size(), found->second.rank);
        check(lanes == s.value->lanes || lanes == 1 || s.value->lanes == 1, "a store of ",
              s.value->lanes, " lanes at ", lanes);
        if (s.mask && expression(s.mask, "a store's mask"))
            check(is_bool(s.mask->type) && s.mask->lanes == std::max<int>(lanes, s.value->lanes),
                  "the mask of the store to ", s.buffer, " has other lanes than the value");
    }

    void token(const Statement& s) {
        check(!s.name.empty(), "a step of a pipeline without a token");
        check(s.children.empty(), "a step of a pipeline with a body");
    }

    void copy(const Statement& s) {
        token(s);
        check(s.value && (s.value->kind == ExprKind::Load || s.value->kind == ExprKind::MaskedLoad),
              "a copy of what is no load");
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
              "the pipeline " + s.name + " has no mbarriers " + name);
        check(found == buffers_.end() || !found->second.repeated, "the mbarriers ", name,
              " are made anew in each iteration of a loop, and groups count on");
    }

    void bulk_copy(const Statement& s) {
        token(s);
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
                check(expression(index, "an index of a bulk copy") && is_integer(index->type) &&
                          index->lanes == 1,
                      "a bulk copy at " + expression_text(index));
        }
        const auto &target = buffers_.at(to.buffer), &source = buffers_.at(from.buffer);
        check(target.writable, "a bulk copy to the input " + to.buffer);
        check(target.type == source.type,
              "a bulk copy of " + std::string(name(source.type)) + " to " + to.buffer);
        check(to.indices.size() == (program_.flat ? 1 : target.rank),
              "a bulk copy to " + to.buffer + " by " + std::to_string(to.indices.size()) +
                  " indices");
        check(from.indices.size() == source.rank && s.extents.size() == source.rank,
              "a bulk copy of a box that has other dimensions than " + from.buffer);
        for (const auto& extent : s.extents)
            check(extent.is_constant() && extent.constant() > 0,
                  "a bulk copy of a box of " + extent.text());
    }

    void intrinsic(const Statement& s) {
        check(!s.name.empty(), "an intrinsic without a name");
        for (std::size_t o = 0; o < s.operands.size(); ++o) {
            const auto& operand = s.operands[o];
            auto found = buffers_.find(operand.buffer);
            check(found != buffers_.end(), s.name, " works on the unknown buffer ", operand.buffer);
            if (found == buffers_.end())
                continue;
            check(index_lanes(operand.buffer, operand.indices.data(), operand.indices.size(),
                              found->second.rank) == 1,
                  s.name, " works on lanes of ", operand.buffer);
            if (operand.matrix) {
                matrix(s, operand);
                continue;
            }
            // An index says where the first element is: the others must be in its chunk.
            const auto touched = effect_of(s, o).bytes;
            check(!found->second.swizzled || (touched > 0 && touched <= kSwizzledChunk), s.name,
                  " takes more than a chunk of the swizzled buffer ", operand.buffer);
        }
    }

    void matrix(const Statement& s, const Operand& operand) {
        const auto& m = *operand.matrix;
        const bool known = m.row_bytes == 32 || m.row_bytes == 64 || m.row_bytes == 128;
        check(known && (m.along == 0 || m.along == 1) && m.rows > 0 &&
                  m.rows % SharedMatrix::kUnit == 0 && m.columns > 0 && m.panel_bytes >= 0 &&
                  m.panel_bytes % m.unit_bytes() == 0,
              s.name, " takes ", operand.buffer, " as no matrix that there is");
        const auto size = bytes(buffers_.at(operand.buffer).type);
        check(!known || m.panel_bytes > 0 || m.columns * size <= m.row_bytes, s.name,
              " takes longer rows of ", operand.buffer, " than there are");
    }

    void prefetch(const Statement& s) {
        check(s.children.empty(), "a prefetch with a body");
        auto found = buffers_.find(s.buffer);
        check(found != buffers_.end(), "a prefetch of the unknown buffer ", s.buffer);
        if (found == buffers_.end())
            return;
        int lanes = index_lanes(s.buffer, s.indices.data(), s.indices.size(), found->second.rank);
        check(lanes == 1, "a prefetch of ", lanes, " lanes of ", s.buffer);
    }

    void atomic(const Statement& s) {
        check(!s.streaming, "an atomic store to ", s.buffer, " that streams");
        if (s.op == Op::None)
            check(false, "an atomic store to ", s.buffer, " without an operation");
        else if (s.value)
            check(combines_atomically(s.op, s.value->type), "an atomic ", symbol(s.op), " of ",
                  name(s.value->type));
        store(s);
    }

    // Whether the extents are constant and the rows fit the swizzle's pattern.
    bool has_pattern(const Statement& s) const {
        if (!allocates_shared(s) || s.extents.empty() || program_.flat ||
            !std::all_of(s.extents.begin(), s.extents.end(),
                         [](const Extent& e) { return e.is_constant(); }))
            return false;
        const auto pattern = swizzling(s.extents.back().constant() * bytes(s.type), 1);
        return pattern && pattern->bytes() == s.swizzle && s.alignment % pattern->alignment() == 0;
    }

    void allocation(const Statement& s) {
        extents(s.buffer, s.extents);
        check(allocated_.insert(s.buffer).second, "buffer ", s.buffer, " is allocated twice");
        check(!buffers_.count(s.buffer), "the allocated buffer ", s.buffer,
              " has an argument's name");
        check(!s.scope.name.empty(), "buffer ", s.buffer, " has no scope");
        check(s.alignment > 0 && (s.alignment & (s.alignment - 1)) == 0, "buffer ", s.buffer,
              "'s alignment is no power of two");
        check(s.rotation >= 1, "buffer ", s.buffer, " rotates ", s.rotation, " copies");
        check(s.swizzle == 0 || has_pattern(s), "buffer ", s.buffer, " has no rows to swizzle by ",
              s.swizzle, " bytes");
        buffers_[s.buffer] = {s.type, s.extents.size(), true, s.swizzle != 0, loops_ > 0};
        only_child(s);
        buffers_.erase(s.buffer);
    }

    // Checks indices and gives their lanes.
    int index_lanes(const std::string& buffer, const ExprPtr* indices, std::size_t count,
                    std::size_t rank) {
        std::size_t expected = program_.flat ? 1 : rank;
        check(count == expected, buffer, " has ", expected, " indices, not ", count);
        int lanes = 1;
        for (std::size_t i = 0; i < count; ++i) {
            if (!expression(indices[i], "an index"))
                continue;
            check(is_integer(indices[i]->type), "an index of ", buffer, " is ",
                  name(indices[i]->type));
            check(lanes == 1 || indices[i]->lanes == 1 || lanes == indices[i]->lanes,
                  "the indices of ", buffer, " have different lanes");
            lanes = std::max<int>(lanes, indices[i]->lanes);
        }
        return lanes;
    }

    // Checks an expression and all below it; false when it is missing.
    bool expression(const ExprPtr& e, const char* what) {
        check(e != nullptr, what, " is missing");
        if (!e)
            return false;
        std::unordered_set<const Expr*> seen;
        node(*e, seen);
        return true;
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
