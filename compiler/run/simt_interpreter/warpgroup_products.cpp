// Matrix instructions of a warpgroup (PTX: wgmma.mma_async.sync.aligned.m64nNkK): d = a*b + c;
// operands d, a, b, c, of which a and b are matrices in shared memory, and d and c registers of 128
// lanes: 64 x N, of which a warp has 16 rows. Each warp computes its own.
//
// They run beside the warps. Their sums reach the registers at wgmma_end_N; until then those hold
// nothing, and reading them is found. Shared memory is read at once; slots of pipelines that a warp
// releases while products of its own may still read them are found (turns.cpp). Sums are taken as
// those of a warp's instructions are (matrix_instructions.cpp).
#include "compiler/run/simt_interpreter/intrinsics.h"

#include <cmath>

namespace loopscope::simt_interpreter {

namespace {

using loop_interpreter::get;
using loop_interpreter::put;

constexpr std::int64_t kGroupRows = 16; // of a warp
constexpr std::int64_t kWarps = 4;      // of a group
constexpr std::int64_t kChunk = 16;     // bytes, of those that change places
constexpr std::int64_t kLine = 128;     // bytes of all banks
constexpr std::int64_t kMinColumns = 8, kMaxColumns = 256;

struct GroupF16 {
    static constexpr ScalarType type = ScalarType::F16;
    static constexpr std::int64_t depth = 16;
    static double value(Cell c) { return loop_interpreter::Half::value(c); }
};
struct GroupBF16 {
    static constexpr ScalarType type = ScalarType::BF16;
    static constexpr std::int64_t depth = 16;
    static double value(Cell c) { return loop_interpreter::BrainHalf::value(c); }
};

// Elements of a matrix in shared memory, by the numbers that its two axes have there.
template <typename Of> class Reader {
public:
    Reader(IntrinsicRun& run, std::size_t operand)
        : run_(run),
          operand_(operand),
          matrix_(run.matrix(operand)),
          size_(static_cast<std::int64_t>(bytes(Of::type))) {
        const auto first = run.places(operand, run.on());
        good_ = first.on != 0;
        if (!good_)
            return;
        const auto t = static_cast<std::uint32_t>(std::countr_zero(first.on));
        first_ = first.element[t] * size_;
        // A descriptor holds the address of a chunk in a first row of a pattern.
        if (first_ % kChunk != 0 || first_ / matrix_.row_bytes % SharedMatrix::kUnit != 0) {
            run.report(SimtFinding::Kind::OutOfBounds, operand, first.element[t], t,
                       "does not begin in the first of eight rows, at a multiple of 16 bytes");
            good_ = false;
        }
    }
    bool good() const { return good_; }

    // Elements (x, y) of the operand's axes for x in [from, from + height), y in [0, depth).
    std::vector<double> values(std::int64_t from, std::int64_t height, std::int64_t width) {
        std::vector<double> out(static_cast<std::size_t>(height * width));
        for (std::int64_t begin = 0; begin < height * width; begin += kWarp) {
            Places places;
            for (std::uint32_t t = 0; t < kWarp && begin + t < height * width; ++t) {
                const auto n = begin + t;
                places.element[t] = element(from + n / width, n % width);
                if (places.element[t] < run_.count(operand_))
                    places.on |= Mask{1} << t;
                else
                    run_.report(SimtFinding::Kind::OutOfBounds, operand_, places.element[t], t,
                                "is behind the end");
            }
            const auto cells = run_.read_at(operand_, places);
            run_.read_later(operand_, places);
            for_threads(places.on, [&](std::uint32_t t) {
                out[static_cast<std::size_t>(begin + t)] = Of::value(cells[t]);
            });
        }
        return out;
    }

private:
    std::int64_t element(std::int64_t x, std::int64_t y) const {
        const auto [row, column] = matrix_.along == 1 ? std::pair(x, y) : std::pair(y, x);
        const auto at = first_ + matrix_.place(row, column, size_);
        const auto chunks = matrix_.row_bytes / kChunk;
        return (at ^ (at / kLine % chunks * kChunk)) / size_;
    }

    IntrinsicRun& run_;
    std::size_t operand_;
    const SharedMatrix& matrix_;
    std::int64_t size_, first_ = 0;
    bool good_ = false;
};

// The row of the r-th register of a lane: PTX ISA, "Register Fragment for D" of wgmma.
std::int64_t row_of(std::uint32_t lane, std::int64_t r) { return lane / 4 + r / 2 % 2 * 8; }
std::int64_t column_of(std::uint32_t lane, std::int64_t r) {
    return lane % 4 * 2 + r % 2 + r / 4 * 8;
}

template <typename Of> void multiply_group(IntrinsicRun& run) {
    Reader<Of> left(run, 1), right(run, 2);
    if (!left.good() || !right.good())
        return;
    const auto& b = run.matrix(2);
    const auto columns = b.along == 1 ? b.columns : b.rows;
    const auto k = Of::depth;
    const auto rows = left.values(run.warp_of_group() * kGroupRows, kGroupRows, k);
    const auto all = right.values(0, k, columns);
    const auto registers = columns / 2;
    const auto* before = run.held(3);
    std::vector<Lanes> sums;
    for (std::int64_t r = 0; r < registers; ++r) {
        auto lanes = before ? before->sums[static_cast<std::size_t>(r)] : run.read(3, r);
        for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
            const auto i = row_of(lane, r), j = column_of(lane, r);
            auto sum = static_cast<double>(get<float>(lanes[lane]));
            for (std::int64_t n = 0; n < k; ++n)
                sum += rows[static_cast<std::size_t>(i * k + n)] *
                       all[static_cast<std::size_t>(n * columns + j)];
            lanes[lane] = put(static_cast<float>(sum));
        }
        sums.push_back(lanes);
    }
    run.hold(0, std::move(sums));
    auto& counts = run.counts();
    counts.tensor_flops += static_cast<std::uint64_t>(2 * kGroupRows * columns * k);
    // The group reads the right factor once.
    const auto size = static_cast<std::int64_t>(bytes(Of::type));
    const auto read = static_cast<std::uint64_t>((kGroupRows + columns / kWarps) * k * size);
    ++counts.shared_accesses;
    counts.shared_passes += read / kLine;
    counts.shared_passes_least += read / kLine;
    counts.shared_bytes += read;
}

void begin(IntrinsicRun&) {}

void leave(IntrinsicRun& run) { run.await_before(); }

void end(IntrinsicRun& run) {
    for (std::size_t o = 0; o < run.operands(); ++o)
        run.deliver(o);
    run.await_all();
}

template <typename Of> void add_products(std::vector<IntrinsicEntry>& to, const char* type) {
    OperandRule sum{Space::Private, {ScalarType::F32}}, factor{Space::Shared, {Of::type}};
    for (auto n = kMinColumns; n <= kMaxColumns; n += kMinColumns)
        to.push_back(
            {"wgmma_m64n" + std::to_string(n) + "k" + std::to_string(Of::depth) + "_" + type,
             {sum, factor, factor, sum},
             false,
             true,
             multiply_group<Of>});
}

} // namespace

std::vector<IntrinsicEntry> warpgroup_products() {
    std::vector<IntrinsicEntry> all;
    add_products<GroupF16>(all, "f16");
    add_products<GroupBF16>(all, "bf16");
    const OperandRule sum{Space::Private, {ScalarType::F32, ScalarType::I32}};
    all.push_back({"wgmma_begin_#", {sum}, false, true, begin, true});
    all.push_back({"wgmma_leave_#", {sum}, false, true, leave, true});
    all.push_back({"wgmma_end_#", {sum}, false, true, end, true});
    return all;
}

} // namespace loopscope::simt_interpreter
