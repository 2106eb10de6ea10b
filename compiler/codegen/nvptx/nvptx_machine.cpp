#include "compiler/codegen/nvptx/nvptx_machine.h"

#include "compiler/codegen/emit/optimize.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

// Errors of the back end come by way of the context, and would else end the process.
void keep_problem(const llvm::DiagnosticInfo* info, void* problems) {
    if (info->getSeverity() != llvm::DS_Error)
        return;
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info->print(printer);
    static_cast<Diagnostics*>(problems)->push_back(error("PTX: " + text));
}

class Machine final : public NvptxMachine {
public:
    explicit Machine(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}

    std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context,
                                             const std::string& name) override {
        context.setDiagnosticHandlerCallBack(keep_problem, &problems_);
        auto module = std::make_unique<llvm::Module>(name, context);
        module->setDataLayout(machine_->createDataLayout());
        module->setTargetTriple(kTriple);
        return module;
    }

    void optimize(llvm::Module& module) override {
        optimize_module(module, *machine_, Vectors::Split);
    }

    std::string ptx(llvm::Module& module) override {
        llvm::SmallVector<char, 0> bytes;
        llvm::raw_svector_ostream out(bytes);
        llvm::legacy::PassManager passes;
        if (machine_->addPassesToEmitFile(passes, out, nullptr,
                                          llvm::CodeGenFileType::AssemblyFile))
            throw std::logic_error("the NVPTX target cannot emit PTX");
        passes.run(module);
        return std::string(bytes.begin(), bytes.end());
    }

    const Diagnostics& problems() const override { return problems_; }

private:
    std::unique_ptr<llvm::TargetMachine> machine_;
    Diagnostics problems_;
};

void start_target() {
    static std::once_flag once;
    std::call_once(once, [] {
        start_llvm();
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
}

} // namespace

Result<std::unique_ptr<NvptxMachine>> NvptxMachine::create(const Architecture& architecture) {
    start_target();
    std::string reason;
    const auto* target = llvm::TargetRegistry::lookupTarget(kTriple, reason);
    if (!target)
        return error("PTX cannot be generated: " + reason);
    llvm::TargetOptions options;
    // Fused multiply-adds are where the program says so, and nowhere else.
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
        kTriple, architecture.name, architecture.features(), options, llvm::Reloc::PIC_,
        std::nullopt, llvm::CodeGenOptLevel::Default));
    if (!machine)
        return error("PTX cannot be generated for " + architecture.name);
    return std::unique_ptr<NvptxMachine>(std::make_unique<Machine>(std::move(machine)));
}

} // namespace loopscope::codegen
