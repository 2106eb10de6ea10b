#include "compiler/codegen/halide/algorithm.h"

#include "core/ir/product.h"
#include "core/schedule/legality.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

std::string index_list(const std::vector<std::string>& variables) {
    return "(" + reversed_list(variables) + ")";
}

class Writer {
public:
    Writer(const ForeignProgram& program, HalideDialect& dialect)
        : program_(program), dialect_(dialect), values_(*program.pipeline) {}

    HalideAlgorithm run() {
        out_.members.indent();
        out_.body.indent();
        out_.body.indent();
        for (const auto& stage : program_.pipeline->stages)
            if (stage.is_input)
                input(stage);
        for (const auto& stage : program_.stages) {
            auto& made = out_.stages[stage.stage.name];
            made.func = made.result = dialect_.names.unique(stage.stage.name);
            dialect_.targets[stage.stage.name] = made.result;
            if (stage.stage.types.size() > 1)
                dialect_.tuples.insert(stage.stage.name);
            out_.members.line("Func " + made.func + "{\"" + made.func + "\"};");
            if (stage.stage.types.size() == 1 || is_pure(stage.stage))
                continue;
            made.func = dialect_.names.unique(stage.stage.name + "_parts");
            out_.members.line("Func " + made.func + "{\"" + made.func + "\"};");
            dialect_.as_bits[stage.stage.name] = {made.func, stage.stage.types};
        }
        for (const auto& stage : program_.stages)
            define(stage);
        return std::move(out_);
    }

private:
    static bool is_pure(const Stage& stage) {
        return stage.definitions.size() == 1 && stage.definitions[0].kind == DefinitionKind::Pure;
    }

    void input(const Stage& stage) {
        auto name = dialect_.names.unique(stage.name);
        out_.inputs[stage.name] = name;
        out_.members.line("ImageParam " + name + "{" + halide_type(stage.types[0]) + ", " +
                          std::to_string(stage.rank()) + ", \"" + name + "\"};");
        dialect_.targets[stage.name] = name;
        Box extents;
        for (const auto& extent : stage.extents)
            extents.push_back({0, extent.constant() - 1});
        for (std::size_t d = 0; d < extents.size(); ++d)
            out_.body.line("if (CONSTANT_SIZES) " + name + ".dim(" +
                           std::to_string(extents.size() - 1 - d) + ").set_bounds(0, " +
                           std::to_string(extents[d].extent()) + ");");
        if (stage.boundary.kind == BoundaryKind::None)
            return;
        auto bounded = dialect_.names.unique(stage.name + "_everywhere");
        dialect_.targets[stage.name] = bounded;
        out_.members.line("Func " + bounded + ";");
        out_.body.line(bounded + " = BoundaryConditions::" + boundary(stage, name, extents) + ";");
    }

    std::string boundary(const Stage& stage, const std::string& name, const Box& extents) {
        auto region = ", " + halide_region(extents) + ")";
        switch (stage.boundary.kind) {
        case BoundaryKind::Edge: return "repeat_edge(" + name + region;
        case BoundaryKind::Mirror: return "mirror_image(" + name + region;
        case BoundaryKind::Reflect: return "mirror_interior(" + name + region;
        case BoundaryKind::Wrap: return "repeat_image(" + name + region;
        default: break;
        }
        auto zero = is_float(stage.types[0])  ? constant_float(stage.types[0], 0)
                    : is_bool(stage.types[0]) ? constant_bool(false)
                                              : constant_int(stage.types[0], 0);
        auto value = stage.boundary.value ? stage.boundary.value : zero;
        return "constant_exterior(" + name + ", " + dialect_.literal(*value, false) + region;
    }

    void define(const ForeignStage& stage) {
        auto& made = out_.stages[stage.stage.name];
        for (const auto& variable : stage.stage.variables)
            made.variables.push_back(halide_variable(out_, dialect_, variable));
        made.reductions.resize(stage.stage.definitions.size());
        made.plain.resize(stage.stage.definitions.size());
        out_.body.blank();
        if (!stage.copy_of.empty())
            out_.body.line("// A copy of " + stage.copy_of + ", made by cache_read.");
        if (!stage.factor_of.empty())
            out_.body.line("// Partial results of " + stage.factor_of + ", made by rfactor.");
        dialect_.stage = stage.stage.name;
        for (std::size_t d = 0; d < stage.stage.definitions.size(); ++d)
            define(stage, static_cast<int>(d));
        if (made.result == made.func)
            return;
        std::string parts;
        for (std::size_t c = 0; c < stage.stage.types.size(); ++c)
            parts += (c ? ", " : "") +
                     halide_from_bits(stage.stage.types[c], made.func + index_list(made.variables) +
                                                                "[" + std::to_string(c) + "]");
        out_.body.line(made.result + index_list(made.variables) + " = Tuple(" + parts + ");",
                       origin_);
    }

    void define(const ForeignStage& stage, int index) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        auto& made = out_.stages[stage.stage.name];
        origin_ = {stage.stage.name, index, "@compute"};
        ForeignExpressions expressions(dialect_);
        expressions.values = &values_;
        expressions.ranges = axis_ranges(stage.stage, definition, stage.box);
        for (std::size_t v = 0; v < made.variables.size(); ++v)
            expressions.variables[stage.stage.variables[v]] = made.variables[v];
        expressions.box_of = [this](const std::string& target) -> const Box* {
            const auto* loaded = program_.pipeline->find(target);
            if (loaded && loaded->is_input && loaded->boundary.kind != BoundaryKind::None)
                return nullptr;
            auto box = program_.boxes.find(target);
            return box == program_.boxes.end() ? nullptr : &box->second;
        };
        if (definition.kind == DefinitionKind::Pure) {
            expressions.begin(definition.values);
            assign(made.func + index_list(made.variables),
                   values_text(expressions, definition.values), expressions);
            return;
        }
        bool first = definition.kind == DefinitionKind::Reduction;
        if (first) {
            auto identity = reduction_identity(definition.reduction, stage.stage.types);
            assign(made.func + index_list(made.variables), values_text(expressions, identity),
                   expressions);
        }
        made.plain[static_cast<std::size_t>(index)] = is_plain(stage, index);
        reduction_domain(stage, index, expressions);
        step(stage, index, expressions);
    }

    // Does Halide have to see what the step is, for atomic operations or vectors across a
    // reduction?
    bool is_plain(const ForeignStage& stage, int index) const {
        if (stage.atomic[static_cast<std::size_t>(index)])
            return true;
        const auto* state = program_.tree->state.find(stage.stage.name);
        for (const auto& loop : state->definitions[static_cast<std::size_t>(index)].loops)
            if (loop.reduction && loop.kind == LoopKind::Vectorized)
                return true;
        return false;
    }

    void reduction_domain(const ForeignStage& stage, int index, ForeignExpressions& expressions) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        auto& made = out_.stages[stage.stage.name];
        if (definition.axes.empty())
            return;
        auto base = index == 0 ? made.func : made.func + "_u" + std::to_string(index - 1);
        domain_ = dialect_.names.unique(base + "_r");
        out_.members.line("RDom " + domain_ + ";");
        Box ranges;
        for (const auto& axis : definition.axes)
            ranges.push_back(
                {axis.begin.constant(), axis.begin.constant() + axis.extent().constant() - 1});
        out_.body.line(domain_ + " = RDom(" + halide_region(ranges) + ", \"" + domain_ + "\");",
                       origin_);
        for (std::size_t a = 0; a < definition.axes.size(); ++a) {
            auto name = dialect_.names.unique(base + "_" + definition.axes[a].name);
            out_.members.line("RVar " + name + ";");
            out_.body.line(name + " = " + domain_ + "[" +
                               std::to_string(definition.axes.size() - 1 - a) + "];",
                           origin_);
            made.reductions[static_cast<std::size_t>(index)].push_back(name);
            expressions.variables[definition.axes[a].name] = name;
        }
    }

    void step(const ForeignStage& stage, int index, ForeignExpressions& expressions) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        auto& made = out_.stages[stage.stage.name];
        bool first = definition.kind == DefinitionKind::Reduction;
        auto left = definition.left;
        if (first)
            for (const auto& variable : stage.stage.variables)
                left.push_back(loopscope::variable(variable));
        auto together = definition.values;
        together.insert(together.end(), left.begin(), left.end());
        together.push_back(definition.condition);
        expressions.begin(together);
        std::vector<std::string> indices;
        for (std::size_t d = 0; d < left.size(); ++d)
            indices.push_back(expressions.index(left[d], &stage.box[d]));
        auto condition = definition.condition ? expressions.text(definition.condition) : "";
        std::vector<ExprPtr> old, terms;
        for (std::size_t c = 0; c < stage.stage.types.size(); ++c)
            old.push_back(load(stage.stage.name, stage.stage.types[c], left, static_cast<int>(c)));
        bool arg = first && is_arg(definition.reduction);
        bool repeated = !mentions_domain(definition);
        for (const auto& value : definition.values)
            terms.push_back(repeated ? at_every_point(stage, index, value, expressions)
                            : arg    ? named(value, expressions)
                                     : value);
        std::vector<ExprPtr> next;
        bool fused = stage.fused_step[static_cast<std::size_t>(index)];
        if (fused)
            next.push_back(multiply_add(terms[0], old[0]));
        else if (first)
            next = reduction_step(definition.reduction, old, terms);
        else
            for (std::size_t c = 0; c < terms.size(); ++c)
                next.push_back(definition.update == UpdateOp::Assign
                                   ? terms[c]
                                   : update_step(definition.update, old[c], terms[c]));
        if (!condition.empty() && definition.axes.empty())
            for (std::size_t c = 0; c < next.size(); ++c)
                next[c] = select(definition.condition, next[c], old[c]);
        dialect_.sums_wrap = !made.plain[static_cast<std::size_t>(index)];
        auto value = values_text(expressions, next, made.func + index_list(indices));
        dialect_.sums_wrap = true;
        declare(expressions);
        if (!condition.empty() && !definition.axes.empty())
            out_.body.line(domain_ + ".where(" + hidden(definition.condition, condition) + ");",
                           origin_);
        assign(made.func + index_list(indices), value, expressions);
    }

    // Inside of a condition Halide takes the clamps of a boundary away that the condition implies,
    // and then finds that the whole loop leaves the input.
    std::string hidden(const ExprPtr& condition, const std::string& text) {
        if (!contains_load(condition))
            return text;
        dialect_.helpers.insert("unseen");
        return "ops::unseen(" + text + ")";
    }

    // Halide sees no domain where no variable of it stands.
    static bool mentions_domain(const Definition& definition) {
        bool found = definition.axes.empty();
        auto search = [&](const ExprPtr& e) {
            visit(e, [&](const Expr& node) {
                for (const auto& axis : definition.axes)
                    found = found || (node.kind == ExprKind::Variable && node.name == axis.name);
                return !found;
            });
        };
        for (const auto& value : definition.values)
            search(value);
        for (const auto& index : definition.left)
            search(index);
        return found;
    }

    ExprPtr at_every_point(const ForeignStage& stage, int index, const ExprPtr& value,
                           ForeignExpressions& expressions) {
        if (value->kind == ExprKind::Binary && stage.fused_step[static_cast<std::size_t>(index)])
            return binary(value->op, at_every_point(stage, index, value->args[0], expressions),
                          value->args[1]); // a product
        dialect_.helpers.insert("at_every_point");
        const auto& made = out_.stages[stage.stage.name];
        auto text = "ops::at_every_point(" +
                    made.reductions[static_cast<std::size_t>(index)].front() + ", " +
                    expressions.text(value) + ")";
        declare(expressions);
        auto name = dialect_.names.unique("term");
        out_.body.line(dialect_.declaration(name, text), origin_);
        expressions.introduce(name, value);
        return variable(name, value->type);
    }

    // A variable that stands for the value: reduction_step mentions it several times.
    ExprPtr named(const ExprPtr& value, ForeignExpressions& expressions) {
        if (value->kind == ExprKind::Constant || value->kind == ExprKind::Variable)
            return value;
        auto text = expressions.text(value);
        declare(expressions);
        auto name = dialect_.names.unique("term");
        out_.body.line(dialect_.declaration(name, text), origin_);
        expressions.introduce(name, value);
        return variable(name, value->type);
    }

    // `left`: of an update, what is assigned to.
    std::string values_text(ForeignExpressions& expressions, const std::vector<ExprPtr>& values,
                            const std::string& left = {}) {
        std::string list;
        auto kept = dialect_.as_bits.find(dialect_.stage);
        for (std::size_t c = 0; c < values.size(); ++c) {
            auto text = expressions.text(values[c]);
            if (kept != dialect_.as_bits.end())
                text = halide_bits(kept->second.second[c], text);
            if (kept != dialect_.as_bits.end() && !left.empty()) {
                dialect_.helpers.insert("together");
                text = "ops::together(" + left + "[" + std::to_string((c + 1) % values.size()) +
                       "], " + text + ")";
            }
            list += (c ? ", " : "") + text;
        }
        return values.size() == 1 ? list : "Tuple(" + list + ")";
    }

    void declare(ForeignExpressions& expressions) {
        for (const auto& line : expressions.take_declarations())
            out_.body.line(line, origin_);
    }

    void assign(const std::string& left, const std::string& value,
                ForeignExpressions& expressions) {
        declare(expressions);
        out_.body.line(left + " = " + value + ";", origin_);
    }

    const ForeignProgram& program_;
    HalideDialect& dialect_;
    ValueRanges values_;
    HalideAlgorithm out_;
    NodeId origin_;
    std::string domain_;
};

} // namespace

std::string halide_region(const std::vector<Interval>& box) {
    std::vector<std::string> sides;
    for (const auto& interval : box)
        sides.push_back("{" + std::to_string(interval.least) + ", " +
                        std::to_string(interval.extent()) + "}");
    return "{" + reversed_list(sides) + "}";
}

std::string halide_variable(HalideAlgorithm& algorithm, HalideDialect& dialect,
                            const std::string& name) {
    auto [known, fresh] = algorithm.variables.emplace(name, "");
    if (fresh) {
        known->second = dialect.names.unique(name);
        algorithm.members.line("Var " + known->second + "{\"" + known->second + "\"};");
    }
    return known->second;
}

HalideAlgorithm halide_algorithm(const ForeignProgram& program, HalideDialect& dialect) {
    return Writer(program, dialect).run();
}

} // namespace loopscope::codegen
