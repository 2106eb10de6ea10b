#include "compiler/codegen/emit/half.h"

#include <llvm/IR/Intrinsics.h>

namespace loopscope::codegen {

using llvm::Value;

namespace {

llvm::Type* like(Value* shape, llvm::Type* scalar) {
    return shape->getType()->getWithNewType(scalar);
}
Value* number(Value* shape, std::uint64_t n) { return llvm::ConstantInt::get(shape->getType(), n); }
Value* as_bits(Builder& b, Value* value) {
    unsigned width = value->getType()->getScalarSizeInBits();
    return b.CreateBitCast(value, like(value, b.getIntNTy(width)));
}
Value* as_float(Builder& b, Value* bits) {
    return b.CreateBitCast(bits, like(bits, b.getFloatTy()));
}

// The exponent moves up by 112 places (the difference of the biases). Infinity and NaN move twice
// as far, to f32's highest exponent. A denormal is a whole number of units of 2^-24.
Value* f16_to_f32(Builder& b, Value* half) {
    Value* bits = b.CreateZExt(half, like(half, b.getInt32Ty()));
    Value* sign = b.CreateShl(b.CreateAnd(bits, number(bits, 0x8000)), number(bits, 16));
    Value* magnitude = b.CreateAnd(bits, number(bits, 0x7fff));
    Value* normal = b.CreateAdd(b.CreateShl(magnitude, number(bits, 13)), number(bits, 112u << 23));
    Value* special = b.CreateICmpUGE(magnitude, number(bits, 0x7c00));
    normal = b.CreateSelect(special, b.CreateAdd(normal, number(bits, 112u << 23)), normal);
    Value* units = b.CreateUIToFP(magnitude, like(bits, b.getFloatTy()));
    Value* denormal =
        as_bits(b, b.CreateFMul(units, llvm::ConstantFP::get(units->getType(), 0x1p-24)));
    Value* result =
        b.CreateSelect(b.CreateICmpULT(magnitude, number(bits, 0x0400)), denormal, normal);
    return as_float(b, b.CreateOr(result, sign));
}

// Rounds the magnitude's bits to a multiple of 2^drop, to nearest even, and shifts them down: a
// carry goes into the exponent by itself, up to infinity.
Value* rounded_shift(Builder& b, Value* magnitude, unsigned drop) {
    Value* odd =
        b.CreateAnd(b.CreateLShr(magnitude, number(magnitude, drop)), number(magnitude, 1));
    Value* bias = b.CreateAdd(odd, number(magnitude, (1u << (drop - 1)) - 1));
    return b.CreateLShr(b.CreateAdd(magnitude, bias), number(magnitude, drop));
}

Value* f32_to_f16(Builder& b, Value* value) {
    Value* bits = as_bits(b, value);
    Value* sign = b.CreateLShr(b.CreateAnd(bits, number(bits, 0x80000000u)), number(bits, 16));
    Value* magnitude = b.CreateAnd(bits, number(bits, 0x7fffffffu));
    Value* normal = rounded_shift(b, b.CreateSub(magnitude, number(bits, 112u << 23)), 13);
    // Below 2^-14 the unit is 2^-24: added to 0.5, whose last place is worth that, the sum is
    // rounded right.
    Value* half = llvm::ConstantFP::get(value->getType(), 0.5);
    Value* sum = b.CreateFAdd(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value), half);
    Value* denormal = b.CreateSub(as_bits(b, sum), number(bits, 0x3f000000u));
    Value* result =
        b.CreateSelect(b.CreateICmpULT(magnitude, number(bits, 113u << 23)), denormal, normal);
    result = b.CreateSelect(b.CreateICmpUGE(magnitude, number(bits, 0x47800000u)),
                            number(bits, 0x7c00), result); // 65536 and above
    result = b.CreateOr(result, sign);
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, number(bits, 0x7f800000u)),
                            number(bits, 0x7e00), result);
    return b.CreateTrunc(result, like(value, b.getInt16Ty()));
}

Value* f32_to_bf16(Builder& b, Value* value) {
    Value* bits = as_bits(b, value);
    Value* magnitude = b.CreateAnd(bits, number(bits, 0x7fffffffu));
    Value* result = rounded_shift(b, bits, 16); // the sign has room: the sum does not reach it
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, number(bits, 0x7f800000u)),
                            number(bits, 0x7fc0), result);
    return b.CreateTrunc(result, like(value, b.getInt16Ty()));
}

Value* f64_to_odd(Builder& b, Value* value) {
    Value* nearest = b.CreateFPTrunc(value, like(value, b.getFloatTy()));
    Value* back = b.CreateFPExt(nearest, value->getType());
    Value* bits = as_bits(b, nearest);
    auto fabs = [&](Value* x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
    Value* away = b.CreateFCmpOGT(fabs(back), fabs(value));
    Value* cut = b.CreateSub(bits, b.CreateZExt(away, bits->getType()));
    Value* inexact = b.CreateFCmpONE(back, value); // a NaN stays
    return as_float(b, b.CreateOr(cut, b.CreateZExt(inexact, bits->getType())));
}

// An i64 or u64 as a f64 of which at most the last bit tells that something was cut off.
Value* wide_integer_to_f64(Builder& b, ScalarType from, Value* value) {
    Value* magnitude = is_signed(from)
                           ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse())
                           : value;
    Value* low = b.CreateAnd(magnitude, number(value, 0x7ff));
    Value* sticky = b.CreateShl(
        b.CreateZExt(b.CreateICmpNE(low, number(value, 0)), value->getType()), number(value, 11));
    Value* cut = b.CreateOr(b.CreateAnd(magnitude, number(value, ~std::uint64_t{0x7ff})), sticky);
    Value* large = b.CreateICmpUGE(magnitude, number(value, std::uint64_t{1} << 53));
    Value* exact =
        b.CreateUIToFP(b.CreateSelect(large, cut, magnitude), like(value, b.getDoubleTy()));
    if (!is_signed(from))
        return exact;
    return b.CreateSelect(b.CreateICmpSLT(value, number(value, 0)), b.CreateFNeg(exact), exact);
}

} // namespace

Value* widen_half(Builder& b, ScalarType from, Value* bits, const Hardware& hardware) {
    if (from == ScalarType::BF16) {
        Value* wide = b.CreateZExt(bits, like(bits, b.getInt32Ty()));
        return as_float(b, b.CreateShl(wide, number(wide, 16)));
    }
    if (hardware.f16_conversion) {
        // Behind a fence LLVM does not see where the f32 comes from. It would move arithmetic
        // before the conversion, and LLVM 19 loses the NaN of a vector maximum or minimum of half
        // beside a zero.
        auto* type = like(bits, b.getFloatTy());
        return b.CreateArithmeticFence(
            b.CreateFPExt(b.CreateBitCast(bits, like(bits, b.getHalfTy())), type), type);
    }
    return f16_to_f32(b, bits);
}

Value* narrow_to_half(Builder& b, ScalarType to, Value* value, const Hardware& hardware) {
    if (to == ScalarType::BF16)
        return f32_to_bf16(b, value);
    if (!hardware.f16_conversion)
        return f32_to_f16(b, value);
    Value* half = as_bits(b, b.CreateFPTrunc(value, like(value, b.getHalfTy())));
    // The processor keeps what it can of a NaN's bits.
    return b.CreateSelect(b.CreateFCmpUNO(value, value), number(half, 0x7e00), half);
}

Value* rounded_to_odd_f32(Builder& b, ScalarType from, Value* value) {
    auto* single = like(value, b.getFloatTy());
    if (from == ScalarType::F32)
        return value;
    if (from == ScalarType::F64)
        return f64_to_odd(b, value);
    if (is_bool(from) || bits(from) <= 16) // f32 holds them
        return is_signed(from) ? b.CreateSIToFP(value, single) : b.CreateUIToFP(value, single);
    auto* wide = like(value, b.getDoubleTy());
    if (bits(from) == 32)
        return f64_to_odd(b, is_signed(from) ? b.CreateSIToFP(value, wide)
                                             : b.CreateUIToFP(value, wide));
    return f64_to_odd(b, wide_integer_to_f64(b, from, value));
}

Value* canonical_bits(Builder& b, ScalarType type, Value* bits) {
    std::uint64_t infinity = type == ScalarType::F16    ? 0x7c00
                             : type == ScalarType::BF16 ? 0x7f80
                             : type == ScalarType::F32  ? 0x7f800000
                                                        : 0x7ff0000000000000;
    std::uint64_t quiet = type == ScalarType::F16    ? 0x0200
                          : type == ScalarType::BF16 ? 0x0040
                          : type == ScalarType::F32  ? 0x00400000
                                                     : 0x0008000000000000;
    auto width = static_cast<unsigned>(loopscope::bits(type));
    auto all_but_sign = ~(std::uint64_t{1} << (width - 1)) & (~std::uint64_t{0} >> (64 - width));
    Value* nan =
        b.CreateICmpUGT(b.CreateAnd(bits, number(bits, all_but_sign)), number(bits, infinity));
    return b.CreateSelect(nan, number(bits, infinity | quiet), bits);
}

} // namespace loopscope::codegen
