// Storage, and stores and atomic steps, of one element and of lanes.
#include "compiler/codegen/c/function.h"

#include "compiler/codegen/c/lanes.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr std::int64_t kStackBytes = 16 << 10; // larger arrays come from the heap
constexpr std::int64_t kFunctionStackBytes = 256
                                             << 10; // of all in one function; threads have a few MB
constexpr std::int64_t kMost32BitIndex = std::int64_t{1}
                                         << 30; // leaves room for sums on the way to an index

std::int64_t
element_count(const std::vector<Extent>& extents) { // -1: not known, or beyond counting
    std::int64_t count = 1;
    for (const auto& extent : extents)
        if (!extent.is_constant() ||
            __builtin_mul_overflow(count, std::max<std::int64_t>(extent.constant(), 0), &count))
            return -1;
    return count;
}

bool accesses(const lower::StatementPtr& s, const std::string& buffer) {
    bool found = false;
    lower::visit_statements(s, [&](const lower::Statement& x) {
        found = found || (lower::has_place(x) && x.buffer == buffer);
        for (const auto& e : lower::expressions(x))
            visit(e, [&](const Expr& y) {
                found = found || ((y.kind == ExprKind::Load || y.kind == ExprKind::MaskedLoad) &&
                                  y.name == buffer);
                return !found;
            });
        return !found;
    });
    return found;
}

// The last statement that accesses what `s` allocates, of those that run once in its body; `s` itself if there is none.
const lower::Statement* last_access(const lower::Statement& s) {
    using lower::StatementKind;
    const auto* at = &s;
    while (at->kind == StatementKind::Block || at->kind == StatementKind::Allocate ||
           at->kind == StatementKind::Let) {
        const auto& children = at->children;
        auto last = std::find_if(children.rbegin(), children.rend(),
                                 [&](const auto& child) { return accesses(child, s.buffer); });
        // In the value of a let, or in a statement that occurs twice.
        if (last == children.rend() || std::count(children.begin(), children.end(), *last) > 1)
            return at;
        at = last->get();
    }
    return at;
}

} // namespace

void CFunction::bind_buffer(const std::string& buffer, const std::string& name, ScalarType type,
                            const std::vector<Extent>& extents) {
    auto count = element_count(extents);
    bool wide = count < 0 || count > kMost32BitIndex;
    expressions_.buffers[buffer] = {name, type, extents, flat_, wide};
}

void CFunction::allocate(const Statement& s) {
    stage_comment(s);
    auto elements = element_count(s.extents);
    auto name =
        names_.is_free(c_identifier(s.buffer)) ? names_.scoped(s.buffer) : scoped_name(s, s.buffer);
    bind_buffer(s.buffer, name, s.type, s.extents);
    std::string type = c_memory_type(s.type), count;
    for (const auto& extent : s.extents) {
        auto text = expressions_.extent(extent);
        count += (count.empty() ? "" : "*") + (extent.is_constant() ? text : "(" + text + ")");
    }
    if (count.empty())
        count = "1";
    std::int64_t bytes = 0;
    bool small = elements >= 0 &&
                 !__builtin_mul_overflow(elements, loopscope::bytes(s.type), &bytes) &&
                 bytes <= kStackBytes && stack_bytes_ + bytes <= kFunctionStackBytes;
    if (small) {
        stack_bytes_ += bytes;
        if (elements == 0)
            count = "1";
        out_.line("_Alignas(64) " + type + " " + name + "[" + count + "];", s.origin);
        children(s);
        stack_bytes_ -= bytes;
    } else {
        // The first factor makes the product one of 64 bits.
        if (s.extents.size() > 1)
            count = "(int64_t)" + count;
        out_.line(type + " *restrict " + name + " = " + helpers_.allocate() + "(" + count +
                      ", sizeof(" + type + "));",
                  s.origin);
        // As soon as it can go: what is allocated next may then be the same memory, whose pages are there.
        frees_[last_access(s)].push_back({name, s.origin});
        children(s);
    }
    expressions_.buffers.erase(s.buffer);
}

void CFunction::over_lanes(int count, bool independent, const NodeId& origin,
                           const std::function<void()>& body) {
    names_.open_scope();
    auto lane = names_.scoped("lane");
    expressions_.lane = lane;
    if (independent) {
        macros_.simd = true;
        out_.line("SIMD", origin);
    }
    out_.line("for (int32_t " + lane + " = 0; " + lane + " < " + std::to_string(count) + "; " +
                  lane + "++) {",
              origin);
    out_.indent();
    body();
    out_.outdent();
    out_.line("}", origin);
    expressions_.lane.clear();
    names_.close_scope();
}

// One statement, where the mask holds (null: always). `together`: its expressions.
void CFunction::guarded(const ExprPtr& mask, const NodeId& origin,
                        const std::vector<ExprPtr>& together,
                        const std::function<std::string()>& text) {
    std::string condition = "true";
    if (mask) {
        expressions_.begin({mask});
        condition = expressions_.text(mask);
        if (condition == "false") {
            expressions_.take_declarations();
            return;
        }
        declarations(origin);
    }
    bool open = condition != "true";
    if (open) {
        out_.line("if (" + condition + ") {", origin);
        out_.indent();
    }
    expressions_.mask = mask;
    expressions_.begin(together);
    auto line = text();
    declarations(origin);
    out_.line(line, origin);
    expressions_.mask = nullptr;
    if (open) {
        out_.outdent();
        out_.line("}", origin);
    }
}

// `value`: empty: the statement's own.
std::string CFunction::assignment(const Statement& s, const std::string& value) {
    auto place = expressions_.element(s.buffer, s.indices);
    auto text = value.empty() ? expressions_.text(s.value) : value;
    if (!s.streaming)
        return place + " = " + text + ";";
    macros_.stream = true;
    return "STREAM(" + place + ", " + text + ");";
}

void CFunction::prefetch(const Statement& s) {
    stage_comment(s);
    macros_.prefetch = true;
    guarded(nullptr, s.origin, s.indices,
            [&] { return "PREFETCH(" + expressions_.element(s.buffer, s.indices) + ");"; });
}

void CFunction::store(const Statement& s) {
    stage_comment(s);
    int count = lanes_of(s);
    if (count > 1)
        return reads_other_lanes(s) ? store_held(s, count) : store_lanes(s, count);
    auto together = s.indices;
    together.push_back(s.value);
    guarded(s.mask, s.origin, together, [&] { return assignment(s, ""); });
}

void CFunction::store_lanes(const Statement& s, int count) {
    auto together = s.indices;
    together.push_back(s.value);
    over_lanes(count, keeps_lanes_apart(s.indices), s.origin,
               [&] { guarded(s.mask, s.origin, together, [&] { return assignment(s, ""); }); });
}

// A store whose value reads what other lanes write: all lanes read before any writes.
void CFunction::store_held(const Statement& s, int count) {
    auto size = "[" + std::to_string(count) + "];";
    auto held = names_.scoped("held"), on = s.mask ? names_.scoped("on") : "";
    out_.line(std::string(c_type(s.value->type)) + " " + held + size, s.origin);
    if (s.mask)
        out_.line("bool " + on + size, s.origin);
    over_lanes(count, true, s.origin, [&] {
        auto put = [&](const std::string& array, const ExprPtr& e) {
            guarded(nullptr, s.origin, {e}, [&] {
                return array + "[" + expressions_.lane + "] = " + expressions_.text(e) + ";";
            });
        };
        put(held, s.value);
        if (s.mask)
            put(on, s.mask);
    });
    over_lanes(count, keeps_lanes_apart(s.indices), s.origin, [&] {
        guarded(nullptr, s.origin, s.indices, [&] {
            auto at = "[" + expressions_.lane + "]";
            return (s.mask ? "if (" + on + at + ") " : "") + assignment(s, held + at);
        });
    });
}

void CFunction::atomic(const Statement& s) {
    stage_comment(s);
    auto together = s.indices;
    together.push_back(s.value);
    auto step = [&] {
        guarded(s.mask, s.origin, together, [&] {
            auto place = expressions_.element(s.buffer, s.indices);
            return helpers_.atomic(s.op, s.value->type) + "(&" + place + ", " +
                   expressions_.text(s.value) + ");";
        });
    };
    int count = lanes_of(s);
    count > 1 ? over_lanes(count, false, s.origin, step) : step();
}

} // namespace loopscope::codegen
