#include "compiler/codegen/host/emitter.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

#include <set>

namespace loopscope::codegen {

Emitter::Emitter(llvm::Module& module, const lower::Program& program, const HostInfo& host,
                 std::vector<NodeId>* origins)
    : module_(module),
      program_(program),
      vector_bits_(host.vector_bits),
      hardware_{host.has("f16c"), host.has("avx512bw"),
                host.has("avx512dq") && host.has("avx512vl")},
      origins_(origins),
      b_(module.getContext()) {
    if (!origins_)
        return;
    // Debug locations carry the origins: LLVM's passes keep them. A location's line is an index into the table.
    debug_ = std::make_unique<llvm::DIBuilder>(module_);
    debug_file_ = debug_->createFile("loops", ".");
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C99, debug_file_, "loopscope", true, "", 0, "",
                              llvm::DICompileUnit::LineTablesOnly);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                          llvm::DEBUG_METADATA_VERSION);
}

std::string Emitter::entry_name(std::size_t launch) { return "launch_" + std::to_string(launch); }

void Emitter::emit() {
    make_alias_scopes();
    for (std::size_t i = 0; i < program_.launches.size(); ++i)
        emit_launch(i);
    if (debug_)
        debug_->finalize();
}

void Emitter::collect_buffers(const Statement& s, std::vector<std::string>& names) {
    if (s.kind == lower::StatementKind::Allocate)
        names.push_back(s.buffer);
    for (const auto& child : s.children)
        if (child)
            collect_buffers(*child, names);
}

// One scope per buffer of the program, in one domain: distinct buffers are distinct memory wherever they are used.
void Emitter::make_alias_scopes() {
    std::vector<std::string> names;
    for (const auto& argument : program_.arguments)
        names.push_back(argument.buffer);
    for (const auto& launch : program_.launches)
        if (launch.body)
            collect_buffers(*launch.body, names);
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

// Continues at the function's begin. It has no debug locations: what is inlined takes those of its caller.
void Emitter::enter(llvm::Function* function) {
    function->setDoesNotThrow();
    function->setMustProgress();
    // Library calls are not to be made out of loops: what the tree shows is what runs.
    function->addFnAttr("no-builtins");
    function->addFnAttr("prefer-vector-width", std::to_string(vector_bits_));
    function->addFnAttr("min-legal-vector-width", std::to_string(vector_bits_));
    function_ = {};
    function_.function = function;
    // Allocas have the entry block to themselves.
    auto* entry_block = llvm::BasicBlock::Create(module_.getContext(), "entry", function);
    auto* body = llvm::BasicBlock::Create(module_.getContext(), "body", function);
    llvm::BranchInst::Create(body, entry_block);
    b_.SetInsertPoint(body);
    b_.SetCurrentDebugLocation({});
}

void Emitter::end_function() {
    fence_streams();
    b_.CreateRetVoid();
}

// On x86 streaming stores may become visible later than ordinary ones that follow them, by which threads tell each other
// that a loop has ended: a fence stands between.
void Emitter::fence_streams() {
    if (!function_.streams || !llvm::Triple(module_.getTargetTriple()).isX86())
        return;
    auto fence = [&] { b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); };
    for (auto* call : function_.others_see) {
        llvm::IRBuilderBase::InsertPointGuard guard(b_);
        b_.SetInsertPoint(call);
        fence();
    }
    fence();
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

// A buffer's pointer out of an array of pointers, with what is known of it: alignment, and bytes that may be read.
llvm::Value* Emitter::pointer_from(Value* array, std::size_t index, const std::string& name,
                                   std::int64_t known_bytes) {
    auto& context = module_.getContext();
    auto number = [&](std::int64_t n) {
        return llvm::MDNode::get(
            context, llvm::ConstantAsMetadata::get(b_.getInt64(static_cast<std::uint64_t>(n))));
    };
    auto* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), array, index);
    auto* pointer = b_.CreateAlignedLoad(b_.getPtrTy(), slot, llvm::Align(8), name);
    pointer->setMetadata(llvm::LLVMContext::MD_align, number(64));
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
    pointer->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(context, {}));
    if (known_bytes > 0)
        pointer->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(known_bytes));
    return pointer;
}

Emitter::Buffer Emitter::bind_buffer(const std::string& name, ScalarType type, Value* data) const {
    const auto& [scope, no_alias] = alias_.at(name);
    return {type, data, scope, no_alias};
}

void Emitter::emit_launch(std::size_t index) {
    const auto& launch = program_.launches[index];
    auto* function = begin_function(entry_name(index), {b_.getPtrTy(), b_.getPtrTy()}, true);
    auto *buffers = function->getArg(0), *symbols = function->getArg(1);
    buffers->setName("buffers");
    symbols->setName("symbols");
    std::set<std::string> used(launch.arguments.begin(), launch.arguments.end());
    for (std::size_t i = 0; i < program_.arguments.size(); ++i) {
        const auto& argument = program_.arguments[i];
        if (!used.empty() && !used.count(argument.buffer))
            continue;
        std::int64_t known = bytes(argument.type);
        for (const auto& extent : argument.extents)
            known = extent.is_constant() && known > 0 ? known * extent.constant() : 0;
        auto* data = pointer_from(buffers, i, argument.buffer, known);
        value_scopes_[data] = 0;
        buffers_[argument.buffer] = bind_buffer(argument.buffer, argument.type, data);
    }
    for (std::size_t i = 0; i < program_.symbols.size(); ++i) {
        auto* slot = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), symbols, i);
        auto* symbol =
            b_.CreateAlignedLoad(b_.getInt64Ty(), slot, llvm::Align(8), program_.symbols[i]);
        variables_[program_.symbols[i]] = {ScalarType::I64, symbol, Linear::of(symbol, 0),
                                           std::nullopt, std::nullopt};
        value_scopes_[symbol] = 0;
    }
    open_scope();
    if (launch.body)
        statement(*launch.body);
    end_function();
    variables_.clear();
    buffers_.clear();
    scopes_.clear();
    value_scopes_.clear();
}

} // namespace loopscope::codegen
