#include "core/language/prelude.h"

#include "core/ir/half.h"
#include "core/language/loop_parser.h"
#include "core/language/prelude_text.h"

#include <array>
#include <map>
#include <mutex>
#include <stdexcept>

namespace loopscope {

namespace {

constexpr std::array<const char*, 2> kParameters = {"x", "y"};

bool is_approximation(const std::string& name) { return name == approximation_of(name); }

// A pipeline with one stage that applies the function to elements of inputs.
std::string pipeline_text(const std::string& name, ScalarType type) {
    std::string suffix = loopscope::name(type);
    std::string text = "pipeline prelude\n" + std::string(kPreludeShared);
    text += type == ScalarType::F32 ? kPreludeF32 : kPreludeF64;
    if (is_approximation(name))
        text += type == ScalarType::F32 ? kPreludeFastF32 : kPreludeFastF64;
    std::string arguments;
    for (int i = 0; i < prelude_parameters(name); ++i) {
        text += "input " + std::string(kParameters[i]) + ": " + suffix + "[1]\n";
        arguments += (i ? ", " : "") + std::string(kParameters[i]) + "[i]";
    }
    return text + "stage out[i] = " + name + "_" + suffix + "(" + arguments +
           ")\noutput out: [1]\n";
}

// Parameters in place of elements; lets that only rename something are gone.
ExprPtr without_loads(const ExprPtr& e) {
    std::map<std::string, ExprPtr> renamed;
    auto plain = rewrite(e, [](const ExprPtr& node) {
        return node->kind == ExprKind::Load ? variable(node->name, node->type) : node;
    });
    visit(plain, [&](const Expr& node) {
        if (node.kind == ExprKind::Let && node.args[0]->kind == ExprKind::Variable)
            renamed.emplace(node.name, node.args[0]);
        return true;
    });
    auto value_of = [&](const std::string& name) {
        auto found = renamed.find(name);
        auto value = found == renamed.end() ? ExprPtr() : found->second;
        for (; found != renamed.end(); found = renamed.find(value->name))
            value = found->second;
        return value;
    };
    return rewrite(plain, [&](const ExprPtr& node) {
        if (node->kind == ExprKind::Let && renamed.count(node->name))
            return node->args[1];
        auto value = node->kind == ExprKind::Variable ? value_of(node->name) : nullptr;
        return value ? value : node;
    });
}

PreludeFunction read(const std::string& name, ScalarType type) {
    auto source = std::make_shared<SourceFile>("prelude", pipeline_text(name, type));
    auto loaded = load_pipeline(source);
    if (!loaded)
        throw std::logic_error("the prelude: " + format(loaded.errors()));
    PreludeFunction function{name, type, {}, nullptr};
    for (int i = 0; i < prelude_parameters(name); ++i)
        function.parameters.push_back(kParameters[i]);
    function.body =
        without_loads(loaded.value().pipeline->find("out")->definitions.front().values.front());
    return function;
}

// f16 and bf16: the f32 function of the argument, rounded once.
PreludeFunction narrowed(const PreludeFunction& wide, ScalarType type) {
    PreludeFunction function{wide.name, type, wide.parameters, nullptr};
    function.body = cast(type, wide.body);
    for (const auto& parameter : function.parameters) {
        auto wide_name = parameter + "_f32";
        auto body = substitute(function.body, [&](const std::string& name) {
            return name == parameter ? variable(wide_name, ScalarType::F32) : nullptr;
        });
        function.body = let(wide_name, cast(ScalarType::F32, variable(parameter, type)), body);
    }
    return function;
}

} // namespace

const PreludeFunction& prelude_function(const std::string& name, ScalarType type) {
    if (!is_prelude_function(name) || !is_float(type))
        throw std::logic_error("prelude_function: " + name + " of " + loopscope::name(type));
    static std::mutex mutex;
    static std::map<std::pair<std::string, ScalarType>, PreludeFunction> known;
    bool half = is_half(type);
    const auto* wide = half ? &prelude_function(name, ScalarType::F32) : nullptr;
    std::lock_guard lock(mutex);
    auto found = known.find({name, type});
    if (found == known.end())
        found =
            known.emplace(std::pair{name, type}, wide ? narrowed(*wide, type) : read(name, type))
                .first;
    return found->second; // a map's elements stay where they are
}

} // namespace loopscope
