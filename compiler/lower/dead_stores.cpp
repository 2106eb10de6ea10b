// dead_stores: what nobody reads is not stored, nor computed for that alone.
//
//     allocate t.0: f32[8] in local                  allocate t.1: i32[8] in local
//     allocate t.1: i32[8] in local                  for i in 0..8 {
//     for i in 0..8 {                        →           t.1[i] = i
//         t.0[i] = a[i]                              }
//         t.1[i] = i                                 for i in 0..8 {
//     }                                                  out[i] = t.1[7 - i]
//     for i in 0..8 {                                }
//         out[i] = t.1[7 - i]
//     }
//
// A stage that nobody reads is not in the tree; of a tuple a component may be left. Something is
// needed when an output's store needs it: in its value, its indices, its mask, or the conditions
// and bounds around it. What only feeds itself, as an accumulator that nobody reads, is not.
//
// Expects: any program; reductions have been seen, for the parts of an argmin are told by their
// stores. Guarantees: the same outputs; every allocated buffer is loaded from.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

namespace {

// Buffers, variables and controlling statements, and which need which.
class NeededComponents {
public:
    explicit NeededComponents(const Program& program) {
        for (const auto& argument : program.arguments)
            roots_.push_back(buffer(argument.buffer));
        for (const auto& launch : program.launches)
            collect(launch.body, kAlways);
        spread();
    }

    bool has_buffer(const std::string& name) const { return has(buffers_, name); }
    bool has_variable(const std::string& name) const { return has(variables_, name); }

private:
    // the control of what stands in no loop and no condition
    static constexpr std::size_t kAlways = 0;

    // Two tables: a let of a definition may have the name of the copy that the definition reads.
    using Nodes = std::unordered_map<std::string, std::size_t>;

    bool has(const Nodes& nodes, const std::string& name) const {
        auto found = nodes.find(name);
        return found != nodes.end() && needed_[found->second];
    }

    std::size_t node(Nodes& nodes, const std::string& name) {
        auto [found, fresh] = nodes.emplace(name, needs_.size());
        if (fresh)
            needs_.emplace_back();
        return found->second;
    }

    std::size_t buffer(const std::string& name) { return node(buffers_, name); }
    std::size_t variable(const std::string& name) { return node(variables_, name); }

    void reads(std::size_t reader, const ExprPtr& e) {
        if (!e)
            return;
        visit(e, [&](const Expr& x) {
            bool load = is_load(x);
            if (load || x.kind == ExprKind::Variable) {
                // Before needs_ is indexed: it may grow.
                auto read = load ? buffer(x.name) : variable(x.name);
                needs_[reader].push_back(read);
            }
            return true;
        });
    }

    void collect(const StatementPtr& s, std::size_t control) {
        if (s->kind == StatementKind::For || s->kind == StatementKind::If) {
            auto outer = control;
            control = needs_.size();
            needs_.push_back({outer});
        }
        auto reader = control;
        if (writes(*s))
            reader = buffer(s->access->buffer);
        else if (s->kind == StatementKind::Let)
            reader = variable(s->variable);
        if (writes(*s))
            needs_[reader].push_back(control);
        if (s->kind == StatementKind::Prefetch) { // stays where something is read of the buffer
            auto source = buffer(s->access->buffer);
            needs_[source].push_back(control);
            reader = source;
        }
        // with what it reads
        if (s->kind == StatementKind::Evaluate || is_collective(s->kind))
            roots_.push_back(control);
        for (const auto& operand : s->operands)
            roots_.push_back(buffer(operand.buffer));
        for (const auto& e : expressions(*s))
            reads(reader, e);
        for (const auto& child : s->children)
            if (child)
                collect(child, control);
    }

    void spread() {
        needed_.assign(needs_.size(), false);
        auto waiting = roots_;
        waiting.push_back(kAlways);
        while (!waiting.empty()) {
            auto next = waiting.back();
            waiting.pop_back();
            if (needed_[next])
                continue;
            needed_[next] = true;
            waiting.insert(waiting.end(), needs_[next].begin(), needs_[next].end());
        }
    }

    Nodes buffers_, variables_;
    std::vector<std::vector<std::size_t>> needs_{1}; // by node
    std::vector<std::size_t> roots_;
    std::vector<bool> needed_; // by node
};

StatementPtr without_empty_arms(const StatementPtr& s) {
    bool has_else = s->children.size() > 1 && s->children[1] && !is_empty(s->children[1]);
    if (!is_empty(s->children[0]))
        return has_else || s->children.size() == 1
                   ? s
                   : if_then(s->origin, s->condition, s->children[0]);
    return has_else ? if_then(s->origin, unary(Op::LogicalNot, s->condition), s->children[1])
                    : empty_block();
}

} // namespace

Program dead_stores(const Program& program, const TargetInfo&) {
    NeededComponents needs(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        return rewrite(body, [&](const StatementPtr& s) {
            switch (s->kind) {
            case StatementKind::Store:
            case StatementKind::Prefetch:
            case StatementKind::Copy:
            case StatementKind::Atomic:
                return needs.has_buffer(s->access->buffer) ? s : empty_block();
            case StatementKind::Allocate:
                return needs.has_buffer(s->storage->buffer) ? s : s->children[0];
            case StatementKind::Let: return needs.has_variable(s->variable) ? s : s->children[0];
            case StatementKind::For: return is_empty(s->children[0]) ? empty_block() : s;
            case StatementKind::If: return without_empty_arms(s);
            default: return s;
            }
        });
    });
}

} // namespace loopscope::lower
