#include "compiler/codegen/tvm/tvm_source.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/tvm/dialect.h"
#include "compiler/codegen/tvm/main_text.h"
#include "compiler/codegen/tvm/schedule.h"
#include "core/ir/product.h"

#include <algorithm>
#include <sstream>

namespace loopscope::codegen {

namespace {

struct Lines {
    std::string text;
    std::vector<NodeId> origins;
    void add(const std::string& more, const NodeId& origin = {}) { // of one or more lines
        const auto before = static_cast<std::ptrdiff_t>(text.size());
        text += more;
        if (text.empty() || text.back() != '\n')
            text += '\n';
        origins.insert(
            origins.end(),
            static_cast<std::size_t>(std::count(text.begin() + before, text.end(), '\n')), origin);
    }
};

std::string shape(const Box& box) {
    std::string out;
    for (const auto& interval : box)
        out += std::to_string(interval.extent()) + ", ";
    return "(" +
           (box.size() > 1    ? out.substr(0, out.size() - 2)
            : box.size() == 1 ? out.substr(0, out.size() - 1)
                              : out) +
           ")";
}

ExprPtr without_lets(const ExprPtr& e) {
    return rewrite(e, [](const ExprPtr& node) -> ExprPtr {
        if (node->kind != ExprKind::Let)
            return node;
        return substitute(node->args[1], [&](const std::string& name) -> ExprPtr {
            return name == node->name ? node->args[0] : nullptr;
        });
    });
}

class Writer {
public:
    explicit Writer(const ForeignProgram& program)
        : program_(program), dialect_(program), values_(*program.pipeline) {}

    TvmDialect& dialect() { return dialect_; }
    const Lines& functions() const { return functions_; } // what definitions with lets evaluate
    const Lines& body() const { return body_; }
    const std::map<std::pair<std::string, int>, std::string>& blocks() const { return blocks_; }
    std::string name() const { return name_; }

    void run() {
        name_ = dialect_.unique_name(program_.pipeline->name);
        std::vector<std::string> parameters, stored;
        for (const auto& stage : program_.pipeline->stages) {
            bool output = program_.pipeline->find_output(stage.name);
            Box box;
            for (const auto& extent : stage.extents)
                box.push_back({0, extent.constant() - 1});
            if (!stage.is_input)
                box = program_.boxes.at(stage.name);
            for (std::size_t c = 0; c < stage.types.size(); ++c) {
                auto buffer = dialect_.unique_name(
                    stage.name + (stage.types.size() > 1 ? "_" + std::to_string(c) : ""));
                dialect_.buffers[stage.name].push_back(buffer);
                auto made = shape(box) + ", \"" + tvm_type(stage.types[c]) + "\")";
                if (stage.is_input || output)
                    parameters.push_back("    " + buffer + ": T.Buffer(" + made + ",");
                else
                    stored.push_back("    " + buffer + " = T.sblock_alloc_buffer(" + made);
            }
        }
        body_.add("\n\n@T.prim_func(s_tir=True)\ndef " + name_ + "(");
        for (const auto& parameter : parameters)
            body_.add(parameter);
        body_.add("):\n    T.func_attr({\"tirx.noalias\": True})");
        for (const auto& line : stored)
            body_.add(line);
        for (const auto& stage : program_.stages)
            for (std::size_t d = 0; d < stage.stage.definitions.size(); ++d)
                define(stage, static_cast<int>(d));
    }

private:
    // A block: loops over its axes, each from 0 on.
    void define(const ForeignStage& stage, int index) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        NodeId origin{stage.stage.name, index, "@compute"};
        auto block =
            dialect_.unique_name(index == 0 ? stage.stage.name + "_block"
                                            : stage.stage.name + "_u" + std::to_string(index - 1));
        blocks_[{stage.stage.name, index}] = block;
        ForeignExpressions expressions(dialect_);
        expressions.values = &values_;
        expressions.ranges = axis_ranges(stage.stage, definition, stage.box);
        expressions.box_of = [this](const std::string& target) -> const Box* {
            const auto* loaded = program_.pipeline->find(target);
            if (loaded->is_input && loaded->boundary.kind != BoundaryKind::None)
                return nullptr;
            auto box = program_.boxes.find(target);
            return box == program_.boxes.end() ? nullptr : &box->second;
        };
        std::vector<std::string> loops, extents, axes, parameters;
        auto axis = [&](const std::string& name, std::int64_t least, std::int64_t extent,
                        const char* kind) {
            auto v = "v_" + name;
            loops.push_back("l_" + name);
            extents.push_back(std::to_string(extent));
            axes.push_back("            " + v + " = T.axis." + kind + "(" + std::to_string(extent) +
                           ", l_" + name + ")");
            parameters.push_back(v);
            expressions.variables[name] = least == 0 ? v
                                          : least < 0
                                              ? "(" + v + " - " + std::to_string(-least) + ")"
                                              : "(" + v + " + " + std::to_string(least) + ")";
        };
        for (const auto& free : definition.free) {
            const auto& range = stage.box[stage.stage.dimension_of(free)];
            axis(free, range.least, range.extent(), "spatial");
        }
        for (const auto& over : definition.axes)
            axis(over.name, over.begin.constant(), over.extent().constant(),
                 definition.kind == DefinitionKind::Reduction ? "reduce" : "opaque");
        auto depth = std::string(loops.empty() ? "" : "    ");
        if (loops.size() == 1)
            body_.add("    for " + loops[0] + " in T.serial(" + extents[0] + "):", origin);
        else if (!loops.empty())
            body_.add("    for " + comma_joined(loops) + " in T.grid(" + comma_joined(extents) +
                          "):",
                      origin);
        body_.add("    " + depth + "with T.sblock(\"" + block + "\"):", origin);
        for (const auto& line : axes)
            body_.add(line.substr(depth.empty() ? 4 : 0), origin);
        indent_ = "        " + depth;
        statements(stage, index, expressions, parameters, origin);
    }

    void statements(const ForeignStage& stage, int index, ForeignExpressions& expressions,
                    const std::vector<std::string>& parameters, const NodeId& origin) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        auto left = definition.left;
        if (definition.kind != DefinitionKind::Update)
            for (const auto& variable : stage.stage.variables)
                left.push_back(loopscope::variable(variable));
        std::vector<ExprPtr> old;
        for (std::size_t c = 0; c < stage.stage.types.size(); ++c)
            old.push_back(load(stage.stage.name, stage.stage.types[c], left, static_cast<int>(c)));
        auto next = definition.values;
        if (definition.kind == DefinitionKind::Reduction) {
            auto identity = reduction_identity(definition.reduction, stage.stage.types);
            body_.add(indent_ + "with T.init():", origin);
            for (std::size_t c = 0; c < identity.size(); ++c)
                body_.add(indent_ + "    " + target(stage, left, expressions, c) + " = " +
                              expressions.text(identity[c]),
                          origin);
        }
        if (definition.kind == DefinitionKind::Reduction || definition.update != UpdateOp::Assign)
            next = stepped(stage, index, old, expressions);
        if (definition.condition)
            for (std::size_t c = 0; c < next.size(); ++c)
                next[c] = loopscope::select(definition.condition, next[c], old[c]);
        auto together = next;
        together.insert(together.end(), left.begin(), left.end());
        expressions.begin(together);
        dialect_.read.clear();
        std::vector<std::string> texts;
        for (const auto& value : next)
            texts.push_back(expressions.text(value));
        auto declarations = terms_;
        terms_.clear();
        for (auto& line : expressions.take_declarations())
            declarations.push_back(line);
        if (!declarations.empty())
            texts = outlined(stage, index, parameters, declarations, texts, origin);
        if (texts.size() == 1) {
            body_.add(indent_ + target(stage, left, expressions, 0) + " = " + texts[0], origin);
            return;
        }
        // All parts are computed before one is stored.
        for (std::size_t c = 0; c < texts.size(); ++c)
            body_.add(indent_ + "new_" + std::to_string(c) + ": T.let[T." +
                          tvm_type(stage.stage.types[c]) + "] = " + texts[c],
                      origin);
        for (std::size_t c = 0; c < texts.size(); ++c)
            body_.add(indent_ + target(stage, left, expressions, c) + " = new_" + std::to_string(c),
                      origin);
    }

    std::string target(const ForeignStage& stage, const std::vector<ExprPtr>& left,
                       ForeignExpressions& expressions, std::size_t component) {
        std::vector<std::string> indices;
        expressions.begin({}); // nothing is named: it stands in the block itself
        for (std::size_t d = 0; d < left.size(); ++d)
            indices.push_back(expressions.index(without_lets(left[d]), &stage.box[d]));
        return dialect_.at(dialect_.buffers.at(stage.stage.name)[component], stage.box, indices);
    }

    std::vector<ExprPtr> stepped(const ForeignStage& stage, int index,
                                 const std::vector<ExprPtr>& old, ForeignExpressions& expressions) {
        const auto& definition = stage.stage.definitions[static_cast<std::size_t>(index)];
        auto terms = definition.values;
        if (stage.fused_step[static_cast<std::size_t>(index)])
            return {multiply_add(terms[0], old[0])};
        if (definition.kind != DefinitionKind::Reduction) {
            for (std::size_t c = 0; c < terms.size(); ++c)
                terms[c] = update_step(definition.update, old[c], terms[c]);
            return terms;
        }
        if (is_arg(definition.reduction)) // mentions its operands several times
            for (auto& term : terms)
                if (term->kind != ExprKind::Variable && term->kind != ExprKind::Constant) {
                    expressions.begin({term});
                    auto text = expressions.text(term);
                    for (auto& line : expressions.take_declarations())
                        terms_.push_back(line);
                    auto name = dialect_.unique_name("term");
                    terms_.push_back(dialect_.declaration(name, text));
                    kept_ = dialect_.read;
                    expressions.introduce(name, term);
                    term = variable(name, term->type);
                }
        return reduction_step(definition.reduction, old, terms);
    }

    // A function of Python that gives the values: what it names is shared, and no statement of the
    // block.
    std::vector<std::string> outlined(const ForeignStage& stage, int index,
                                      const std::vector<std::string>& parameters,
                                      const std::vector<std::string>& declarations,
                                      const std::vector<std::string>& values,
                                      const NodeId& origin) {
        auto function = dialect_.unique_name(
            stage.stage.name + (index ? "_u" + std::to_string(index - 1) : "") + "_value");
        dialect_.read.merge(kept_);
        kept_.clear();
        auto all = parameters;
        all.insert(all.end(), dialect_.read.begin(), dialect_.read.end());
        functions_.add("\n\ndef " + function + "(" + comma_joined(all) + "):", origin);
        for (const auto& line : declarations)
            functions_.add("    " + line, origin);
        functions_.add("    return " + comma_joined(values), origin);
        auto call = function + "(" + comma_joined(all) + ")";
        if (values.size() == 1)
            return {call};
        std::vector<std::string> parts;
        for (std::size_t c = 0; c < values.size(); ++c)
            parts.push_back(call + "[" + std::to_string(c) + "]");
        return parts;
    }

    const ForeignProgram& program_;
    TvmDialect dialect_;
    ValueRanges values_;
    Lines functions_, body_;
    std::map<std::pair<std::string, int>, std::string> blocks_;
    std::string name_, indent_;
    std::vector<std::string> terms_;
    std::set<std::string> kept_;
};

std::string head_comment(const ForeignProgram& program, const ForeignInput& input) {
    std::ostringstream out;
    out << "# " << comment_text(program.pipeline->name)
        << ": generated by Loopscope from a pipeline and its schedule, for TVM's TensorIR "
           "(apache-tvm "
           "0.25 and later).\n#\n#     python3 FILE.py";
    for (const auto& stage : program.pipeline->stages)
        if (stage.is_input)
            out << " " << stage.name << "=" << stage.name << ".npy";
    for (const auto& output : program.pipeline->outputs)
        out << " " << output.stage << "=" << output.stage << ".npy";
    out << " [--time RUNS] [--target TARGET] [--inexact]\n";
    std::string sizes;
    for (const auto& param : program.pipeline->params)
        sizes += (sizes.empty() ? "" : ", ") + param.name + " = " + std::to_string(param.value);
    if (!sizes.empty())
        out << "#\n# Sizes: " << comment_text(sizes) << ".\n";
    out << "#\n# Schedule:" << (input.script.empty() ? " the default one." : "") << "\n";
    std::istringstream lines(input.script);
    for (std::string line; std::getline(lines, line);) {
        auto text = "#     " + comment_text(line);
        out << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
    }
    return out.str();
}

} // namespace

Result<ForeignSource> tvm_source(const ForeignInput& input) {
    auto program = foreign_program(input.tree);
    if (!program)
        return program.errors();
    Writer writer(*program);
    writer.run();
    auto schedule = tvm_schedule(*program, input, writer.blocks());
    if (!schedule)
        return schedule.errors();
    Lines out;
    auto append = [&](const Lines& more) {
        out.text += more.text;
        out.origins.insert(out.origins.end(), more.origins.begin(), more.origins.end());
    };
    out.add(head_comment(*program, input) + tvm_imports());
    out.add(tvm_helpers(writer.dialect()));
    append(writer.functions());
    append(writer.body());
    out.add(tvm_schedule_helpers());
    out.add("\n\ndef schedule():");
    for (const auto& [key, block] : writer.blocks()) {
        const auto& definition =
            program->pipeline->find(key.first)->definitions[static_cast<std::size_t>(key.second)];
        std::string names;
        for (const auto& free : definition.free)
            names += "\"" + free + "\", ";
        for (const auto& axis : definition.axes)
            names += "\"" + axis.name + "\", ";
        out.add("    names[\"" + block + "\"] = [" +
                names.substr(0, names.size() - (names.empty() ? 0 : 2)) + "]");
        out.add("    find_loops(\"" + block + "\")");
    }
    for (const auto& line : schedule->lines)
        out.add("    " + line.text, line.origin);
    out.add(tvm_main_text(*program, writer.name(), writer.dialect().buffers));
    return ForeignSource{out.text, out.origins, std::move(schedule->warnings)};
}

} // namespace loopscope::codegen
