// Calls of the prelude's functions: one internal function per name, type and lanes, whose body is
// the prelude's own definition in so many lanes. No library and no approximate instruction is
// behind them: all targets give the same bits.

#include "compiler/codegen/emit/emitter.h"

#include "core/language/prelude.h"

#include <stdexcept>

namespace loopscope::codegen {

using llvm::Value;

namespace {

// The same expression in lanes, every leaf splatted.
class Spread {
public:
    explicit Spread(int lanes) : lanes_(lanes) {}

    ExprPtr run(const ExprPtr& e) {
        if (auto known = done_.find(e.get()); known != done_.end())
            return known->second;
        return done_[e.get()] = spread(e);
    }

private:
    ExprPtr spread(const ExprPtr& e) {
        std::vector<ExprPtr> args;
        for (const auto& a : e->args)
            args.push_back(run(a));
        switch (e->kind) {
        case ExprKind::Constant: return broadcast(e, lanes_);
        case ExprKind::Variable: return vector_variable(e->name, e->type, lanes_);
        case ExprKind::Unary: return unary(e->op, args[0]);
        case ExprKind::Binary: return binary(e->op, args[0], args[1]);
        case ExprKind::Select: return select(args[0], args[1], args[2]);
        case ExprKind::Cast: return cast(e->type, args[0]);
        case ExprKind::Let: return let(e->name, args[0], args[1]);
        case ExprKind::Fma: return fma(args[0], args[1], args[2]);
        case ExprKind::Call: return loopscope::call(e->name, args);
        case ExprKind::Reinterpret: return reinterpret(e->type, args[0]);
        default: throw std::logic_error("a function of the prelude reads memory");
        }
    }

    int lanes_;
    std::unordered_map<const Expr*, ExprPtr> done_;
};

} // namespace

llvm::Function* Emitter::prelude_code(const std::string& name, ScalarType type, int lanes) {
    auto& code = prelude_[{name, type, lanes}];
    if (code)
        return code;
    const auto& definition = prelude_function(name, type);
    auto* value_type = register_type(b_, type, lanes);
    std::vector<llvm::Type*> parameters(definition.parameters.size(), value_type);
    code = llvm::Function::Create(
        llvm::FunctionType::get(value_type, parameters, false), llvm::GlobalValue::InternalLinkage,
        name + "." + loopscope::name(type) + (lanes > 1 ? "x" + std::to_string(lanes) : ""),
        module_);
    auto* function = code;
    aside([&] {
        enter(function);
        function->setDoesNotAccessMemory();
        function->setDoesNotFreeMemory();
        function->addFnAttr(llvm::Attribute::WillReturn);
        // Whether it is inlined is LLVM's choice: it does so for a single call, where constants
        // then leave the loop (up to 20 % of the time of short functions), and not for the many of
        // an unrolled loop, whose code would explode.
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            auto* parameter = function->getArg(static_cast<unsigned>(i));
            parameter->setName(definition.parameters[i]);
            variables_[definition.parameters[i]] = {type, parameter, {}, {}, {}};
        }
        open_scope();
        memo_.emplace_back();
        b_.CreateRet(value(lanes > 1 ? Spread(lanes).run(definition.body) : definition.body));
        memo_.pop_back();
    });
    return function;
}

Value* Emitter::call(const Expr& e) {
    auto* function = prelude_code(e.name, e.type, e.lanes);
    std::vector<Value*> arguments;
    for (const auto& argument : e.args)
        arguments.push_back(lanes(argument, e.lanes));
    return b_.CreateCall(function, arguments);
}

} // namespace loopscope::codegen
