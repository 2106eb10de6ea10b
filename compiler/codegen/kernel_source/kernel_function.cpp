#include "compiler/codegen/kernel_source/kernel_function.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::StatementKind;

namespace {

constexpr std::int64_t kVectorAlignment = 16; // as wide as any access is

} // namespace

KernelFunction::KernelFunction(CNames& names, KernelHelpers& helpers, const CDialect& dialect,
                               const lower::Program& program, const lower::Launch& launch)
    : CStatements(names, helpers, dialect),
      program_(program),
      launch_(launch),
      kernel_helpers_(helpers),
      layout_(launch.body) {
    kernel_.shape = *lower::launch_shape(launch);
    kernel_.shared_bytes = layout_.bytes();
    find_buffers();
}

CWriter KernelFunction::print(const std::string& name) {
    kernel_.name = name;
    flat_ = program_.flat;
    names_.open_scope();
    auto parameters = this->parameters();
    out_.indent();
    dimensions();
    shared_buffers();
    opening();
    statement(*kernel_.shape.body);
    out_.outdent();
    out_.remove_unused(expressions_.declared());
    names_.close_scope();
    CWriter whole;
    whole.list(head() + "(", parameters, ") {");
    whole.append(out_);
    whole.line("}");
    return whole;
}

// ---- What the kernel begins with ----------------------------------------------------------------

void KernelFunction::dimensions() {
    for (const auto* unit : {&kernel_.shape.grid, &kernel_.shape.cluster, &kernel_.shape.block})
        for (std::size_t axis = 3; axis-- > 0;) {
            const auto& dimension = (*unit)[axis];
            if (dimension.variable.empty())
                continue;
            auto name = names_.scoped(dimension.variable);
            const std::string type = c_type(dimension.type);
            expressions_.variables[dimension.variable] = {name, Interval{0, dimension.extent - 1},
                                                          nullptr, false};
            expressions_.declare(name);
            scope_.bind_loop(dimension.variable, constant_int(dimension.type, 0),
                             constant_int(dimension.type, dimension.extent));
            out_.line("const " + type + " " + name + " = (" + type + ")" +
                      coordinate(dimension.level) + ";");
        }
}

// Blocks of a cluster follow one another along each axis.
std::string KernelFunction::coordinate(const std::string& level) const {
    const auto unit = lower::level_unit(level);
    const auto axis = static_cast<std::size_t>(level.back() - 'x');
    const auto blocks = kernel_.shape.cluster[axis].extent;
    if (unit == "thread" || blocks == 1)
        return unit == "cluster" ? "0" : thread_index(level);
    return "(" + thread_index(std::string("block.") + level.back()) +
           (unit == "cluster" ? " % " : " / ") + std::to_string(blocks) + ")";
}

bool KernelFunction::exchanges_global() const {
    return std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                       [](const GlobalBuffer& buffer) { return !buffer.alone; });
}

Space KernelFunction::space(const std::string& buffer) const { return spaces_.at(buffer); }

// ---- Memory of the block and of the thread ------------------------------------------------------

bool KernelFunction::hands_over_slots() const {
    std::vector<std::string> buffers;
    for (const auto& [buffer, space] : spaces_)
        if (space == Space::Shared)
            buffers.push_back(buffer);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (layout_.overlap(buffers[i], buffers[j]))
                return true;
    return false;
}

void KernelFunction::shared_buffers() {
    std::vector<const Statement*> allocations;
    lower::visit_statements(kernel_.shape.body, [&](const Statement& s) {
        if (lower::allocates_shared(s)) {
            allocations.push_back(&s);
            spaces_[s.storage->buffer] = Space::Shared;
        }
        return true;
    });
    if (allocations.empty())
        return;
    const bool one_array = hands_over_slots() || asks_for_shared_memory();
    if (one_array)
        out_.line(shared_memory(layout_.bytes(), layout_.alignment()));
    for (const auto* s : allocations) {
        auto name = buffer_name(*s);
        bind_buffer(s->storage->buffer, name, s->storage->type, s->storage->extents);
        const auto offset = one_array ? layout_.offset(s->storage->buffer) : 0;
        alignments_[s->storage->buffer] =
            offset == 0 ? kVectorAlignment : std::min(kVectorAlignment, offset & -offset);
        out_.line(one_array ? shared_pointer(c_memory_type(s->storage->type), name, offset)
                            : shared_array(c_memory_type(s->storage->type), name,
                                           element_count(s->storage->extents) == 0
                                               ? "1"
                                               : count_text(s->storage->extents),
                                           lower::shared_alignment(*s)),
                  s->origin);
    }
}

void KernelFunction::allocate(const Statement& s) {
    if (lower::allocates_shared(s)) {
        const auto& own = expressions_.buffers.at(s.storage->buffer);
        for (const auto& [other, space] : spaces_)
            if (space == Space::Shared && layout_.overlap(s.storage->buffer, other) &&
                expressions_.buffers.at(other).type != own.type) {
                out_.line(fence(), s.origin);
                break;
            }
        children(s);
        return;
    }
    stage_comment(s);
    auto name = buffer_name(s);
    bind_buffer(s.storage->buffer, name, s.storage->type, s.storage->extents);
    spaces_[s.storage->buffer] = Space::Own;
    alignments_[s.storage->buffer] = kVectorAlignment;
    out_.line(
        own_array(c_memory_type(s.storage->type), name,
                  element_count(s.storage->extents) == 0 ? "1" : count_text(s.storage->extents),
                  in_vectors_.count(s.storage->buffer) != 0) +
            ";",
        s.origin);
    children(s);
    expressions_.buffers.erase(s.storage->buffer);
    spaces_.erase(s.storage->buffer);
}

// ---- Statements ---------------------------------------------------------------------------------

void KernelFunction::before_loop(const Statement& s, std::optional<std::int64_t> unrolled) {
    if (unrolled)
        out_.line("#pragma unroll", s.origin);
}

void KernelFunction::before_lanes(bool, const NodeId& origin) {
    out_.line("#pragma unroll", origin);
}

void KernelFunction::loop(const Statement& s) {
    scope_.bind(s);
    CStatements::loop(s);
}

void KernelFunction::let_scalar(const Statement& s) {
    scope_.bind(s);
    CStatements::let_scalar(s);
}

void KernelFunction::device_step(const Statement& s) {
    std::string text;
    switch (s.kind) {
    case StatementKind::Copy: copy(s); return;
    case StatementKind::Barrier: text = barrier(s); break;
    case StatementKind::Commit: text = commit(s); break;
    case StatementKind::Wait: text = wait(s); break;
    case StatementKind::Intrinsic: {
        std::vector<ExprPtr> together;
        for (const auto& operand : s.operands)
            together.insert(together.end(), operand.indices.begin(), operand.indices.end());
        stage_comment(s);
        expressions_.begin(together);
        text = instruction(s);
        declarations(s.origin);
        break;
    }
    default: return; // Acquire, Release: barriers say it
    }
    if (!text.empty())
        out_.line(text, s.origin);
}

std::string KernelFunction::atomic_step(const Statement& s, const std::string& place,
                                        const std::string& value) {
    return kernel_helpers_.atomic_statement(s.access->op, s.value->type, space(s.access->buffer),
                                            place, value);
}

// Prefetches global memory alone: other memories are on the chip. The last iterations may ask for
// addresses behind the buffer, where there may be no memory.
void KernelFunction::prefetch(const Statement& s) {
    const auto& buffer = expressions_.buffers.at(s.access->buffer);
    const auto count = element_count(buffer.extents);
    if (space(s.access->buffer) != Space::Global || count < 0)
        return;
    stage_comment(s);
    guarded(nullptr, s.origin, s.access->indices, [&] {
        auto index = expressions_.index(buffer, s.access->indices);
        return "if ((uint64_t)(" + index + ") < " + std::to_string(count) + "u) " +
               prefetched(buffer.name + "[" + index + "]");
    });
}

} // namespace loopscope::codegen
