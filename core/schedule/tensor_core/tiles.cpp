#include "core/schedule/tensor_core/tiles.h"

#include "core/base/integer_division.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

constexpr std::int64_t kVectorBytes = 16; // the widest access of one thread
constexpr std::int64_t kMaxAlong = 128;   // elements of a block along rows, and along columns
constexpr std::int64_t kMaxWarps = 4;     // of a block: one for each part of a multiprocessor
constexpr std::int64_t kMaxSeconds = 8;   // copies of code, one for each
constexpr std::int64_t kMaxWindow = 8;    // likewise
constexpr std::int64_t kMaxSteps = 3;     // instructions along the terms in a block of operands
// of the terms in shared memory: whole sectors of 32 bytes
constexpr std::int64_t kBlockRowBytes = 64;
// as in the example of ALCOP, Fig. 7; there, too, 2 of parts in registers
constexpr std::int64_t kMaxCopies = 3;
constexpr std::int64_t kMaxPlainCopies = 2;  // one is loaded while another is used
constexpr std::int64_t kOtherRegisters = 60; // of a thread, for addresses and counters

// What a multiprocessor does in a clock. Where the device does not say, an A100's (whitepaper: 1024
// multiply-adds of f16, 5120 bytes from the second-level cache for 108 of them): only the ratios
// decide.
struct Rates {
    double multiply_adds = 1024, l2_bytes = 47, shared_bytes = 128;
};

Rates rates_of(const device::Gpu& gpu, const MatrixProduct& product) {
    Rates out;
    if (gpu.shared_bytes_per_clock)
        out.shared_bytes = gpu.shared_bytes_per_clock->value;
    const auto clock = gpu.boost_clock_hertz ? gpu.boost_clock_hertz : gpu.base_clock_hertz;
    if (!clock)
        return out;
    const auto clocks = clock->value * gpu.multiprocessors;
    const auto& name = product.intrinsic->name;
    const auto operand = name.substr(name.rfind('_') + 1);
    const auto peak = gpu.tensor_flops_per_second.find(operand == "s8" ? "i8" : operand);
    if (peak != gpu.tensor_flops_per_second.end())
        out.multiply_adds = peak->second.value / 2 / clocks;
    if (gpu.l2_bytes_per_second)
        out.l2_bytes = gpu.l2_bytes_per_second->value / clocks;
    return out;
}

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

class Chooser {
public:
    Chooser(const MatrixProduct& product, const device::Gpu& gpu)
        : product_(product), gpu_(gpu), rates_(rates_of(gpu, product)) {
        const auto all = product_.sum_extent() / product_.terms;
        // Rows of 64 bytes, or what comes near them and leaves nothing over.
        const auto wanted = std::max<std::int64_t>(
            1, kBlockRowBytes / (product_.terms * bytes(product_.left.type)));
        steps_ = 1;
        for (auto steps = std::min(wanted, all); steps <= std::min(kMaxSteps, all); ++steps)
            if (all % steps == 0) {
                steps_ = steps;
                break;
            }
    }

    std::optional<ProductTiles> run() {
        for (const auto& window : windows())
            for (const auto& second : seconds())
                for (auto rows : sizes(product_.row, product_.rows))
                    for (auto columns : sizes(product_.column, product_.columns))
                        try_tile(window, second, rows, columns);
        if (best_)
            bind(*best_);
        return best_;
    }

private:
    // Possible sizes of a block along an axis: the instruction's extent, doubled as long as
    // elements suffice; a small axis whole.
    std::vector<std::int64_t> sizes(std::size_t axis, std::int64_t instruction) const {
        const auto extent = product_.axes[axis].extent;
        std::vector<std::int64_t> out;
        for (auto size = instruction; size <= std::min(kMaxAlong, extent); size *= 2)
            out.push_back(size);
        if (extent <= kMaxAlong && extent % instruction == 0 && out.back() != extent)
            out.push_back(extent);
        return out;
    }

    // Another axis of rows, in an index of its own: a warp may compute several of its values, with
    // one load of the right operand. Where the rows alone fill a tile there is no need.
    std::vector<std::pair<std::optional<std::size_t>, std::int64_t>> seconds() const {
        std::vector<std::pair<std::optional<std::size_t>, std::int64_t>> out{{std::nullopt, 1}};
        if (product_.axes[product_.row].extent > kMaxAlong / 2)
            return out;
        for (std::size_t a = 0; a < product_.axes.size(); ++a) {
            const auto& axis = product_.axes[a];
            if (a == product_.row || axis.summed || !axis.in_left || axis.in_right ||
                between_rows(a))
                continue;
            for (auto n = std::min(kMaxSeconds, axis.extent); n > 1; --n)
                if (axis.extent % n == 0)
                    out.emplace_back(a, n);
        }
        return out;
    }

    // An axis of the sum that moves the left operand along an index with rows: what its values need
    // overlaps.
    std::vector<std::optional<std::size_t>> windows() const {
        std::vector<std::optional<std::size_t>> out{std::nullopt};
        for (std::size_t a = 0; a < product_.axes.size(); ++a) {
            const auto& axis = product_.axes[a];
            if (axis.summed && a != product_.term && axis.extent > 1 && axis.extent <= kMaxWindow &&
                axis.in_left && !between_rows(a))
                out.emplace_back(a);
        }
        return out;
    }

    // Would whole matrices begin within rows, where they cannot be taken from?
    bool between_rows(std::size_t axis) const {
        return product_.opaque() && product_.left.indices.back().a[axis] != 0;
    }

    // Does the window overlap: is one index of the left operand moved by it and by an axis of which
    // the tile has several values?
    bool overlaps(const ProductTiles& tiles) const {
        return std::any_of(
            product_.left.indices.begin(), product_.left.indices.end(), [&](const auto& form) {
                return form.a[*tiles.window] != 0 &&
                       (form.a[product_.row] != 0 || (tiles.second && form.a[*tiles.second] != 0));
            });
    }

    void try_tile(const std::optional<std::size_t>& window,
                  const std::pair<std::optional<std::size_t>, std::int64_t>& second,
                  std::int64_t rows, std::int64_t columns) {
        ProductTiles tiles;
        tiles.rows = rows;
        tiles.columns = columns;
        tiles.second = second.first;
        tiles.seconds = second.second;
        tiles.window = window;
        tiles.steps = steps_;
        if ((window && !overlaps(tiles)) || !divide_among_warps(tiles) || !fits(tiles))
            return;
        if (const auto clocks = this->clocks(tiles); !best_ || clocks < clocks_) {
            best_ = tiles;
            clocks_ = clocks;
        }
    }

    // As many warps as there are parts of a multiprocessor, where the tile has an instruction for
    // each; of these ways that in which they read least.
    bool divide_among_warps(ProductTiles& tiles) const {
        const auto row_tiles = tiles.rows / product_.rows,
                   column_tiles = tiles.columns / product_.columns;
        auto found = std::numeric_limits<std::int64_t>::max();
        for (auto warps = kMaxWarps; warps > 0; warps /= 2) {
            for (std::int64_t across = 1; across <= warps; across *= 2) {
                const auto down = warps / across;
                if (row_tiles % down != 0 || column_tiles % across != 0)
                    continue;
                const auto reads = tiles.rows / down * tiles.seconds + tiles.columns / across;
                if (reads >= found)
                    continue;
                found = reads;
                tiles.warp_rows = down;
                tiles.warp_columns = across;
            }
            if (found < std::numeric_limits<std::int64_t>::max())
                return true;
        }
        return false;
    }

    // Do sums and parts of operands fit registers, and blocks of operands shared memory? Sets as
    // many slots as fit and are of use.
    bool fits(ProductTiles& tiles) const {
        const auto lanes = product_.intrinsic->lanes;
        const auto left = tiles.rows / tiles.warp_rows * tiles.seconds,
                   right = tiles.columns / tiles.warp_columns;
        // Some elements several lanes may hold.
        const auto words = [&](std::int64_t elements, const IntrinsicOperand& of) {
            return ceil_div(elements * bytes(of.type), 4 * lanes) * of.registers * lanes /
                   product_of(of.extents);
        };
        const auto& operands = product_.intrinsic->operands;
        const auto sums = words(left * right, product_.intrinsic->result);
        const auto parts =
            words(left * product_.terms, operands[0]) + words(right * product_.terms, operands[1]);
        const auto room = gpu_.limits.registers_per_thread - kOtherRegisters;
        if (sums + parts > room)
            return false;
        // Parts rotate where one loop alone runs over the steps of a block.
        tiles.part_copies = tiles.steps > 1 && !tiles.window && sums + 2 * parts <= room ? 2 : 1;
        const auto block = shared_bytes(tiles, product_.left) + shared_bytes(tiles, product_.right);
        const auto most = gpu_.has("asynchronous_copy") ? kMaxCopies : kMaxPlainCopies;
        tiles.copies =
            std::min(most, (gpu_.limits.shared_bytes_per_block - result_bytes(tiles)) / block);
        if (iterations(tiles) < static_cast<double>(tiles.copies))
            tiles.copies = static_cast<std::int64_t>(iterations(tiles));
        return tiles.copies > 0;
    }

    std::int64_t shared_bytes(const ProductTiles& tiles, const ProductOperand& operand) const {
        auto extents = block_extents(product_, tiles, operand);
        extents.back() += operand_padding(product_, tiles, operand);
        return product_of(extents) * bytes(operand.type);
    }

    std::int64_t result_bytes(const ProductTiles& tiles) const {
        if (!product_.staged)
            return 0;
        const bool along_rows = product_.column > product_.row;
        const auto last = along_rows ? tiles.columns : tiles.rows,
                   others = (along_rows ? tiles.rows : tiles.columns) * tiles.seconds;
        return others * (last + result_padding(product_)) * bytes(product_.intrinsic->result.type);
    }

    // Over blocks of operands.
    double iterations(const ProductTiles& tiles) const {
        auto out = static_cast<double>(product_.sum_extent() / (product_.terms * tiles.steps));
        for (std::size_t a = 0; a < product_.axes.size(); ++a)
            if (product_.axes[a].summed && a != product_.term && tiles.window != a)
                out *= static_cast<double>(product_.axes[a].extent);
        return out;
    }

    struct Blocks {
        double columns = 1, rows = 1, batches = 1;
    };

    Blocks blocks(const ProductTiles& tiles) const {
        Blocks out;
        for (std::size_t a = 0; a < product_.axes.size(); ++a) {
            const auto& axis = product_.axes[a];
            if (axis.summed)
                continue;
            const auto along = a == product_.row      ? tiles.rows
                               : a == product_.column ? tiles.columns
                               : tiles.second == a    ? tiles.seconds
                                                      : 1;
            (a == product_.column                                    ? out.columns
             : a == product_.row || (axis.in_left && !axis.in_right) ? out.rows
                                                                     : out.batches) *=
                static_cast<double>(ceil_div(axis.extent, along));
        }
        return out;
    }

    // A grid is widest along its first dimension.
    void bind(ProductTiles& tiles) const {
        const auto count = blocks(tiles);
        const auto& most = gpu_.limits.grid_extents;
        const bool rows_first =
            count.rows > static_cast<double>(most[1]) && count.rows > count.columns;
        if (rows_first)
            std::swap(tiles.row_level, tiles.column_level);
        if (count.batches > static_cast<double>(most[2]))
            std::swap(tiles.batch_level, rows_first ? tiles.row_level : tiles.column_level);
    }

    // Clocks of the busiest multiprocessor: its multiply-adds, what its blocks load from the
    // second-level cache, and what their warps load from shared memory.
    double clocks(const ProductTiles& tiles) const {
        const std::int64_t window = tiles.window ? product_.axes[*tiles.window].extent : 1;
        const auto all = blocks(tiles);
        const auto here = std::ceil(all.columns * all.rows * all.batches / gpu_.multiprocessors);
        const auto warps = tiles.warp_rows * tiles.warp_columns;
        const auto iterations = this->iterations(tiles) * here;
        const auto elements = [&](const ProductOperand& operand) {
            return static_cast<double>(product_of(block_extents(product_, tiles, operand)) *
                                       bytes(operand.type));
        };
        const auto terms = static_cast<double>(product_.terms * tiles.steps * window);
        const auto rows = static_cast<double>(tiles.rows * tiles.seconds),
                   columns = static_cast<double>(tiles.columns);
        const auto reads = (rows * static_cast<double>(tiles.warp_columns) +
                            columns * static_cast<double>(tiles.warp_rows)) *
                           terms * bytes(product_.left.type);
        const auto parts =
            static_cast<double>(kMaxWarps) /
            std::min(static_cast<double>(kMaxWarps), static_cast<double>(warps) * here);
        return iterations *
               (rows * columns * terms * parts / rates_.multiply_adds +
                (elements(product_.left) + elements(product_.right)) / rates_.l2_bytes +
                reads / rates_.shared_bytes);
    }

    const MatrixProduct& product_;
    const device::Gpu& gpu_;
    Rates rates_;
    std::int64_t steps_ = 1;
    std::optional<ProductTiles> best_;
    double clocks_ = 0;
};

} // namespace

std::int64_t vector_elements(ScalarType type) { return kVectorBytes / bytes(type); }

std::int64_t operand_padding(const MatrixProduct& product, const ProductTiles& tiles,
                             const ProductOperand& operand) {
    if (!product.opaque())
        return vector_elements(operand.type);
    // Rows begin at multiples of what a lane holds; not all of them in the same banks.
    const auto unit = product.intrinsic->operands.front().registers;
    const auto over = block_extents(product, tiles, operand).back() % unit;
    return over == 0 ? unit : unit - over;
}

std::int64_t result_padding(const MatrixProduct& product) {
    return product.intrinsic->result.registers;
}

std::vector<std::int64_t> block_extents(const MatrixProduct& product, const ProductTiles& tiles,
                                        const ProductOperand& operand) {
    std::vector<std::int64_t> out;
    for (const auto& form : operand.indices) {
        std::int64_t extent = 1;
        for (std::size_t a = 0; a < form.a.size(); ++a) {
            const auto values = a == product.row      ? tiles.rows
                                : a == product.column ? tiles.columns
                                : a == product.term   ? product.terms * tiles.steps
                                : tiles.second == a   ? tiles.seconds
                                : tiles.window == a   ? product.axes[a].extent
                                                      : 1;
            extent += std::abs(form.a[a]) * (values - 1);
        }
        out.push_back(extent);
    }
    return out;
}

Result<ProductTiles> choose_tiles(const MatrixProduct& product, const device::Gpu& gpu,
                                  const std::string& gpu_name) {
    if (auto found = Chooser(product, gpu).run())
        return *found;
    return error("no block of the operands of " + product.of.text() + " fits what " + gpu_name +
                     " has for a block: " + std::to_string(gpu.limits.shared_bytes_per_block) +
                     " bytes of shared memory",
                 "another target, or " + product.of.text() +
                     ".tensorize(…) with operands that stay where they are");
}

} // namespace loopscope
