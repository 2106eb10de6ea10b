#include "compiler/codegen/host/peak_module.h"

#include "compiler/codegen/host/host_info.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <functional>

namespace loopscope::codegen {

using llvm::Value;

namespace {

class PeakBuilder {
public:
    explicit PeakBuilder(llvm::Module& module) : module_(module), b_(module.getContext()) {}

    void arithmetic(const std::string& name, llvm::Type* element, int lanes) {
        auto* function = begin(name, 2);
        auto* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
        auto slot = [&](int i) {
            return b_.CreateConstGEP1_64(vector, function->getArg(1),
                                         static_cast<std::uint64_t>(i));
        };
        Value *factor = read(vector, slot(0)), *addend = read(vector, slot(1));
        std::vector<Value*> start;
        for (int i = 0; i < peak_accumulators(); ++i)
            start.push_back(read(vector, slot(2 + i)));
        auto end = loop(function->getArg(0), 1, start, [&](Value*, std::vector<Value*> sums) {
            for (auto*& sum : sums)
                sum = multiply_add(sum, factor, addend);
            return sums;
        });
        for (int i = 0; i < peak_accumulators(); ++i)
            write(end[static_cast<std::size_t>(i)], slot(2 + i));
        b_.CreateRetVoid();
    }

    enum class Stream { Read, Copy, Streamed }; // the last: a copy by streaming stores

    void stream(const std::string& name, Stream kind) {
        auto* function = begin(name, 4);
        auto* vector =
            llvm::FixedVectorType::get(b_.getFloatTy(), static_cast<unsigned>(peak_lanes(4)));
        Value *a = function->getArg(2), *b = function->getArg(3);
        std::vector<Value*> start(kStreamUnroll, llvm::Constant::getNullValue(vector));
        auto end = loop(function->getArg(0), 1, start, [&](Value*, std::vector<Value*> outer) {
            return loop(
                function->getArg(1), kStreamUnroll, outer, [&](Value* i, std::vector<Value*> sums) {
                    for (int u = 0; u < kStreamUnroll; ++u) {
                        auto at = [&](Value* base) {
                            return b_.CreateGEP(
                                vector, base,
                                b_.CreateNSWAdd(i, b_.getInt64(static_cast<std::uint64_t>(u))));
                        };
                        auto& sum = sums[static_cast<std::size_t>(u)];
                        if (kind == Stream::Read)
                            sum = b_.CreateFAdd(sum, read(vector, at(a)));
                        else
                            write(read(vector, at(b)), at(a), kind == Stream::Streamed);
                    }
                    return sums;
                });
        });
        if (kind == Stream::Read) // the sums must be wanted
            for (int u = 0; u < kStreamUnroll; ++u)
                write(end[static_cast<std::size_t>(u)],
                      b_.CreateConstGEP1_64(vector, b, static_cast<std::uint64_t>(u)));
        if (kind == Stream::Streamed && llvm::Triple(module_.getTargetTriple()).isX86())
            b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
        b_.CreateRetVoid();
    }

private:
    llvm::Function* begin(const std::string& name, int parameters) {
        std::vector<llvm::Type*> types;
        int integers = parameters == 2 ? 1 : 2;
        for (int i = 0; i < parameters; ++i)
            types.push_back(i < integers ? static_cast<llvm::Type*>(b_.getInt64Ty())
                                         : b_.getPtrTy());
        function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                           llvm::GlobalValue::ExternalLinkage, name, module_);
        function_->setDoesNotThrow();
        function_->addFnAttr("no-builtins");
        function_->addFnAttr("prefer-vector-width", std::to_string(host_info().vector_bits));
        for (int i = integers; i < parameters; ++i) {
            function_->addParamAttr(static_cast<unsigned>(i), llvm::Attribute::NoAlias);
            function_->addParamAttr(
                static_cast<unsigned>(i),
                llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
        }
        b_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
        return function_;
    }

    // for (i = 0; i < end; i += step) values = body(i, values); at least once.
    std::vector<Value*>
    loop(Value* end, int step, const std::vector<Value*>& start,
         const std::function<std::vector<Value*>(Value*, std::vector<Value*>)>& body) {
        auto* before = b_.GetInsertBlock();
        auto* block = llvm::BasicBlock::Create(module_.getContext(), "loop", function_);
        auto* after = llvm::BasicBlock::Create(module_.getContext(), "after", function_);
        b_.CreateBr(block);
        b_.SetInsertPoint(block);
        auto* counter = b_.CreatePHI(b_.getInt64Ty(), 2);
        counter->addIncoming(b_.getInt64(0), before);
        std::vector<llvm::PHINode*> carried;
        std::vector<Value*> values;
        for (auto* value : start) {
            carried.push_back(b_.CreatePHI(value->getType(), 2));
            carried.back()->addIncoming(value, before);
            values.push_back(carried.back());
        }
        auto result = body(counter, values);
        auto* next = b_.CreateNSWAdd(counter, b_.getInt64(static_cast<std::uint64_t>(step)));
        auto* last = b_.GetInsertBlock();
        counter->addIncoming(next, last);
        for (std::size_t i = 0; i < carried.size(); ++i)
            carried[i]->addIncoming(result[i], last);
        b_.CreateCondBr(b_.CreateICmpSLT(next, end), block, after);
        b_.SetInsertPoint(after);
        return result;
    }

    Value* read(llvm::Type* type, Value* at) {
        return b_.CreateAlignedLoad(type, at, llvm::Align(16));
    }
    // Streams are whole vectors from the beginning of an array on, which is that of a cache line.
    void write(Value* value, Value* at, bool streaming = false) {
        const auto whole = static_cast<std::uint64_t>(host_info().vector_bits / 8);
        auto* store = b_.CreateAlignedStore(value, at, llvm::Align(streaming ? whole : 16));
        auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
        if (streaming)
            store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                               llvm::MDNode::get(module_.getContext(), one));
    }
    Value* multiply_add(Value* x, Value* factor, Value* addend) {
        if (!host_info().has("fma"))
            return b_.CreateFAdd(b_.CreateFMul(x, factor), addend);
        return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, factor, addend});
    }

    llvm::Module& module_;
    llvm::IRBuilder<> b_;
    llvm::Function* function_ = nullptr;
};

} // namespace

int peak_accumulators() { return host_info().vector_registers >= 32 ? 24 : 12; }
int peak_lanes(int element_bytes) { return host_info().vector_bits / 8 / element_bytes; }

void build_peak_kernels(llvm::Module& module) {
    PeakBuilder builder(module);
    builder.arithmetic("fma_f32", llvm::Type::getFloatTy(module.getContext()), peak_lanes(4));
    builder.arithmetic("fma_f64", llvm::Type::getDoubleTy(module.getContext()), peak_lanes(8));
    builder.stream("read", PeakBuilder::Stream::Read);
    builder.stream("copy", PeakBuilder::Stream::Copy);
    builder.stream("streamed", PeakBuilder::Stream::Streamed);
}

} // namespace loopscope::codegen
