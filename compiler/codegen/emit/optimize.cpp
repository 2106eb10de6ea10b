#include "compiler/codegen/emit/optimize.h"

#include "compiler/codegen/fatal_error.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include <mutex>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

// Options of targets that are not linked are left out: LLVM would refuse them.
void set_options() {
    std::vector<const char*> arguments{"loopscope"};
    auto& known = llvm::cl::getRegisteredOptions();
    auto add = [&](const char* name, const char* argument) {
        if (known.count(name))
            arguments.push_back(argument);
    };
    // Blocks of thousands of instructions are scheduled in parts of about this many memory
    // accesses.
    add("dag-maps-huge-region", "-dag-maps-huge-region=300");
    // Addresses of shared and local memory are 32 bits wide: half of the registers, and one
    // operation a sum.
    add("nvptx-short-ptr", "-nvptx-short-ptr");
    // Accesses are as wide as the schedule makes them.
    add("disable-nvptx-load-store-vectorizer", "-disable-nvptx-load-store-vectorizer");
    llvm::cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data());
}

// Passes whose time grows with the square of the memory accesses are left out of functions with
// more than this many: a person who unrolls thousandfold still wants an answer.
constexpr std::size_t kManyAccesses = 600;

bool has_many_accesses(const llvm::Function& function) {
    std::size_t accesses = 0;
    for (const auto& block : function)
        for (const auto& instruction : block)
            accesses += instruction.mayReadOrWriteMemory();
    return accesses > kManyAccesses;
}

void leave_out_passes(llvm::PassInstrumentationCallbacks& callbacks, Vectors vectors) {
    callbacks.registerShouldRunOptionalPassCallback(
        [vectors](llvm::StringRef pass, llvm::Any unit) {
            if (pass == "VectorCombinePass")
                return vectors == Vectors::Keep;
            if (pass != "LoopLoadEliminationPass" && pass != "DSEPass")
                return true;
            auto* function = llvm::any_cast<const llvm::Function*>(&unit);
            return !function || !has_many_accesses(**function);
        });
}

llvm::PipelineTuningOptions tuning() {
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving =
        tuning.LoopUnrolling = false;
    // Loop-invariant code motion gives up on promoting accumulators in loops with more accesses
    // than this; an unrolled register tile has hundreds.
    tuning.LicmMssaNoAccForPromotionCap = 1500;
    tuning.LicmMssaOptCap = 1500;
    return tuning;
}

} // namespace

void start_llvm() {
    static std::once_flag once;
    std::call_once(once, [] {
        install_fatal_error_handlers();
        set_options();
    });
}

void optimize_module(llvm::Module& module, llvm::TargetMachine& machine, Vectors vectors) {
    llvm::PassInstrumentationCallbacks callbacks;
    leave_out_passes(callbacks, vectors);
    llvm::PassBuilder builder(&machine, tuning(), {}, &callbacks);
    if (vectors == Vectors::Split)
        builder.registerPipelineStartEPCallback(
            [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ScalarizerPass()));
            });
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

void verify_module(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (llvm::verifyModule(module, &out))
        throw std::logic_error("malformed LLVM module: " + text);
}

std::string module_text(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    return text;
}

} // namespace loopscope::codegen
