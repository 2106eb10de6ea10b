// Partial results of threads become one that all of them have: by shuffles where they lie in one
// warp, else through shared memory, in halves.
//
//     intrinsic reduce_sum p[0]             of level thread.x, 32 threads:
//
//     intrinsic shuffle_xor_16 p.other[0], p[0]      more, or along another level:
//     p[0] = p[0] + p.other[0]                       p.all[thread] = p[0]
//     …                                              if thread_x < 64 {
//     intrinsic shuffle_xor_1 p.other[0], p[0]           p.all[thread] =
//     p[0] = p[0] + p.other[0]                               p.all[thread] + p.all[thread + 64]
//                                                    }
//                                                    …
//                                                    p[0] = p.all[thread - thread_x]
//
// Expects launches after bind_levels. Barriers come later, as everywhere.
#include "compiler/lower/build_reduction.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {
class Reducing {
public:
    Reducing(const LaunchShape& shape, NameSource& names) : shape_(shape), names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::Allocate)
            types_[s->storage->buffer] = s->storage->type;
        if (auto op =
                s->kind == StatementKind::Intrinsic ? reduction_of(s->instruction) : std::nullopt)
            return reduced(*s, *op);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        return with_children(s, std::move(children));
    }

private:
    StatementPtr reduced(const Statement& s, ReductionOp op) {
        const LaunchDimension* along = nullptr;
        std::int64_t stride = 1;
        for (const auto& dimension : shape_.block) {
            if (dimension.level == dimension_of_level(s.level)) {
                along = &dimension;
                break;
            }
            stride *= dimension.extent;
        }
        if (!along || along->extent < 2)
            return empty_block();
        const bool halves = (along->extent & (along->extent - 1)) == 0;
        if (stride == 1 && halves && along->extent <= kWarp && shape_.threads() % kWarp == 0)
            return by_shuffles(s, op, along->extent);
        return through_memory(s, op, *along, stride);
    }

    std::vector<ExprPtr> loads(const std::vector<std::string>& buffers,
                               const ExprPtr& index) const {
        std::vector<ExprPtr> out;
        for (const auto& buffer : buffers)
            out.push_back(load(buffer, types_.at(buffer), {index}));
        return out;
    }

    std::vector<std::string> buffers_of(const Statement& s) const {
        std::vector<std::string> out;
        for (const auto& operand : s.operands)
            out.push_back(operand.buffer);
        return out;
    }

    std::vector<std::string> made(const Statement& s, const char* suffix) {
        std::vector<std::string> out;
        for (const auto& operand : s.operands) {
            out.push_back(names_.unused(operand.buffer + suffix));
            types_[out.back()] = types_.at(operand.buffer);
        }
        return out;
    }

    StatementPtr allocated(const Statement& s, const std::vector<std::string>& buffers,
                           std::int64_t extent, const device::MemoryScope& scope,
                           StatementPtr body) const {
        for (const auto& buffer : buffers)
            body = allocate(s.origin, buffer, types_.at(buffer), {Extent(extent)}, scope, body);
        return body;
    }

    StatementPtr by_shuffles(const Statement& s, ReductionOp op, std::int64_t extent) {
        const auto partials = buffers_of(s), others = made(s, ".other");
        std::vector<StatementPtr> steps;
        for (auto distance = extent / 2; distance > 0; distance /= 2) {
            for (std::size_t c = 0; c < partials.size(); ++c)
                steps.push_back(intrinsic(
                    s.origin, "shuffle_xor_" + std::to_string(distance),
                    {{others[c], {constant_index(0)}}, {partials[c], {constant_index(0)}}}));
            steps.push_back(combine_into(s.origin, op, partials, {constant_index(0)},
                                         loads(others, constant_index(0)),
                                         names_.unused(partials[0] + ".take")));
        }
        return allocated(s, others, 1, device::registers(), block(std::move(steps)));
    }

    StatementPtr through_memory(const Statement& s, ReductionOp op, const LaunchDimension& along,
                                std::int64_t stride) {
        const auto partials = buffers_of(s), all = made(s, ".all");
        ExprPtr thread;
        std::int64_t step = 1;
        for (const auto& dimension : shape_.block) {
            if (dimension.extent > 1) {
                auto term =
                    binary(Op::Multiply, variable(dimension.variable), constant_index(step));
                thread = thread ? binary(Op::Add, thread, term) : term;
            }
            step *= dimension.extent;
        }
        const auto coordinate = variable(along.variable);
        std::vector<StatementPtr> steps;
        for (std::size_t c = 0; c < partials.size(); ++c)
            steps.push_back(store(s.origin, all[c], {thread},
                                  load(partials[c], types_.at(partials[c]), {constant_index(0)})));
        std::int64_t half = 1;
        while (2 * half < along.extent)
            half *= 2;
        for (; half > 0; half /= 2) {
            const auto taking = std::min(half, along.extent - half); // threads with another one
            auto combined =
                combine_into(s.origin, op, all, {thread},
                             loads(all, binary(Op::Add, thread, constant_index(half * stride))),
                             names_.unused(partials[0] + ".take"));
            steps.push_back(if_then(
                s.origin,
                binary(Op::Less, coordinate, constant_index(std::max<std::int64_t>(taking, 1))),
                combined));
        }
        const auto first =
            binary(Op::Subtract, thread, binary(Op::Multiply, coordinate, constant_index(stride)));
        for (std::size_t c = 0; c < partials.size(); ++c)
            steps.push_back(store(s.origin, partials[c], {constant_index(0)},
                                  load(all[c], types_.at(all[c]), {first})));
        return allocated(s, all, shape_.threads(), device::shared_memory(),
                         block(std::move(steps)));
    }

    const LaunchShape& shape_;
    NameSource& names_;
    std::map<std::string, ScalarType> types_; // of buffers
};

} // namespace

Program reduce_threads(const Program& program, const TargetInfo&) {
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches)
        if (on_device(launch))
            launch.body = map_inside(launch, [&](const LaunchShape& shape) {
                return Reducing(shape, names).run(shape.body);
            });
    return out;
}

} // namespace loopscope::lower
