// Instructions of a warpgroup: wgmma.mma_async, of sm_90a, by inline assembly, for LLVM 19 has no
// intrinsics of them. Their sums are values that go through every statement of a group: so nothing
// of theirs moves in front of the fence or behind the wait. Every call is convergent: without it
// LLVM moves them into branches that not all lanes take.

#include "compiler/codegen/nvptx/intrinsics.h"
#include "compiler/codegen/nvptx/matrix_form.h"

#include <llvm/IR/InlineAsm.h>

namespace loopscope::codegen {

using llvm::Value;

namespace {

Value* descriptor(IntrinsicBuilder& build, std::size_t operand) {
    auto& b = build.b;
    auto* address = b.CreatePtrToInt(build.address(operand), b.getInt32Ty());
    auto* units =
        b.CreateLShr(b.CreateAnd(address, std::uint64_t{kMatrixAddressMask}), std::uint64_t{4});
    return b.CreateOr(b.CreateZExt(units, b.getInt64Ty()),
                      b.getInt64(matrix_form(*build.matrix(operand))));
}

std::string numbered(const std::string& before, std::size_t from, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += (i ? "," : "") + before + std::to_string(from + i);
    return text;
}

// The assembly on sums, which it takes and gives back, and on more.
std::vector<Value*> on_sums(Builder& b, const std::string& text, const std::vector<Value*>& sums,
                            const std::vector<Value*>& more = {}) {
    std::vector<Value*> arguments = sums;
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<llvm::Type*> types, results;
    for (auto* argument : arguments)
        types.push_back(argument->getType());
    std::string constraints;
    for (auto* sum : sums) {
        results.push_back(sum->getType());
        constraints += sum->getType()->isFloatTy() ? "=f," : "=r,";
    }
    constraints += numbered("", 0, sums.size());
    for (std::size_t i = 0; i < more.size(); ++i)
        constraints += ",l";
    auto* result = results.size() == 1
                       ? results.front()
                       : static_cast<llvm::Type*>(llvm::StructType::get(b.getContext(), results));
    auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text,
                                      constraints + ",~{memory}", /*hasSideEffects=*/true);
    auto* call = b.CreateCall(code, arguments);
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::Convergent);
    if (results.size() == 1)
        return {call};
    std::vector<Value*> out;
    for (unsigned i = 0; i < results.size(); ++i)
        out.push_back(b.CreateExtractValue(call, i));
    return out;
}

// All sums of a group, at a step of it.
std::vector<Value*> at_step(IntrinsicBuilder& build, const std::vector<std::vector<Value*>>& sums,
                            const std::string& text) {
    std::vector<Value*> all;
    for (const auto& each : sums)
        all.insert(all.end(), each.begin(), each.end());
    return on_sums(build.b, text, all);
}

// Ends the group at hand, and waits until at most so many are under way. Where there is none at
// hand, none is made: of an empty one ptxas takes the sums for its own, and lets all products of
// the kernel run one after the other (its message C7520).
void close_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic, int under_way) {
    std::vector<std::vector<Value*>> sums;
    const bool at_hand = build.held(0) != nullptr;
    for (std::size_t o = 0; o < build.operands(); ++o) {
        const auto* held = build.held(o);
        sums.push_back(held ? *held : build.read_words(o, intrinsic.number, build.b.getFloatTy()));
    }
    const auto out =
        at_step(build, sums,
                std::string(at_hand ? "wgmma.commit_group.sync.aligned;\n\t" : "") +
                    "wgmma.wait_group.sync.aligned " + std::to_string(under_way) + ";");
    for (std::size_t o = 0; o < build.operands(); ++o) {
        const auto first = out.begin() + static_cast<std::ptrdiff_t>(o) * intrinsic.number;
        build.write_words(o, {first, first + intrinsic.number});
    }
    build.let_go();
}

} // namespace

// From here on the sums are values: what stores and loads them would do so while they are under
// way.
void emit_begin_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    std::vector<std::vector<Value*>> sums;
    for (std::size_t o = 0; o < build.operands(); ++o)
        sums.push_back(build.read_words(o, intrinsic.number, build.b.getFloatTy()));
    const auto out = at_step(build, sums, "wgmma.fence.sync.aligned;");
    for (std::size_t o = 0; o < build.operands(); ++o) {
        const auto first = out.begin() + static_cast<std::ptrdiff_t>(o) * intrinsic.number;
        build.hold(o, {first, first + intrinsic.number});
    }
}

// The sums go through the threads' own memory to the next group, which LLVM turns into values of
// the loop: no instruction.
void emit_leave_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    close_products(build, intrinsic, 1);
}

// Behind a loop whose products are under way, none is at hand.
void emit_end_products(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    close_products(build, intrinsic, 0);
}

// `number`: columns of the sums, of which a lane has half as many words.
void emit_wgmma(IntrinsicBuilder& build, const DeviceIntrinsic& intrinsic) {
    auto& b = build.b;
    const int words = intrinsic.number / 2;
    const auto sums = *build.held(0);
    const std::string type =
        intrinsic.operands[1].types.front() == ScalarType::F16 ? "f16" : "bf16";
    // The summed index along rows is how factors lie by default: of A[i, k] the second, of B[k, j]
    // the first.
    const std::string transposed = std::string(build.matrix(1)->along == 1 ? ", 0" : ", 1") +
                                   (build.matrix(2)->along == 0 ? ", 0" : ", 1");
    const auto n = static_cast<std::size_t>(words);
    const auto text = "{\n\t.reg .pred all;\n\tsetp.ne.b32 all, 1, 0;\n\t"
                      "wgmma.mma_async.sync.aligned.m64n" +
                      std::to_string(intrinsic.number) + "k16.f32." + type + "." + type + " {" +
                      numbered("$", 0, n) + "}, $" + std::to_string(2 * n) + ", $" +
                      std::to_string(2 * n + 1) + ", all, 1, 1" + transposed + ";\n\t}";
    build.hold(0, on_sums(b, text, sums, {descriptor(build, 1), descriptor(build, 2)}));
}

} // namespace loopscope::codegen
