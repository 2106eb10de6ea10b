#include "compiler/codegen/emit/arithmetic.h"

#include "compiler/codegen/emit/half.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

llvm::Type* widened(llvm::Type* scalar, int lanes) {
    return lanes == 1 ? scalar
                      : static_cast<llvm::Type*>(
                            llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes)));
}

int lanes_of(Value* value) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

// The operands of a division made safe for LLVM, whose division traps by zero and by -1 of the
// least value.
struct Division {
    Value* quotient;  // truncated
    Value* remainder; // of the dividend's sign
    Value* by_zero;   // i1; null: never
    Value* adjust;    // i1: floor differs from truncation; null: never
};

Division divide(Builder& b, ScalarType type, Value* dividend, Value* divisor, DivisionFacts facts) {
    auto* zero = llvm::Constant::getNullValue(dividend->getType());
    Division d{nullptr, nullptr, nullptr, nullptr};
    Value* safe = divisor;
    if (!facts.divisor_positive) {
        d.by_zero = b.CreateICmpEQ(divisor, zero);
        // The greater one of it and 1, both unsigned: 0 becomes 1. Not by way of `by_zero`, by
        // which the result is selected: where the divisor is a constant vector with a zero lane,
        // LLVM 19 takes the condition for false in the arm of the quotient, in all lanes, divides
        // by that constant, and calls every lane undefined. Nor by a select of 1, of which it
        // concludes that every lane is 1.
        safe = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, divisor,
                                       llvm::ConstantInt::get(divisor->getType(), 1));
        if (is_signed(type)) {
            auto* least = llvm::ConstantInt::get(
                dividend->getType(),
                llvm::APInt::getSignedMinValue(static_cast<unsigned>(bits(type))));
            auto* minus_one = llvm::Constant::getAllOnesValue(dividend->getType());
            Value* wraps =
                b.CreateAnd(b.CreateICmpEQ(dividend, least), b.CreateICmpEQ(divisor, minus_one));
            auto* minus_two = llvm::ConstantInt::getSigned(dividend->getType(), -2);
            safe = b.CreateXor(safe, b.CreateAnd(b.CreateSExt(wraps, divisor->getType()),
                                                 minus_two)); // -1 becomes 1
        }
    }
    if (!is_signed(type) || (facts.dividend_non_negative && facts.divisor_positive)) {
        d.quotient = b.CreateUDiv(dividend, safe);
        d.remainder = b.CreateURem(dividend, safe);
        return d;
    }
    d.quotient = b.CreateSDiv(dividend, safe);
    d.remainder = b.CreateSub(dividend, b.CreateMul(d.quotient, safe));
    if (facts.divisor_positive)
        d.adjust = b.CreateICmpSLT(d.remainder, zero);
    else
        d.adjust = b.CreateAnd(b.CreateICmpNE(d.remainder, zero),
                               b.CreateICmpSLT(b.CreateXor(d.remainder, safe), zero));
    return d;
}

// The exponent when the divisor is a power of two; -1 otherwise.
int power_of_two(Value* divisor) {
    const llvm::APInt* constant = nullptr;
    if (llvm::PatternMatch::match(divisor, llvm::PatternMatch::m_APInt(constant)) &&
        constant->isStrictlyPositive() && constant->isPowerOf2())
        return static_cast<int>(constant->logBase2());
    return -1;
}

} // namespace

llvm::Type* register_type(Builder& b, ScalarType type, int lanes) {
    if (is_bool(type))
        return widened(b.getInt1Ty(), lanes);
    return memory_type(b, type, lanes);
}

llvm::Type* memory_type(Builder& b, ScalarType type, int lanes) {
    switch (type) {
    case ScalarType::F32: return widened(b.getFloatTy(), lanes);
    case ScalarType::F64: return widened(b.getDoubleTy(), lanes);
    default: return widened(b.getIntNTy(static_cast<unsigned>(bits(type))), lanes);
    }
}

Value* floor_divide(Builder& b, ScalarType type, Value* dividend, Value* divisor,
                    DivisionFacts facts) {
    if (int shift = power_of_two(divisor); shift >= 0) {
        auto* amount =
            llvm::ConstantInt::get(dividend->getType(), static_cast<std::uint64_t>(shift));
        return is_signed(type) && !facts.dividend_non_negative ? b.CreateAShr(dividend, amount)
                                                               : b.CreateLShr(dividend, amount);
    }
    Division d = divide(b, type, dividend, divisor, facts);
    Value* quotient = d.quotient;
    if (d.adjust) // i1 extended by sign is -1
        quotient = b.CreateAdd(quotient, b.CreateSExt(d.adjust, quotient->getType()));
    return d.by_zero ? b.CreateSelect(d.by_zero, llvm::Constant::getNullValue(quotient->getType()),
                                      quotient)
                     : quotient;
}

Value* floor_modulo(Builder& b, ScalarType type, Value* dividend, Value* divisor,
                    DivisionFacts facts) {
    if (int shift = power_of_two(divisor); shift >= 0) {
        auto mask = llvm::APInt::getLowBitsSet(static_cast<unsigned>(bits(type)),
                                               static_cast<unsigned>(shift));
        return b.CreateAnd(dividend, llvm::ConstantInt::get(dividend->getType(), mask));
    }
    Division d = divide(b, type, dividend, divisor, facts);
    Value* remainder = d.remainder;
    if (d.adjust)
        remainder = b.CreateSelect(d.adjust, b.CreateAdd(remainder, divisor), remainder);
    return d.by_zero ? b.CreateSelect(d.by_zero, llvm::Constant::getNullValue(remainder->getType()),
                                      remainder)
                     : remainder;
}

namespace {

// Shifts by an unsigned amount, of any size.
Value* left_by(Builder& b, Value* value, Value* amount, unsigned width) {
    auto* type = value->getType();
    Value* shifted =
        b.CreateShl(value, b.CreateAnd(amount, llvm::ConstantInt::get(type, width - 1)));
    return b.CreateSelect(b.CreateICmpULT(amount, llvm::ConstantInt::get(type, width)), shifted,
                          llvm::Constant::getNullValue(type));
}

Value* right_by(Builder& b, ScalarType scalar, Value* value, Value* amount, unsigned width) {
    auto* type = value->getType();
    if (is_signed(scalar)) {
        auto* most = llvm::ConstantInt::get(type, width - 1);
        return b.CreateAShr(value, b.CreateSelect(b.CreateICmpULT(amount, most), amount, most));
    }
    Value* shifted =
        b.CreateLShr(value, b.CreateAnd(amount, llvm::ConstantInt::get(type, width - 1)));
    return b.CreateSelect(b.CreateICmpULT(amount, llvm::ConstantInt::get(type, width)), shifted,
                          llvm::Constant::getNullValue(type));
}

Value* shift(Builder& b, ScalarType type, Value* value, Value* amount, bool left) {
    auto width = static_cast<unsigned>(bits(type));
    auto one_way = [&](bool to_left, Value* by) {
        return to_left ? left_by(b, value, by, width) : right_by(b, type, value, by, width);
    };
    Value* forward = one_way(left, amount);
    if (!is_signed(type))
        return forward;
    Value* backward = one_way(!left, b.CreateNeg(amount));
    return b.CreateSelect(b.CreateICmpSLT(amount, llvm::Constant::getNullValue(amount->getType())),
                          backward, forward);
}

} // namespace

Value* shift_left(Builder& b, ScalarType type, Value* value, Value* amount) {
    return shift(b, type, value, amount, true);
}
Value* shift_right(Builder& b, ScalarType type, Value* value, Value* amount) {
    return shift(b, type, value, amount, false);
}

namespace {

Value* convert_half(Builder& b, ScalarType from, ScalarType to, Value* value,
                    const Hardware& hardware) {
    if (is_half(to)) {
        if (is_half(from))
            value = widen_half(b, from, value, hardware);
        return narrow_to_half(b, to, is_half(from) ? value : rounded_to_odd_f32(b, from, value),
                              hardware);
    }
    return convert(b, ScalarType::F32, to, widen_half(b, from, value, hardware), hardware);
}

// A vector of floats as integers: truncated, saturated, 0 for a NaN. LLVM 19 does this lane by
// lane, so the limits are applied before, to floats, after which a plain conversion is exact.
Value* saturated_lanes(Builder& b, ScalarType from, ScalarType to, Value* value) {
    auto* type = value->getType();
    const int digits = bits(to) - (is_signed(to) ? 1 : 0);
    const double first_beyond = std::ldexp(1.0, digits);
    auto* zero = llvm::Constant::getNullValue(type);
    auto limited = [&](Value* holds, Value* otherwise) {
        return b.CreateSelect(holds, value, otherwise);
    };
    if (is_signed(to)) { // of unsigned types the lower limit is 0, where a comparison sends a NaN
        value = limited(b.CreateFCmpORD(value, value), zero);
        auto* least = llvm::ConstantFP::get(type, -first_beyond);
        value = limited(b.CreateFCmpOGT(value, least), least);
    } else {
        value = limited(b.CreateFCmpOGT(value, zero), zero);
    }
    auto* integers = register_type(b, to, lanes_of(value));
    // By way of 32 bits, for which processors have conversions.
    auto* wide = bits(to) < 32 ? register_type(b, ScalarType::I32, lanes_of(value)) : integers;
    bool with_sign = is_signed(to) || bits(to) < 32;
    auto converted = [&](Value* floats) {
        auto* whole = with_sign ? b.CreateFPToSI(floats, wide) : b.CreateFPToUI(floats, wide);
        return b.CreateTrunc(whole, integers);
    };
    const int precision = from == ScalarType::F32 ? 24 : 53;
    if (digits <= precision) {
        auto* greatest = llvm::ConstantFP::get(type, first_beyond - 1);
        return converted(limited(b.CreateFCmpOLT(value, greatest), greatest));
    }
    // The greatest integer is not a float.
    auto* inside = b.CreateFCmpOLT(value, llvm::ConstantFP::get(type, first_beyond));
    auto* greatest = llvm::ConstantInt::get(
        integers, is_signed(to) ? llvm::APInt::getSignedMaxValue(static_cast<unsigned>(bits(to)))
                                : llvm::APInt::getMaxValue(static_cast<unsigned>(bits(to))));
    return b.CreateSelect(inside, converted(limited(inside, zero)), greatest);
}

} // namespace

namespace {

// By way of 32 bits; narrower integers are limited afterwards.
Value* saturated_by_instruction(Builder& b, ScalarType to, Value* value) {
    const bool with_sign = is_signed(to);
    Value* wide = b.CreateIntrinsic(with_sign ? Intrinsic::nvvm_f2i_rz : Intrinsic::nvvm_f2ui_rz,
                                    {}, {value});
    if (bits(to) == 32)
        return wide;
    auto limit = [&](Intrinsic::ID id, std::int64_t n) {
        wide = b.CreateBinaryIntrinsic(id, wide, b.getInt32(static_cast<std::uint32_t>(n)));
    };
    limit(with_sign ? Intrinsic::smin : Intrinsic::umin, greatest(to));
    if (with_sign)
        limit(Intrinsic::smax, least(to));
    return b.CreateTrunc(wide, register_type(b, to));
}

// A float as an integer: truncated, saturated, 0 for a NaN.
Value* saturated(Builder& b, ScalarType from, ScalarType to, Value* value,
                 const Hardware& hardware) {
    const int lanes = lanes_of(value);
    if (hardware.saturating_conversion && from == ScalarType::F32 && bits(to) <= 32) {
        if (lanes == 1)
            return saturated_by_instruction(b, to, value);
        Value* joined = llvm::PoisonValue::get(register_type(b, to, lanes));
        for (std::uint64_t lane = 0; lane < static_cast<std::uint64_t>(lanes); ++lane)
            joined = b.CreateInsertElement(
                joined, saturated_by_instruction(b, to, b.CreateExtractElement(value, lane)), lane);
        return joined;
    }
    if (lanes > 1)
        return saturated_lanes(b, from, to, value);
    return b.CreateIntrinsic(is_signed(to) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                             {register_type(b, to), value->getType()}, {value});
}

} // namespace

Value* reinterpret_bits(Builder& b, ScalarType from, ScalarType to, Value* value) {
    auto* whole = llvm::IntegerType::get(b.getContext(), static_cast<unsigned>(bits(from)));
    Value* same = b.CreateBitCast(value, widened(whole, lanes_of(value)));
    if (is_float(from))
        same = canonical_bits(b, from, same);
    return b.CreateBitCast(same, register_type(b, to, lanes_of(value)));
}

Value* convert(Builder& b, ScalarType from, ScalarType to, Value* value, const Hardware& hardware) {
    if (from == to)
        return value;
    if (is_half(from) || is_half(to))
        return convert_half(b, from, to, value, hardware);
    auto* type = register_type(b, to, lanes_of(value));
    auto* zero = llvm::Constant::getNullValue(value->getType());
    if (is_bool(to)) // a NaN is not 0
        return is_float(from) ? b.CreateFCmpUNE(value, zero) : b.CreateICmpNE(value, zero);
    if (is_float(to)) {
        if (is_float(from))
            return bits(to) < bits(from) ? b.CreateFPTrunc(value, type)
                                         : b.CreateFPExt(value, type);
        return is_signed(from) ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
    }
    if (is_float(from))
        return saturated(b, from, to, value, hardware);
    return is_signed(from) ? b.CreateSExtOrTrunc(value, type) : b.CreateZExtOrTrunc(value, type);
}

Value* unary_operation(Builder& b, Op op, ScalarType type, Value* value) {
    switch (op) {
    case Op::Negate: return is_float(type) ? b.CreateFNeg(value) : b.CreateNeg(value);
    case Op::BitNot:
    case Op::LogicalNot: return b.CreateNot(value);
    case Op::Abs:
        if (is_float(type))
            return b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
        return is_signed(type) ? b.CreateBinaryIntrinsic(Intrinsic::abs, value, b.getFalse())
                               : value;
    case Op::Sqrt: return b.CreateUnaryIntrinsic(Intrinsic::sqrt, value);
    case Op::Floor: return b.CreateUnaryIntrinsic(Intrinsic::floor, value);
    case Op::Ceil: return b.CreateUnaryIntrinsic(Intrinsic::ceil, value);
    case Op::Round: return b.CreateUnaryIntrinsic(Intrinsic::roundeven, value);
    default: throw std::logic_error("not a unary operator");
    }
}

namespace {

// The least or greatest in lanes of one register: VRANGE orders the zeros, and takes the number
// where one operand is a NaN.
Value* extreme_of_register(Builder& b, Op op, Value* left, Value* right) {
    auto* type = llvm::cast<llvm::FixedVectorType>(left->getType());
    const bool single = type->getElementType()->isFloatTy();
    const auto bits = type->getNumElements() * (single ? 32 : 64);
    const auto id = bits == 512   ? (single ? Intrinsic::x86_avx512_mask_range_ps_512
                                            : Intrinsic::x86_avx512_mask_range_pd_512)
                    : bits == 256 ? (single ? Intrinsic::x86_avx512_mask_range_ps_256
                                            : Intrinsic::x86_avx512_mask_range_pd_256)
                                  : (single ? Intrinsic::x86_avx512_mask_range_ps_128
                                            : Intrinsic::x86_avx512_mask_range_pd_128);
    constexpr int kSignOfResult = 4;
    auto* all_lanes =
        llvm::Constant::getAllOnesValue(bits == 512 && single ? b.getInt16Ty() : b.getInt8Ty());
    std::vector<Value*> arguments{left, right, b.getInt32(kSignOfResult + (op == Op::Max ? 1 : 0)),
                                  llvm::Constant::getNullValue(type), all_lanes};
    constexpr int kCurrentRounding = 4;
    if (bits == 512)
        arguments.push_back(b.getInt32(kCurrentRounding));
    Value* numbers = b.CreateIntrinsic(id, {}, arguments);
    return b.CreateSelect(b.CreateFCmpUNO(left, right), b.CreateFAdd(left, right), numbers);
}

// Three instructions a register, where LLVM takes six. Null: not for these operands.
Value* extreme_by_range(Builder& b, Op op, Value* left, Value* right, const Hardware& hardware) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(left->getType());
    if (!hardware.ordered_zeros || !type || b.getFastMathFlags().any() ||
        llvm::isa<llvm::Constant>(left) || llvm::isa<llvm::Constant>(right))
        return nullptr; // what LLVM knows of constants makes shorter code
    const auto lanes = type->getNumElements();
    const unsigned widest = type->getElementType()->isFloatTy() ? 16 : 8;
    if (!llvm::isPowerOf2_32(lanes) || lanes * 4 < widest)
        return nullptr;
    if (lanes <= widest)
        return extreme_of_register(b, op, left, right);
    Value* joined = nullptr;
    std::vector<int> part(widest), both;
    for (unsigned first = 0; first < lanes; first += widest) {
        std::iota(part.begin(), part.end(), static_cast<int>(first));
        Value* made = extreme_of_register(b, op, b.CreateShuffleVector(left, part),
                                          b.CreateShuffleVector(right, part));
        // Lanes of another count have to be filled up before they are joined.
        both.assign(lanes, -1);
        std::iota(both.begin(), both.begin() + widest, 0);
        Value* wide = b.CreateShuffleVector(made, both);
        if (joined) {
            std::iota(both.begin(), both.end(), 0);
            std::iota(both.begin() + first, both.begin() + first + widest, static_cast<int>(lanes));
            wide = b.CreateShuffleVector(joined, wide, both);
        }
        joined = wide;
    }
    return joined;
}

// NaN in, NaN out; -0 < +0.
Value* extreme(Builder& b, Op op, ScalarType type, Value* left, Value* right,
               const Hardware& hardware) {
    const bool greatest = op == Op::Max;
    if (is_float(type)) {
        if (Value* made = extreme_by_range(b, op, left, right, hardware))
            return made;
        return b.CreateBinaryIntrinsic(greatest ? Intrinsic::maximum : Intrinsic::minimum, left,
                                       right);
    }
    const auto id = is_signed(type) ? (greatest ? Intrinsic::smax : Intrinsic::smin)
                                    : (greatest ? Intrinsic::umax : Intrinsic::umin);
    return b.CreateBinaryIntrinsic(id, left, right);
}

// LLVM's predicate of a comparison: on floats ordered, so that a NaN compares false, but != true.
llvm::CmpInst::Predicate predicate(Op op, ScalarType type) {
    using P = llvm::CmpInst;
    bool real = is_float(type), with_sign = is_signed(type);
    switch (op) {
    case Op::Less: return real ? P::FCMP_OLT : with_sign ? P::ICMP_SLT : P::ICMP_ULT;
    case Op::LessEqual: return real ? P::FCMP_OLE : with_sign ? P::ICMP_SLE : P::ICMP_ULE;
    case Op::Greater: return real ? P::FCMP_OGT : with_sign ? P::ICMP_SGT : P::ICMP_UGT;
    case Op::GreaterEqual: return real ? P::FCMP_OGE : with_sign ? P::ICMP_SGE : P::ICMP_UGE;
    case Op::Equal: return real ? P::FCMP_OEQ : P::ICMP_EQ;
    case Op::NotEqual: return real ? P::FCMP_UNE : P::ICMP_NE;
    default: throw std::logic_error("not a comparison");
    }
}

} // namespace

Value* binary_operation(Builder& b, Op op, ScalarType type, Value* left, Value* right,
                        const Hardware& hardware) {
    bool real = is_float(type);
    switch (op) {
    case Op::Add: return real ? b.CreateFAdd(left, right) : b.CreateAdd(left, right);
    case Op::Subtract: return real ? b.CreateFSub(left, right) : b.CreateSub(left, right);
    case Op::Multiply: return real ? b.CreateFMul(left, right) : b.CreateMul(left, right);
    case Op::Divide:
        return real ? b.CreateFDiv(left, right) : floor_divide(b, type, left, right, {});
    case Op::Modulo: return floor_modulo(b, type, left, right, {});
    case Op::ShiftLeft: return shift_left(b, type, left, right);
    case Op::ShiftRight: return shift_right(b, type, left, right);
    case Op::BitAnd:
    case Op::LogicalAnd: return b.CreateAnd(left, right);
    case Op::BitOr:
    case Op::LogicalOr: return b.CreateOr(left, right);
    case Op::BitXor: return b.CreateXor(left, right);
    case Op::Min:
    case Op::Max: return extreme(b, op, type, left, right, hardware);
    default: return b.CreateCmp(predicate(op, type), left, right);
    }
}

} // namespace loopscope::codegen
