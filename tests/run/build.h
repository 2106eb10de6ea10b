#pragma once
// Pipelines built by hand, and buffers from lists of values.

#include "compiler/run/buffer.h"
#include "compiler/run/reference/reference.h"
#include "core/ir/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace loopscope::test {

using T = ScalarType;

inline ExprPtr v(const std::string& name) { return variable(name); }
inline ExprPtr i32(std::int64_t value) { return constant_int(T::I32, value); }
inline ExprPtr f32(double value) { return constant_float(T::F32, value); }
inline ExprPtr add(ExprPtr a, ExprPtr b) { return binary(Op::Add, std::move(a), std::move(b)); }
inline ExprPtr subtract(ExprPtr a, ExprPtr b) {
    return binary(Op::Subtract, std::move(a), std::move(b));
}
inline ExprPtr multiply(ExprPtr a, ExprPtr b) {
    return binary(Op::Multiply, std::move(a), std::move(b));
}
inline ExprPtr plus(const std::string& name, std::int64_t offset) {
    return add(v(name), i32(offset));
}
inline ReductionAxis axis(const std::string& name, std::int64_t begin, std::int64_t end) {
    return {name, Extent(begin), Extent(end), {}};
}

inline Stage input(const std::string& name, T type, const std::vector<std::int64_t>& extents,
                   BoundaryKind boundary = BoundaryKind::None, ExprPtr value = nullptr) {
    Stage s;
    s.name = name;
    s.is_input = true;
    s.types = {type};
    for (auto e : extents) {
        s.variables.push_back("d" + std::to_string(s.extents.size()));
        s.extents.push_back(Extent(e));
    }
    s.boundary = {boundary, std::move(value)};
    return s;
}

inline Stage pure(const std::string& name, const std::vector<std::string>& variables,
                  ExprPtr value) {
    Stage s;
    s.name = name;
    s.variables = variables;
    s.types = {value->type};
    Definition d;
    d.values = {std::move(value)};
    d.free = variables;
    s.definitions = {d};
    return s;
}

inline Stage reduction(const std::string& name, const std::vector<std::string>& variables,
                       ReductionOp op, std::vector<ReductionAxis> axes, ExprPtr term,
                       ExprPtr condition = nullptr) {
    auto s = pure(name, variables, std::move(term));
    s.definitions[0].kind = DefinitionKind::Reduction;
    s.definitions[0].reduction = op;
    s.definitions[0].axes = std::move(axes);
    s.definitions[0].condition = std::move(condition);
    return s;
}

// Free are the variables that stand in their own position on the left and are no axis.
inline Stage updated(Stage s, std::vector<ExprPtr> left, UpdateOp op, ExprPtr value,
                     std::vector<ReductionAxis> axes = {}, ExprPtr condition = nullptr) {
    Definition d;
    d.kind = DefinitionKind::Update;
    d.update = op;
    d.values = {std::move(value)};
    d.axes = std::move(axes);
    d.condition = std::move(condition);
    for (std::size_t i = 0; i < left.size(); ++i)
        if (left[i]->kind == ExprKind::Variable && left[i]->name == s.variables[i])
            d.free.push_back(left[i]->name);
    d.left = std::move(left);
    s.definitions.push_back(std::move(d));
    return s;
}

inline Pipeline pipeline(std::vector<Stage> stages, const std::string& output,
                         const std::vector<std::int64_t>& extents) {
    Pipeline p;
    p.stages = std::move(stages);
    Output o{output, {}, {}};
    for (auto e : extents)
        o.extents.push_back(Extent(e));
    p.outputs = {o};
    p.seal();
    return p;
}

template <typename V> Buffer buffer(T type, std::vector<std::int64_t> extents,
                                    const std::vector<V>& values) {
    auto b = make_buffer(type, std::move(extents)).value();
    EXPECT_EQ(static_cast<std::size_t>(b.count()), values.size());
    std::copy(values.begin(), values.end(), b.template as<V>());
    return b;
}

template <typename V>
std::vector<V> run(const Pipeline& p, const std::map<std::string, Buffer>& inputs = {},
                   const ReferenceOptions& options = {}) {
    auto outputs = evaluate(p, inputs, options);
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    if (!outputs)
        return {};
    const auto& b = outputs->at(p.outputs[0].stage);
    return {b.template as<V>(), b.template as<V>() + b.count()};
}

} // namespace loopscope::test
