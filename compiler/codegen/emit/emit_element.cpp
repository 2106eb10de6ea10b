// Single elements of buffers, and their forms in registers and in memory.

#include "compiler/codegen/emit/emitter.h"

namespace loopscope::codegen {

using llvm::Value;

llvm::Align Emitter::element_alignment(const Buffer& buffer) const {
    return llvm::Align(static_cast<std::uint64_t>(bytes(buffer.type)));
}

Value* Emitter::from_memory(ScalarType type,
                            Value* stored) { // any byte but 0 is true
    return is_bool(type) ? b_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()))
                         : stored;
}

Value* Emitter::to_memory(ScalarType type, Value* value) {
    if (!is_bool(type))
        return value;
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    return b_.CreateZExt(
        value, memory_type(b_, type, vector ? static_cast<int>(vector->getNumElements()) : 1));
}

void Emitter::mark_load(const Buffer& buffer, llvm::LoadInst* load) { marked(buffer, load); }

Value* Emitter::load_element(const Buffer& buffer, Value* place) {
    auto* load = b_.CreateAlignedLoad(memory_type(b_, buffer.type), place,
                                      element_alignment(buffer), buffer.data->getName());
    mark_load(buffer, load);
    return load;
}

Value* Emitter::load_scalar(const Buffer& buffer, const ExprPtr& at, Value* mask) {
    auto* place = address(buffer, linear(at));
    auto read = [&] { return load_element(buffer, place); };
    return mask ? guarded(mask, read) : read();
}

int Emitter::lanes_written(const Statement& s) {
    const int count = std::max<int>(s.value->lanes, s.access->indices[0]->lanes);
    return s.access->mask ? std::max<int>(count, s.access->mask->lanes) : count;
}

Value* Emitter::access_mask(const ExprPtr& mask, int count) {
    Value* on = mask ? lanes(mask, count) : nullptr;
    const auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(on);
    return constant && constant->isAllOnesValue() ? nullptr : on;
}

} // namespace loopscope::codegen
