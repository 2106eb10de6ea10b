#include "compiler/codegen/c/function.h"

#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::ForKind;
using lower::StatementKind;

namespace {

constexpr std::int64_t kStackBytes = 16 << 10; // larger arrays come from the heap
// of all in one function; threads have a few MB
constexpr std::int64_t kFunctionStackBytes = 256 << 10;

bool accesses(const lower::StatementPtr& s, const std::string& buffer) {
    return lower::any_statement(s, [&](const lower::Statement& x) {
        return (lower::has_place(x) && x.access->buffer == buffer) || lower::loads_from(x, buffer);
    });
}

// The last statement that accesses what `s` allocates, of those that run once in its body; `s`
// itself if there is none.
const lower::Statement* last_access(const lower::Statement& s) {
    using lower::StatementKind;
    const auto* at = &s;
    while (at->kind == StatementKind::Block || at->kind == StatementKind::Allocate ||
           at->kind == StatementKind::Let) {
        const auto& children = at->children;
        auto last = std::find_if(children.rbegin(), children.rend(), [&](const auto& child) {
            return accesses(child, s.storage->buffer);
        });
        // In the value of a let, or in a statement that occurs twice.
        if (last == children.rend() || std::count(children.begin(), children.end(), *last) > 1)
            return at;
        at = last->get();
    }
    return at;
}

} // namespace

CWriter CFunction::print(const lower::Program& program, const std::string& name) {
    flat_ = program.flat;
    names_.open_scope();
    auto head = signature(program, name);
    out_.indent();
    streams_ = std::any_of(program.launches.begin(), program.launches.end(),
                           [](const auto& launch) { return lower::streams(launch.body); });
    for (const auto& launch : program.launches)
        if (launch.body)
            statement(*launch.body);
    if (streams_)
        out_.line("STREAM_FENCE;");
    out_.outdent();
    out_.remove_unused(expressions_.declared());
    names_.close_scope();
    CWriter whole;
    // Met with GCC 12: a store through an argument was rewritten as an offset from a local array,
    // then taken for a store to that array, and a caller in the same file (the `main` that is asked
    // for) dropped the call.
    whole.line("#if defined(__GNUC__) && !defined(__clang__)");
    whole.line("__attribute__((noipa)) // GCC 12 may take its stores for local ones, and drop "
               "calls in this file");
    whole.line("#endif");
    whole.line(head + " {");
    whole.indent();
    for (const auto& argument : arguments_)
        if (!out_.mentions(argument))
            whole.line("(void)" + argument + ";");
    whole.outdent();
    whole.append(out_);
    whole.line("}");
    return whole;
}

std::string CFunction::signature(const lower::Program& program, const std::string& name) {
    std::string text;
    for (const auto& symbol : program.symbols) {
        auto identifier = names_.scoped(symbol);
        expressions_.variables[symbol] = {identifier, std::nullopt, nullptr, false};
        text += (text.empty() ? "" : ", ") + ("int64_t " + identifier);
        arguments_.push_back(identifier);
    }
    for (const auto& argument : program.arguments) {
        auto identifier = names_.scoped(argument.buffer);
        bind_buffer(argument.buffer, identifier, argument.type, argument.extents);
        text += (text.empty() ? "" : ", ") +
                std::string(argument.role == lower::Role::Input ? "const " : "") +
                c_memory_type(argument.type) + " *" + dialect_.alone + " " + identifier;
        arguments_.push_back(identifier);
    }
    return "void " + name + "(" + (text.empty() ? "void" : text) + ")";
}

// ---- What only the host has ---------------------------------------------------------------------

void CFunction::before_loop(const Statement& s, std::optional<std::int64_t> unrolled) {
    if (s.loop->kind == ForKind::Parallel) {
        macros_.parallel = true;
        if (streams_)
            out_.line("STREAM_FENCE;", s.origin);
        out_.line("PARALLEL_FOR", s.origin);
    }
    if (s.loop->kind == ForKind::Vectorized)
        before_lanes(true, s.origin);
    if (unrolled) {
        macros_.unroll = true;
        out_.line("UNROLL(" + std::to_string(*unrolled) + ")", s.origin);
    }
}

void CFunction::end_of_loop(const Statement& s) {
    if (s.loop->kind == ForKind::Parallel && lower::streams(s.children[0]))
        out_.line("STREAM_FENCE;", s.origin);
}

void CFunction::before_lanes(bool independent, const NodeId& origin) {
    if (!independent)
        return;
    macros_.simd = true;
    out_.line("SIMD", origin);
}

void CFunction::prefetch(const Statement& s) {
    stage_comment(s);
    macros_.prefetch = true;
    guarded(nullptr, s.origin, s.access->indices, [&] {
        return "PREFETCH(" + expressions_.element(s.access->buffer, s.access->indices) + ");";
    });
}

std::string CFunction::streamed(const Statement&, const std::string& place,
                                const std::string& value) {
    macros_.stream = true;
    return "STREAM(" + place + ", " + value + ");";
}

std::string CFunction::atomic_step(const Statement& s, const std::string& place,
                                   const std::string& value) {
    return helpers_.atomic(s.access->op, s.value->type) + "(&" + place + ", " + value + ");";
}

void CFunction::allocate(const Statement& s) {
    stage_comment(s);
    auto elements = element_count(s.storage->extents);
    auto name = buffer_name(s);
    bind_buffer(s.storage->buffer, name, s.storage->type, s.storage->extents);
    std::string type = c_memory_type(s.storage->type), count = count_text(s.storage->extents);
    std::int64_t bytes = 0;
    bool small = elements >= 0 &&
                 !__builtin_mul_overflow(elements, loopscope::bytes(s.storage->type), &bytes) &&
                 bytes <= kStackBytes && stack_bytes_ + bytes <= kFunctionStackBytes;
    if (small) {
        stack_bytes_ += bytes;
        if (elements == 0)
            count = "1";
        out_.line(dialect_.aligned + " " + type + " " + name + "[" + count + "];", s.origin);
        children(s);
        stack_bytes_ -= bytes;
    } else {
        // The first factor makes the product one of 64 bits.
        if (s.storage->extents.size() > 1)
            count = "(int64_t)" + count;
        auto cast = dialect_.casts_pointers ? "(" + type + " *)" : "";
        out_.line(type + " *" + dialect_.alone + " " + name + " = " + cast + helpers_.allocate() +
                      "(" + count + ", sizeof(" + type + "));",
                  s.origin);
        // As soon as it can go: what is allocated next may then be the same memory, whose pages are
        // there.
        frees_[last_access(s)].push_back({name, s.origin});
        children(s);
    }
    expressions_.buffers.erase(s.storage->buffer);
}

void CFunction::after(const Statement& s) {
    if (auto storage = frees_.extract(&s))
        for (const auto& [name, origin] : storage.mapped())
            out_.line("free(" + name + ");", origin);
}

} // namespace loopscope::codegen
