// Matrix instructions (PTX: mma.sync.aligned.row.col): d = a·b + c, on fragments in memory of
// threads; operands d, a, b, c, each from its first element on. d and c may be the same.
//
// PTX leaves the order of the sums inside of one instruction open, and how they round. Here they
// are taken in f64, where products of 16-bit floats and of tf32 are exact, and rounded once to f32.
// So results differ from hardware's in the last bits. Integers are exact, and wrap.
#include "compiler/run/simt_interpreter/intrinsics.h"
#include "compiler/run/simt_interpreter/matrix_fragments.h"

#include <cmath>

namespace loopscope::simt_interpreter {

namespace {

using loop_interpreter::get;
using loop_interpreter::put;

// How numbers of a and b are read, and how many of them a register holds. All have doubles that are
// exact.
struct OfF16 {
    static constexpr ScalarType type = ScalarType::F16, sum = ScalarType::F32;
    static constexpr std::uint32_t per_register = 2;
    static double value(Cell c) { return loop_interpreter::Half::value(c); }
};
struct OfBF16 {
    static constexpr ScalarType type = ScalarType::BF16, sum = ScalarType::F32;
    static constexpr std::uint32_t per_register = 2;
    static double value(Cell c) { return loop_interpreter::BrainHalf::value(c); }
};
// f32 in memory. The instruction reads the upper 19 bits, to which its operands are rounded before,
// to nearest, ties away from zero (cvt.rna.tf32.f32): resources/intrinsics/mma_m16n8k8_tf32.loop.
struct OfTF32 {
    static constexpr ScalarType type = ScalarType::F32, sum = ScalarType::F32;
    static constexpr std::uint32_t per_register = 1;
    static double value(Cell c) {
        const auto x = get<float>(c);
        return std::isnan(x) ? x : get<float>((c + 0x1000) & ~Cell{0x1fff});
    }
};
struct OfS8 {
    static constexpr ScalarType type = ScalarType::I8, sum = ScalarType::I32;
    static constexpr std::uint32_t per_register = 4;
    static double value(Cell c) { return get<std::int8_t>(c); }
};

template <typename Of> constexpr std::uint32_t kDepth = 8 * Of::per_register;

template <typename Of> struct Matrices {
    double a[kMatrixRows][kDepth<Of>];
    double b[kDepth<Of>][kMatrixColumns];
};

template <typename Of> Matrices<Of> collected(IntrinsicRun& run) {
    constexpr auto e = Of::per_register;
    Matrices<Of> m{};
    for (std::uint32_t i = 0; i < 4 * e; ++i) {
        auto values = run.read(1, i);
        for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
            auto at = place_in_a(lane, i, e);
            m.a[at.row][at.column] = Of::value(values[lane]);
        }
    }
    for (std::uint32_t i = 0; i < 2 * e; ++i) {
        auto values = run.read(2, i);
        for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
            auto at = place_in_b(lane, i, e);
            m.b[at.row][at.column] = Of::value(values[lane]);
        }
    }
    return m;
}

template <typename Of> Cell element(const Matrices<Of>& m, MatrixPlace at, Cell c) {
    constexpr bool floats = Of::sum == ScalarType::F32;
    double sum = floats ? static_cast<double>(get<float>(c)) : 0;
    for (std::uint32_t k = 0; k < kDepth<Of>; ++k)
        sum += m.a[at.row][k] * m.b[k][at.column];
    if constexpr (floats)
        return put(static_cast<float>(sum));
    else
        return put(loop_interpreter::add(get<std::int32_t>(c), static_cast<std::int32_t>(sum)));
}

template <typename Of> void multiply(IntrinsicRun& run) {
    const auto m = collected<Of>(run);
    std::array<Lanes, 4> sums;
    for (std::uint32_t i = 0; i < sums.size(); ++i) {
        sums[i] = run.read(3, i);
        for (std::uint32_t lane = 0; lane < kWarp; ++lane)
            sums[i][lane] = element(m, place_in_c(lane, i), sums[i][lane]);
    }
    for (std::uint32_t i = 0; i < sums.size(); ++i)
        run.write(0, sums[i], i);
    run.counts().tensor_flops += 2ull * kMatrixRows * kMatrixColumns * kDepth<Of>;
}

template <typename Of> IntrinsicEntry entry(const char* name) {
    OperandRule sum{Space::Private, {Of::sum}}, factor{Space::Private, {Of::type}};
    return {name, {sum, factor, factor, sum}, false, true, multiply<Of>};
}

} // namespace

std::vector<IntrinsicEntry> matrix_instructions() {
    return {entry<OfF16>("mma_m16n8k16_f16"), entry<OfBF16>("mma_m16n8k16_bf16"),
            entry<OfTF32>("mma_m16n8k8_tf32"), entry<OfS8>("mma_m16n8k32_s8")};
}

} // namespace loopscope::simt_interpreter
