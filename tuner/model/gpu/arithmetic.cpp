#include "tuner/model/gpu/arithmetic.h"

#include "core/ir/cost.h"
#include "core/schedule/tensor_call.h"

#include <unordered_set>

namespace loopscope::model::gpu {

namespace {

// Operations of the distinct nodes of a point's expressions by type, which say how its figures are
// divided among units.
struct Shares {
    double f32 = 0, f64 = 0, i32 = 0, i64 = 0;
    double floats() const { return f32 + f64; }
    double integers() const { return i32 + i64; }
};

class ShareCounter {
public:
    void add(const ExprPtr& e) {
        if (!e || e->kind == ExprKind::Constant || e->kind == ExprKind::Variable ||
            !seen_.insert(e->hash).second)
            return;
        // indices are addresses
        if (is_load(*e))
            return;
        const auto cost = cost_of_node(*e);
        const bool wide = bits(e->type) == 64;
        (wide ? shares.f64 : shares.f32) += static_cast<double>(cost.flops);
        (wide ? shares.i64 : shares.i32) += static_cast<double>(cost.integer_operations);
        for (const auto& argument : e->args)
            add(argument);
    }
    Shares shares;

private:
    std::unordered_set<Hash> seen_;
};

Shares shares_of(const Point& point) {
    ShareCounter counter;
    if (point.role == ComputeRole::Init)
        return counter.shares;
    const auto& definition = *point.definition;
    for (const auto& value : definition.values)
        counter.add(value);
    counter.add(definition.condition);
    if (point.role == ComputeRole::Step ||
        (point.role == ComputeRole::Update && definition.update != UpdateOp::Assign))
        for (const auto& step : combining_step(point.stage->stage, definition))
            counter.add(step);
    return counter.shares;
}

std::size_t index(Unit unit) { return static_cast<std::size_t>(unit); }

double share(double part, double all, double otherwise) { return all > 0 ? part / all : otherwise; }

// "f16" of mma_m16n8k16_f16; devices give one peak for signed and unsigned bytes.
std::optional<std::string> tensor_operand(const Work& work, const Point& point) {
    for (int n : point.loops)
        if (const auto& call = work.tree_node(n).tensor) {
            const auto& name = call->intrinsic->name;
            const auto type = name.substr(name.rfind('_') + 1);
            return type == "s8" || type == "u8" ? "i8" : type;
        }
    return std::nullopt;
}

} // namespace

const char* name(Unit unit) {
    return unit == Unit::F32 ? "f32" : unit == Unit::F64 ? "f64" : "i32";
}

ScalarType type_of(Unit unit) {
    return unit == Unit::F32   ? ScalarType::F32
           : unit == Unit::F64 ? ScalarType::F64
                               : ScalarType::I32;
}

PointArithmetic arithmetic_of(const Work& work, const Point& point) {
    PointArithmetic out;
    out.tensor = tensor_operand(work, point);
    const auto shares = shares_of(point);
    const double flops = point.taken > 0 ? point.flops / point.taken : 0;
    const double wide = share(shares.f64, shares.floats(), 0);
    out.operations[index(Unit::F64)] = flops * wide;
    out.operations[index(Unit::F32)] = flops * (1 - wide);
    out.operations[index(Unit::I32)] = shares.integers();
    // By the width of what they work on; within one width as the operations are divided.
    double narrow = 0, broad = 0;
    for (std::size_t w = 0; w < 4; ++w) {
        const double count =
            point.operations.arithmetic[w] + point.condition.arithmetic[w] +
            kDivisionInstructions * (point.operations.divisions[w] + point.condition.divisions[w]);
        (w == 3 ? broad : narrow) += count;
    }
    const double floats = is_float(point.type) ? 1 : 0;
    const double narrow_floats = share(shares.f32, shares.f32 + shares.i32, floats);
    const double broad_floats = share(shares.f64, shares.f64 + shares.i64, floats);
    out.instructions[index(Unit::F32)] = narrow * narrow_floats;
    out.instructions[index(Unit::F64)] = broad * broad_floats;
    out.instructions[index(Unit::I32)] =
        narrow * (1 - narrow_floats) + kLongInstructions * broad * (1 - broad_floats);
    return out;
}

} // namespace loopscope::model::gpu
