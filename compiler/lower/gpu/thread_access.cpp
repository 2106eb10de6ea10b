#include "compiler/lower/gpu/thread_access.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <tuple>

namespace loopscope::lower {

AccessFinder::AccessFinder(const LaunchShape& shape)
    : lanes_(shape.block[0]), body_(shape.body), handed_over_(handed_over(shape.body)) {
    for (const auto& dimension : shape.block)
        if (dimension.extent > 1)
            first_thread_.push_back(binary(Op::Equal, variable(dimension.variable, dimension.type),
                                           constant_int(dimension.type, 0)));
    visit_statements(body_, [&](const Statement& s) {
        if (s.kind == StatementKind::Allocate) {
            types_[s.storage->buffer] = s.storage->type;
            extents_[s.storage->buffer] = s.storage->extents;
        }
        if (s.kind == StatementKind::Allocate && s.storage->offset >= 0)
            rooms_[s.storage->buffer] = {s.storage->offset, s.storage->offset + bytes_of(s)};
        return true;
    });
}

void AccessFinder::place(ThreadAccess& access) const {
    if (auto room = rooms_.find(access.buffer); room != rooms_.end())
        std::tie(access.room, access.room_end) = room->second;
}

void AccessFinder::enter(const Statement& s, std::size_t branch) {
    switch (s.kind) {
    case StatementKind::Let: lets_[s.variable] = resolved(s.value); break;
    case StatementKind::For:
        loops_.push_back({s.variable, resolved(s.loop->begin), resolved(s.loop->extent)});
        break;
    case StatementKind::If: {
        auto condition = resolved(s.condition);
        conditions_.push_back(branch == 0 ? condition : unary(Op::LogicalNot, condition));
        break;
    }
    case StatementKind::Allocate:
        if (allocates_own(s))
            ++private_[s.storage->buffer];
        break;
    default: break;
    }
}

void AccessFinder::leave(const Statement& s) {
    switch (s.kind) {
    case StatementKind::Let: lets_.erase(s.variable); break;
    case StatementKind::For: loops_.pop_back(); break;
    case StatementKind::If: conditions_.pop_back(); break;
    case StatementKind::Allocate: private_.erase(s.storage->buffer); break;
    default: break;
    }
}

ExprPtr AccessFinder::resolved(const ExprPtr& e) const {
    return loopscope::substitute(e, [&](const std::string& name) -> ExprPtr {
        auto let = lets_.find(name);
        return let == lets_.end() ? nullptr : let->second;
    });
}

std::vector<ThreadAccess> AccessFinder::of(const Statement& s) const {
    std::vector<ThreadAccess> out;
    // mbarriers order it with all reads
    if (s.kind == StatementKind::BulkCopy && handed_over_.count(s.step->token))
        return out;
    auto add = [&](const std::string& buffer, const std::vector<ExprPtr>& indices, bool writes) {
        if (private_.count(buffer))
            return;
        const auto op = s.access ? s.access->op : Op::None;
        ThreadAccess access{buffer, writes, op, {}, conditions_, loops_, s.origin, -1, -1};
        for (const auto& index : indices)
            access.indices.push_back(resolved(index));
        place(access);
        out.push_back(std::move(access));
    };
    for (const auto& e : expressions(s))
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Load)
                add(x.name, x.args, false);
            else if (x.kind == ExprKind::MaskedLoad)
                add(x.name, {x.args.begin(), x.args.end() - 1}, false);
            return true;
        });
    if (writes(s))
        add(s.access->buffer, s.access->indices, true);
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
        const auto& operand = s.operands[o];
        const auto effect = effect_of(s, o);
        if (!effect.reads && !effect.writes)
            continue;
        const auto before = out.size();
        if (s.kind == StatementKind::BulkCopy) {
            add(operand.buffer, {}, effect.writes);
            if (out.size() > before && effect.writes)
                fills(out.back(), s);
            continue;
        }
        const bool moved = loads_matrix(s) || stores_matrix(s);
        add(operand.buffer,
            effect.bytes > 0 || operand.matrix || moved ? operand.indices : std::vector<ExprPtr>(),
            effect.writes);
        if (out.size() == before)
            continue;
        out.back().atomic = Op::None;
        if (moved)
            moves(out.back(), s);
        else if (operand.matrix)
            takes(out.back(), *operand.matrix, s.instruction + "." + std::to_string(o));
        else if (effect.bytes > 0)
            follows(out.back(), effect.bytes, s.instruction + "." + std::to_string(o));
    }
    return out;
}

// By the block's first thread: along each dimension that begins at 0 all of it, along others one
// element.
void AccessFinder::fills(ThreadAccess& access, const Statement& s) const {
    const auto& to = s.operands[0];
    const auto extents = extents_.find(to.buffer);
    access.conditions.insert(access.conditions.end(), first_thread_.begin(), first_thread_.end());
    if (extents == extents_.end() || extents->second.size() != to.indices.size())
        return;
    for (std::size_t d = 0; d < to.indices.size(); ++d) {
        std::int64_t begin = 0;
        const bool row = d + 1 == to.indices.size(); // of a panel of it, where there are several
        if (!row && (!constant_value(to.indices[d], begin) || begin != 0)) {
            access.indices.push_back(resolved(to.indices[d]));
            continue;
        }
        auto along = over(access, s.step->token + ".box" + std::to_string(d),
                          row ? s.box->extents.back().hint() : extents->second[d].hint());
        access.indices.push_back(row ? binary(Op::Add, resolved(to.indices[d]), along) : along);
    }
}

ExprPtr AccessFinder::over(ThreadAccess& access, const std::string& name, std::int64_t extent) {
    access.loops.push_back(
        {name, constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, extent)});
    return variable(name);
}

// The box of elements that a warpgroup takes as a matrix: rows along the last dimension, and across
// the one before that has several.
void AccessFinder::takes(ThreadAccess& access, const SharedMatrix& matrix,
                         const std::string& name) const {
    const auto extents = extents_.find(access.buffer);
    if (extents == extents_.end() || access.indices.size() < 2) {
        access.indices.clear(); // any of it
        return;
    }
    auto across = access.indices.size() - 1;
    while (across > 0 && extents->second[--across].hint() == 1)
        ;
    auto add = [&](ExprPtr& index, const char* axis, std::int64_t extent) {
        index = binary(Op::Add, index, cast(index->type, over(access, name + axis, extent)));
    };
    add(access.indices.back(), ".column", matrix.columns);
    add(access.indices[across], ".row", matrix.rows);
}

// All of a matrix, of which any lane may have any element: from one row to the next it is as far as
// the second operand says.
void AccessFinder::moves(ThreadAccess& access, const Statement& s) const {
    const auto matrix = moved_matrix(s);
    const auto& second = s.operands[matrix.first + 1];
    const auto row = over(access, s.instruction + ".row", MovedMatrix::lines);
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
        auto& index = access.indices[d];
        const auto step = binary(Op::Subtract, resolved(second.indices[d]), index);
        index = binary(Op::Add, index, binary(Op::Multiply, step, cast(index->type, row)));
    }
    auto& last = access.indices.back();
    last = binary(Op::Add, last,
                  cast(last->type, over(access, s.instruction + ".column", MovedMatrix::elements)));
}

// So many bytes from the element on that any lane of the warp names, for each gets some of all:
// loops of their own.
void AccessFinder::follows(ThreadAccess& access, std::int64_t size, const std::string& name) const {
    const auto type = types_.find(access.buffer);
    const auto count = type == types_.end() ? size : size / bytes(type->second);
    access.loops.push_back(
        {name, constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, count)});
    access.indices.back() = binary(Op::Add, access.indices.back(), variable(name));
    const auto lane = name + ".lane";
    access.loops.push_back(
        {lane, constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, kWarp)});
    auto first = constant_int(ScalarType::I32, 0); // of the warp
    if (lanes_.extent > kWarp) {
        const auto warp = constant_int(ScalarType::I32, kWarp);
        first = binary(Op::Multiply, binary(Op::Divide, variable(lanes_.variable), warp), warp);
    }
    for (auto& index : access.indices)
        index = loopscope::substitute(index, [&](const std::string& used) -> ExprPtr {
            return !lanes_.variable.empty() && used == lanes_.variable
                       ? binary(Op::Add, first, variable(lane))
                       : nullptr;
        });
}

std::vector<ThreadAccess> AccessFinder::completed(const std::string& token) const {
    std::vector<ThreadAccess> out;
    // each thread waits for itself
    if (handed_over_.count(token))
        return out;
    visit_statements(body_, [&](const Statement& s) {
        if (!s.step || s.step->token != token)
            return true;
        const auto* buffer = s.kind == StatementKind::Copy       ? &s.access->buffer
                             : s.kind == StatementKind::BulkCopy ? &s.operands[0].buffer
                                                                 : nullptr;
        if (buffer)
            place(out.emplace_back(
                ThreadAccess{*buffer, true, Op::None, {}, {}, {}, s.origin, -1, -1}));
        return true;
    });
    return out;
}

} // namespace loopscope::lower
