// The f32 functions of the prelude. Coefficients are minimax (Remez, relative error of the
// function), rounded to the type; their own error stands beside them. Selects are compared with
// constants so that a NaN takes the last arm.
#include "core/language/prelude_text.h"

namespace loopscope {

const std::string_view kPreludeShared = R"prelude(
# Polynomials in x by Horner's rule, the highest coefficient first.
def poly1(x, a, b) = fma(x, a, b)
def poly2(x, a, b, c) = fma(x, poly1(x, a, b), c)
def poly3(x, a, b, c, d) = fma(x, poly2(x, a, b, c), d)
def poly4(x, a, b, c, d, e) = fma(x, poly3(x, a, b, c, d), e)
def poly5(x, a, b, c, d, e, f) = fma(x, poly4(x, a, b, c, d, e), f)
def poly6(x, a, b, c, d, e, f, g) = fma(x, poly5(x, a, b, c, d, e, f), g)
def poly7(x, a, b, c, d, e, f, g, h) = fma(x, poly6(x, a, b, c, d, e, f, g), h)
def poly8(x, a, b, c, d, e, f, g, h, k) = fma(x, poly7(x, a, b, c, d, e, f, g, h), k)
)prelude";

const std::string_view kPreludeF32 = R"prelude(
# x is n*ln2 + r with |r| <= ln2/2. Adding 1.5*2^23 rounds to a whole number and leaves n in the low bits.
def whole_f32(x) = fma(x, 1.44269502, 12582912.0)
# ln2 in two parts; the first step is exact.
def rest_f32(x, n) = fma(n, 1.9046543e-9, fma(n, -0.693147182, x))

# e^x = 2^n * (1 + r + r^2 q(r)), error of q 2^-28. The power of two is applied as two factors, so that the one rounding
# of a denormal result, and overflow, happen in the last product.
def exp_f32(x) = (
    let a = select(x > 89.0, 89.0, select(x < -104.0, -104.0, x)) in
    let t = whole_f32(a) in
    let n = t - 12582912.0 in
    let r = rest_f32(a, n) in
    let p = poly6(r, 1.38364418e-3, 8.36913195e-3, 4.16681059e-2, 0.166665167, 0.49999994, 1.0, 1.0) in
    let e = i32(bits(t) << 23) in            # n * 2^23
    let half = (e >> 1) & -8388608 in        # floor(n/2) * 2^23
    p*from_bits(f32, u32(half + 1065353216))*from_bits(f32, u32(e - half + 1065353216))
)

# x = 2^k * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1+f) = f - f^2/2 + f^3 P(f), error of P 2^-27.4. A denormal is
# scaled into the normal range first.
def log_f32(x) = (
    let tiny = x < 1.17549435e-38 in
    let b = i32(bits(select(tiny, x*8388608.0, x))) - 1060439283 in
    let n = f32(b >> 23) + select(tiny, -23.0, 0.0) in
    let f = from_bits(f32, u32((b & 8388607) + 1060439283)) - 1.0 in
    let z = f*f in
    let p = poly7(f, -7.6345861e-2, 0.127619669, -0.131603256, 0.142017141, -0.166233391, 0.200012282, -0.250008225, 0.333333313) in
    let low = fma(n, -1.9046543e-9, fma(f*z, p, -0.5*z)) in
    let value = fma(n, 0.693147182, f + low) in
    select(x > 0.0 and x < inf, value, select(x == 0.0, -inf, select(x < 0.0, nan, x)))
)

# e^r - 1 = r + r^2 q(r), error of q 2^-31.8; then 2^n e^r - 1 = 2^n (e^r - 1) + (2^n - 1).
def expm1_f32(x) = (
    let v = x in
    let t = whole_f32(v) in
    let n = t - 12582912.0 in
    let r = rest_f32(v, n) in
    let q = poly5(r, 1.98993279e-4, 1.39411946e-3, 8.33329838e-3, 4.16663513e-2, 0.166666672, 0.5) in
    let s = from_bits(f32, (bits(t) << 23) + 1065353216) in
    fma(s, fma(r*r, q, r), s - 1.0)
)

# (e^2a - 1)/(e^2a + 1). Below 2^-12 the function rounds to x.
def tanh_f32(x) = (
    let a = abs(x) in
    let e = expm1_f32(select(a > 9.5, 19.0, a + a)) in
    let value = e/(e + 2.0) in
    select(a < 2.44140625e-4, x, select(x < 0.0, -value, value))
)

# erf(a) = 1 - e^(-a R(a)), where a R(a) = -log(erfc(a)): R is smooth, and small a lose nothing. Above 3.95 it rounds to 1.
def erf_f32(x) = (
    let b = abs(x) in
    let a = select(b > 3.95, 3.95, b) in
    let u = poly8(a, -9.25617042e-6, 1.17640397e-4, -6.32833573e-4, 1.66702119e-3, -1.60389347e-4, -1.91530678e-2, 0.102777831, 0.636619389, -5.86353834e-08) in
    let value = expm1_f32(-fma(a, 1.12837923, a*u)) in
    select(x == 0.0, x, select(x < 0.0, value, -value))
)

# |x| * 2/pi modulo 4 in units of 2^-62, by Payne and Hanek: the 24-bit significand times those 96 bits of 2/pi that give
# less than 4 and more than 2^-62. For 1/2 <= |x|; the bits of 2/pi start with 26 zeros.
def turns_f32(a) = (
    let b = bits(a) in
    let e = u64(b >> 23) in
    let k = select(e < 126, 0, e - 126) in
    let m = u64((b & 8388607) | 8388608) in
    let word = k >> 6 in
    let s = k & 63 in
    let w0 = select(word == 0, 0x00000028be60db93u64, select(word == 1, 0x91054a7f09d5f47du64, 0x4d377036d8a5664fu64)) in
    let w1 = select(word == 0, 0x91054a7f09d5f47du64, select(word == 1, 0x4d377036d8a5664fu64, 0x10e4107f9458eaf7u64)) in
    let w2 = select(word == 0, 0x4d377036d8a5664fu64, select(word == 1, 0x10e4107f9458eaf7u64, 0xaef1586dc91b8e90u64)) in
    let high = (w0 << s) | ((w1 >> 1) >> (63 - s)) in
    let low = ((w1 << s) | ((w2 >> 1) >> (63 - s))) >> 32 in
    m*high + ((m*low) >> 32)
)

# sin(a + offset*pi/2) for a magnitude a >= 0, from the quadrant q and the rest |r| <= pi/4.
def circular_f32(magnitude, offset) = (
    let a = magnitude in
    let w = turns_f32(a) in
    let near = a < 0.785398163 in
    let q = (w + 2305843009213693952) >> 62 in
    let r = select(near, a, f32(f64(i64(w - (q << 62)))*3.4061215800865545e-19)) in
    let z = r*r in
    let s = fma(r*z, poly2(z, -1.95152184e-4, 8.3321603e-3, -0.166666552), r) in
    let c = fma(z*z, poly2(z, 2.4433084e-5, -1.38873153e-3, 4.16666456e-2), fma(z, -0.5, 1.0)) in
    let quadrant = select(near, 0, q) + offset in
    let value = select((quadrant & 1) == 0, s, c) in
    select(a < inf, select((quadrant & 2) == 0, value, -value), nan)
)
def sin_f32(x) = (
    let a = abs(x) in
    let value = circular_f32(a, 0) in
    select(a < 2.44140625e-4, x, select(x < 0.0, -value, value))
)
def cos_f32(x) = circular_f32(abs(x), 1)

# In f64, where e^(y log|x|) needs no care: log to 2^-37, e^r to 2^-28.
def power_f32(a, y) = (
    let b = i64(bits(a)) - 4604544271217802189 in
    let f = from_bits(f64, u64((b & 4503599627370495) + 4604544271217802189)) - 1.0 in
    let s = f/(f + 2.0) in
    let z = s*s in
    let l = fma(s*z, poly3(z, 2.358228938930419e-1, 2.8537301694537409e-1, 4.000033529121868e-1, 6.6666665645052448e-1), s + s) in
    let p = y*fma(f64(b >> 52), 6.9314718055994529e-1, l) in
    let g = select(p > 200.0, 200.0, select(p < -200.0, -200.0, p)) in
    let t = fma(g, 1.4426950408889634, 6755399441055744.0) in
    let r = fma(t - 6755399441055744.0, -6.9314718055994529e-1, g) in
    let e = poly6(r, 1.3814481658144387e-3, 8.3687800829528869e-3, 4.1668393899051241e-2, 1.6666520110037977e-1, 4.9999993414007882e-1, 1.0, 1.0) in
    f32(e*from_bits(f64, (bits(t) << 52) + 4607182418800017408))
)
# IEEE 754's pow. Whole numbers y are told by floor; those of 2^24 and above are even.
def pow_f32(x, y) = (
    let a = abs(x) in
    let whole = floor(y) == y in
    let half = y*0.5 in
    let odd = whole and floor(half) != half in
    let ends = a == 0.0 or a == inf in
    let m = select(ends, select((a == 0.0) == (y < 0.0), inf, 0.0), select(a == 1.0, 1.0, power_f32(f64(a), f64(y)))) in
    let signed = select(odd and bits(x) >= 2147483648, -m, m) in
    let defined = x == x and y == y and (whole or not (x < 0.0) or ends) in
    select(x == 1.0 or y == 0.0, 1.0, select(defined, signed, nan))
)

def rsqrt_f32(x) = 1.0/sqrt(x)
)prelude";

} // namespace loopscope
