// What a kernel is given, and how its threads number.
#include "compiler/codegen/kernel_source/kernel_function.h"
#include "compiler/codegen/nvptx/tma_requests.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::StatementKind;

namespace {

constexpr std::int64_t kGlobalAlignment = 16; // of pointers that a kernel is given, in bytes

// Which buffers a launch loads from, and which it writes.
struct Uses {
    std::set<std::string> loaded, written, in_vectors;
    std::set<std::string> boxes; // of which the TMA brings parts

    explicit Uses(const lower::StatementPtr& body) {
        lower::visit_statements(body, [&](const lower::Statement& s) {
            if (lower::writes(s)) {
                written.insert(s.access->buffer);
                for (const auto& index : s.access->indices)
                    if (index->lanes > 1)
                        in_vectors.insert(s.access->buffer);
            }
            for (std::size_t o = 0; o < s.operands.size(); ++o) {
                const bool brought = s.kind == StatementKind::BulkCopy && o == 1;
                (brought ? boxes : loaded).insert(s.operands[o].buffer);
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

void KernelFunction::find_buffers() {
    const Uses uses(launch_.body);
    in_vectors_ = uses.in_vectors;
    const bool meets_others = lower::contains_collective(launch_.body);
    auto add = [&](const std::string& buffer, ScalarType type, const std::vector<Extent>& extents) {
        if (std::find(launch_.arguments.begin(), launch_.arguments.end(), buffer) ==
            launch_.arguments.end())
            return;
        const bool written = uses.written.count(buffer) != 0;
        const bool boxes = uses.boxes.count(buffer) != 0;
        const bool loaded = uses.loaded.count(buffer) != 0;
        // its tensor map says where it is
        if (boxes && !loaded && !written)
            return;
        const bool both = written && (loaded || boxes);
        kernel_.buffers.push_back({buffer, "", type, extents, !written, !(both && meets_others)});
        spaces_[buffer] = Space::Global;
        alignments_[buffer] = kGlobalAlignment;
    };
    for (const auto& a : program_.arguments)
        add(a.buffer, a.type, a.extents);
    for (const auto& b : program_.buffers)
        add(b.buffer, b.type, b.extents);
    for (auto& map : tensor_maps_of(kernel_.shape))
        kernel_.boxes.push_back({std::move(map), ""});
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
    for (auto& boxes : kernel_.boxes) {
        boxes.identifier = names_.scoped(c_identifier(boxes.map.buffer) + "_boxes");
        list.push_back(boxes_parameter(boxes.identifier));
    }
    return list;
}

std::string KernelFunction::warp_members() {
    const auto threads = kernel_.shape.threads();
    const auto last = threads % lower::kWarp;
    auto some = std::to_string((std::uint64_t{1} << last) - 1) + "u";
    if (last == 0)
        return "0xffffffffu";
    if (threads < lower::kWarp)
        return some;
    return "(" + thread_number() + " < " + std::to_string(threads - last) +
           " ? 0xffffffffu : " + some + ")";
}

std::string KernelFunction::thread_number() const {
    std::string index;
    for (std::size_t axis = 3; axis-- > 0;) {
        const auto& dimension = kernel_.shape.block[axis];
        if (dimension.extent == 1)
            continue;
        const auto own = thread_index(dimension.level);
        if (!index.empty())
            index = (index.find(' ') == index.npos ? index : "(" + index + ")") + "*" +
                    std::to_string(dimension.extent) + " + " + own;
        else
            index = own;
    }
    return index.empty() ? "0u" : index;
}

} // namespace loopscope::codegen
