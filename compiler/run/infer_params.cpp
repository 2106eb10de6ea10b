#include "compiler/run/infer_params.h"

#include "core/language/loop_syntax.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>

namespace loopscope {

namespace {

struct Inferred {
    std::int64_t value;
    std::string from; // "img's extent 1"
};

class Inference {
public:
    Inference(const SourceFilePtr& source, const Shapes& shapes,
              const std::map<std::string, std::int64_t>& given)
        : source_(source), shapes_(shapes), given_(given) {}

    void run(const ast::File& file) {
        for (const auto& statement : file.statements)
            if (statement->kind == ast::StatementKind::Param)
                params_.insert(std::string(statement->name.text));
        for (const auto& statement : file.statements)
            if (statement->kind == ast::StatementKind::Input && !statement->name.is_template())
                input(*statement);
    }

    Diagnostics conflicts;
    std::map<std::string, Inferred> inferred;

private:
    void input(const ast::Statement& statement) {
        std::string name(statement.name.text);
        auto shape = shapes_.find(name);
        if (shape == shapes_.end() || shape->second.size() != statement.extents.size())
            return;
        for (std::size_t d = 0; d < statement.extents.size(); ++d) {
            const auto* extent = statement.extents[d].get();
            if (!extent || extent->kind != ast::ExprKind::Name || extent->name.is_template())
                continue;
            std::string param(extent->name.text);
            if (params_.count(param) && !given_.count(param))
                take(param, {shape->second[d], "extent " + std::to_string(d) + " of " + name},
                     extent->span);
        }
    }

    void take(const std::string& param, const Inferred& found, ast::Span span) {
        auto [known, is_new] = inferred.emplace(param, found);
        if (is_new || known->second.value == found.value)
            return;
        conflicts.push_back(
            error("the arrays do not agree on " + param + ": " + known->second.from + " is " +
                      std::to_string(known->second.value) + ", " + found.from + " is " +
                      std::to_string(found.value),
                  "give arrays whose shapes fit together", {source_, span.begin, span.end}));
    }

    const SourceFilePtr& source_;
    const Shapes& shapes_;
    const std::map<std::string, std::int64_t>& given_;
    std::set<std::string> params_;
};

// factor * param + constant; no param: the factor is 0. No other linear form of ours has one
// variable at most, as is needed to solve an equation for it.
struct Linear {
    std::string param;
    std::int64_t factor = 0;
    std::int64_t constant = 0;
};

constexpr std::int64_t kMaxCoefficient = std::int64_t{1} << 30; // so that nothing here overflows

std::optional<Linear> bounded(const Linear& form) {
    bool fits =
        std::abs(form.factor) <= kMaxCoefficient && std::abs(form.constant) <= kMaxCoefficient;
    return fits ? std::optional<Linear>(form) : std::nullopt;
}

std::optional<Linear> combined(Op op, const Linear& a, const Linear& b) {
    if (op == Op::Multiply) {
        if (a.factor != 0 && b.factor != 0)
            return std::nullopt;
        const auto& form = a.factor ? a : b;
        auto scale = a.factor ? b.constant : a.constant;
        return bounded({form.param, form.factor * scale, form.constant * scale});
    }
    if ((op != Op::Add && op != Op::Subtract) || (a.factor && b.factor && a.param != b.param))
        return std::nullopt;
    int sign = op == Op::Add ? 1 : -1;
    return bounded(
        {a.factor ? a.param : b.param, a.factor + sign * b.factor, a.constant + sign * b.constant});
}

std::optional<Linear> linear(const ast::Expr& e, const std::string& text) {
    if (e.kind == ast::ExprKind::Name && !e.name.is_template())
        return Linear{std::string(e.name.text), 1, 0};
    if (e.kind == ast::ExprKind::Number) {
        std::int64_t value = 0;
        auto begin = text.data() + e.span.begin, end = text.data() + e.span.end;
        auto [stop, failed] = std::from_chars(begin, end, value);
        return failed == std::errc() && stop == end ? bounded({"", 0, value}) : std::nullopt;
    }
    if (e.kind != ast::ExprKind::Binary)
        return std::nullopt;
    auto a = linear(*e.args[0], text), b = linear(*e.args[1], text);
    return a && b ? combined(e.op, *a, *b) : std::nullopt;
}

} // namespace

Result<std::map<std::string, std::int64_t>>
infer_params(const SourceFilePtr& pipeline, const Shapes& shapes,
             const std::map<std::string, std::int64_t>& given) {
    Reporter reporter(pipeline);
    auto text = lex_loop(pipeline);
    auto file = parse_loop_syntax(text, reporter);
    Inference inference(pipeline, shapes, given);
    inference.run(file);
    if (!inference.conflicts.empty())
        return inference.conflicts;
    auto params = given;
    for (const auto& [name, found] : inference.inferred)
        params.emplace(name, found.value);
    return params;
}

std::optional<ParamValue> param_for_extent(const SourceFilePtr& pipeline, const std::string& input,
                                           std::size_t dimension, std::int64_t wanted) {
    Reporter reporter(pipeline);
    auto text = lex_loop(pipeline);
    auto file = parse_loop_syntax(text, reporter);
    std::set<std::string> params;
    for (const auto& statement : file.statements) {
        if (statement->kind == ast::StatementKind::Param)
            params.insert(std::string(statement->name.text));
        bool is_it = statement->kind == ast::StatementKind::Input &&
                     !statement->name.is_template() && statement->name.text == input;
        if (!is_it || dimension >= statement->extents.size() || !statement->extents[dimension])
            continue;
        auto form = linear(*statement->extents[dimension], pipeline->text());
        if (!form || !params.count(form->param) || form->factor == 0 ||
            (wanted - form->constant) % form->factor != 0)
            return std::nullopt;
        return ParamValue{form->param, (wanted - form->constant) / form->factor};
    }
    return std::nullopt;
}

} // namespace loopscope
