// The f64 functions of the prelude; see prelude_text_f32.cpp for what they share.
#include "core/language/prelude_text.h"

namespace loopscope {

const std::string_view kPreludeF64 = R"prelude(
# x is n*ln2 + r with |r| <= ln2/2, as in f32.
def whole_f64(x) = fma(x, 1.4426950408889634, 6755399441055744.0)
def rest_f64(x, n) = fma(n, -2.3190468138462996e-17, fma(n, -0.69314718055994529, x))
# y * 2^n for the n in the low bits of t, |n| <= 1100: two factors, as in f32.
def scaled_f64(y, t) = (
    let e = i64(bits(t) << 52) in
    let half = (e >> 1) & -4503599627370496 in
    y*from_bits(f64, u64(half + 4607182418800017408))*from_bits(f64, u64(e - half + 4607182418800017408))
)
# e^r for |r| <= ln2/2, error 2^-57.9.
def exp_rest_f64(r) = (
    let q = poly4(r, 2.4999963035290149e-8, 2.7630377727335833e-7, 2.7557587344500984e-6, 2.4801492765101681e-5, 1.9841269504768379e-4) in
    poly7(r, q, 1.3888888943920628e-3, 8.3333333334956201e-3, 4.1666666666529198e-2, 0.1666666666666641, 0.50000000000000111, 1.0, 1.0)
)

def exp_f64(x) = (
    let a = select(x > 710.0, 710.0, select(x < -746.0, -746.0, x)) in
    let t = whole_f64(a) in
    let n = t - 6755399441055744.0 in
    let r = rest_f64(a, n) in
    scaled_f64(exp_rest_f64(r), t)
)

# x = 2^k * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); with s = f/(2 + f), log(1 + f) = 2s + s^3 Q(s^2), error of Q 2^-59.5.
# 2s = f - s f, and s f is small: that keeps the exact f in the sum.
def log_f64(x) = (
    let tiny = x < 2.2250738585072014e-308 in
    let b = i64(bits(select(tiny, x*18014398509481984.0, x))) - 4604544271217802189 in
    let n = f64(b >> 52) + select(tiny, -54.0, 0.0) in
    let f = from_bits(f64, u64((b & 4503599627370495) + 4604544271217802189)) - 1.0 in
    let s = f/(f + 2.0) in
    let z = s*s in
    let q = poly6(z, 0.1479610100610998, 0.15314036225938402, 0.18183564853573353, 0.22222198563695458, 0.28571428742473193, 0.39999999999414326, 0.6666666666666734) in
    let low = fma(n, 2.3190468138462996e-17, s*fma(z, q, -f)) in
    let value = fma(n, 0.69314718055994529, f + low) in
    select(x > 0.0 and x < inf, value, select(x == 0.0, -inf, select(x < 0.0, nan, x)))
)

# e^r - 1 = r + r^2 q(r), error of q 2^-58.3.
def expm1_f64(x) = (
    let v = x in
    let t = whole_f64(v) in
    let n = t - 6755399441055744.0 in
    let r = rest_f64(v, n) in
    let h = poly4(r, 1.7687676411082759e-9, 2.5105289348983111e-8, 2.7567946483196217e-7, 2.7557255233204898e-6, 2.4801574491950785e-5) in
    let q = poly6(r, h, 1.9841269874945302e-4, 1.3888888895633412e-3, 8.3333333333261029e-3, 4.1666666666652183e-2, 0.16666666666666671, 0.5) in
    let s = from_bits(f64, (bits(t) << 52) + 4607182418800017408) in
    fma(s, fma(r*r, q, r), s - 1.0)
)

# Below 2^-27 tanh rounds to x.
def tanh_f64(x) = (
    let a = abs(x) in
    let e = expm1_f64(select(a > 20.0, 40.0, a + a)) in
    let value = e/(e + 2.0) in
    select(a < 7.450580596923828e-9, x, select(x < 0.0, -value, value))
)

# erf(a) = 1 - e^(-a R(a)), error of R 2^-57.5. Above 5.95 it rounds to 1.
def erf_f64(x) = (
    let b = abs(x) in
    let a = select(b > 5.95, 5.95, b) in
    let h = poly8(a, 7.8345160640158706e-16, -3.850658855924655e-14, 8.8458208721666726e-13, -1.2611283495695822e-11, 1.2484329102140428e-10, -9.0823681343763401e-10, 4.9977721797833217e-9, -2.0962914959308646e-8, 6.5734312124343026e-8) in
    let m = poly8(a, h, -1.4176402469391129e-7, 1.3718625640275482e-7, 3.363582164837147e-7, -1.7415398727728934e-6, 2.8351335307262643e-6, 3.4072697593543254e-6, -2.9724048011030974e-5, 6.4491861310643728e-5) in
    let u = poly8(a, m, 2.5878604283856805e-5, -5.901255529469025e-4, 1.6962063857667519e-3, -2.0919469484709729e-4, -1.9128447005069788e-2, 0.10277260330178872, 0.6366197723675836, 1.5335459613165881e-17) in
    let value = expm1_f64(-fma(a, 1.1283791670955126, a*u)) in
    select(x == 0.0, x, select(x < 0.0, value, -value))
)

def pick(bit, near, far) = select(bit == 0, near, far)

# The upper half of a 128-bit product, for a below 2^53.
def high_product(a, b) = (
    let a0 = a & 4294967295 in
    let a1 = a >> 32 in
    let b0 = b & 4294967295 in
    let b1 = b >> 32 in
    let t = a1*b0 + ((a0*b0) >> 32) in
    let u = a0*b1 + (t & 4294967295) in
    a1*b1 + (t >> 32) + (u >> 32)
)

# sin(a + offset*pi/2) for a magnitude a >= 0 by Payne and Hanek, as circular_f32. The 53-bit significand times those 192 bits of 2/pi
# that give less than 4 and more than 2^-126, as `top` + `middle`*2^-64 in units of 2^-62. No f64 is nearer than 2^-62 to a
# multiple of pi/2.
def circular_f64(magnitude, offset) = (
    let a = magnitude in
    let b = bits(a) in
    let e = b >> 52 in
    let k = select(e < 1022, 0, e - 1022) in
    let m = (b & 4503599627370495) | 4503599627370496 in
    let j16 = k & 1024 in
    let j8 = k & 512 in
    let j4 = k & 256 in
    let j2 = k & 128 in
    let j1 = k & 64 in
    let s = k & 63 in
    # Four words of 2/pi, which start with 55 zeros: sixteen, eight, four, two, one of them are skipped where k says so.
    let a0 = pick(j16, 0x0000000000000145u64, 0x4f758fd7cbe2f67au64) in
    let a1 = pick(j16, 0xf306dc9c882a53f8u64, 0x0e73ef14a525d4d7u64) in
    let a2 = pick(j16, 0x4eafa3ea69bb81b6u64, 0xf6bf623f1aba10acu64) in
    let a3 = 0xc52b3278872083fcu64 in
    let c0 = pick(j8, a0, 0x046bea5d768909d3u64) in
    let c1 = pick(j8, a1, 0x38e04d68befc8273u64) in
    let c2 = pick(j8, a2, 0x23ac7306a673e939u64) in
    let c3 = pick(j8, a3, 0x08bf177bf250763fu64) in
    let c4 = pick(j8, 0xa2c757bd778ac36eu64, 0xf12fffbc0b301fdeu64) in
    let c5 = pick(j8, 0x48dc74849ba5c00cu64, 0x5e2316b414da3edau64) in
    let c6 = pick(j8, 0x925dd413a32439fcu64, 0x6cfd9e4f96136e9eu64) in
    let c7 = pick(j8, 0x3bd63962534e7dd1u64, 0x8c7ecd3cbfd45aeau64) in
    let c8 = pick(j8, 0x046bea5d768909d3u64, 0x4f758fd7cbe2f67au64) in
    let c9 = pick(j8, 0x38e04d68befc8273u64, 0x0e73ef14a525d4d7u64) in
    let c10 = pick(j8, 0x23ac7306a673e939u64, 0xf6bf623f1aba10acu64) in
    let d0 = pick(j4, c0, c4) in
    let d1 = pick(j4, c1, c5) in
    let d2 = pick(j4, c2, c6) in
    let d3 = pick(j4, c3, c7) in
    let d4 = pick(j4, c4, c8) in
    let d5 = pick(j4, c5, c9) in
    let d6 = pick(j4, c6, c10) in
    let e0 = pick(j2, d0, d2) in
    let e1 = pick(j2, d1, d3) in
    let e2 = pick(j2, d2, d4) in
    let e3 = pick(j2, d3, d5) in
    let e4 = pick(j2, d4, d6) in
    let f0 = pick(j1, e0, e1) in
    let f1 = pick(j1, e1, e2) in
    let f2 = pick(j1, e2, e3) in
    let f3 = pick(j1, e3, e4) in
    let w0 = (f0 << s) | ((f1 >> 1) >> (63 - s)) in
    let w1 = (f1 << s) | ((f2 >> 1) >> (63 - s)) in
    let w2 = (f2 << s) | ((f3 >> 1) >> (63 - s)) in
    let low = m*w1 in
    let middle = low + high_product(m, w2) in
    let top = m*w0 + high_product(m, w1) + select(middle < low, 1, 0) in
    let near = a < 0.78539816339744828 in
    let q = (top + 2305843009213693952) >> 62 in
    let h = i64(top - (q << 62)) in
    let g = f64(h) in                   # rounded; what it lost is added to the middle
    let lost = fma(f64(h - i64(g)), 18446744073709551616.0, f64(middle)) in
    let far = fma(g, 3.4061215800865545e-19, fma(g, 1.3277647201629795e-35, lost*1.8464622084398007e-38)) in
    let r = select(near, a, far) in
    let z = r*r in
    let sine = fma(r*z, poly5(z, 1.5896198039522971e-10, -2.5050747224283643e-8, 2.7557313618050166e-6, -1.9841269829580244e-4, 8.3333333333221078e-3, -0.1666666666666663), r) in
    let cosine = fma(z*z, poly5(z, -1.1358514414702701e-11, 2.087570042492223e-9, -2.7557314176304194e-7, 2.4801587288841617e-5, -1.3888888888873041e-3, 4.1666666666666595e-2), fma(z, -0.5, 1.0)) in
    let quadrant = select(near, 0, q) + offset in
    let value = select((quadrant & 1) == 0, sine, cosine) in
    select(a < inf, select((quadrant & 2) == 0, value, -value), nan)
)
def sin_f64(x) = (
    let a = abs(x) in
    let value = circular_f64(a, 0) in
    select(a < 7.450580596923828e-9, x, select(x < 0.0, -value, value))
)
def cos_f64(x) = circular_f64(abs(x), 1)

# a^y for a > 0: log a as a sum of two f64, to about 2^-65. An error in y*log a is a relative one of the power, and y*log a
# reaches 745. s = f/(2 + f) = sh + sl; z = s^2; log(1 + f) = s (2 + z (2/3 + z R(z))), error of R 2^-73.5.
def power_f64(a, y) = (
    let tiny = a < 2.2250738585072014e-308 in
    let b = i64(bits(select(tiny, a*18014398509481984.0, a))) - 4604544271217802189 in
    let n = f64(b >> 52) + select(tiny, -54.0, 0.0) in
    let f = from_bits(f64, u64((b & 4503599627370495) + 4604544271217802189)) - 1.0 in
    let gh = f + 2.0 in
    let gl = f - (gh - 2.0) in
    let inverse = 1.0/gh in
    let sh = f*inverse in
    let sl = fma(-sh, gl, fma(-sh, gh, f))*inverse in
    let zh = sh*sh in
    let zl = fma(sh, sh, -zh) + 2.0*sh*sl in
    let v = zh*poly7(zh, 0.11989004892016752, 0.11674819542198189, 0.13336317365929265, 0.15384556872430685, 0.18181818870293009, 0.22222222217536644, 0.28571428571445112, 0.3999999999999998) in
    let th = 0.66666666666666663 + v in
    let tl = (0.66666666666666663 - th) + v + 3.7007434154171885e-17 in
    let uh = zh*th in
    let ul = fma(zh, th, -uh) + fma(zh, tl, zl*th) in
    let vh = 2.0 + uh in
    let vl = (2.0 - vh) + uh + ul in
    let lh = sh*vh in
    let ll = fma(sh, vh, -lh) + fma(sh, vl, sl*vh) in
    let wh = n*0.69314718055989033 in           # exact: 42 bits of ln2
    let ah = wh + lh in
    let al = ((wh - ah) + lh) + fma(n, 5.4979230187083712e-14, ll) in
    # |log a| is 0 or above 2^-54: a y beyond 2^66 has overflowed long before.
    let c = select(y > 7.3786976294838206e19, 7.3786976294838206e19, select(y < -7.3786976294838206e19, -7.3786976294838206e19, y)) in
    let ph = c*ah in
    let beyond = abs(ph) > 800.0 in
    let p = select(beyond, select(ph > 0.0, 800.0, -800.0), ph) in
    let pl = select(beyond, 0.0, fma(c, ah, -ph) + c*al) in
    let t = whole_f64(p) in
    let w = t - 6755399441055744.0 in
    let r = fma(w, -0.69314718055994529, p) + fma(w, -2.3190468138462996e-17, pl) in
    scaled_f64(exp_rest_f64(r), t)
)
def pow_f64(x, y) = (
    let a = abs(x) in
    let whole = floor(y) == y in
    let half = y*0.5 in
    let odd = whole and floor(half) != half in
    let ends = a == 0.0 or a == inf in
    let m = select(ends, select((a == 0.0) == (y < 0.0), inf, 0.0), select(a == 1.0, 1.0, power_f64(a, y))) in
    let signed = select(odd and bits(x) >= 0x8000000000000000u64, -m, m) in
    let defined = x == x and y == y and (whole or not (x < 0.0) or ends) in
    select(x == 1.0 or y == 0.0, 1.0, select(defined, signed, nan))
)

def rsqrt_f64(x) = 1.0/sqrt(x)
)prelude";

} // namespace loopscope
