// Vectors, as accesses of several elements at once where they are neighbours and aligned; copies
// that go on while the thread computes.
#include "compiler/codegen/kernel_source/kernel_function.h"

#include "compiler/codegen/c/lanes.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::codegen {

using lower::StatementKind;
using lower::uniform_value;

namespace {

constexpr int kWidest = 16;                // bytes that the hardware accesses at once
constexpr int kWidestOfLanguage = 128;     // bytes of a vector of 16 elements
constexpr int kMinCopy = 4, kMaxCopy = 16; // bytes that the hardware copies by itself

std::vector<ExprPtr> indices_of(const Expr& load) {
    return {load.args.begin(), load.args.end() - (load.kind == ExprKind::MaskedLoad ? 1 : 0)};
}

// Null: always.
ExprPtr mask_of(const Expr& load) {
    return load.kind == ExprKind::MaskedLoad ? load.args.back() : nullptr;
}

bool one_for_all(const ExprPtr& mask) { return !mask || uniform_value(mask); }

lower::Statement plain_store(lower::Statement s) {
    s.kind = StatementKind::Store;
    s.step = std::nullopt;
    return s;
}

} // namespace

std::optional<VectorAccess> KernelFunction::access(const std::string& buffer,
                                                   const std::vector<ExprPtr>& indices, int lanes,
                                                   int bytes) {
    AccessLimits limits;
    limits.alignment = aligns_vectors() ? alignments_.at(buffer) : 0;
    limits.bytes = bytes;
    return vector_access(scope_, expressions_.buffers.at(buffer), indices, lanes, limits);
}

std::string KernelFunction::place(const std::string& buffer, const std::vector<ExprPtr>& indices) {
    return expressions_.element(buffer, indices);
}

void KernelFunction::opened(const std::string& head, const NodeId& origin,
                            const std::function<void()>& body) {
    out_.line(head + "{", origin);
    out_.indent();
    names_.open_scope();
    body();
    names_.close_scope();
    out_.outdent();
    out_.line("}", origin);
}

// ---- Stores -------------------------------------------------------------------------------------

void KernelFunction::store_vector(const Statement& s, int count) {
    if (!one_for_all(s.access->mask) || reads_other_lanes(s))
        return CStatements::store_vector(s, count);
    auto inside = s;
    inside.access->mask = nullptr;
    auto write = [&] {
        if (!copy_vector(inside, count))
            compute_vector(inside, count);
    };
    if (!s.access->mask)
        return write();
    auto mask = uniform_value(s.access->mask);
    expressions_.begin({mask});
    auto condition = expressions_.text(mask);
    declarations(s.origin);
    opened("if (" + condition + ") ", s.origin, write);
}

// What is loaded is stored, and no more. A bool is any byte but 0 before, and 1 behind.
bool KernelFunction::copy_vector(const Statement& s, int count) {
    const auto& from = *s.value;
    if (from.kind != ExprKind::Load || from.lanes != count || is_bool(from.type) ||
        s.access->streaming)
        return false;
    const int widest = aligns_vectors() ? kWidest : kWidestOfLanguage;
    auto target = access(s.access->buffer, s.access->indices, count, widest);
    auto source = access(from.name, from.args, count, widest);
    if (!target || !source)
        return false;
    if (target->together != source->together) {
        const int together = std::min(target->together, source->together);
        target = access(s.access->buffer, s.access->indices, count, together * bytes(from.type));
        source = access(from.name, from.args, count, together * bytes(from.type));
    }
    for (std::size_t i = 0; i < target->begins.size(); ++i) {
        auto both = target->begins[i];
        both.insert(both.end(), source->begins[i].begin(), source->begins[i].end());
        guarded(nullptr, s.origin, both, [&] {
            return copied(from.type, target->together, place(s.access->buffer, target->begins[i]),
                          place(from.name, source->begins[i]));
        });
    }
    return true;
}

// Is some load in it one of neighbours, in memory that is not the thread's own?
bool KernelFunction::loads_vectors(const ExprPtr& value) {
    return any_node(value, [&](const Expr& e) {
        return is_load(e) && e.lanes == value->lanes && e.lanes > 1 && !is_bool(e.type) &&
               space(e.name) != Space::Own && one_for_all(mask_of(e)) &&
               access(e.name, indices_of(e), e.lanes);
    });
}

// Vectors are loaded to arrays, computed with lane by lane, and stored from an array.
void KernelFunction::compute_vector(const Statement& s, int count) {
    std::optional<VectorAccess> target;
    if (space(s.access->buffer) != Space::Own && !s.access->streaming)
        target = access(s.access->buffer, s.access->indices, count);
    if (!target && !loads_vectors(s.value))
        return CStatements::store_vector(s, count);
    opened("", s.origin, [&] {
        auto inside = s;
        inside.value = with_loaded(s.value, s.origin);
        if (!target)
            return CStatements::store_vector(inside, count);
        auto held = names_.scoped("held");
        const auto type = expressions_.buffers.at(s.access->buffer).type;
        out_.line(own_array(c_memory_type(type), held, std::to_string(count), true) + ";",
                  s.origin);
        over_lanes(count, true, s.origin, [&] {
            guarded(nullptr, s.origin, {inside.value}, [&] {
                return held + "[" + expressions_.lane + "] = " + expressions_.text(inside.value) +
                       ";";
            });
        });
        for (std::size_t i = 0; i < target->begins.size(); ++i)
            guarded(nullptr, s.origin, target->begins[i], [&] {
                auto first = std::to_string(static_cast<int>(i) * target->together);
                return copied(type, target->together, place(s.access->buffer, target->begins[i]),
                              held + "[" + first + "]");
            });
    });
}

// ---- Loads --------------------------------------------------------------------------------------

void KernelFunction::let_vector(const Statement& s) {
    scope_.bind(s);
    if (is_cheap_in_lanes(s.value))
        return CStatements::let_vector(s);
    auto inside = s;
    inside.value = with_loaded(s.value, s.origin);
    CStatements::let_vector(inside);
}

// The value with its vectors of neighbours loaded beforehand, each to an array.
ExprPtr KernelFunction::with_loaded(const ExprPtr& value, const NodeId& origin) {
    std::unordered_map<Hash, ExprPtr> known;
    return loopscope::rewrite(value, [&](const ExprPtr& e) -> ExprPtr {
        if (!is_load(*e) || e->lanes != value->lanes || e->lanes == 1 || is_bool(e->type) ||
            space(e->name) == Space::Own || !one_for_all(mask_of(*e)))
            return e;
        if (auto before = known.find(e->hash); before != known.end())
            return before->second;
        auto where = access(e->name, indices_of(*e), e->lanes);
        if (!where)
            return e;
        auto array = loaded(*e, *where, origin);
        auto name = "@" + array; // no name of a program
        expressions_.variables[name] = {array, std::nullopt, nullptr, true};
        return known[e->hash] = vector_variable(name, e->type, e->lanes);
    });
}

std::string KernelFunction::loaded(const Expr& load, const VectorAccess& where,
                                   const NodeId& origin) {
    auto array = names_.scoped(expressions_.buffers.at(load.name).name + "_lanes");
    auto mask = mask_of(load);
    out_.line(own_array(c_memory_type(load.type), array, std::to_string(load.lanes), true) +
                  (mask ? " = {0};" : ";"),
              origin);
    auto read = [&] {
        for (std::size_t i = 0; i < where.begins.size(); ++i)
            guarded(nullptr, origin, where.begins[i], [&] {
                auto first = std::to_string(static_cast<int>(i) * where.together);
                return copied(load.type, where.together, array + "[" + first + "]",
                              place(load.name, where.begins[i]));
            });
    };
    if (!mask) {
        read();
        return array;
    }
    auto on = uniform_value(mask);
    expressions_.begin({on});
    auto condition = expressions_.text(on);
    declarations(origin);
    opened("if (" + condition + ") ", origin, read);
    return array;
}

// ---- Copies ahead -------------------------------------------------------------------------------

// What the hardware cannot copy by itself, being too small or not aligned, arrives at once.
void KernelFunction::copy(const Statement& s) {
    stage_comment(s);
    const int count = lanes_of(s);
    if (!copies_ahead() || !is_load(*s.value) || space(s.access->buffer) != Space::Shared ||
        space(s.value->name) != Space::Global || !copy_ahead(s, count))
        store(plain_store(s));
}

bool KernelFunction::copy_ahead(const Statement& s, int count) {
    const bool whole = one_for_all(s.access->mask) && one_for_all(mask_of(*s.value));
    if (count > 1 && whole && s.value->lanes == count && copy_pieces_ahead(s, count))
        return true;
    const int size = bytes(s.value->type);
    if (size < kMinCopy)
        return false;
    copy_lanes_ahead(s, count);
    return true;
}

// Where the load's mask does not hold, zeros arrive; empty: it holds.
std::string KernelFunction::zeros_unless(const Statement& s) {
    auto mask = mask_of(*s.value);
    return !mask || (s.access->mask && equal(mask, s.access->mask)) ? "" : expressions_.text(mask);
}

bool KernelFunction::copy_pieces_ahead(const Statement& s, int count) {
    const auto indices = indices_of(*s.value);
    const int size = bytes(s.value->type);
    auto target = access(s.access->buffer, s.access->indices, count, kMaxCopy);
    auto source = access(s.value->name, indices, count, kMaxCopy);
    if (!target || !source)
        return false;
    const int together = std::min(target->together, source->together);
    if (together * size < kMinCopy)
        return false;
    target = access(s.access->buffer, s.access->indices, count, together * size);
    source = access(s.value->name, indices, count, together * size);
    auto only = s.access->mask ? uniform_value(s.access->mask) : nullptr;
    for (std::size_t i = 0; i < target->begins.size(); ++i) {
        auto both = target->begins[i];
        both.insert(both.end(), source->begins[i].begin(), source->begins[i].end());
        guarded(only, s.origin, both, [&] {
            return copied_ahead(together, place(s.access->buffer, target->begins[i]),
                                place(s.value->name, source->begins[i]), zeros_unless(s));
        });
    }
    return true;
}

// An element at a time.
void KernelFunction::copy_lanes_ahead(const Statement& s, int count) {
    auto together = s.access->indices;
    together.push_back(s.value);
    auto one = [&] {
        guarded(s.access->mask, s.origin, together, [&] {
            return copied_ahead(1, place(s.access->buffer, s.access->indices),
                                place(s.value->name, indices_of(*s.value)), zeros_unless(s));
        });
    };
    count > 1 ? over_lanes(count, true, s.origin, one) : one();
}

} // namespace loopscope::codegen
