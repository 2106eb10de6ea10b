#pragma once
// Programs whose results a language or a processor may well see otherwise: the order of zeros and
// NaNs, and index arithmetic that wraps. All targets give the reference's bits; the tests of each
// run these.

namespace loopscope::test {

// Zeros of both signs and NaNs, by the bits of the input. What comes of them is looked at in bits.
inline constexpr const char* kZeros = R"(pipeline zeros
input a[x]: u32[48]
stage z[x] = select(a[x] % 5 == 3, f32(nan), from_bits(f32, a[x] << 31))
stage least[x] = bits(min(z[x], z[x + 1]))
stage most[x] = bits(max(z[x], z[x + 1]))
stage held[x] = bits(clamp(z[x], z[x + 1], z[x + 2]))
stage passed[x] = bits(fmin(z[x], z[x + 1]))
stage above[x] = bits(fmax(z[x]*2.0, z[x + 1]/2.0, z[x + 2]))
stage equal[x] = z[x] < z[x + 1] or z[x] > z[x + 1]
stage lowest[x] = min[k in 0..4](z[x + k])
stage greatest[x] = max[k in 0..4](z[x + k])
stage ends[x] = bits(lowest[x]) ^ bits(greatest[x])*3
stage first[x] = argmin[k in 0..4](z[x + k])
stage last[x] = argmax[k in 0..4](z[x + k])
stage found[x] = bits(first[x].0)/2 + u32(first[x].1*4 + last[x].1) + bits(last[x].0)/4
stage kept[x] = z[x]
update kept[x] min= z[x + r] over r in 1..4
stage risen[x] = z[x]
update risen[x] max= z[x + r] over r in 1..4
stage updated[x] = bits(kept[x]) ^ bits(risen[x])*3
output least: [40]
output most: [40]
output held: [40]
output passed: [40]
output above: [40]
output equal: [40]
output ends: [40]
output found: [40]
output updated: [40]
)";

// Indices and conditions of which a part wraps, below what bounds it.
inline constexpr const char* kWraps = R"(pipeline wraps
input a[x]: i32[64]
stage held[x] = a[clamp(x*1500000000, 0, 63)]
stage rest[x] = a[(x*1073741827 + 12345) % 64]
stage ends[x] = a[min(max(x + 2147483630 - 3, 5), 60)]
stage mask[x] = a[(x*668265263 ^ x) & 63]
stage narrow[x] = a[i32(u8(x*1500000000))/4]
stage size[x] = a[abs(-(x*1500000000)) % 64]
stage named[x] = let t = x*1500000000 in a[clamp(t + 7, 0, 63)]
stage wide[x] = a[i32(clamp(i64(x)*4611686018427387904 + 3, 0, 63))]
stage terms[x] = sum[r in 0..16 where (r*1500000000 + x) % 7 > 2](a[r])
stage places[x] = 0
update places[(r*1500000000) % 40] += a[r] over r in 0..64
output held: [40]
output rest: [40]
output ends: [40]
output mask: [40]
output narrow: [40]
output size: [40]
output named: [40]
output wide: [40]
output terms: [40]
output places: [40]
)";

// Casts that stop at the ends of a type, of every kind of type to every kind.
inline constexpr const char* kSaturations = R"(pipeline saturations
input n[x]: i64[48]
input m[x]: u64[48]
input f[x]: f32[48]
stage w[x] = from_bits(f32, bits(f[x])*2654435769)
stage b[x] = saturate(u8, i32(n[x])) + u8(saturate(i8, m[x])) + saturate(u8, w[x])
stage h[x] = saturate(i16, n[x]) + saturate(i16, u16(n[x])) + saturate(i16, f64(w[x]))
stage l[x] = saturate(i64, m[x]) ^ saturate(i64, w[x])
stage u[x] = saturate(u64, n[x]) ^ saturate(u64, w[x]) ^ saturate(u64, i8(n[x]))
stage small[x] = bits(saturate(f16, w[x]))
stage brain[x] = bits(saturate(bf16, f64(w[x])*1e30))
stage whole[x] = bits(saturate(f16, i32(m[x]) >> i32(n[x] % 32)))
stage single[x] = bits(saturate(f32, f64(w[x])*f64(w[x])))
output b: [48]
output h: [48]
output l: [48]
output u: [48]
output small: [48]
output brain: [48]
output whole: [48]
output single: [48]
)";

} // namespace loopscope::test
