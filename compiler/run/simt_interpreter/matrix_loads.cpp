// ldmatrix (PTX: ldmatrix.sync.aligned.m8n8.xN[.trans].shared.b16): loads N matrices of 8 rows of
// 16 bytes from shared memory. Operands: the first element of the registers, N of them, 4 bytes
// each; and an element of shared memory, which differs between threads: row r of matrix m begins at
// that of thread 8m + r, at a multiple of 16 bytes. Taken as 8x8 values of 16 bits, a matrix goes
// to the threads so:
//
//   thread 4r + c gets the values (r, 2c) and (r, 2c + 1)         as an mma's A and C hold theirs
//   trans: thread 4c + r gets the values (2r, c) and (2r + 1, c)  as an mma's B, of a matrix whose
//                                                                 rows are rows of memory
//
// Without trans, elements may also be of 8 or 32 bits: a thread gets the same 4 bytes of the row.
#include "compiler/run/simt_interpreter/counters.h"
#include "compiler/run/simt_interpreter/intrinsics.h"

namespace loopscope::simt_interpreter {

namespace {

constexpr std::uint32_t kRows = 8, kRowBytes = 16, kRegisterBytes = 4;

// The rows that can be read, by thread; the others are reported.
Places good_rows(IntrinsicRun& run, std::uint32_t matrices, std::int64_t size) {
    constexpr auto kOutside = SimtFinding::Kind::OutOfBounds;
    auto rows = run.places(1, matrices == 4 ? ~Mask{0} : (Mask{1} << kRows * matrices) - 1);
    for_threads(rows.on, [&](std::uint32_t t) {
        auto element = rows.element[t];
        if (element * size % kRowBytes != 0)
            run.report(kOutside, 1, element, t, "does not begin at a multiple of 16 bytes");
        else if (element + kRowBytes / size > run.count(1))
            run.report(kOutside, 1, element, t, "has no row of 16 bytes from there on");
        else
            return;
        rows.on &= ~(Mask{1} << t);
    });
    return rows;
}

void count(IntrinsicRun& run, const Places& rows, std::uint32_t matrices, std::int64_t size) {
    std::array<std::int64_t, kWarp> at{};
    for_threads(rows.on, [&](std::uint32_t t) { at[t] = rows.element[t] * size; });
    auto passes = shared_passes(at, rows.on, kRowBytes);
    auto& counts = run.counts();
    ++counts.shared_accesses;
    counts.shared_passes += passes.needed;
    counts.shared_passes_least += passes.least;
    counts.shared_bytes += std::uint64_t{matrices} * kRows * kRowBytes;
}

template <std::uint32_t Matrices, bool Transposed> void load_matrices(IntrinsicRun& run) {
    const auto size = static_cast<std::int64_t>(bytes(run.type(1)));
    const auto in_register = static_cast<std::uint32_t>(kRegisterBytes / size);
    const auto rows = good_rows(run, Matrices, size);
    count(run, rows, Matrices, size);
    for (std::uint32_t m = 0; m < Matrices; ++m)
        for (std::uint32_t i = 0; i < in_register; ++i) {
            Places places;
            for (std::uint32_t t = 0; t < kWarp; ++t) {
                auto row = m * kRows + (Transposed ? 2 * (t % 4) + i : t / 4);
                auto column = Transposed ? t / 4 : t % 4 * in_register + i;
                if (!(rows.on >> row & 1) || !(run.on() >> t & 1))
                    continue;
                places.element[t] = rows.element[row] + column;
                places.on |= Mask{1} << t;
            }
            run.write(0, run.read_at(1, places), m * in_register + i);
        }
}

template <std::uint32_t Matrices> void add_entries(std::vector<IntrinsicEntry>& to) {
    const std::vector<ScalarType> halves = {ScalarType::F16, ScalarType::BF16, ScalarType::I16,
                                            ScalarType::U16};
    auto any = halves;
    any.insert(any.end(),
               {ScalarType::I8, ScalarType::U8, ScalarType::I32, ScalarType::U32, ScalarType::F32});
    auto name = "ldmatrix_x" + std::to_string(Matrices);
    to.push_back({name + "_b16",
                  {{Space::Private, any}, {Space::Shared, any}},
                  true,
                  true,
                  load_matrices<Matrices, false>});
    to.push_back({name + "_trans_b16",
                  {{Space::Private, halves}, {Space::Shared, halves}},
                  true,
                  true,
                  load_matrices<Matrices, true>});
}

} // namespace

std::vector<IntrinsicEntry> matrix_loads() {
    std::vector<IntrinsicEntry> all;
    add_entries<1>(all);
    add_entries<2>(all);
    add_entries<4>(all);
    return all;
}

} // namespace loopscope::simt_interpreter
