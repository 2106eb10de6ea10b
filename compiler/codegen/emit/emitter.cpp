#include "compiler/codegen/emit/emitter.h"

#include "compiler/lower/statements.h"

#include <llvm/BinaryFormat/Dwarf.h>

namespace loopscope::codegen {

Emitter::Emitter(llvm::Module& module, const lower::Program& program, const EmitterTarget& target,
                 std::vector<NodeId>* origins)
    : module_(module),
      program_(program),
      hardware_(target.hardware),
      index_form_(target.index),
      origins_(origins),
      b_(module.getContext()) {
    if (!origins_)
        return;
    // Debug locations carry the origins: LLVM's passes keep them. A location's line is an index
    // into the table.
    debug_ = std::make_unique<llvm::DIBuilder>(module_);
    debug_file_ = debug_->createFile("loops", ".");
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C99, debug_file_, "loopscope", true, "", 0, "",
                              target.lines);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                          llvm::DEBUG_METADATA_VERSION);
}

// One scope per buffer of the program, in one domain: distinct buffers are distinct memory wherever
// they are used.
void Emitter::make_alias_scopes() {
    std::vector<std::string> names;
    for (const auto& argument : program_.arguments)
        names.push_back(argument.buffer);
    for (const auto& buffer : program_.buffers)
        names.push_back(buffer.buffer);
    for (const auto& launch : program_.launches)
        if (launch.body)
            lower::visit_statements(launch.body, [&](const Statement& s) {
                if (s.kind == lower::StatementKind::Allocate)
                    names.push_back(s.storage->buffer);
                return true;
            });
    llvm::MDBuilder builder(module_.getContext());
    auto* domain = builder.createAnonymousAliasScopeDomain("buffers");
    std::vector<llvm::Metadata*> scopes;
    for (const auto& name : names)
        scopes.push_back(builder.createAnonymousAliasScope(domain, name));
    auto& context = module_.getContext();
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<llvm::Metadata*> others = scopes;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        alias_[names[i]] = {llvm::MDNode::get(context, {scopes[i]}),
                            llvm::MDNode::get(context, others)};
    }
}

llvm::Function* Emitter::begin_function(const std::string& name,
                                        std::vector<llvm::Type*> parameters, bool entry) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), parameters, false);
    auto linkage = entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
    auto* function = llvm::Function::Create(type, linkage, name, module_);
    enter(function);
    if (debug_) {
        auto* signature = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
        function_.subprogram =
            debug_->createFunction(debug_file_, name, name, debug_file_, 0, signature, 0,
                                   llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
        function->setSubprogram(function_.subprogram);
        set_origin({});
    }
    return function;
}

// Continues at the function's begin. It has no debug locations: what is inlined takes those of its
// caller.
void Emitter::enter(llvm::Function* function) {
    function->setDoesNotThrow();
    function->setMustProgress();
    // Library calls are not to be made out of loops: what the tree shows is what runs.
    function->addFnAttr("no-builtins");
    prepare(*function);
    function_ = {};
    function_.function = function;
    // Allocas have the entry block to themselves.
    auto* entry_block = llvm::BasicBlock::Create(module_.getContext(), "entry", function);
    auto* body = llvm::BasicBlock::Create(module_.getContext(), "body", function);
    llvm::BranchInst::Create(body, entry_block);
    b_.SetInsertPoint(body);
    b_.SetCurrentDebugLocation({});
}

void Emitter::set_origin(const NodeId& origin) {
    if (!debug_)
        return;
    auto [entry, fresh] = origin_lines_.try_emplace(origin, 0);
    if (fresh) {
        origins_->push_back(origin);
        entry->second = static_cast<unsigned>(origins_->size());
    }
    b_.SetCurrentDebugLocation(
        llvm::DILocation::get(module_.getContext(), entry->second, 0, function_.subprogram));
}

Emitter::Buffer Emitter::bind_buffer(const std::string& name, ScalarType type, Value* data) const {
    const auto& [scope, no_alias] = alias_.at(name);
    return {type, data, scope, no_alias};
}

void Emitter::bind_symbol(const std::string& name, Value* value) {
    variables_[name] = {ScalarType::I64, value, Linear::of(value, 0), std::nullopt, std::nullopt};
    value_scopes_[value] = 0;
}

void Emitter::forget_names() {
    variables_.clear();
    buffers_.clear();
    scopes_.clear();
    value_scopes_.clear();
}

} // namespace loopscope::codegen
