// The approximations that fast_math() puts in place of the prelude's functions: shorter
// polynomials, one factor for the power of two, no denormals. Errors are those of
// core/ir/functions.h.
#include "core/language/prelude_text.h"

namespace loopscope {

const std::string_view kPreludeFastF32 = R"prelude(
# 2^y: 0 below -126.5, infinite above 127.5.
def fast_exp2_f32(y) = (
    let v = y in
    let a = select(v > 128.0, 128.0, select(v < -127.0, -127.0, v)) in
    let t = a + 12582912.0 in
    let f = a - (t - 12582912.0) in
    let p = poly4(f, 9.57008731e-3, 5.59180193e-2, 0.240247458, 0.693121791, 0.999999285) in
    p*from_bits(f32, (bits(t) << 23) + 1065353216)
)
def fast_exp_f32(x) = fast_exp2_f32(x*1.44269502)

# -infinity below 2^-126.
def fast_log_f32(x) = (
    let b = i32(bits(x)) - 1060439283 in
    let f = from_bits(f32, u32((b & 8388607) + 1060439283)) - 1.0 in
    let p = poly5(f, -0.142920211, 0.220563412, -0.254033804, 0.332579941, -0.499902129, 1.00000453) in
    let value = fma(f, p, f32(b >> 23)*0.693147182) in
    select(x < 1.17549435e-38, select(x < 0.0, nan, -inf), select(x < inf, value, x))
)
def fast_log2_f32(x) = (
    let b = i32(bits(x)) - 1060439283 in
    let f = from_bits(f32, u32((b & 8388607) + 1060439283)) - 1.0 in
    let p = poly7(f, -0.145810738, 0.234047905, -0.248879194, 0.287098169, -0.360239416, 0.480923265, -0.721352816, 1.4426949) in
    let value = fma(f, p, f32(b >> 23)) in
    select(x < 1.17549435e-38, select(x < 0.0, nan, -inf), select(x < inf, value, x))
)
def fast_pow_f32(x, y) = (
    let e = y*fast_log2_f32(x) in
    fast_exp2_f32(e)
)

# e^x - 1 for -27 <= x <= 27.
def fast_expm1_f32(x) = (
    let v = x in
    let t = fma(v, 1.44269502, 12582912.0) in
    let r = fma(t - 12582912.0, -0.693147182, v) in
    let p = r*poly3(r, 4.1666586e-2, 0.167669117, 0.500012577, 0.999985039) in
    let s = from_bits(f32, (bits(t) << 23) + 1065353216) in
    fma(s, p, s - 1.0)
)
def fast_tanh_f32(x) = (
    let a = x + x in
    let e = fast_expm1_f32(select(a > 18.0, 18.0, select(a < -18.0, -18.0, a))) in
    e/(e + 2.0)
)
def fast_erf_f32(x) = (
    let b = abs(x) in
    let a = select(b > 3.95, 3.95, b) in
    let u = poly4(a, 2.07669404e-3, -2.06537619e-2, 0.103235111, 0.636570096, 1.12837994) in
    let value = fast_expm1_f32(-a*u) in
    select(x < 0.0, value, -value)
)

# x = n*pi + r; beyond 2^22 the argument is taken as 0. The sign is the lowest bit of n.
def fast_argument_f32(x) = select(abs(x) > 4194304.0, x*0.0, x)
def fast_sin_f32(x) = (
    let a = fast_argument_f32(x) in
    let t = fma(a, 0.318309873, 12582912.0) in
    let n = t - 12582912.0 in
    let r = fma(n, 8.74227800e-8, fma(n, -3.14159274, a)) in
    let z = r*r in
    let value = r*poly3(z, -1.83635144e-4, 8.30631983e-3, -0.166648284, 0.999996603) in
    from_bits(f32, bits(value) ^ (bits(t) << 31))
)
def fast_cos_f32(x) = (
    let a = fast_argument_f32(x) in
    let t = fma(a, 0.318309873, 12582912.0) in
    let n = t - 12582912.0 in
    let r = fma(n, 8.74227800e-8, fma(n, -3.14159274, a)) in
    let z = r*r in
    let value = poly4(z, 2.31537724e-5, -1.38536969e-3, 4.16635834e-2, -0.499999046, 0.99999994) in
    from_bits(f32, bits(value) ^ (bits(t) << 31))
)

# Two operations: there is nothing to save.
def fast_rsqrt_f32(x) = 1.0/sqrt(x)
)prelude";

const std::string_view kPreludeFastF64 = R"prelude(
def fast_exp2_f64(y) = (
    let v = y in
    let a = select(v > 1024.0, 1024.0, select(v < -1023.0, -1023.0, v)) in
    let t = a + 6755399441055744.0 in
    let f = a - (t - 6755399441055744.0) in
    let p = poly7(f, 1.5201916676338664e-5, 1.5469316920025989e-4, 1.3333922769833088e-3, 9.6180271735472802e-3, 5.5504103529710913e-2, 0.24022651198753497, 0.69314718072865433, 0.9999999999616207) in
    p*from_bits(f64, (bits(t) << 52) + 4607182418800017408)
)
def fast_exp_f64(x) = fast_exp2_f64(x*1.4426950408889634)

# log2(1 + f) = s P(s^2) with s = f/(2 + f).
def fast_log2_f64(x) = (
    let b = i64(bits(x)) - 4604544271217802189 in
    let f = from_bits(f64, u64((b & 4503599627370495) + 4604544271217802189)) - 1.0 in
    let s = f/(f + 2.0) in
    let z = s*s in
    let p = poly5(z, 0.28290144962160868, 0.31990561041203019, 0.41220925440426537, 0.57707794234536858, 0.96179669411341018, 2.8853900817778499) in
    let value = fma(s, p, f64(b >> 52)) in
    select(x < 2.2250738585072014e-308, select(x < 0.0, nan, -inf), select(x < inf, value, x))
)
def fast_log_f64(x) = fast_log2_f64(x)*0.69314718055994529
def fast_pow_f64(x, y) = (
    let e = y*fast_log2_f64(x) in
    fast_exp2_f64(e)
)

def fast_expm1_f64(x) = (
    let v = x in
    let t = fma(v, 1.4426950408889634, 6755399441055744.0) in
    let r = fma(t - 6755399441055744.0, -0.69314718055994529, v) in
    let p = r*poly6(r, 1.9841260182256316e-4, 1.3941108581015057e-3, 8.3334031550861502e-3, 4.1666353207635141e-2, 0.1666666624725828, 0.50000000469303185, 1.00000000003143) in
    let s = from_bits(f64, (bits(t) << 52) + 4607182418800017408) in
    fma(s, p, s - 1.0)
)
def fast_tanh_f64(x) = (
    let a = x + x in
    let e = fast_expm1_f64(select(a > 40.0, 40.0, select(a < -40.0, -40.0, a))) in
    e/(e + 2.0)
)
def fast_erf_f64(x) = (
    let b = abs(x) in
    let a = select(b > 5.95, 5.95, b) in
    let h = poly3(a, 9.2327777713292999e-8, 1.6457921376721469e-7, -1.660415054931472e-5, 1.556539894262522e-4) in
    let u = poly7(a, h, -7.2338562417667432e-4, 1.7841537101711206e-3, -2.4518778123202396e-4, -1.9119957446372966e-2, 0.10277159511364251, 0.63661981795191347, 1.1283791667645013) in
    let value = fast_expm1_f64(-a*u) in
    select(x < 0.0, value, -value)
)

def fast_argument_f64(x) = select(abs(x) > 2251799813685248.0, x*0.0, x)
def fast_sin_f64(x) = (
    let a = fast_argument_f64(x) in
    let t = fma(a, 0.31830988618379067, 6755399441055744.0) in
    let n = t - 6755399441055744.0 in
    let r = fma(n, -1.2246467991473532e-16, fma(n, -3.1415926535897931, a)) in
    let z = r*r in
    let value = r*poly5(z, -2.3794594298588129e-8, 2.7518848332112405e-6, -1.9840702702073209e-4, 8.333329262943329e-3, -0.16666666541382488, 0.99999999988979504) in
    from_bits(f64, bits(value) ^ (bits(t) << 63))
)
def fast_cos_f64(x) = (
    let a = fast_argument_f64(x) in
    let t = fma(a, 0.31830988618379067, 6755399441055744.0) in
    let n = t - 6755399441055744.0 in
    let r = fma(n, -1.2246467991473532e-16, fma(n, -3.1415926535897931, a)) in
    let z = r*r in
    let value = poly6(z, 1.9907761621361289e-9, -2.7524689888480104e-7, 2.4801040483338387e-5, -1.3888884178082121e-3, 4.1666666473283868e-2, -0.49999999997022065, 0.99999999999925104) in
    from_bits(f64, bits(value) ^ (bits(t) << 63))
)

def fast_rsqrt_f64(x) = 1.0/sqrt(x)
)prelude";

} // namespace loopscope
