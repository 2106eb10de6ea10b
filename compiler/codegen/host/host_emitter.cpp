#include "compiler/codegen/host/host_emitter.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <set>

namespace loopscope::codegen {

HostEmitter::HostEmitter(llvm::Module& module, const lower::Program& program, const HostInfo& host,
                         std::vector<NodeId>* origins)
    : Emitter(
          module, program,
          {{host.has("f16c"), host.has("avx512bw"), host.has("avx512dq") && host.has("avx512vl")},
           IndexForm::Wide,
           llvm::DICompileUnit::LineTablesOnly},
          origins),
      vector_bits_(host.vector_bits) {}

std::string HostEmitter::entry_name(std::size_t launch) {
    return "launch_" + std::to_string(launch);
}

void HostEmitter::emit() {
    make_alias_scopes();
    for (std::size_t i = 0; i < program_.launches.size(); ++i)
        emit_launch(i);
    if (debug_)
        debug_->finalize();
}

void HostEmitter::prepare(llvm::Function& function) {
    function.addFnAttr("prefer-vector-width", std::to_string(vector_bits_));
    function.addFnAttr("min-legal-vector-width", std::to_string(vector_bits_));
}

void HostEmitter::children(const Statement& s) {
    for (std::size_t i = 0, planned = 0; i < s.children.size();) {
        if (i >= planned)
            planned = find_tiles(s, i);
        auto written = interleaved_stores(s, i);
        if (written == 0 && s.children[i])
            statement(*s.children[i]);
        i += std::max<std::size_t>(written, 1);
    }
    tiled_.clear();
}

void HostEmitter::end_function() {
    fence_streams();
    b_.CreateRetVoid();
}

// On x86 streaming stores may become visible later than ordinary ones that follow them, by which
// threads tell each other that a loop has ended: a fence stands between.
void HostEmitter::fence_streams() {
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

// A buffer's pointer out of an array of pointers, with what is known of it: alignment, and bytes
// that may be read.
llvm::Value* HostEmitter::pointer_from(Value* array, std::size_t index, const std::string& name,
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

void HostEmitter::emit_launch(std::size_t index) {
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
        bind_symbol(program_.symbols[i], b_.CreateAlignedLoad(b_.getInt64Ty(), slot, llvm::Align(8),
                                                              program_.symbols[i]));
    }
    open_scope();
    if (launch.body)
        statement(*launch.body);
    end_function();
    forget_names();
}

} // namespace loopscope::codegen
