// Loads side by side whose lanes lie far apart, but which read neighbours in each lane, such as
// img[4096*x + y] for lanes x and unrolled y. Together they read a tile: a dense vector for each
// lane, its row, and a network of shuffles that makes columns of the rows, where each load alone
// would gather element by element.

#include "compiler/codegen/emit/wide_index.h"
#include "compiler/codegen/host/host_emitter.h"
#include "compiler/codegen/host/place.h"

#include <llvm/Analysis/VectorUtils.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;

namespace {

// strides up to it: few dense vectors hold all lanes (`window`)
constexpr std::int64_t kNearest = 4;
constexpr std::int64_t kLaneBits = 128; // in which shuffles of one instruction move elements

// A load of lanes far apart: what it shares with those that belong to its tile.
struct FarLoad {
    const Expr* load = nullptr;
    std::int64_t stride = 0;
    Place place;
};

std::optional<FarLoad> far_load(const Expr& e) {
    FarLoad out{&e, 0, {}};
    bool vector = is_load(e) && e.lanes > 1;
    if (!vector || e.args[0]->kind != ExprKind::Ramp ||
        !constant_value(e.args[0]->args[1], out.stride) || is_within(out.stride, kNearest) ||
        !is_within(out.stride, kFarthest))
        return std::nullopt;
    out.place = place_of(e.args[0]->args[0]);
    return out;
}

bool load_together(const FarLoad& a, const FarLoad& b) {
    auto mask = [](const Expr& e) {
        return e.kind == ExprKind::MaskedLoad ? e.args[1] : ExprPtr();
    };
    return a.load->name == b.load->name && a.load->lanes == b.load->lanes && a.stride == b.stride &&
           equal(a.place.rest, b.place.rest) && equal(mask(*a.load), mask(*b.load));
}

// Does a load give what is in one of these buffers, or what lies at a place, or under a mask, that
// depends on them?
bool depends_on(const Expr& load, const std::set<std::string>& buffers) {
    const auto is_one = [&](const Expr& e) { return is_load(e) && buffers.count(e.name) > 0; };
    return is_one(load) || std::any_of(load.args.begin(), load.args.end(),
                                       [&](const auto& e) { return any_node(e, is_one); });
}

// Loads with a name of their own inside are evaluated there alone.
std::vector<FarLoad> far_loads(const ExprPtr& value) {
    std::vector<FarLoad> out;
    visit(value, [&](const Expr& e) {
        if (auto load = far_load(e))
            out.push_back(std::move(*load));
        return e.kind != ExprKind::Let;
    });
    return out;
}

} // namespace

// How many columns of so many lanes are made at once: while rows are turned into columns, all are
// in registers.
std::int64_t HostEmitter::widest_tile(ScalarType type, int lanes) const {
    const std::int64_t size = 8 * bytes(type), registers = vector_bits_ >= 512 ? 16 : 8;
    const auto each = std::max<std::int64_t>(1, (lanes * size + vector_bits_ - 1) / vector_bits_);
    const auto most = std::min<std::int64_t>(
        {vector_bits_ / size, registers / each,
         static_cast<std::int64_t>(llvm::bit_ceil(static_cast<unsigned>(lanes)))});
    return most < 2 ? 0
                    : static_cast<std::int64_t>(llvm::bit_floor(static_cast<std::uint64_t>(most)));
}

// Finds the tiles that the stores of a block from `first` on read, up to the next statement of
// another kind; gives its place. Reading a tile at its first load changes nothing: none of these
// stores writes what it holds, or where it lies.
std::size_t HostEmitter::find_tiles(const Statement& block, std::size_t first) {
    tiled_.clear();
    auto last = first;
    std::set<std::string> written;
    for (; last < block.children.size() && block.children[last] &&
           block.children[last]->kind == StatementKind::Store;
         ++last)
        written.insert(block.children[last]->access->buffer);
    std::vector<std::vector<FarLoad>> groups;
    for (auto i = first; i < last; ++i)
        for (auto& load : far_loads(block.children[i]->value)) {
            if (depends_on(*load.load, written))
                continue;
            auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
                return load_together(other[0], load);
            });
            if (group == groups.end())
                group = groups.emplace(groups.end());
            group->push_back(std::move(load));
        }
    for (auto& group : groups) {
        std::stable_sort(group.begin(), group.end(), [](const FarLoad& a, const FarLoad& b) {
            return a.place.constant < b.place.constant;
        });
        const auto& load = *group[0].load;
        const auto most = widest_tile(buffers_.at(load.name).type, load.lanes);
        for (std::size_t begin = 0, end = 0; begin < group.size(); begin = end) {
            const auto least = group[begin].place.constant;
            std::int64_t distinct = 0, span = 0;
            for (; end < group.size() &&
                   group[end].place.constant - least < std::max<std::int64_t>(most, 1);
                 ++end) {
                distinct += group[end].place.constant - least >= span;
                span = group[end].place.constant - least + 1;
            }
            if (distinct < 2 || 2 * distinct < span)
                continue;
            auto tile = std::make_shared<Tile>(Tile{group[begin].stride, span, {}});
            for (auto member = begin; member < end; ++member)
                tiled_[group[member].load] = {tile, group[member].place.constant - least};
        }
    }
    return std::max(last, first + 1);
}

// The column that a load reads, of a tile that the first of its loads reads; null: it belongs to
// none.
Value* HostEmitter::load_from_tile(const Buffer& buffer, const Expr& e, Value* mask) {
    auto found = tiled_.find(&e);
    if (found == tiled_.end())
        return nullptr;
    auto& [tile, column] = found->second;
    if (tile->columns.empty()) {
        auto at = linear(e.args[0]->args[0]).plus(Linear::of(-column));
        std::vector<Value*> rows;
        for (int lane = 0; lane < e.lanes; ++lane) {
            const int span = static_cast<int>(tile->span);
            Value* on =
                mask
                    ? b_.CreateVectorSplat(static_cast<unsigned>(span),
                                           b_.CreateExtractElement(
                                               mask, b_.getInt64(static_cast<std::uint64_t>(lane))))
                    : nullptr;
            rows.push_back(load_dense(buffer, at.plus(Linear::of(tile->stride * lane)), on, span));
        }
        tile->columns = transposed(std::move(rows));
    }
    return tile->columns[static_cast<std::size_t>(column)];
}

namespace {

using Values = std::vector<Value*>;

int length_of(Value* vector) {
    return static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
}

// As many elements as are asked for: the first ones, or undefined ones behind all.
Value* resized(Builder& b, Value* vector, int length) {
    if (length_of(vector) == length)
        return vector;
    llvm::SmallVector<int, 64> order(static_cast<std::size_t>(length), llvm::PoisonMaskElem);
    std::iota(order.begin(), order.begin() + std::min(length, length_of(vector)), 0);
    return b.CreateShuffleVector(vector, order);
}

// Two vectors as segments of one length: the elements of the lower (upper) half of each segment in
// turn.
Value* interleaved_halves(Builder& b, Value* first, Value* second, int segment, bool upper) {
    llvm::SmallVector<int, 64> order;
    const int length = length_of(first);
    for (int lane = 0; lane < length; ++lane) {
        int inside = lane % segment;
        int from = lane - inside + inside / 2 + (upper ? segment / 2 : 0);
        order.push_back(inside % 2 == 0 ? from : length + from);
    }
    return b.CreateShuffleVector(first, second, order);
}

// Transposes as many vectors as a segment is long, segment by segment. Each step interleaves
// halves.
Values transposed_segments(Builder& b, Values vectors) {
    const auto count = vectors.size();
    for (std::size_t step = 1; step < count; step *= 2) {
        Values next;
        for (std::size_t i = 0; i < count / 2; ++i)
            for (bool upper : {false, true})
                next.push_back(interleaved_halves(b, vectors[i], vectors[i + count / 2],
                                                  static_cast<int>(count), upper));
        vectors = std::move(next);
    }
    return vectors;
}

// Transposes blocks of as many vectors as each has blocks: vector i receives block i of each. Each
// step takes the blocks of even, or of odd numbers of two vectors, which is one instruction.
Values transposed_blocks(Builder& b, const Values& vectors, int block) {
    if (vectors.size() == 1)
        return vectors;
    Values halves[2];
    const int length = length_of(vectors[0]);
    for (std::size_t i = 0; i < vectors.size(); i += 2)
        for (int odd : {0, 1}) {
            llvm::SmallVector<int, 64> order;
            for (int from = odd * block; from < 2 * length; from += 2 * block)
                for (int element = 0; element < block; ++element)
                    order.push_back(from + element);
            halves[odd].push_back(b.CreateShuffleVector(vectors[i], vectors[i + 1], order));
        }
    auto even = transposed_blocks(b, halves[0], block),
         odd = transposed_blocks(b, halves[1], block);
    Values result;
    for (std::size_t i = 0; i < even.size(); ++i) {
        result.push_back(even[i]);
        result.push_back(odd[i]);
    }
    return result;
}

// Transposes as many rows as each is long: first within 128 bits, where one instruction interleaves
// elements, then these as blocks.
Values transposed_square(Builder& b, const Values& rows, int block) {
    const int width = length_of(rows[0]), blocks = width / block;
    std::vector<Values> parts; // of each, element k holds columns k, block + k, …
    for (int part = 0; part < blocks; ++part)
        parts.push_back(transposed_segments(
            b, Values(rows.begin() + part * block, rows.begin() + (part + 1) * block)));
    Values columns(rows.size());
    for (int k = 0; k < block; ++k) {
        Values same;
        for (const auto& part : parts)
            same.push_back(part[static_cast<std::size_t>(k)]);
        auto out = transposed_blocks(b, same, block);
        for (int i = 0; i < blocks; ++i)
            columns[static_cast<std::size_t>(i * block + k)] = out[static_cast<std::size_t>(i)];
    }
    return columns;
}

} // namespace

// The columns of rows, of one row's element each. Rows wider than 128 bits are turned in squares;
// of narrower ones several lie in one vector, and are turned at once.
std::vector<Value*> HostEmitter::transposed(std::vector<Value*> rows) {
    const int lanes = static_cast<int>(rows.size()), span = length_of(rows[0]);
    const auto width = llvm::bit_ceil(static_cast<unsigned>(span));
    for (auto& row : rows)
        row = resized(b_, row, static_cast<int>(width));
    while (rows.size() % width != 0)
        rows.push_back(llvm::PoisonValue::get(rows[0]->getType()));
    const auto groups = rows.size() / width;
    const auto block = static_cast<unsigned>(kLaneBits / rows[0]->getType()->getScalarSizeInBits());
    Values columns;
    if (width <= block) {
        for (std::size_t i = 0; i < width; ++i) {
            Values joined;
            for (std::size_t group = 0; group < groups; ++group)
                joined.push_back(rows[group * width + i]);
            columns.push_back(llvm::concatenateVectors(b_, joined));
        }
        columns = transposed_segments(b_, std::move(columns));
    } else {
        std::vector<Values> squares;
        for (std::size_t group = 0; group < groups; ++group) {
            auto begin = rows.begin() + static_cast<std::ptrdiff_t>(group * width);
            squares.push_back(
                transposed_square(b_, Values(begin, begin + width), static_cast<int>(block)));
        }
        for (std::size_t i = 0; i < width; ++i) {
            Values joined;
            for (const auto& square : squares)
                joined.push_back(square[i]);
            columns.push_back(llvm::concatenateVectors(b_, joined));
        }
    }
    columns.resize(static_cast<std::size_t>(span));
    for (auto& column : columns)
        column = resized(b_, column, lanes);
    return columns;
}

} // namespace loopscope::codegen
