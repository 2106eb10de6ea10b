// Parallel loops: the body becomes a function void(closure, begin, end) of its own, and the loop a
// call of the runtime.

#include "compiler/codegen/host/host_emitter.h"
#include "compiler/lower/statements.h"

#include <array>
#include <set>

namespace loopscope::codegen {

using llvm::Value;

namespace {

void collect_names(const ExprPtr& e, std::set<std::string>& variables,
                   std::set<std::string>& buffers) {
    if (!e)
        return;
    visit(e, [&](const Expr& node) {
        if (node.kind == ExprKind::Variable)
            variables.insert(node.name);
        else if (is_load(node))
            buffers.insert(node.name);
        return true;
    });
}

void collect_names(const lower::Statement& s, std::set<std::string>& variables,
                   std::set<std::string>& buffers) {
    for (const auto& e : lower::expressions(s))
        collect_names(e, variables, buffers);
    if (s.access)
        buffers.insert(s.access->buffer);
    if (s.storage)
        for (const auto& extent : s.storage->extents)
            for (const auto& term : extent.terms())
                variables.insert(term.first);
    for (const auto& child : s.children)
        if (child)
            collect_names(*child, variables, buffers);
}

} // namespace

void HostEmitter::capture(const Statement& s, Closure& closure) {
    std::set<std::string> variables, buffers;
    for (const auto& child : s.children)
        if (child)
            collect_names(*child, variables, buffers);
    for (const auto& name : variables)
        if (auto found = variables_.find(name); found != variables_.end())
            closure.variables.insert(*found);
    for (const auto& name : buffers)
        if (auto found = buffers_.find(name); found != buffers_.end())
            closure.buffers.insert(*found);
    auto add = [&](Value*& slot, const std::string& name) {
        if (!llvm::isa<llvm::Constant>(slot))
            closure.fields.emplace_back(&slot, name);
    };
    // A linear form travels as its sum.
    auto add_form = [&](Linear& form, const std::string& name) {
        form = single(sum_of(form), form.divisor());
        if (!form.is_constant())
            add(form.terms[0].value, name);
    };
    for (auto& [name, variable] : closure.variables) {
        add(variable.value, name);
        if (variable.index)
            add_form(*variable.index, name);
        if (variable.strided)
            add_form(variable.strided->base, name);
    }
    for (auto& [name, buffer] : closure.buffers)
        add(buffer.data, name);
}

// Writes the captured values into a struct on the caller's stack: the loop ends before the caller
// does.
void HostEmitter::fill(const Statement& s, Closure& closure) {
    closure.data = llvm::ConstantPointerNull::get(b_.getPtrTy());
    if (closure.fields.empty())
        return;
    std::vector<llvm::Type*> types;
    for (const auto& field : closure.fields)
        types.push_back((*field.first)->getType());
    closure.type = llvm::StructType::get(module_.getContext(), types);
    {
        llvm::IRBuilderBase::InsertPointGuard guard(b_);
        b_.SetInsertPoint(function_.function->getEntryBlock().getTerminator());
        closure.data = b_.CreateAlloca(closure.type, nullptr, s.variable + ".closure");
    }
    for (unsigned i = 0; i < types.size(); ++i)
        b_.CreateStore(*closure.fields[i].first, b_.CreateStructGEP(closure.type, closure.data, i));
}

void HostEmitter::unpack(Closure& closure, Value* data) {
    auto& context = module_.getContext();
    for (unsigned i = 0; i < closure.fields.size(); ++i) {
        auto& [slot, name] = closure.fields[i];
        auto* type = (*slot)->getType();
        auto* loaded = b_.CreateLoad(type, b_.CreateStructGEP(closure.type, data, i), name);
        loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
        if (type->isPointerTy()) {
            auto* alignment = llvm::ConstantAsMetadata::get(b_.getInt64(64));
            loaded->setMetadata(llvm::LLVMContext::MD_align, llvm::MDNode::get(context, alignment));
        }
        *slot = loaded;
        value_scopes_[loaded] = 0;
    }
    for (auto& [name, variable] : closure.variables) {
        for (auto* form : {variable.index ? &*variable.index : nullptr,
                           variable.strided ? &variable.strided->base : nullptr})
            if (form && !form->is_constant())
                form->terms[0].scope = 0;
    }
}

llvm::Function* HostEmitter::outline(const Statement& s, Closure& closure,
                                     std::optional<Interval> counted) {
    auto name = "parallel_" + std::to_string(outlined_++) + "_" + s.variable;
    auto* body = begin_function(name, {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
    set_origin(s.origin);
    for (unsigned i = 0; i < 3; ++i)
        body->getArg(i)->setName(std::array{"closure", "begin", "end"}[i]);
    body->addParamAttr(0, llvm::Attribute::NoAlias);
    body->addParamAttr(0, llvm::Attribute::ReadOnly);
    unpack(closure, body->getArg(0));
    open_scope();
    variables_ = std::move(closure.variables);
    buffers_ = std::move(closure.buffers);
    memo_.emplace_back();
    loop(s, body->getArg(1), body->getArg(2), true,
         counted); // the runtime calls it for non-empty parts
    memo_.pop_back();
    end_function();
    return body;
}

void HostEmitter::parallel_loop(const Statement& s) {
    std::int64_t constant = 0;
    if (constant_value(s.loop->extent, constant) && constant <= 0)
        return;
    Value *begin = index(s.loop->begin), *extent = index(s.loop->extent);
    auto counted = counter_range(s);
    Closure closure;
    capture(s, closure);
    fill(s, closure);
    Value* data = closure.data;

    llvm::Function* body = nullptr;
    aside([&] { body = outline(s, closure, counted); });

    auto* pointer = b_.getPtrTy();
    auto runtime = module_.getOrInsertFunction("ls_parallel_for", b_.getVoidTy(), b_.getInt64Ty(),
                                               b_.getInt64Ty(), pointer, pointer);
    function_.others_see.push_back(b_.CreateCall(runtime, {begin, extent, body, data}));
}

} // namespace loopscope::codegen
