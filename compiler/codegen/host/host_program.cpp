#include "compiler/codegen/host/host_program.h"

#include "compiler/codegen/emit/optimize.h"
#include "compiler/codegen/emit/origin_text.h"
#include "compiler/codegen/emit/stopwatch.h"
#include "compiler/codegen/host/final_form.h"
#include "compiler/codegen/host/host_emitter.h"
#include "compiler/codegen/host/jit.h"
#include "compiler/codegen/host/runtime.h"

namespace loopscope::codegen {

namespace {

using Launch = void (*)(void* const* buffers, const std::int64_t* symbols);

class CompiledProgram final : public HostProgram {
public:
    static Result<std::unique_ptr<HostProgram>> compile(const lower::Program& program,
                                                        const HostOptions& options) {
        auto compiled = std::make_unique<CompiledProgram>();
        compiled->arguments_ = program.arguments;
        compiled->symbols_ = program.symbols;
        if (auto problems = check_final_form(program); has_errors(problems))
            return problems;
        if (auto status = compiled->generate(program, options); !status)
            return status.errors();
        return std::unique_ptr<HostProgram>(std::move(compiled));
    }

    Status run(const std::vector<void*>& buffers, int threads,
               const std::vector<std::int64_t>& symbols) const override {
        if (buffers.size() != arguments_.size() || symbols.size() != symbols_.size())
            return error("the program takes " + std::to_string(arguments_.size()) +
                         " buffers and " + std::to_string(symbols_.size()) + " symbols, not " +
                         std::to_string(buffers.size()) + " and " + std::to_string(symbols.size()));
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (!buffers[i] || reinterpret_cast<std::uintptr_t>(buffers[i]) % kBufferAlignment != 0)
                return error("the data of " + arguments_[i].buffer + " is not aligned to 64 bytes");
        run_with_threads(threads, [&] {
            for (auto launch : launches_)
                launch(buffers.data(), symbols.data());
        });
        return success();
    }

    const OriginText& ir_as_built() const override { return as_built_; }
    const OriginText& ir_optimized() const override { return optimized_; }
    const OriginText& assembly() const override { return assembly_; }
    const CompileSeconds& seconds() const override { return seconds_; }

private:
    Status generate(const lower::Program& program, const HostOptions& options) {
        auto host = host_info_without(options.without);
        auto jit = Jit::create(host);
        if (!jit)
            return jit.errors();
        jit_ = std::move(*jit);
        Stopwatch watch;
        llvm::LLVMContext context;
        auto module = jit_->new_module(context, program.name);
        std::vector<NodeId> origins;
        HostEmitter(*module, program, host, options.keep_text ? &origins : nullptr).emit();
        verify_module(*module);
        seconds_.build = watch.lap();
        if (options.keep_text)
            as_built_ = ir_with_origins(module_text(*module), origins);
        watch.lap();
        jit_->optimize(*module);
        seconds_.optimize = watch.lap();
        if (options.keep_text) {
            optimized_ = ir_with_origins(module_text(*module), origins);
            assembly_ = assembly_with_origins(jit_->assembly(*module), origins);
        }
        watch.lap();
        if (auto status = jit_->generate(*module); !status)
            return status;
        seconds_.generate = watch.lap();
        auto status = find_launches(program);
        seconds_.link = watch.lap();
        return status;
    }

    Status find_launches(const lower::Program& program) {
        if (auto status = jit_->link(); !status)
            return status;
        for (std::size_t i = 0; i < program.launches.size(); ++i) {
            auto address = jit_->address(HostEmitter::entry_name(i));
            if (!address)
                return address.errors();
            launches_.push_back(reinterpret_cast<Launch>(*address));
        }
        return success();
    }

    std::unique_ptr<Jit> jit_;
    std::vector<lower::Argument> arguments_;
    std::vector<std::string> symbols_;
    std::vector<Launch> launches_;
    OriginText as_built_, optimized_, assembly_;
    CompileSeconds seconds_;
};

} // namespace

Result<std::unique_ptr<HostProgram>> HostProgram::compile(const lower::Program& program,
                                                          const HostOptions& options) {
    return CompiledProgram::compile(program, options);
}

} // namespace loopscope::codegen
