#include "compiler/worker/infer_params.h"

#include "core/language/loop_syntax.h"

#include <set>

namespace loopscope::worker {

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

} // namespace loopscope::worker
