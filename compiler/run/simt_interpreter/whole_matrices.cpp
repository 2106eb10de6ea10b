// Instructions on fragments of which nobody knows which thread holds which element (PTX: wmma.load,
// wmma.mma, wmma.store):
//
//     wmma_load_a_row_m16n16k16_f16       d, first, second       also b, c, col
//     wmma_m16n16k16_f16_row_col          d, a, b, c             d = a*b + c
//     wmma_store_d_row_m16n16k16_f32      first, second, d
//
// first and second: where the matrix's first row begins in memory, and its second one; of columns
// likewise. Threads name the same elements. Here fragments have a layout as no device has it,
// another one for each kind of fragment, and for factors by rows and by columns: a program that
// relies on any layout, or takes a fragment for one of another kind, gets numbers that are wrong.
// Sums are taken as those of other instructions are (matrix_instructions.cpp).
//
// How a device loads such rows from shared memory is not documented. Counted is what ldmatrix would
// do: 8 rows of 16 bytes at a time.
#include "compiler/run/simt_interpreter/counters.h"
#include "compiler/run/simt_interpreter/intrinsics.h"

#include <algorithm>

namespace loopscope::simt_interpreter {

namespace {

using loop_interpreter::get;
using loop_interpreter::put;

constexpr std::uint32_t kSide = 16; // m, n and k
constexpr std::uint32_t kElements = kSide * kSide;

enum class Fragment : std::uint8_t { ARows, AColumns, BRows, BColumns, Sums };

template <ScalarType Type> struct Number;
template <> struct Number<ScalarType::F16> {
    static constexpr std::uint32_t held = 16; // by a thread: each element is in two
    static constexpr const char* name = "f16";
    static double value(Cell c) { return loop_interpreter::Half::value(c); }
};
template <> struct Number<ScalarType::F32> {
    static constexpr std::uint32_t held = 8;
    static constexpr const char* name = "f32";
};

// The number of a thread's r-th element in the matrix, by rows. Each element is held somewhere:
// factors are odd.
template <Fragment Of> std::uint32_t element_of(std::uint32_t thread, std::uint32_t r,
                                                std::uint32_t held) {
    constexpr std::uint32_t factors[] = {37, 91, 151, 211, 113}, first[] = {5, 58, 119, 180, 233};
    constexpr auto of = static_cast<std::size_t>(Of);
    return ((thread * held + r) * factors[of] + first[of]) % kElements;
}

// The lines of a matrix in memory.
struct Lines {
    std::int64_t first = 0, step = 0; // elements
    bool good = false;
};

Lines lines_of(IntrinsicRun& run, std::size_t operand, std::int64_t aligned) {
    constexpr auto kOutside = SimtFinding::Kind::OutOfBounds;
    Lines out;
    const auto begin = run.places(operand, run.on()), next = run.places(operand + 1, run.on());
    // reported
    if (begin.on != run.on() || next.on != run.on() || begin.on == 0)
        return out;
    const auto t = static_cast<std::uint32_t>(std::countr_zero(begin.on));
    out.first = begin.element[t];
    out.step = next.element[t] - out.first;
    out.good = true;
    const auto wrong = [&](std::uint32_t thread, const std::string& what) {
        run.report(kOutside, operand, begin.element[thread], thread, what);
        out.good = false;
    };
    for_threads(begin.on, [&](std::uint32_t other) {
        if (out.good && (begin.element[other] != out.first ||
                         next.element[other] - begin.element[other] != out.step))
            wrong(other, "is not what other threads of the warp name");
    });
    const auto size = static_cast<std::int64_t>(bytes(run.type(operand)));
    if (out.good && (out.first * size % aligned != 0 || out.step * size % aligned != 0))
        wrong(t, "does not begin rows at multiples of " + std::to_string(aligned) + " bytes");
    const auto last = out.first + (kSide - 1) * out.step;
    if (out.good &&
        (std::min(out.first, last) < 0 || std::max(out.first, last) + kSide > run.count(operand)))
        wrong(t, "has no matrix of 16 rows from there on");
    return out;
}

void count_lines(IntrinsicRun& run, std::size_t operand, const Lines& lines, bool writes) {
    const auto size = static_cast<std::int64_t>(bytes(run.type(operand)));
    const auto row = kSide * size; // bytes
    auto& counts = run.counts();
    if (run.in_global(operand)) {
        const auto all = static_cast<std::uint64_t>(kSide * row);
        ++(writes ? counts.global_stores : counts.global_loads);
        (writes ? counts.global_store_sectors : counts.global_load_sectors) += all / kSectorBytes;
        (writes ? counts.global_store_bytes : counts.global_load_bytes) += all;
        return;
    }
    constexpr std::uint32_t kRows = 8;
    ++counts.shared_accesses;
    for (std::int64_t column = 0; column < row; column += kWidestAccess)
        for (std::uint32_t begin = 0; begin < kSide; begin += kRows) {
            std::array<std::int64_t, kWarp> at{};
            for (std::uint32_t r = 0; r < kRows; ++r)
                at[r] = (lines.first + (begin + r) * lines.step) * size + column;
            const auto passes = shared_passes(at, (Mask{1} << kRows) - 1, kWidestAccess);
            counts.shared_passes += passes.needed;
            counts.shared_passes_least += passes.least;
        }
    counts.shared_bytes += static_cast<std::uint64_t>(kSide * row);
}

// Where the r-th elements of all threads are.
template <Fragment Of>
Places places_of(const Lines& lines, bool columns, std::uint32_t r, std::uint32_t held, Mask on) {
    Places out;
    out.on = on;
    for_threads(on, [&](std::uint32_t t) {
        const auto n = element_of<Of>(t, r, held);
        const auto row = n / kSide, column = n % kSide;
        out.element[t] =
            lines.first + (columns ? column : row) * lines.step + (columns ? row : column);
    });
    return out;
}

template <Fragment Of, ScalarType Type, bool Columns> void load(IntrinsicRun& run) {
    constexpr auto held = Number<Type>::held;
    const auto lines = lines_of(run, 1, held * bytes(Type));
    if (!lines.good)
        return;
    count_lines(run, 1, lines, false);
    // By the next thread for each: which one loads is not known either, and what a thread has
    // stored may be another's to load.
    for (std::uint32_t r = 0; r < held; ++r) {
        auto places = places_of<Of>(lines, Columns, r, held, run.on());
        std::rotate(places.element.begin(), places.element.end() - 1, places.element.end());
        auto values = run.read_at(1, places);
        std::rotate(values.begin(), values.begin() + 1, values.end());
        run.write(0, values, r);
    }
}

template <ScalarType Type, bool Columns> void store(IntrinsicRun& run) {
    constexpr auto held = Number<Type>::held;
    const auto lines = lines_of(run, 0, held * bytes(Type));
    if (!lines.good)
        return;
    count_lines(run, 0, lines, true);
    for (std::uint32_t r = 0; r < held; ++r)
        run.write_at(0, places_of<Fragment::Sums>(lines, Columns, r, held, run.on()),
                     run.read(2, r));
}

template <Fragment Of, ScalarType Type>
std::array<double, kElements> collected_whole(IntrinsicRun& run, std::size_t operand) {
    std::array<double, kElements> out{};
    for (std::uint32_t r = 0; r < Number<Type>::held; ++r) {
        const auto values = run.read(operand, r);
        for (std::uint32_t t = 0; t < kWarp; ++t)
            out[element_of<Of>(t, r, Number<Type>::held)] = Number<Type>::value(values[t]);
    }
    return out;
}

template <Fragment Left, Fragment Right, ScalarType Type> void multiply_whole(IntrinsicRun& run) {
    constexpr auto held = Number<ScalarType::F32>::held;
    const auto a = collected_whole<Left, Type>(run, 1), b = collected_whole<Right, Type>(run, 2);
    std::array<Lanes, held> sums;
    for (std::uint32_t r = 0; r < held; ++r) {
        sums[r] = run.read(3, r);
        for (std::uint32_t t = 0; t < kWarp; ++t) {
            const auto n = element_of<Fragment::Sums>(t, r, held);
            auto sum = static_cast<double>(get<float>(sums[r][t]));
            for (std::uint32_t k = 0; k < kSide; ++k)
                sum += a[n / kSide * kSide + k] * b[k * kSide + n % kSide];
            sums[r][t] = put(static_cast<float>(sum));
        }
    }
    for (std::uint32_t r = 0; r < held; ++r)
        run.write(0, sums[r], r);
    run.counts().tensor_flops += 2ull * kElements * kSide;
}

class Entries {
public:
    template <ScalarType Type> void shape() {
        const std::string type = Number<Type>::name;
        move("load_a_row", Type, true, load<Fragment::ARows, Type, false>);
        move("load_a_col", Type, true, load<Fragment::AColumns, Type, true>);
        move("load_b_row", Type, true, load<Fragment::BRows, Type, false>);
        move("load_b_col", Type, true, load<Fragment::BColumns, Type, true>);
        product(type + "_row_row", Type, multiply_whole<Fragment::ARows, Fragment::BRows, Type>);
        product(type + "_row_col", Type, multiply_whole<Fragment::ARows, Fragment::BColumns, Type>);
        product(type + "_col_row", Type, multiply_whole<Fragment::AColumns, Fragment::BRows, Type>);
        product(type + "_col_col", Type,
                multiply_whole<Fragment::AColumns, Fragment::BColumns, Type>);
    }
    template <ScalarType Type> void sums() {
        move("load_c_row", Type, true, load<Fragment::Sums, Type, false>);
        move("load_c_col", Type, true, load<Fragment::Sums, Type, true>);
        move("store_d_row", Type, false, store<Type, false>);
        move("store_d_col", Type, false, store<Type, true>);
    }
    std::vector<IntrinsicEntry> all;

private:
    using Run = void (*)(IntrinsicRun&);

    void move(const std::string& what, ScalarType type, bool loads, Run run) {
        const OperandRule registers{Space::Private, {type}}, memory{Space::Shared, {type}, true};
        all.push_back({"wmma_" + what + "_m16n16k16_" + name(type),
                       loads ? std::vector{registers, memory, memory}
                             : std::vector{memory, memory, registers},
                       false, true, run});
    }
    void product(const std::string& types, ScalarType factor, Run run) {
        const OperandRule sum{Space::Private, {ScalarType::F32}}, of{Space::Private, {factor}};
        all.push_back({"wmma_m16n16k16_" + types, {sum, of, of, sum}, false, true, run});
    }
};

} // namespace

std::vector<IntrinsicEntry> whole_matrices() {
    Entries entries;
    entries.shape<ScalarType::F16>();
    entries.sums<ScalarType::F32>();
    return std::move(entries.all);
}

} // namespace loopscope::simt_interpreter
