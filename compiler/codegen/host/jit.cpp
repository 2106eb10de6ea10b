#include "compiler/codegen/host/jit.h"

#include "compiler/codegen/emit/optimize.h"
#include "compiler/codegen/host/long_blocks.h"
#include "compiler/codegen/host/runtime.h"

#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/RegAllocRegistry.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <mutex>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

Diagnostic failure(const std::string& what, llvm::Error reason) {
    return error(what + ": " + llvm::toString(std::move(reason)));
}

llvm::orc::JITTargetMachineBuilder target_builder(const HostInfo& host) {
    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
    builder.setCPU(host.cpu);
    for (std::size_t begin = 0; begin < host.feature_string.size();) {
        auto end = std::min(host.feature_string.find(',', begin), host.feature_string.size());
        builder.getFeatures().AddFeature(host.feature_string.substr(begin, end - begin));
        begin = end + 1;
    }
    // Fused multiply-adds are where the program says so, and nowhere else.
    builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    builder.getOptions().MCOptions.AsmVerbose = true;
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    // What is linked lies together. Without this each constant had an address in a register.
    builder.setCodeModel(llvm::CodeModel::Small);
    return builder;
}

// Which allocator machines ask for is global; so is the lock on it.
class Allocator {
public:
    explicit Allocator(const llvm::Module& module) : held_(mutex()) {
        if (has_long_block(module))
            llvm::RegisterRegAlloc::setDefault(llvm::createBasicRegisterAllocator);
        else
            llvm::RegisterRegAlloc::setDefault(llvm::createGreedyRegisterAllocator);
    }

private:
    static std::mutex& mutex() {
        static std::mutex instance;
        return instance;
    }
    std::unique_lock<std::mutex> held_;
};

class LinkedJit final : public Jit {
public:
    LinkedJit(std::unique_ptr<llvm::TargetMachine> machine, std::unique_ptr<llvm::orc::LLJIT> jit)
        : machine_(std::move(machine)), jit_(std::move(jit)) {}

    std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context,
                                             const std::string& name) override {
        auto module = std::make_unique<llvm::Module>(name, context);
        module->setDataLayout(machine_->createDataLayout());
        module->setTargetTriple(machine_->getTargetTriple().str());
        return module;
    }

    void optimize(llvm::Module& module) override { optimize_module(module, *machine_); }

    std::string assembly(const llvm::Module& module) override {
        auto copy = llvm::CloneModule(module); // code generation changes the module
        auto text = emit(*copy, llvm::CodeGenFileType::AssemblyFile);
        return std::string(text.begin(), text.end());
    }

    Status generate(llvm::Module& module) override {
        object_ = emit(module, llvm::CodeGenFileType::ObjectFile);
        return success();
    }

    Status link() override {
        auto buffer =
            std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object_), "loops.o", false);
        if (auto reason = jit_->addObjectFile(std::move(buffer)))
            return failure("host code could not be linked", std::move(reason));
        return success();
    }

    Result<void*> address(const std::string& function) override {
        auto found = jit_->lookup(function);
        if (!found)
            return failure("host code could not be linked", found.takeError());
        return found->toPtr<void*>();
    }

private:
    llvm::SmallVector<char, 0> emit(llvm::Module& module, llvm::CodeGenFileType type) {
        const Allocator allocator(module);
        llvm::SmallVector<char, 0> bytes;
        llvm::raw_svector_ostream out(bytes);
        llvm::legacy::PassManager passes;
        if (machine_->addPassesToEmitFile(passes, out, nullptr, type))
            throw std::logic_error("the host target cannot emit this kind of file");
        passes.run(module);
        return bytes;
    }

    std::unique_ptr<llvm::TargetMachine> machine_;
    std::unique_ptr<llvm::orc::LLJIT> jit_;
    llvm::SmallVector<char, 0> object_;
};

llvm::Error define_runtime(llvm::orc::LLJIT& jit) {
    llvm::orc::SymbolMap symbols;
    for (const auto& [name, address] : runtime_symbols())
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                              llvm::JITSymbolFlags::Exported |
                                                  llvm::JITSymbolFlags::Callable};
    return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

} // namespace

Result<std::unique_ptr<Jit>> Jit::create(const HostInfo& host) {
    static std::once_flag once;
    std::call_once(once, [] {
        start_llvm();
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
    });
    auto machine = target_builder(host).createTargetMachine();
    if (!machine)
        return failure("no code can be generated for this processor", machine.takeError());
    auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(target_builder(host)).create();
    if (!jit)
        return failure("the code linker could not be started", jit.takeError());
    if (auto reason = define_runtime(**jit))
        return failure("the code linker could not be started", std::move(reason));
    return std::unique_ptr<Jit>(std::make_unique<LinkedJit>(std::move(*machine), std::move(*jit)));
}

} // namespace loopscope::codegen
