#include "compiler/codegen/kernel_source/kernel_function.h"

#include "compiler/lower/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::StatementKind;

namespace {

constexpr std::int64_t kGlobalAlignment = 16; // of pointers that a kernel is given, in bytes
constexpr std::int64_t kVectorAlignment = 16; // as wide as any access is

// Which buffers a launch loads from, and which it writes.
struct Uses {
    std::set<std::string> loaded, written, in_vectors;

    explicit Uses(const lower::StatementPtr& body) {
        lower::visit_statements(body, [&](const lower::Statement& s) {
            if (lower::writes(s)) {
                written.insert(s.buffer);
                for (const auto& index : s.indices)
                    if (index->lanes > 1)
                        in_vectors.insert(s.buffer);
            }
            for (std::size_t o = 0; o < s.operands.size(); ++o) {
                loaded.insert(s.operands[o].buffer);
                if (lower::effect_of(s, o).writes)
                    written.insert(s.operands[o].buffer);
            }
            for (const auto& e : lower::expressions(s))
                visit(e, [&](const Expr& x) { return load(x), true; });
            return true;
        });
    }

private:
    void load(const Expr& e) {
        if (e.kind != ExprKind::Load && e.kind != ExprKind::MaskedLoad)
            return;
        loaded.insert(e.name);
        if (e.lanes > 1)
            in_vectors.insert(e.name);
    }
};

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

// What the kernel is given ------------------------------------------------------------------------------------------

void KernelFunction::find_buffers() {
    const Uses uses(launch_.body);
    in_vectors_ = uses.in_vectors;
    const bool meets_others = lower::contains_collective(launch_.body);
    auto add = [&](const std::string& buffer, ScalarType type, const std::vector<Extent>& extents) {
        if (std::find(launch_.arguments.begin(), launch_.arguments.end(), buffer) ==
            launch_.arguments.end())
            return;
        const bool written = uses.written.count(buffer) != 0;
        const bool both = written && uses.loaded.count(buffer) != 0;
        kernel_.buffers.push_back({buffer, "", type, extents, !written, !(both && meets_others)});
        spaces_[buffer] = Space::Global;
        alignments_[buffer] = kGlobalAlignment;
    };
    for (const auto& a : program_.arguments)
        add(a.buffer, a.type, a.extents);
    for (const auto& b : program_.buffers)
        add(b.buffer, b.type, b.extents);
}

std::vector<std::string> KernelFunction::parameters() {
    std::vector<std::string> list;
    for (const auto& symbol : program_.symbols) {
        auto identifier = names_.scoped(symbol);
        expressions_.variables[symbol] = {identifier, std::nullopt, nullptr, false};
        kernel_.symbols.push_back(identifier);
        list.push_back("int64_t " + identifier);
    }
    for (auto& buffer : kernel_.buffers) {
        buffer.identifier = names_.scoped(buffer.buffer);
        bind_buffer(buffer.buffer, buffer.identifier, buffer.type, buffer.extents);
        list.push_back(parameter(buffer));
    }
    return list;
}

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

std::string KernelFunction::warp_members() {
    const auto threads = kernel_.shape.threads();
    const auto last = threads % lower::kWarp;
    auto some = std::to_string((std::uint64_t{1} << last) - 1) + "u";
    if (last == 0)
        return "0xffffffffu";
    if (threads < lower::kWarp)
        return some;
    std::string index;
    for (std::size_t axis = 3; axis-- > 0;) {
        const auto& dimension = kernel_.shape.block[axis];
        if (dimension.extent == 1)
            continue;
        auto own = thread_index(dimension.level);
        index = index.empty() ? own
                              : "(" + index + ")*" + std::to_string(dimension.extent) + " + " + own;
    }
    return "(" + index + " < " + std::to_string(threads - last) + " ? 0xffffffffu : " + some + ")";
}

// Memory of the block and of the thread -----------------------------------------------------------------------------

bool KernelFunction::shares_rooms() const {
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
        if (s.kind == StatementKind::Allocate && s.scope == "shared") {
            allocations.push_back(&s);
            spaces_[s.buffer] = Space::Shared;
        }
        return true;
    });
    if (allocations.empty())
        return;
    const bool one_array = shares_rooms() || asks_for_shared_memory();
    if (one_array)
        out_.line(shared_memory(layout_.bytes(), layout_.alignment()));
    for (const auto* s : allocations) {
        auto name = buffer_name(*s);
        bind_buffer(s->buffer, name, s->type, s->extents);
        const auto offset = one_array ? layout_.offset(s->buffer) : 0;
        alignments_[s->buffer] =
            offset == 0 ? kVectorAlignment : std::min(kVectorAlignment, offset & -offset);
        out_.line(one_array
                      ? shared_pointer(c_memory_type(s->type), name, offset)
                      : shared_array(c_memory_type(s->type), name,
                                     element_count(s->extents) == 0 ? "1" : count_text(s->extents),
                                     lower::shared_alignment(*s)),
                  s->origin);
    }
}

void KernelFunction::allocate(const Statement& s) {
    if (s.scope == "shared") {
        const auto& own = expressions_.buffers.at(s.buffer);
        for (const auto& [other, space] : spaces_)
            if (space == Space::Shared && layout_.overlap(s.buffer, other) &&
                expressions_.buffers.at(other).type != own.type) {
                out_.line(fence(), s.origin);
                break;
            }
        children(s);
        return;
    }
    stage_comment(s);
    auto name = buffer_name(s);
    bind_buffer(s.buffer, name, s.type, s.extents);
    spaces_[s.buffer] = Space::Own;
    alignments_[s.buffer] = kVectorAlignment;
    out_.line(own_array(c_memory_type(s.type), name,
                        element_count(s.extents) == 0 ? "1" : count_text(s.extents),
                        in_vectors_.count(s.buffer) != 0) +
                  ";",
              s.origin);
    children(s);
    expressions_.buffers.erase(s.buffer);
    spaces_.erase(s.buffer);
}

// Statements ----------------------------------------------------------------------------------------------------------

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
    return kernel_helpers_.atomic_statement(s.op, s.value->type, space(s.buffer), place, value);
}

// Of global memory: others are on the chip. The last iterations may ask for what lies behind the buffer, where there may be
// no memory.
void KernelFunction::prefetch(const Statement& s) {
    const auto& buffer = expressions_.buffers.at(s.buffer);
    const auto count = element_count(buffer.extents);
    if (space(s.buffer) != Space::Global || count < 0)
        return;
    stage_comment(s);
    guarded(nullptr, s.origin, s.indices, [&] {
        auto index = expressions_.index(buffer, s.indices);
        return "if ((uint64_t)(" + index + ") < " + std::to_string(count) + "u) " +
               prefetched(buffer.name + "[" + index + "]");
    });
}

} // namespace loopscope::codegen
